"""From signals to symmetric positive definite matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._arrays import as_doubles
from ._settings import texts


def covariances(
    X: Any, estimator: str = "lwf", *, shrinkage: float | None = None, standardise: bool = False,
    return_shrinkage: bool = False,
) -> Any:
    """Return the covariance matrices of multichannel signals, points of SPD(n_channels).

    Names and shapes are those of pyRiemann. A matrix that is singular (too few samples, channels that are combinations
    of others), a missing value and a constant channel raise ValueError.

    Parameters
    ----------
    X : array of shape (..., n_channels, n_times)
        Signals, one matrix per leading index: trials, windows or subjects.
    estimator : {"lwf", "oas", "cov", "scm", "corr"}
        Ledoit-Wolf shrinkage, oracle approximating shrinkage, sample covariance with divisor T - 1 ("cov") or T
        ("scm"), correlation. The first two are positive definite whatever the number of samples is.
    shrinkage : float, optional
        Fixed shrinkage A of "cov", "scm" and "corr": (1 - A) S + A tr(S)/n I.
    standardise : bool
        Divide each channel by its standard deviation first: correlation matrices, for every estimator.
    return_shrinkage : bool
        Also return the shrinkage of each matrix, given or found, of shape (...).

    Returns
    -------
    array of shape (..., n_channels, n_channels)

    Examples
    --------
    >>> import numpy as np
    >>> import riemann2 as rm2
    >>> X = np.random.default_rng(0).normal(size=(4, 3, 100))
    >>> C = rm2.covariances(X)
    >>> C.shape
    (4, 3, 3)
    """
    array = as_doubles(X, "X")
    if array.ndim < 2 or 0 in array.shape:
        raise ValueError(f"X: expected an array of shape (..., n_channels, n_times), got {array.shape}")
    *leading, channels, samples = array.shape
    rows = np.ascontiguousarray(np.swapaxes(array, -1, -2))
    out, found = np.empty((*leading, channels, channels)), np.empty(leading)
    given: dict[str, Any] = {"estimator": estimator, "standardise": standardise}
    if shrinkage is not None:
        given["shrinkage"] = shrinkage
    _core.covariances(samples, channels, rows, texts("covariance", given), out, found)
    return (out, found) if return_shrinkage else out
