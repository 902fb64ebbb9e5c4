"""Statistics of labelled points on a manifold: means of groups, tests between them, prediction of labels."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

import numpy as np

from . import _core
from ._progress import Callback, watch
from ._settings import table, texts
from .manifold import Manifold

if TYPE_CHECKING:
    from ._arrays import Array

__all__ = ["Accuracy", "PermutationTest", "classify", "group_means", "permutation_test"]


def _codes(values: Any, name: str, n: int) -> tuple[list[Any], Array]:
    """Return the distinct values, sorted, and the number of each point's value as float64."""
    array = np.asarray(values)
    if array.shape != (n,):
        raise ValueError(f"{name}: expected one per point, an array of shape ({n},), got {array.shape}")
    try:
        distinct, codes = np.unique(array, return_inverse=True)
    except TypeError:
        raise TypeError(f"{name}: expected texts or numbers of one kind") from None
    return distinct.tolist(), np.ascontiguousarray(codes, dtype=np.float64)


def _take(manifold: str | Manifold, points: Any, labels: Any) -> tuple[Manifold, Array, list[Any], Array]:
    m = Manifold(manifold)
    array, lead = m._take(points, "points", m.point_shape)
    if len(lead) != 1 or lead[0] == 0:
        raise ValueError(f"points: expected at least one point in an array of shape (n, ...), got {array.shape}")
    return (m, array, *_codes(labels, "labels", lead[0]))


def group_means(manifold: str | Manifold, points: Any, labels: Any) -> dict[Any, Array]:
    """Return the Fréchet mean of the points of each label.

    Parameters
    ----------
    manifold : str or Manifold
    points : array of shape (n, *point_shape)
    labels : sequence of n texts or numbers

    Examples
    --------
    >>> import riemann2 as rm2
    >>> means = rm2.group_means("R1", [[0.0], [2.0], [7.0]], ["a", "a", "b"])
    >>> float(means["a"][0]), float(means["b"][0])
    (1.0, 7.0)
    """
    m, array, names, codes = _take(manifold, points, labels)
    return {name: m.mean(array[codes == k]) for k, name in enumerate(names)}


class PermutationTest(NamedTuple):
    """Result of a permutation test of the distance between the means of two groups."""

    statistic: float
    """Of the labels as they are."""
    p_value: float
    """(1 + as_large)/(1 + permutations)."""
    permutations: int
    """Of the labels, the one as they are not counted."""
    as_large: int
    """Of them with a statistic not below that of the labels as they are."""
    exact: bool
    """All permutations were tried: the p value is not random."""
    values: Array
    """Statistic of each permutation."""


def permutation_test(
    manifold: str | Manifold,
    points: Any,
    labels: Any,
    *,
    subjects: Any = None,
    between: tuple[Any, Any] | None = None,
    callback: Callback = None,
    **settings: Any,
) -> PermutationTest:
    """Test whether the points of two labels differ, by permutations of the distance between their means.

    Parameters
    ----------
    manifold : str or Manifold
    points : array of shape (n, *point_shape)
    labels : sequence of n texts or numbers
    subjects : sequence of n texts or numbers, optional
        Points of one subject keep their labels together. Without it each point is its own subject.
    between : pair of labels, optional
        The groups; needed where there are more than two labels.
    **settings
        Settings of the library's table "test": statistic ("means" or "tangent"), permutations, seed.

    Warns
    -----
    RuntimeWarning
        If a mean did not converge: the result is not reliable.

    Examples
    --------
    >>> import riemann2 as rm2
    >>> rm2.permutation_test("R1", [[0.0], [1.0], [8.0], [9.0]], ["a", "a", "b", "b"]).exact
    True
    """
    m, array, names, codes = _take(manifold, points, labels)
    pair = tuple(names) if between is None else tuple(between)
    if len(pair) != 2:
        raise ValueError(f"expected two labels, got {len(pair)}; name two with between=(first, second)")
    for one in pair:
        if one not in names:
            raise ValueError(f"between: no point has the label {one!r}")
    who = None if subjects is None else _codes(subjects, "subjects", len(array))[1]
    given = texts("test", settings)
    most = given.get("permutations", table("test")["permutations"].defaults[0])
    values = np.empty(max(int(most), 0))
    with watch(callback) as report:
        statistic, p, count, as_large, exact, converged = _core.group_test(
            m._handle, array, codes, who, len(names), names.index(pair[0]), names.index(pair[1]), given, values, report
        )
    if not converged:
        warnings.warn("a mean did not converge: do not rely on the p value", RuntimeWarning, stacklevel=2)
    return PermutationTest(statistic, p, count, as_large, exact, values[:count].copy())


METHODS = ("mean", "neighbours", "tangent-logistic", "latent-network", "latent-euclidean", "latent-logistic")


class Accuracy(NamedTuple):
    """How well a method predicts labels of points that it has not seen."""

    accuracy: float
    """Part of the points whose label is predicted."""
    error: float
    """Its standard error, over subjects."""
    balanced: float
    """Mean over the labels of their accuracies."""
    balanced_error: float
    chance: float
    """Accuracy of always the most frequent label."""
    chance_balanced: float
    """1/labels."""
    labels: dict[Any, tuple[float, float]]
    """Accuracy and standard error of each label."""
    right: Array
    """Part of the repeats in which each point's label was predicted."""


def classify(
    manifold: str | Manifold,
    points: Any,
    labels: Any,
    *,
    methods: Sequence[str] = METHODS,
    subjects: Any = None,
    callback: Callback = None,
    **settings: Any,
) -> dict[str, Accuracy]:
    """Cross-validate how well labels are predicted, on the manifold and in latent spaces.

    Parameters
    ----------
    manifold : str or Manifold
    points : array of shape (n, *point_shape)
    labels : sequence of n texts or numbers
    methods : sequence of str
        "mean" (nearest Fréchet mean), "neighbours", "tangent-logistic", "latent-network" (nearest latents by paths over a
        network in the metric of the model), "latent-geodesic" (the same by geodesics; slow), "latent-euclidean" and
        "latent-logistic". Everything, models included, is fitted to the other folds alone.
    subjects : sequence of n texts or numbers, optional
        Points of one subject are in one fold.
    **settings
        Settings of the library's table "classify": folds, repeats, neighbours, ridge, latent_dim, seed.

    Warns
    -----
    RuntimeWarning
        If a fit or an encoded point did not converge.

    Examples
    --------
    >>> import riemann2 as rm2
    >>> found = rm2.classify("R1", [[0.0], [0.1], [7.0], [7.1]], list("aabb"), methods=["mean"], folds=2)
    >>> found["mean"].accuracy
    1.0
    """
    m, array, names, codes = _take(manifold, points, labels)
    who = None if subjects is None else _codes(subjects, "subjects", len(array))[1]
    chosen = list(dict.fromkeys([methods] if isinstance(methods, str) else methods))
    right = np.empty((len(chosen), len(array)))
    with watch(callback) as report:
        rows, unconverged = _core.classify(
            m._handle, array, codes, who, len(names), chosen, texts("classify", settings), right, report
        )
    if unconverged:
        warnings.warn(f"{unconverged} fits or encoded points did not converge", RuntimeWarning, stacklevel=2)
    return {
        name: Accuracy(*row[:6], dict(zip(names, zip(row[6], row[7]))), right[k].copy())
        for k, (name, row) in enumerate(zip(chosen, rows))
    }
