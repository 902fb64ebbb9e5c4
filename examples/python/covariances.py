# %% [markdown]
# # Covariance matrices of EEG signals and brain connectomes
#
# Covariances are points of SPD(n), with the affine-invariant metric. We learn a latent space of simulated trials of
# two mental states, use it in a pipeline of scikit-learn, choose its dimension by cross-validation, and measure
# distances between connectomes along the data.

# %%
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import riemann2 as rm2

# %% [markdown]
# ## Trials
# 60 trials of 6 channels by 250 samples, from three subjects. In one state the first source is strong, in the other
# one the last; every subject has its own mixing of sources to channels.

# %%
rng = np.random.default_rng(0)
subject = np.repeat([0, 1, 2], 20)
state = np.tile([0, 1], 30)
mixing = np.eye(6) + 0.15 * rng.standard_normal((3, 6, 6))
power = np.array([[3.0, 1, 1, 1, 1, 0.5], [0.5, 1, 1, 1, 1, 3.0]])
trials = np.stack([mixing[s] @ (power[c][:, None] * rng.standard_normal((6, 250))) for s, c in zip(subject, state)])

# %% [markdown]
# ## Covariances
# Shrunk a little towards a multiple of the identity, so that they are well conditioned. pyRiemann's
# `Covariances("oas")` fits here as well.


# %%
def covariances(trials, shrinkage=0.05):
    X = trials @ trials.transpose(0, 2, 1) / trials.shape[-1]
    trace = np.trace(X, axis1=1, axis2=2)[:, None, None] / X.shape[-1]
    return (1 - shrinkage) * X + shrinkage * trace * np.eye(X.shape[-1])


X = covariances(trials)
S = rm2.Manifold("SPD6")
mean = S.mean(X)
print("distance of the states' means:", round(S.dist(S.mean(X[state == 0]), S.mean(X[state == 1])), 2))

# %% [markdown]
# ## A latent space
# "SPD" takes its size from the data; matrices come in and go out as (n, 6, 6).

# %%
model = rm2.WGPLVM("SPD", latent_dim=2).fit(rm2.Data(X, "SPD6", labels=[f"state {c}" for c in state]))
decoded, std = model.inverse_transform(model.latents_, return_std=True)
print("decoded matrices are positive definite:", bool((np.linalg.eigvalsh(decoded) > 0).all()))
model.plot(title="Latent space of 60 covariance matrices").savefig("python-eeg-latent.png", dpi=150)

# %% [markdown]
# ## A pipeline
# Held-out subjects are never in the training set.

# %%
pipe = make_pipeline(FunctionTransformer(covariances), rm2.WGPLVM("SPD", max_iterations=50), LogisticRegression())
accuracy = cross_val_score(pipe, trials, state, groups=subject, cv=GroupKFold(3))
print("accuracy on held-out subjects:", accuracy.mean().round(2))

# %% [markdown]
# ## How many dimensions?
# `score` is the mean log density of held-out points.

# %%
search = GridSearchCV(rm2.WGPLVM("SPD", max_iterations=50), {"latent_dim": [1, 2, 3]}, cv=GroupKFold(3))
search.fit(X, groups=subject)
print("log density by dimensions:", dict(zip([1, 2, 3], search.cv_results_["mean_test_score"].round(2))))

# %% [markdown]
# ## Connectomes: distances, mean and prototypes
# Fifteen regions. `stage="path"` takes distances along the roadmap, without solving the geodesic equation for each
# pair: good to a few percent, and quick for large matrices.

# %%
connectomes = rm2.generate("connectome", points=60)
brain = rm2.WGPLVM("SPD15").fit(connectomes)
some = brain.latents_[::4]
prototypes = brain.medoids(some, 3, stage="path")
print("prototypes:", prototypes.indices, " cost:", round(prototypes.cost, 2))
middle = brain.inverse_transform(brain.mean(some, stage="path"))
figure = rm2.Figure(150, 55)
chosen = np.concatenate([brain.inverse_transform(some[prototypes.indices]), middle[None]])
panel = figure.panel(kind="matrices", title="Three prototypes and the mean")
panel.matrices(chosen, correlation=True, label="correlation")
figure.savefig("python-connectomes.png", dpi=150)
