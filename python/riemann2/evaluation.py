"""How good a model or a trajectory is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

import numpy as np

from . import _core
from ._arrays import as_doubles
from ._progress import Callback, watch
from ._settings import texts
from .data import Data
from .manifold import Manifold

if TYPE_CHECKING:
    from ._arrays import Array
    from .model import WGPLVM

__all__ = ["Calibration", "CrossValidation", "CrossValidationJob", "CrossValidationRow", "Floor", "Score", "calibration", "cross_validate", "dtw", "dtw_floor", "score"]



def _need(model: Any, *data: Any) -> None:
    """Raise TypeError for what is not a model or a data set."""
    if not hasattr(model, "_fitted"):
        raise TypeError(f"model: expected a WGPLVM, got {type(model).__name__}")
    for one in data:
        if not isinstance(one, Data):
            raise TypeError(f"data: expected riemann2.Data, got {type(one).__name__}")


class Floor(NamedTuple):
    """Distances among trajectories: what one demonstration is away from another."""

    mean: float
    std: float
    distances: Array
    """All pairs i < j, by rows."""


def _rows(value: Any, name: str, shape: tuple[int, ...] | None) -> Array:
    array = as_doubles(value, name)
    if shape is None:
        shape = array.shape[1:]
    if array.ndim < 2 or array.shape[1:] != shape:
        raise ValueError(f"{name}: expected an array of shape (n, {', '.join(map(str, shape))}), got {array.shape}")
    return array


def _dtw_settings(manifold: Any, settings: dict[str, Any], width: int) -> tuple[Any, ...]:
    return None if manifold is None else manifold._handle, texts("dtw", settings), width


def dtw(a: Any, b: Any, manifold: str | Manifold | None = None, **settings: Any) -> Any:
    """Return the distance between sequences under dynamic time warping.

    Parameters
    ----------
    a : array of shape (n, *point_shape)
    b : array of shape (m, *point_shape), or a list of such arrays
    manifold : str or Manifold, optional
        Whose distance between points is used; the Euclidean distance of rows by default.
    **settings
        Settings of the library's table "dtw". ``kind``: "warped" (root of the least sum of squared distances), "padded" (the
        shorter one is padded first) or "nearest" (sum of the distances to the nearest points). ``window``: warp by less than
        this number of points.

    Returns
    -------
    float, or an array with one distance per sequence of a list

    Examples
    --------
    >>> import numpy as np, riemann2 as rm2
    >>> rm2.dtw(np.array([[0.0], [1.0]]), np.array([[0.0], [0.0], [1.0]]))
    0.0
    """
    m = None if manifold is None else Manifold(manifold)
    shape = None if m is None else m.point_shape
    first = _rows(a, "a", shape)
    many = isinstance(b, (list, tuple)) and len(b) > 0 and np.ndim(b[0]) >= 2
    others = [_rows(one, "b", first.shape[1:]) for one in (b if many else [b])]
    out = np.empty(len(others))
    width = int(np.prod(first.shape[1:]))
    _core.dtw_from(_dtw_settings(m, settings, width), first, others, out)
    return out if many else float(out[0])


def dtw_floor(sequences: Sequence[Any] | Data, manifold: str | Manifold | None = None, **settings: Any) -> Floor:
    """Return the distances among sequences (or trajectories of a data set): the floor of what a model can reach.

    Parameters are those of `dtw`.
    """
    m = None if manifold is None else Manifold(manifold)
    given = sequences.trajectories if isinstance(sequences, Data) else list(sequences)
    if len(given) < 2:
        raise ValueError(f"expected at least two sequences, got {len(given)}")
    shape = None if m is None else m.point_shape
    rows = [_rows(given[0], "sequence", shape)]
    rows += [_rows(one, "sequence", rows[0].shape[1:]) for one in given[1:]]
    out = np.empty(len(rows) * (len(rows) - 1) // 2)
    width = int(np.prod(rows[0].shape[1:]))
    mean, deviation = _core.dtw_floor(_dtw_settings(m, settings, width), rows, out)
    return Floor(mean, deviation, out)


class Score(NamedTuple):
    """How well a model describes data that it has not seen."""

    points: int
    converged: int
    """Encodings that converged."""
    log_density: float
    """Mean per point, of the tangent coordinates, in the model's units."""
    log_density_manifold: float
    """The same against the Riemannian volume; NaN for a Euclidean model."""
    tangent: float
    """Root mean squared length of observation minus decoded mean, in tangent coordinates."""
    ambient: float
    """The same in ambient coordinates, in the model's units."""
    log_density_at_latent: float
    """Mean per point, given the latent point that was found. Not a density of the observation: it grows with every latent
    dimension."""


def score(model: WGPLVM, data: Data, *, callback: Callback = None, **settings: Any) -> tuple[Score, list[Score]]:
    """Encode held-out data and compare them with what comes back.

    Parameters
    ----------
    model : WGPLVM
    data : Data
    **settings
        Settings of the library's table "encode".

    Returns
    -------
    total : Score
    each : list of Score, one per trajectory
    """
    _need(model, data)
    handle = model._fitted()
    latents = np.empty((len(data), model.info_["latent_dim"]))
    with watch(callback) as report:
        total, each = _core.score(handle, data._handle, texts("encode", settings), latents, report)
    return Score(*total), [Score(*one) for one in each]


class Calibration(NamedTuple):
    """Whether the uncertainty of a model has the right size."""

    points: int
    outputs: int
    levels: Array
    """Nominal probabilities."""
    quantiles: Array
    """Quantiles of the reference distribution of the squares."""
    coverage: Array
    """Share of points within each quantile: equal to the levels if the model is right."""
    mean_square: float
    """Mean squared Mahalanobis distance over that of the reference: 1 if right, above 1 if the model is too certain."""
    uniformity: float
    """Kolmogorov and Smirnov's statistic of the probabilities."""
    degrees: int
    """Degrees of freedom k of the reference: outputs, less latent dimensions for encoded latents."""
    freedom: float
    """The reference is k F(k, freedom) for a model that is calibrated on demonstrations; 0: chi-square."""
    squares: Array
    """Squared Mahalanobis distance of each point."""
    probabilities: Array
    """Its probability (PIT value)."""


def calibration(model: WGPLVM, Z: Any, Y: Any, *, encoded: bool = False) -> Calibration:
    """Compare observations with the predictions at their latent points.

    Parameters
    ----------
    model : WGPLVM
    Z : array of shape (n, latent_dim)
    Y : array of shape (n, *point_shape)
    encoded : bool
        Whether ``Z`` was encoded from ``Y``, which takes as many degrees of freedom as there are latent dimensions.
    """
    _need(model)
    handle = model._fitted()
    latents, lead = model._latents(Z)
    points, _ = model.manifold_._take(Y, "Y", model.manifold_.point_shape)
    squares, probabilities = np.empty(lead), np.empty(lead)
    n, outputs, levels, quantiles, coverage, square, uniformity, degrees, freedom = _core.calibration(
        handle, latents, points, squares, probabilities, encoded
    )
    return Calibration(n, outputs, np.array(levels), np.array(quantiles), np.array(coverage), square, uniformity,
                       degrees, freedom, squares, probabilities)


class CrossValidationJob(NamedTuple):
    """One candidate on one fold."""

    failed: bool
    message: str
    """Reason of a failure, or of a missing motion."""
    train: int
    """Training points."""
    held: int
    """Points held out."""
    unconverged: int
    """Encodings and geodesics that did not converge."""
    log_density: float
    """Of the held-out points, mean, against the Riemannian volume; NaN for a Euclidean model next to others."""
    residual: float
    """Root mean squared residual in tangent coordinates."""
    coverage: float
    """Share of points within the 95 % region of the prediction."""
    motion: float
    """Distance of a held-out trajectory from the geodesic between its encoded ends, as a multiple of the distance between
    training trajectories; NaN without trajectories."""
    seconds: float


class CrossValidationRow(NamedTuple):
    """One candidate over the folds: means and standard errors."""

    failed: int
    """Folds in which it failed."""
    unconverged: int
    log_density: float
    log_density_error: float
    residual: float
    residual_error: float
    coverage: float
    coverage_error: float
    motion: float
    motion_error: float
    behind: float
    """Density of the best candidate less this one's."""
    behind_error: float
    """Standard error of the difference, over the folds."""


class CrossValidation(NamedTuple):
    """How well candidates describe data that they were not trained on."""

    rows: list[CrossValidationRow]
    """One per candidate."""
    jobs: list[list[CrossValidationJob]]
    """Per candidate one per fold."""
    folds: Array
    """Fold of each point, from 0."""
    best: int | None
    """Candidate (from 0) with the highest density; None if each failed in some fold."""
    recommended: int | None
    """The simplest candidate (from 0) that is behind the best by at most one standard error of the difference."""
    resumed: int
    """Jobs that were taken from the checkpoint."""


def cross_validate(
    models: WGPLVM | Sequence[WGPLVM],
    data: Data,
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    callback: Callback = None,
    **settings: Any,
) -> CrossValidation:
    """Train each model on all folds of the data except one, in turn, and judge it on that one.

    Jobs (models times folds) run on all threads, one thread each.

    Parameters
    ----------
    models : WGPLVM or sequence of WGPLVM
        Candidates: settings of trainings; they are not changed.
    data : Data
    checkpoint : path, optional
        File that keeps the results of finished jobs.
    resume : bool
        Take finished jobs from the checkpoint.
    callback : callable, optional
        Called with a `Progress`; returning False stops the work.
    **settings
        Settings of the library's table "cross": split, folds, motion, seed.

    Returns
    -------
    CrossValidation

    Examples
    --------
    >>> import riemann2 as rm2
    >>> data = rm2.generate("toy", trajectories=3, points=15)
    >>> found = rm2.cross_validate([rm2.WGPLVM("R2 x S2", q, max_iterations=20) for q in (1, 2)], data)
    >>> len(found.rows), len(found.jobs[0])
    (2, 3)
    """
    candidates: list[Any] = [models] if hasattr(models, "_fitted") else list(models)
    _need(candidates[0] if candidates else None, data)
    for model in candidates:
        _need(model)
    words = [model._prepare(data, None, None)[1] for model in candidates]
    path = None if checkpoint is None else os.fspath(checkpoint)
    with watch(callback) as report:
        folds, jobs, rows, best, recommended, resumed = _core.cross_validate(
            data._handle, texts("cross", settings), words, report, path, bool(resume)
        )
    each = [CrossValidationJob._make([*job[:5], *job[5], job[6]]) for job in jobs]
    count = len(each) // len(candidates)
    return CrossValidation(
        [CrossValidationRow._make([*r[:2], *(v for pair in zip(r[2], r[3]) for v in pair), *r[4:]]) for r in rows],
        [each[k * count : (k + 1) * count] for k in range(len(candidates))],
        np.array(folds, dtype=np.intp),
        None if best < 0 else best,
        None if recommended < 0 else recommended,
        resumed,
    )
