# %% [markdown]
# # From demonstrations to a timed motion of a robot
#
# Six demonstrations of reach, grasp and lift: positions and orientations of a gripper, points of R3 x S3. We learn
# their latent space, find the shortest path between two poses, lead it round an obstacle, time it within limits of
# speed and let an arm follow it.
#
# Cells begin with `# %%`: open the file as a notebook in an editor that knows them, or run it as a script.

# %%
import numpy as np

import riemann2 as rm2

# %% [markdown]
# ## Data
# Your own demonstrations come from a file, `rm2.read("demos.csv", manifold="R3 x S3", group="demo")`, or from arrays,
# `rm2.Data(points, "R3 x S3", groups=ids)`. Quaternions are in the order w x y z; their signs are made continuous.

# %%
data = rm2.generate("robot")
print(data)
position, orientation = data.manifold.split(data.points)
print("positions", position.shape, "orientations", orientation.shape)

# %% [markdown]
# ## A model
# The defaults need no tuning. Everything that is decoded is a pose: a position and a unit quaternion.

# %%
model = rm2.WGPLVM("R3 x S3", latent_dim=2).fit(data)
print(model.info_["stop"], "after", model.n_iter_, "iterations")
poses, std = model.inverse_transform(model.latents_, return_std=True)
print("on the manifold:", model.manifold_.belongs(poses).all(), " typical uncertainty:", np.median(std).round(3))

# %% [markdown]
# ## The shortest path
# From the first pose of the first demonstration to the last pose of the last one. In the metric of the data the
# straight line through the latent space is longer: it leaves the region that the data know.

# %%
Z = model.latents_
path = model.geodesic(Z[0], Z[-1])
print(path, " straight line:", round(path.straight_length, 2))
figure = model.plot(path, title="Latent space of six demonstrations")
figure.savefig("python-robot-latent.png", dpi=150)
figure

# %% [markdown]
# ## How good is the motion?
# Dynamic time warping to the demonstrations, next to what they are away from each other (the floor).

# %%
floor = rm2.dtw_floor(data, data.manifold)
distance = rm2.dtw(path.points, data.trajectories, data.manifold)
print(f"to the demonstrations {distance.mean():.2f}, floor {floor.mean:.2f}")

# %% [markdown]
# ## An obstacle, and a pose on the way
# A sphere in the workspace where the path passes; the metric is high inside of it.

# %%
obstacle = rm2.Sphere(centre=path.points[90, :3], radius=0.03)
around = model.geodesic(Z[0], Z[-1], obstacles=[obstacle])
gap = np.linalg.norm(around.points[:, :3] - obstacle.centre, axis=1).min()
print(f"distance of the new path from the centre: {gap:.3f} m")
via = model.geodesic(Z[0], Z[-1], via=[Z[len(Z) // 2]])
print("through a pose on the way:", via)
figure = model.plot_decoded(path, around, title="The path, and the way round an obstacle")
figure.savefig("python-robot-decoded.png", dpi=150)

# %% [markdown]
# ## Time
# As fast as 0.2 m/s, 0.4 rad/s, 1 m/s² and 2 rad/s² allow. Limits of acceleration are in the distance of each factor, which
# is half the angle of rotation on S3.

# %%
time = around.time(linear=0.2, angular=0.4, acceleration=(1, 1))
print(f"{time[-1]:.2f} s")

# %% [markdown]
# ## Joints
# The Panda follows the poses within its joint limits, once they are moved into its reach.

# %%
arm = rm2.Arm("panda")
placement, found = arm.find_place(around.points[::10], "R3 x S3")
targets = arm.place(around.points[::10], "R3 x S3", placement)
tracked = arm.track(targets, "R3 x S3", time=time[::10])
print("placed:", found, " missed:", int(tracked.missed.sum()), "of", len(targets),
      f" largest error {tracked.position_error.max():.1e} m")

# %% [markdown]
# ## Keep it
# The same file as those of the program `riemann2`; models are pickled through it, too.

# %%
model.save("robot-model.npz", overwrite=True)
again = rm2.load("robot-model.npz")
print(again, np.array_equal(again.latents_, model.latents_))
