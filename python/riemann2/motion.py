"""Motions that meet start, goal and via poses exactly."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

import numpy as np

from . import _core
from ._arrays import as_count, as_doubles, as_seed
from ._progress import Callback, watch
from ._settings import check, table, texts
from .space import OutsideWarning, Path, Space

if TYPE_CHECKING:
    from ._arrays import Array

__all__ = ["Frame", "Motion", "Pose"]


class Pose(NamedTuple):
    """A pose that a motion must meet, with more than its point.

    Examples
    --------
    >>> import riemann2 as rm2
    >>> rm2.Pose([0.1, 0.2, 0.3], time=0.5).time
    0.5
    """

    point: Any = None
    """A point of the manifold, in the units of the data; factors of NaN are free. None: the decoded latent point."""
    velocity: Any = None
    """A tangent vector at the point, in ambient coordinates, per unit of `duration`; factors of NaN are free."""
    time: float | None = None
    """Of a via pose: when the motion passes it, between 0 and `duration`. None: where the motion is nearest to it."""
    middle: bool = False
    """Of start or goal: it may lie in the middle of the demonstrated motion."""
    latent: Any = None
    """Latent point where the route begins or ends. None: that of the point."""


class Frame(NamedTuple):
    """The frame of an object that was elsewhere in each demonstration.

    Examples
    --------
    >>> import riemann2 as rm2
    >>> rm2.Frame([[0, 0], [1, 0]], now=[2, 0]).now
    [2, 0]
    """

    then: Any
    """Its pose in each demonstration, a point of the manifold each: (demonstrations, *point_shape), in the order of the model's data."""
    now: Any
    """Its pose now."""


class Motion(Path):
    """A motion that meets poses: a geodesic, corrected by what the demonstrations around it show.

    `latent`, `velocity`, `length` and the others of `Path` are those of the route; `points` are those of the motion.
    Euclidean factors are in the units of the data, orientations (S3, SO3) in radians of rotation: their coordinates are the
    rotation vector in the frame of the body.

    Attributes
    ----------
    phase : array of shape (nodes,)
        Arc length of the route up to each node, over the whole.
    route_points : array of shape (nodes, *point_shape)
        Decoded points of the route.
    correction : array of shape (nodes, dim)
        Deviation of the motion from the route, in model units and frames carried along the route.
    frames : array of shape (nodes, dim, dim)
        The carried frames: ``frames[i] @ correction[i]`` are coordinates at ``route_points[i]``.
    corrected, largest : arrays of shape (nodes, factors), (factors,)
        Length of the correction in each factor, and its largest value.
    variability : array of shape (nodes, factors)
        Standard deviation of the demonstrations around the route.
    stretch : float
        How far the poses are from what the demonstrations make plausible, in standard deviations.
    kappa : float
        Factor of the affine part of the process; 1: the poses are plausible.
    pose_nodes : list of int
        Nodes of start, via poses and goal, from 0; messages count from 1.
    pose_errors : array of shape (poses, factors)
        Distance of the motion from each pose; NaN where a factor is free.
    pose_shares : array of shape (poses,)
        Share of each pose in the squared stretch.
    pose_velocities : array of shape (poses, *point_shape)
        Velocity of the motion at each pose, a tangent vector in the units of the data per unit of `duration`.
    demonstrations : int
        Demonstrations that were used.
    family : int or None
        Family of demonstrations of the route, from 0.
    context : tuple of two bool
        Whether the route begins and ends where demonstrations do, and not at the encoded pose.
    reversed : bool
        Whether the motion runs against the demonstrations.
    plans : int
        Routes that were planned; several where obstacles were in the way.
    reason : str
        One line about a motion that is stretched, outside or blocked; empty otherwise.
    """

    def __init__(self, space: Space, handle: Any, found: dict[str, Any]):
        if not isinstance(space, Space) or not isinstance(found, dict) or "route" not in found:
            raise TypeError("motions are made by the method geodesic of a model, with poses")
        row = found["route"]
        super().__init__(space, row, np.frombuffer(row[1]).reshape(row[0], -1)[[0, -1]].copy())
        n, shape, dim = found["nodes"], self._model().manifold_.point_shape, found["dim"]

        def array(name: str, *more: int) -> Array:
            return np.frombuffer(found[name]).reshape(n, *more).copy()

        self._handle = handle
        self._points: Array = array("points", *shape)
        self.route_points: Array = array("route_points", *shape)
        self.phase: Array = array("phase")
        self.correction: Array = array("correction", dim)
        self.frames: Array = array("frames", dim, dim)
        self.corrected: Array = array("corrected", -1)
        self.variability: Array = array("variability", -1)
        self.largest: Array = np.frombuffer(found["largest"]).copy()
        self._over_spread = array("over_spread")
        self.pose_nodes: list[int] = found["pose_nodes"]
        self.pose_errors: Array = np.frombuffer(found["pose_errors"]).reshape(len(self.pose_nodes), -1).copy()
        self.pose_shares: Array = np.frombuffer(found["pose_shares"]).copy()
        self.pose_velocities: Array = np.frombuffer(found["pose_velocities"]).reshape(len(self.pose_nodes), *shape).copy()
        self.route_over_spread: float = found["route_over_spread"]
        self.stretch: float = found["stretch"]
        self.kappa: float = found["kappa"]
        self.demonstrations: int = found["demonstrations"]
        self.family: int | None = found["family"]
        self.context: tuple[bool, bool] = found["context"]
        self.reversed: bool = found["reversed"]
        self.plans: int = found["plans"]
        self.reason: str = found["reason"]
        self.blocked = found["blocked"]
        self.clearance = found["clearance"]
        self._outside: bool = found["outside"]
        self._cov: tuple[Array, Array] | None = None

    @property
    def points(self) -> Array:
        """Points of the motion, on the manifold and in the units of the data: (nodes, *point_shape)."""
        return self._points

    def covariances(self, frame: str = "pose") -> tuple[Array, Array]:
        """Return the covariance of the motion and that of the demonstrations around the route, (nodes, dim, dim) each.

        Parameters
        ----------
        frame : str
            ``"pose"``: the frame at the motion's point, in the units of the data (radians of rotation for orientations).
            ``"carried"``: the frames carried along the route, in model units.
        """
        if frame not in ("pose", "carried"):
            raise ValueError(f"frame: expected 'pose' or 'carried', got {frame!r}")
        shape = self.frames.shape
        cov, spread = np.empty(shape), np.empty(shape)
        _core.meet_covariance(self._handle, frame == "pose", cov, spread)
        return cov, spread

    @property
    def cov(self) -> Array:
        """Covariance of the motion at each node, in the frame of its point: how demonstrators with these poses would differ.

        (nodes, dim, dim); zero at the poses.
        """
        if self._cov is None:
            self._cov = self.covariances()
        return self._cov[0]

    @property
    def std(self) -> Array:
        """Root of the mean variance of each node, (nodes,)."""
        return np.asarray(np.sqrt(np.trace(self.cov, axis1=1, axis2=2) / self.cov.shape[1]))

    @property
    def outside(self) -> bool:
        """Whether the stretch or the distance of the route from the demonstrations is beyond its limit; see `reason`."""
        return self._outside

    def samples(self, count: int = 1, *, seed: Any = 0) -> Array:
        """Draw motions that all meet the poses: (count, nodes, *point_shape)."""
        out = np.empty((as_count(count, "count"), *self._points.shape))
        _core.meet_sample(self._handle, len(out), self._points.size, as_seed(seed), out)
        return out

    def __repr__(self) -> str:
        state = ", blocked" if self.blocked else ", outside" if self.outside else ""
        return f"<riemann2.Motion: {len(self)} nodes, {len(self.pose_nodes)} poses, stretch {self.stretch:.3g}{state}>"


def split_settings(settings: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Divide keywords into those of motions and those of spaces."""
    check(settings, "meet", "space")
    own = table("meet")
    return ({k: v for k, v in settings.items() if k in own}, {k: v for k, v in settings.items() if k not in own})


def _row(space: Space, pose: Any, latent: Any, name: str) -> tuple[Any, ...]:
    """A pose as the library takes it; shapes are checked here."""
    p = pose if isinstance(pose, Pose) else Pose(pose)
    shape = space.model.manifold_.point_shape if space.model is not None else ()
    arrays = []
    for value, what in ((p.point, name), (p.velocity, f"velocity of {name}")):
        array = None if value is None else as_doubles(value, what)
        if array is not None and array.shape != shape and array.shape != (int(np.prod(shape)),):
            raise ValueError(f"{what}: expected an array of shape {shape}, got {array.shape}")
        arrays.append(array)
    if latent is not None and p.latent is not None:
        raise TypeError(f"{name}: its latent point is given twice")
    z = latent if latent is not None else p.latent
    z = None if z is None else as_doubles(z, "latents")
    if arrays[0] is None and z is None:
        raise TypeError(f"{name}: expected a point or a latent point")
    return arrays[0], z, arrays[1], bool(p.middle), None if p.time is None else float(p.time)


KINDS = ("start", "goal", "world", "given")


def _frame(frame: Any, k: int) -> tuple[Any, ...]:
    if isinstance(frame, Frame):
        return KINDS.index("given"), as_doubles(frame.then, f"frames[{k}].then"), as_doubles(frame.now, f"frames[{k}].now")
    if frame not in KINDS[:-1]:
        raise ValueError(f"frames[{k}]: expected 'start', 'goal', 'world' or a Frame, got {frame!r}")
    return KINDS.index(frame), None, None


def meet(space: Space, start: Any, goal: Any, vias: Sequence[Any], ends: tuple[Any, Any], frames: Sequence[Any],
         settings: dict[str, Any], callback: Callback) -> Motion:
    """Return the motion in a space; `ends` are latent points of start and goal, or None."""
    if isinstance(frames, (str, Frame)):
        frames = [frames]
    if space.model is None:
        raise ValueError("motions that meet poses need a space of a model")
    poses = [_row(space, start, ends[0], "start_pose")]
    poses += [_row(space, via, None, f"via_poses[{k}]") for k, via in enumerate(vias)]
    poses.append(_row(space, goal, ends[1], "goal_pose"))
    with watch(callback) as report:
        found = _core.meet(space._handle, space.model._near()[0], poses, [_frame(f, k) for k, f in enumerate(frames)], texts("meet", settings), report)
    motion = Motion(space, *found)
    if motion.blocked:
        warnings.warn(motion.reason, RuntimeWarning, stacklevel=3)
    elif not motion.converged:
        warnings.warn(f"the route did not converge (error {motion.error:.1e})", RuntimeWarning, stacklevel=3)
    elif motion.outside:
        warnings.warn(motion.reason, OutsideWarning, stacklevel=3)
    return motion
