"""Covariances of signals: against scikit-learn and NumPy, shapes, faults, and models of regularised matrices."""

import numpy as np
import pytest
from sklearn.covariance import empirical_covariance, ledoit_wolf, oas, shrunk_covariance

import riemann2 as rm2


@pytest.fixture
def signals():
    rng = np.random.default_rng(3)
    return rng.normal(size=(4, 5, 5)) @ rng.normal(size=(4, 5, 30)) + 7


@pytest.mark.parametrize(
    ("estimator", "reference"),
    [("lwf", lambda x: ledoit_wolf(x)[0]), ("oas", lambda x: oas(x)[0]), ("scm", empirical_covariance),
     ("cov", lambda x: np.cov(x.T)), ("corr", lambda x: np.corrcoef(x.T))],
)
def test_estimators(signals, estimator, reference):
    found = rm2.covariances(signals, estimator)
    assert found.shape == (4, 5, 5)
    for x, matrix in zip(signals, found):  # sums of 30 products
        np.testing.assert_allclose(matrix, reference(x.T), rtol=0, atol=1e-13 * abs(matrix).max())


def test_fixed_shrinkage(signals):
    found, used = rm2.covariances(signals[0], "scm", shrinkage=0.2, return_shrinkage=True)
    wanted = shrunk_covariance(empirical_covariance(signals[0].T), 0.2)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-13 * abs(wanted).max())
    assert used == 0.2


def test_standardise(signals):
    found = rm2.covariances(signals.reshape(2, 2, 5, 30), "lwf", standardise=True)
    assert found.shape == (2, 2, 5, 5)
    x = signals[0].T
    np.testing.assert_allclose(found[0, 0], ledoit_wolf((x - x.mean(0)) / x.std(0))[0], rtol=0, atol=1e-13)


def test_faults(signals):
    with pytest.raises(ValueError, match="too few for the cov of 5 channels"):
        rm2.covariances(signals[..., :5], "cov")
    signals[2, 3, 4] = np.nan
    with pytest.raises(ValueError, match="window 3.*channel 4 has values that are missing"):
        rm2.covariances(signals)
    with pytest.raises(ValueError, match="n_channels, n_times"):
        rm2.covariances(np.zeros(3))
    with pytest.raises(ValueError, match="one of cov, scm, corr, lwf, oas"):
        rm2.covariances(signals[:1], "mcd")


def test_singular_matrices_are_refused_unless_regularised():
    x = np.random.default_rng(5).normal(size=(20, 4, 3))
    singular = x @ np.swapaxes(x, 1, 2)  # rank 3 of 4
    with pytest.raises(ValueError, match="singular within rounding"):
        rm2.WGPLVM("SPD4").fit(rm2.Data(singular, "SPD4"))
    data = rm2.Data(singular, "SPD4", shrinkage=0.1)
    assert data.shrinkage == 0.1
    model = rm2.WGPLVM("SPD4").fit(data)
    # arrays are regularised as the training data were, Data are taken as they are
    np.testing.assert_array_equal(model.transform(singular), model.transform(data))
