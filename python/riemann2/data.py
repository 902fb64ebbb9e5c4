"""Data sets: points on a manifold, in trajectories, with labels and time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from . import _core
from ._arrays import as_doubles, as_seed
from ._settings import describe, texts
from .manifold import Manifold

if TYPE_CHECKING:
    from ._arrays import Array

__all__ = ["Data", "generate", "read"]


def _per_point(values: Any, count: int, name: str) -> Array:
    array = np.asarray(values)
    if array.shape != (count,):
        raise ValueError(f"{name}: expected one per point, {count} values, got an array of shape {array.shape}")
    return array


def _texts_of(values: Any, count: int, name: str) -> list[str] | None:
    """One text per point, or None."""
    return None if values is None else [str(v) for v in _per_point(values, count, name).tolist()]


def _groups_of(values: Any, count: int) -> Any:
    """Trajectories as int64 where they are integers, else as texts."""
    if values is None:
        return None
    array = _per_point(values, count, "groups")
    if array.dtype.kind in "iu" and (array.size == 0 or array.max() < 2**63):
        return np.ascontiguousarray(array, dtype=np.int64)
    return _texts_of(array, count, "groups")


class Data:
    """Points on a manifold; they never change.

    Parameters
    ----------
    points : array of shape (n, *point_shape)
        Other shapes where settings say so: triangles of symmetric matrices, Euler angles, ...
    manifold : str or Manifold
    groups : sequence of n ids, optional
        Trajectory of each point; points of one trajectory stand next to each other.
    time : array of shape (n,), optional
    labels : sequence of n labels, optional
    source : str
        Name in messages and model files.
    report : bool
        Also compute `report`.
    **settings
        Settings of the library's table "data", such as ``scale="none"``, ``thin=50``, ``holdout="2,5"``,
        ``spd_layout="upper"``: see `riemann2.settings`.

    Attributes
    ----------
    manifold : Manifold
    ids : list of str
        Ids of the trajectories.
    starts : array of ints or None
        First point of each trajectory, and the number of points.
    time : array or None
    labels : array of ints or None
        Index of each point's label in `label_names`.
    held_out : Data or None
        Trajectories that the setting `holdout` set aside.
    report : dict or None
        What was found: points that were projected, sign changes, spread and rank of each factor, duplicates.

    Examples
    --------
    >>> import riemann2 as rm2
    >>> S = rm2.Manifold("S2")
    >>> data = rm2.Data(S.random(10), S)
    >>> len(data), data.manifold
    (10, Manifold('S2'))
    """

    def __init__(
        self,
        points: Any,
        manifold: str | Manifold,
        *,
        groups: Sequence[Any] | Array | None = None,
        time: Any = None,
        labels: Sequence[Any] | Array | None = None,
        source: str = "memory",
        report: bool = False,
        **settings: Any,
    ):
        m = Manifold(manifold)
        array = as_doubles(points, "points")
        if array.ndim < 2 or array.size == 0:
            raise ValueError(f"points: expected at least one row of numbers, got an array of shape {array.shape}")
        count = array.shape[0]
        clock = None if time is None else as_doubles(time, "time")
        handle, held, found = _core.data(
            m._handle, str(source), array.size // count, array, clock, _groups_of(groups, count),
            _texts_of(labels, count, "labels"), texts("data", settings), bool(report), 0.0,
        )
        self._take(handle, held, found)

    @classmethod
    def _wrap(cls, handle: Any, held: Any = None, report: Any = None) -> Data:
        self = cls.__new__(cls)
        self._take(handle, held, report)
        return self

    def _take(self, handle: Any, held: Any = None, report: dict[str, Any] | None = None) -> None:
        self._handle = handle
        info = _core.data_info(handle)
        (spec, self.source, self._count, starts, self.ids, labels, self.label_names, timed, missing, scaled,
         self.shrinkage) = info
        self._scale = "all" if scaled else "none"
        self.manifold = Manifold(spec)
        self.starts: Array | None = None if starts is None else np.array(starts)
        self.labels: Array | None = None if labels is None else np.array(labels)
        self.missing: int = missing
        self.held_out: Data | None = None if held is None else Data._wrap(held)
        self.report = report
        self._points: Array | None = None
        self.time: Array | None = None
        if timed:
            self.time = np.empty(self._count)
            _core.data_copy(handle, None, self.time)
            self.time.flags.writeable = False

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        sets = f", {len(self.ids)} trajectories" if self.ids else ""
        return f"<riemann2.Data: {len(self)} points on {self.manifold.spec}{sets}, from {self.source}>"

    @property
    def points(self) -> Array:
        """Points in the units they came in, of shape (n, *point_shape); read-only."""
        if self._points is None:
            points = np.empty((self._count,) + self.manifold.point_shape)
            _core.data_copy(self._handle, points, None)
            points.flags.writeable = False
            self._points = points
        return self._points

    @property
    def groups(self) -> Array | None:
        """Number of the trajectory of each point, or None."""
        return None if self.starts is None else np.repeat(np.arange(len(self.ids)), np.diff(self.starts))

    @property
    def trajectories(self) -> list[Array]:
        """Points of each trajectory; one entry with all points where there are no trajectories."""
        return [self.points] if self.starts is None else np.split(self.points, self.starts[1:-1])

    def align(self, reference: Data) -> Data:
        """Return a copy whose quaternions have the signs of a reference, such as a model's training data."""
        if not isinstance(reference, Data):
            raise TypeError(f"reference: expected riemann2.Data, got {type(reference).__name__}")
        return Data._wrap(_core.data_align(self._handle, reference._handle))

    def write(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Write a .csv, .tsv, .npy or .npz file, by the ending of its name."""
        _core.data_write(self._handle, os.fspath(path), overwrite)

    def __reduce__(self) -> tuple[Any, ...]:
        names = None if self.labels is None else [self.label_names[k] for k in self.labels]
        ids = None if self.groups is None else [self.ids[k] for k in self.groups]
        return _rebuild, (self.points, self.manifold.spec, ids, self.time, names, self.source, self._scale,
                          self.missing > 0, self.shrinkage)


def _rebuild(points: Any, spec: str, groups: Any, time: Any, labels: Any, source: str, scale: str,
             missing: bool, shrunk: float = 0.0) -> Data:
    """A data set from its pickled parts; settings that cannot take effect are rejected, so they are left out."""
    m = Manifold(spec)
    settings: dict[str, Any] = {"allow_missing": True} if missing else {}
    if any(f.name == "R" for f in m.factors):
        settings["scale"] = scale
    if any(f.name == "SO" or (f.name, f.n) == ("S", 3) for f in m.factors):
        settings["align_signs"] = False
    array, count = as_doubles(points, "points"), len(points)
    return Data._wrap(*_core.data(
        m._handle, source, array.size // count, array, None if time is None else as_doubles(time, "time"),
        _groups_of(groups, count), _texts_of(labels, count, "labels"), texts("data", settings), False, shrunk,
    ))


def read(path: str | os.PathLike[str], manifold: str | Manifold, *, report: bool = False, **settings: Any) -> Data:
    """Read points from a .csv, .tsv, .txt, .npy, .npz or .mat file.

    MATLAB files need a package that was built with libmatio. Their matrices may be counted by the last axis,
    (d, d, n), as MATLAB does.

    Parameters
    ----------
    path : str or path
    manifold : str or Manifold
        Such as ``"R3 x S3"``.
    report : bool
        Also compute what `riemann2 check` prints, as the attribute `report`.
    **settings
        Settings of the library's table "data":

{settings}
    """
    spec = manifold.spec if isinstance(manifold, Manifold) else manifold
    given = texts("data", {"manifold": spec, **settings})
    return Data._wrap(*_core.data_read(os.fspath(path), given, bool(report)))


if read.__doc__:
    read.__doc__ = read.__doc__.replace("{settings}", describe("data", ("manifold",)))


def generate(name: str, *, seed: int = 0, **settings: Any) -> Data:
    """Generate an example data set: "toy", "robot", "manipulability" or "connectome".

    Parameters
    ----------
    name : str
    seed : int
    **settings
        Settings of the library's table "generate": ``trajectories``, and ``points`` of each (connectome: of the set).
    """
    if not isinstance(name, str):
        raise TypeError(f"name: expected text, got {type(name).__name__}")
    return Data._wrap(_core.data_generate(name, as_seed(seed), texts("generate", settings)))
