"""Paths around obstacles that move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _core
from ._settings import texts

if TYPE_CHECKING:
    from ._arrays import Array
    from .space import Space

__all__ = ["Plan", "Planner"]

_STATES = ("found", "start blocked", "goal blocked", "blocked", "late")


class Plan(NamedTuple):
    """The answer of a planner."""

    state: str
    """"found": there is a path, proven to keep the clearance. Otherwise there is none: "start blocked" and "goal blocked" (that
    point does not keep the clearance), "blocked" (no way), "late" (none before the deadline; there may be one)."""
    complete: bool
    """Whether the work was done before the deadline; otherwise the path may be longer than necessary."""
    refined: bool
    """Otherwise the path is a polygon over nodes of the grid."""
    kept: bool
    """Whether the path follows from the last one; otherwise from the search."""
    level: int
    """The grid that the search ended on: 0 that of the space, each further one twice as fine."""
    latent: Array
    """Nodes of the path, (nodes, latent_dim); without a path no rows."""
    positions: Array
    """Their decoded positions in the first Euclidean factor, (nodes, dim)."""
    length: float
    """In the metric of the space, interpolated between the nodes of the grid."""
    clearance: float
    """Least clearance of the nodes; between them at least the one that was asked for."""
    seconds: float
    """Time of the update."""


class Planner:
    """Answer the same question many times a second: the path around obstacles that move.

    Made by `Space.planner`. Updates of one planner must not run on two threads at once; planners of one space may.

    Parameters
    ----------
    space : Space
        With a grid, of a model with a Euclidean factor.
    **settings
        Settings of the library's table "planner": ``deviations``, ``nodes``, ``gain``; see `riemann2.settings`.

    Examples
    --------
    >>> import riemann2 as rm2
    >>> model = rm2.WGPLVM(max_iterations=20).fit(rm2.generate("toy", trajectories=3, points=20))
    >>> planner = model.space(grid_points=20).planner()
    >>> plan = planner.update(model.latents_[0], model.latents_[-1], [rm2.Sphere((5, 5), 0.1)], clearance=0.01)
    >>> plan.state
    'found'
    """

    def __init__(self, space: Space, **settings: Any):
        if not hasattr(space, "_handle"):
            raise TypeError(f"space: expected riemann2.Space, got {type(space).__name__}")
        self.space = space
        self._handle = _core.planner(space._handle, texts("planner", settings))

    def update(self, start: Any, goal: Any, obstacles: Any = (), *, clearance: float = 0.0, seconds: float = 0.0) -> Plan:
        """Return the path from the current point to the goal around the obstacles as they are now.

        Parameters
        ----------
        start, goal : arrays of shape (latent_dim,)
            Inside the grid of the space.
        obstacles : Sphere, Box, Capsule, HalfSpace, a text, or a sequence of them
            As for `Space`.
        clearance : float
            That the path keeps from them, in the units of the data.
        seconds : float
            Deadline; 0: none. At the deadline the best path that is proven so far is returned, if there is one.
        """
        from .space import _regions

        a, _ = self.space._points(start, "start", 1)
        b, _ = self.space._points(goal, "goal", 1)
        row = _core.planner_update(self._handle, a, b, _regions(obstacles), float(clearance), float(seconds))
        state, complete, refined, kept, level, x, y, dim, length, least, time = row
        return Plan(_STATES[state], complete, refined, kept, level,
                    np.frombuffer(x).reshape(-1, self.space.dim).copy(), np.frombuffer(y).reshape(-1, dim).copy(),
                    length, least, time)

    def forget(self) -> None:
        """Forget the last path: the next update starts anew."""
        _core.planner_forget(self._handle)

    def __repr__(self) -> str:
        return f"<riemann2.Planner of {self.space!r}>"
