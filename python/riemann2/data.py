"""Data sets: points on a manifold, in trajectories, with labels and time."""

from __future__ import annotations

import os
from typing import Any, Sequence

import numpy as np

from . import _core
from ._arrays import as_doubles
from ._settings import texts
from .manifold import Manifold

__all__ = ["Data", "generate", "read"]


def _names(values: Any, count: int, name: str) -> list[str] | None:
    """One text per point, or None."""
    if values is None:
        return None
    array = np.asarray(values)
    if array.shape != (count,):
        raise ValueError(f"{name}: expected one per point, {count} values, got an array of shape {array.shape}")
    return [str(v) for v in array.tolist()]


class Data:
    """Points on a manifold; they never change.

    Parameters
    ----------
    points : array of shape (n, *point_shape)
    manifold : str or Manifold
    groups : sequence of n ids, optional
        Trajectory of each point; points of one trajectory stand next to each other.
    time : array of shape (n,), optional
    labels : sequence of n labels, optional
    **settings
        Settings of the library's table "data", such as ``scale=True`` or ``thin=50``.

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
        groups: Sequence[Any] | None = None,
        time: Any = None,
        labels: Sequence[Any] | None = None,
        source: str = "memory",
        **settings: Any,
    ):
        m = Manifold(manifold)
        array = as_doubles(points, "points")
        if array.ndim == 0 or array.shape[0] == 0:
            raise ValueError(f"points: expected at least one point, got an array of shape {array.shape}")
        count = array.shape[0]
        clock = None if time is None else as_doubles(time, "time")
        handle, held = _core.data(
            m._handle, source, array.size // count, array, clock, _names(groups, count, "groups"),
            _names(labels, count, "labels"), texts("data", settings),
        )
        self._take(handle)
        self.held_out: Data | None = Data._wrap(held) if held is not None else None

    @classmethod
    def _wrap(cls, handle: Any) -> Data:
        self = cls.__new__(cls)
        self.held_out = None
        self._take(handle)
        return self

    def _take(self, handle: Any) -> None:
        self._handle = handle
        spec, self.source, self._count, starts, self.ids, labels, self.label_names, timed = _core.data_info(handle)
        self.manifold = Manifold(spec)
        self.starts = None if starts is None else np.array(starts)
        self.labels = None if labels is None else np.array(labels)
        self._points: np.ndarray = np.empty((self._count,) + self.manifold.point_shape)
        self.time: np.ndarray | None = np.empty(self._count) if timed else None
        _core.data_copy(handle, self._points, self.time)

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        sets = f", {len(self.ids)} trajectories" if self.ids else ""
        return f"<riemann2.Data: {len(self)} points on {self.manifold.spec}{sets}, from {self.source}>"

    @property
    def points(self) -> np.ndarray:
        """Points in the units they came in, of shape (n, *point_shape)."""
        return self._points

    @property
    def groups(self) -> np.ndarray | None:
        """Number of the trajectory of each point, or None."""
        return None if self.starts is None else np.repeat(np.arange(len(self.ids)), np.diff(self.starts))

    @property
    def trajectories(self) -> list[np.ndarray]:
        """Points of each trajectory; one list entry with all points without trajectories."""
        return [self.points] if self.starts is None else np.split(self.points, self.starts[1:-1])

    def write(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Write a .csv, .tsv, .npy or .npz file, by the ending of its name."""
        _core.data_write(self._handle, os.fspath(path), overwrite)


def read(path: str | os.PathLike[str], manifold: str, **settings: Any) -> Data:
    """Read points from a .csv, .tsv, .npy or .npz file.

    Parameters
    ----------
    path : str or path
    manifold : str
        Such as ``"R3 x S3"``.
    **settings
        Settings of the library's table "data": ``group``, ``label``, ``time``, ``columns``, ``quat_order``,
        ``holdout``, ...
    """
    handle, held = _core.data_read(os.fspath(path), texts("data", {"manifold": manifold, **settings}))
    data = Data._wrap(handle)
    data.held_out = None if held is None else Data._wrap(held)
    return data


def generate(name: str, *, seed: int = 0, trajectories: int = 0, points: int = 0) -> Data:
    """Generate one of the example data sets: "toy", "robot", "manipulability" or "connectome"."""
    return Data._wrap(_core.data_generate(name, seed, trajectories, points))
