"""Paths in the latent space and what they decode to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

import numpy as np

from . import _core
from ._arrays import as_doubles

if TYPE_CHECKING:
    from .model import WGPLVM

__all__ = ["Path", "Sphere"]


class Sphere(NamedTuple):
    """An obstacle in the first Euclidean factor: paths go round it.

    The metric of the data is multiplied by 1 + height exp(-|y - centre|² / (2 radius²)).
    """

    centre: Sequence[float]
    radius: float
    height: float = 1e3


def obstacle_rows(avoid: Sequence[Any]) -> np.ndarray | None:
    """Centre, radius and height of each obstacle in one row."""
    rows = []
    for one in avoid:
        sphere = Sphere(*one)
        rows.append([*map(float, sphere.centre), float(sphere.radius), float(sphere.height)])
    return as_doubles(rows, "avoid") if rows else None


class Path:
    """A geodesic of the latent space.

    Attributes
    ----------
    latent : array of shape (nodes, latent_dim)
    velocity : array of shape (nodes, latent_dim)
    points : array of shape (nodes, *point_shape)
        Decoded, on the manifold, in the units of the data.
    std : array of shape (nodes,)
        Standard deviation of the decoded points.
    length, energy : float
    straight_length : float
        Length of the straight lines through the same points.
    error : float
        Estimated relative error of the velocity.
    converged : bool
    """

    def __init__(self, model: WGPLVM, row: tuple[Any, ...]):
        nodes, x, v, self.length, self.energy, self.error, self.residual, self.converged, self.stage, *rest = row
        self.iterations, self.evaluations, self.exact_length, self.straight_length = rest
        self.latent = np.frombuffer(x).reshape(nodes, -1).copy()
        self.velocity = np.frombuffer(v).reshape(nodes, -1).copy()
        self._model = model
        self._decoded: tuple[np.ndarray, np.ndarray] | None = None

    def _decode(self) -> tuple[np.ndarray, np.ndarray]:
        if self._decoded is None:
            self._decoded = self._model.inverse_transform(self.latent, return_std=True)
        return self._decoded

    @property
    def points(self) -> np.ndarray:
        """Decoded points."""
        return self._decode()[0]

    @property
    def std(self) -> np.ndarray:
        """Standard deviations of the decoded points."""
        return self._decode()[1]

    def __len__(self) -> int:
        return len(self.latent)

    def __repr__(self) -> str:
        state = "" if self.converged else ", not converged"
        return f"<riemann2.Path: {len(self)} nodes, length {self.length:.6g}{state}>"

    def time(self, speed: Any = None, acceleration: Any = None) -> np.ndarray:
        """Return the times of the nodes, as fast as limits allow.

        Parameters
        ----------
        speed, acceleration : sequence of floats, one per factor, optional
            In the factor's distance units per second (squared); 0 is no limit.
        """
        limits = [None if v is None else as_doubles(v, "limit") for v in (speed, acceleration)]
        out = np.empty(len(self))
        _core.retime(self._model.manifold_._handle, np.ascontiguousarray(self.points), *limits, out)
        return out
