"""scikit-learn's conventions, by its own checks."""

import numpy as np
import pytest

import riemann2 as rm2

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "estimator, check", check_estimator(rm2.WGPLVM("R", max_iterations=5), generate_only=True), ids=str
)
def test_estimator(estimator, check):
    check(estimator)


def test_clone():
    made = rm2.WGPLVM("R3 x S3", latent_dim=3, kernel="matern52", random_state=2)
    copy = clone(made)
    assert copy is not made and copy.get_params() == made.get_params() and type(copy) is rm2.WGPLVM
    assert type(clone(rm2.GPLVM("R"))) is rm2.GPLVM


class Covariances:
    """Covariance matrices of signals, as pyRiemann's transformer of this name makes them."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return np.stack([x @ x.T / x.shape[1] + 0.05 * np.eye(len(x)) for x in X])

    def fit_transform(self, X, y=None):
        return self.transform(X)

    def get_params(self, deep=True):
        return {}

    def set_params(self, **params):
        return self


def test_pipeline(rng):
    """Signals of two classes with different covariances are told apart in the latent space."""
    y = np.repeat([0, 1], 20)
    mixing = np.stack([np.eye(4), np.diag([3.0, 1, 1, 0.3])])
    X = np.stack([mixing[c] @ rng.standard_normal((4, 200)) for c in y])
    pipe = make_pipeline(Covariances(), rm2.WGPLVM("SPD", max_iterations=20), LogisticRegression())
    assert pipe.fit(X, y).score(X, y) > 0.9


@pytest.mark.filterwarnings("ignore")
def test_grid_search_by_trajectory(toy):
    search = GridSearchCV(rm2.WGPLVM("R2 x S2", max_iterations=10), {"latent_dim": [1, 2]}, cv=GroupKFold(3))
    search.fit(toy.points, groups=toy.groups)
    assert search.best_params_["latent_dim"] in (1, 2)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    scores = cross_val_score(rm2.WGPLVM("R2 x S2", max_iterations=10), toy.points, cv=GroupKFold(3), groups=toy.groups)
    assert scores.shape == (3,)


def test_score_is_the_mean_held_out_log_density(model, toy):
    density = model.transform(toy.points, return_info=True)[1]["log_density"]
    assert model.score(toy.points) == pytest.approx(density.mean(), rel=1e-12)
