# %% [markdown]
# # New starts, goals and via points
#
# Demonstrations of reach, grasp and lift, as in `robot.py`. We ask for motions that begin and end at poses that nobody has shown, pass
# a via point exactly, and keep away from an obstacle.

# %%
import numpy as np

import riemann2 as rm2

data = rm2.generate("robot")
model = rm2.WGPLVM("R3 x S3").fit(data)
demos = [data.points[data.groups == i] for i in dict.fromkeys(data.groups)]
start, goal = demos[0][0], demos[0][-1]

# %% [markdown]
# ## A goal 5 cm away
# A geodesic would end near a demonstrated goal. The motion ends at the pose itself, to rounding. `stretch` says how far it is from the
# demonstrations: above 1 it was not shown, above 2 it counts as outside.

# %%
moved = goal.copy()
moved[2] += 0.05
motion = model.geodesic(start_pose=start, goal_pose=moved)
print(motion, motion.reason or "within what was demonstrated")
print("ends missed by", motion.pose_errors.max(), " largest correction (m, rad)", motion.largest.round(3))

# %% [markdown]
# ## A via point
# The position alone: NaN leaves the orientation free. The motion passes it without a corner and without a stop.

# %%
via = demos[1][len(demos[1]) // 2].copy()
via[0] += 0.01
via[3:] = np.nan
through = model.geodesic(start_pose=start, goal_pose=goal, via_poses=[via])
print("via point at node", through.pose_nodes[1], "missed by", through.pose_errors[1, 0])

# %% [markdown]
# ## How would others have done it?
# The covariance is the difference between demonstrators with these poses: zero where the motion must be, largest between. Samples are
# motions that all meet the poses.

# %%
sd = np.sqrt(np.trace(through.cov[:, :3, :3], axis1=1, axis2=2))
print("standard deviation of the position (m), nodes 0, 50, 100, 150:", sd[[0, 50, 100, 150]].round(4))
drawn = through.samples(20, seed=1)

# %%
figure = rm2.Figure(width=170, height=75, columns=2)
left = figure.panel(0, 0, title="Goals that were not demonstrated", x="x (m)", y="z (m)", equal=True)
right = figure.panel(0, 1, title="A via point, with samples", x="x (m)", y="z (m)", equal=True)
for panel in (left, right):
    for k, demo in enumerate(demos):
        panel.curve(demo[:, [0, 2]], colour="demonstrations", label="demonstrations" if k == 0 else None)
for k, shift in enumerate((-0.05, 0, 0.05, 0.1)):
    asked = goal.copy()
    asked[2] += shift
    one = model.geodesic(start_pose=start, goal_pose=asked)
    left.curve(one.points[:, [0, 2]], colour="geodesic", label="motions" if k == 0 else None)
    left.points(asked[None][:, [0, 2]], colour="geodesic", marker="circle")
for k, one in enumerate(drawn):
    right.curve(one[:, [0, 2]], colour="blue", opacity=0.3, label="samples" if k == 0 else None)
right.curve(through.points[:, [0, 2]], colour="geodesic", label="motion")
right.points(via[None][:, [0, 2]], colour="geodesic", marker="circle", label="via point")
figure.savefig("ends.png", dpi=150)
figure

# %% [markdown]
# ## A stiffness profile
# Where all demonstrators went the same way a controller should hold the motion firmly; where they differed it may give way. The second
# result of `covariances` is how much they differed, in metres and radians in the frame of the pose: along its axes the stiffness falls
# from `STIFF` to `SOFT` newtons per metre, by the half at a standard deviation of `HALF` metres. Take the first result in its place for a
# controller that must be firm where *this* motion is bound to its poses.

# %%
SOFT, STIFF, HALF = 100.0, 1000.0, 0.01


def stiffness(cov):
    values, axes = np.linalg.eigh(cov)
    gains = SOFT + (STIFF - SOFT) / (1 + values.clip(0)[..., None, :] / HALF**2)
    return axes * gains @ np.swapaxes(axes, -1, -2)


of_motion, of_demonstrators = motion.covariances()
K = stiffness(of_demonstrators[:, :3, :3])
print("least and largest stiffness (N/m), nodes 0, 50, 100, 150:")
print(np.linalg.eigvalsh(K[[0, 50, 100, 150]])[:, [0, -1]].round(0))

# %% [markdown]
# ## An obstacle
# The correction changes the route, so that clearance is proven again for the corrected motion.

# %%
ball = rm2.Sphere(motion.points[100, :3] + [0, 0.01, 0.01], 0.02)
around = model.geodesic(start_pose=start, goal_pose=moved, obstacles=[ball], clearance=0.01)
print("blocked:", around.blocked, " proven clearance:", round(around.clearance, 4), " plans:", around.plans)
seconds = around.time(linear=0.2, angular=1, acceleration=(1, 2))
print("takes", seconds[-1].round(2), "seconds")
figure = rm2.Figure()
panel = figure.panel(title="Around an obstacle", x="x (m)", y="z (m)", equal=True)
panel.curve(motion.points[:, [0, 2]], colour="straight", dash="dashed", label="without the obstacle")
panel.curve(around.points[:, [0, 2]], colour="geodesic", label="motion")
panel.points(np.array(ball.centre)[None][:, [0, 2]], marker="circle", colour="obstacle", label="centre of the sphere")
figure.savefig("around.png", dpi=150)
figure
