"""Robot arms: kinematics, inverse kinematics and tracking of trajectories."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _core
from ._arrays import as_doubles, as_seed
from ._settings import table, texts
from .manifold import Manifold
from .space import _regions

if TYPE_CHECKING:
    from ._arrays import Array

__all__ = ["Arm", "Clearance", "Placement", "Tracked"]

_CAUSES = (None, "reach", "pose", "limit", "way")
_SCENE = ("obstacles", "clearance", "self_clearance")
_POSE, _SKELETON, _JACOBIAN, _MANIPULABILITY, _DERIVATIVE = range(5)


class Clearance(NamedTuple):
    """How near the links of an arm come to keep-out regions and to each other along a motion."""

    kept: bool
    """Whether the clearances that were asked for are kept everywhere."""
    region_distance: float
    """Smallest distance of a link from a region, proven between configurations too; infinite without regions."""
    region_link: str | None
    region: int | None
    """Which of the obstacles, from 0."""
    region_at: float | None
    """Where: 3.25 is a quarter of the way from configuration 3 to 4, from 0."""
    self_distance: float
    """Smallest distance of two links that are not neighbours."""
    self_links: tuple[str, str] | None
    self_at: float | None
    region_distances: Array
    """At each configuration, (n,)."""
    self_distances: Array


class Tracked(NamedTuple):
    """A joint trajectory that follows targets. Targets and joints have indices from 0; messages count from 1."""

    q: Array
    """Configurations, (n, joints)."""
    position_error: Array
    orientation_error: Array
    """Rotation angles."""
    ellipsoid_error: Array
    """Affine-invariant distances."""
    missed: Array
    """Targets that are off by more than a tolerance."""
    worst: int
    """Target with the largest error, from 0."""
    margin: float
    """Smallest distance of a joint to its limit."""
    margin_joint: int
    """Which joint, from 0."""
    largest_step: float
    """Of a joint between neighbours."""
    stretch: float
    """Largest speed over its limit: above 1, time must be stretched by this factor; 0 without times."""
    stretch_joint: int
    """Which joint, from 0."""
    cause: str | None = None
    """Why targets were missed: "reach", "pose", "limit" or "way" (each is reached, but no motion leads through all
    without a jump)."""
    cause_target: int | None = None
    """Where, from 0."""
    cause_joint: int | None = None
    """The joint whose limit is in the way, from 0."""
    cause_limit: float | None = None
    jumps: int = 0
    """Steps between neighbours at which a joint moves by more than 0.5 rad or a quarter of the reach; with times and
    speed limits, faster than these and than eight times the median step."""
    jump_target: int | None = None
    """Target that the first of them leads to, from 0."""
    jump_joint: int | None = None
    """The joint that jumps there, from 0."""
    clearance: Clearance | None = None
    """Of the links, where `track` was given obstacles or a self_clearance."""
    why: str = ""
    """The cause in words, and what helps; empty if no target was missed."""


class Placement(NamedTuple):
    """Where a trajectory is put: positions become scale R x + offset, orientations r q."""

    scale: float = table("placement")["scale"].default
    offset: tuple[float, ...] = (0.0, 0.0, 0.0)
    rotation: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)
    """Unit quaternion w x y z."""
    ellipsoid_scale: float = table("placement")["ellipsoid_scale"].default


def _row(placement: Placement) -> Array:
    p = Placement(*placement)
    values = [p.scale, *p.offset, *p.rotation, p.ellipsoid_scale]
    if len(values) != 9:
        raise ValueError(f"placement: expected an offset of 3 and a rotation of 4 numbers, got {p}")
    return as_doubles(values, "placement")


class Arm:
    """A serial arm with revolute and prismatic joints.

    Parameters
    ----------
    spec : str, path or array of shape (links, 7)
        ``"panda"``, ``"planar:1,1,0.5"`` (links in the x-y plane), a CSV file of links, or rows of modified
        Denavit-Hartenberg parameters a, d, alpha, theta and limits lower, upper, speed. A file whose name ends with
        .urdf is a robot description in URDF.
    name : str
        Of an arm that is given by its links.
    base, tip : str, optional
        Links of a URDF file: the arm is the chain between them. By default the root, and the only leaf.
    link_radius : float or sequence of floats, optional
        Radius of all links, or of each of `link_names`, for `clearance` and `track`. By default from the file of the
        arm, or a twentieth of the reach.

    Attributes
    ----------
    joint_names : list of str
    link_names : list of str
        Links that fill space: capsules between the origins of frames, or around the collision shapes of a URDF file.
    link_radius : array of shape (links that fill space,)
    lower, upper, speed : arrays of shape (joints,)
        Limits.

    Examples
    --------
    >>> import numpy as np, riemann2 as rm2
    >>> arm = rm2.Arm("planar:1,1")
    >>> arm.joints
    2
    >>> bool(np.allclose(arm.pose([0, np.pi / 2])[:3], [1, 1, 0]))
    True
    """

    def __init__(
        self, spec: Any = "panda", name: str = "arm", *, base: str | None = None, tip: str | None = None,
        link_radius: Any = None,
    ):
        text = os.fspath(spec) if isinstance(spec, (str, os.PathLike)) else ""
        if str(text).endswith(".urdf"):
            if not hasattr(_core, "arm_from_urdf"):
                raise RuntimeError("built without URDF files: build riemann2 with expat (Debian: libexpat1-dev)")
            self._handle = _core.arm_from_urdf(os.fspath(spec), base, tip)
        elif base is not None or tip is not None:
            raise ValueError("base and tip name links of a URDF file (*.urdf)")
        elif isinstance(spec, (str, os.PathLike)):
            self._handle = _core.arm(os.fspath(spec))
        else:
            links = as_doubles(spec, "links")
            if links.ndim != 2 or links.shape[1] != 7:
                raise ValueError(f"links: expected an array of shape (links, 7), got {links.shape}")
            self._handle = _core.arm_from_links(name, links)
        self.name: str
        self.joints: int
        self.links: int
        self.reach: float
        self.name, self.joints, self.links, self.reach, rows = _core.arm_info(self._handle)
        self.joint_names = [row[3] for row in rows]
        self.lower, self.upper, self.speed = np.array([row[:3] for row in rows]).reshape(-1, 3).T
        if link_radius is not None:
            _core.arm_set_radii(self._handle, np.atleast_1d(as_doubles(link_radius, "link_radius")))
        bodies = _core.arm_bodies(self._handle)
        self.link_names = [body[0] for body in bodies]
        self.link_radius = np.array([body[1] for body in bodies])

    def __repr__(self) -> str:
        return f"<riemann2.Arm: {self.name}, {self.joints} joints>"

    # ---- kinematics ----------------------------------------------------------------------------

    def _compute(self, what: int, q: Any, shape: tuple[int, ...], dim: int = 3) -> Array:
        array = as_doubles(q, "q")
        if array.ndim == 0 or array.shape[-1] != self.joints:
            raise ValueError(f"q: expected an array of shape (..., {self.joints}), got {array.shape}")
        out = np.empty(array.shape[:-1] + shape)
        _core.arm_compute(self._handle, what, dim, array, out)
        return out

    def pose(self, q: Any) -> Array:
        """Return the pose of the last frame, (..., 7): position and unit quaternion w x y z."""
        return self._compute(_POSE, q, (7,))

    def skeleton(self, q: Any) -> Array:
        """Return the origins of the base and of every link's frame, (..., links + 1, 3)."""
        return self._compute(_SKELETON, q, (self.links + 1, 3))

    def jacobian(self, q: Any) -> Array:
        """Return the geometric Jacobian, (..., 6, joints): velocity, then angular velocity."""
        return self._compute(_JACOBIAN, q, (6, self.joints))

    def manipulability(self, q: Any, dim: int = 3) -> Array:
        """Return the velocity manipulability ellipsoids J J^T of the position, (..., dim, dim)."""
        return self._compute(_MANIPULABILITY, q, (dim, dim), dim)

    def manipulability_derivative(self, q: Any, dim: int = 3) -> Array:
        """Return the derivatives of `manipulability` by each joint, (..., joints, dim, dim)."""
        return self._compute(_DERIVATIVE, q, (self.joints, dim, dim), dim)

    def clearance(
        self, q: Any, obstacles: Any = (), *, clearance: float = 0.0, self_clearance: float = 0.0, dim: int = 3
    ) -> Clearance:
        """Return how near the links come to regions and to each other along a motion.

        Parameters
        ----------
        q : array of shape (n, joints)
            Joints move straight from each configuration to the next.
        obstacles : sequence of Sphere, Box, Capsule, HalfSpace or texts
            In the frame of the base.
        clearance, self_clearance : float
            Distances to keep from them, and of links from each other.
        dim : int
            2 for obstacles in the x-y plane, at every height.
        """
        array = as_doubles(q, "q")
        if array.ndim != 2 or array.shape[1] != self.joints:
            raise ValueError(f"q: expected an array of shape (n, {self.joints}), got {array.shape}")
        rows = np.empty((len(array), 2))
        kept, out, own = _core.arm_clearance(
            self._handle, _regions(obstacles), dim, float(clearance), float(self_clearance), array, rows
        )
        name = self.link_names
        outside, inside = np.isfinite(out[0]), np.isfinite(own[0])
        return Clearance(
            kept, out[0], name[out[1]] if outside else None, out[2] if outside else None, out[3] if outside else None,
            own[0], (name[own[1]], name[own[2]]) if inside else None, own[3] if inside else None,
            rows[:, 0], rows[:, 1],
        )

    def velocities(self, q: Any, time: Any) -> tuple[Array, float]:
        """Return the velocities of a motion through configurations at given times, from rest to rest.

        They are slopes of a cubic spline that stays between neighbours (Fritsch and Butland, 1984), for a controller.

        Returns
        -------
        velocities : array of shape (n, joints)
        stretch : float
            Largest speed of the spline over its limit: above 1, multiply times and divide velocities by it.
        """
        array, clock = as_doubles(q, "q"), as_doubles(time, "time")
        if array.ndim != 2 or array.shape[1] != self.joints:
            raise ValueError(f"q: expected an array of shape (n, {self.joints}), got {array.shape}")
        out = np.empty_like(array)
        return out, _core.arm_velocities(self._handle, array, clock, out)

    # ---- tracking ------------------------------------------------------------------------------

    def solve(
        self, target: Any, manifold: str | Manifold, *, start: Any = None, seed: Any = 0, **settings: Any
    ) -> Tracked:
        """Return a configuration for one target by inverse kinematics.

        Parameters are those of `track`.
        """
        return self._track([np.asarray(target)], manifold, None, start, seed, True, settings)

    def track(
        self, targets: Any, manifold: str | Manifold, *, time: Any = None, start: Any = None, seed: Any = 0,
        **settings: Any,
    ) -> Tracked:
        """Return a joint trajectory through targets, within the limits of the joints.

        Parameters
        ----------
        targets : array of shape (n, *point_shape)
        manifold : str or Manifold
            Position ("R2", "R3"), orientation ("S3", "SO3") and ellipsoid ("SPD2", "SPD3"), such as "R3 x S3" or
            "R2 x SPD2".
        time : array of shape (n,), optional
        start : array of shape (joints,), optional
        seed : int
        **settings
            Settings of the library's table "track": ``position_tolerance``, ``orientation_tolerance``,
            ``orientation_weight``, ``limit_weight``, ``null_step``, ``iterations``, ``searches``, ``stations``; see
            `riemann2.settings`. And the following ones.
        obstacles : sequence of Sphere, Box, Capsule, HalfSpace or texts, optional
            Keep-out regions of the links in the frame of the base; of two dimensions where positions are.
        clearance, self_clearance : float, optional
            Distance of the links from the obstacles, and from each other; by default 0.

        Warns
        -----
        RuntimeWarning
            If targets are missed, with the reason and what helps. If the motion jumps: between these targets the arm leaves the path. Or if the links come nearer to
            obstacles or to each other than they may.
        """
        found = self._track(targets, manifold, time, start, seed, False, settings)
        if found.missed.any():
            warnings.warn(_misses(found), RuntimeWarning, stacklevel=2)
        elif found.jump_target is not None:
            warnings.warn(f"the motion jumps {found.jumps} times, first on the way to target {found.jump_target + 1} of "
                          f"{len(found.q)}", RuntimeWarning, stacklevel=2)
        near = found.clearance
        if near is not None and not near.kept:
            warnings.warn(f"links come as near as {near.region_distance:.4g} to obstacles and "
                          f"{near.self_distance:.4g} to each other, nearer than they may", RuntimeWarning, stacklevel=2)
        return found

    def _track(
        self, targets: Any, manifold: Any, time: Any, start: Any, seed: Any, one: bool, settings: dict[str, Any]
    ) -> Tracked:
        m = Manifold(manifold)
        x, lead = m._take(targets, "targets", m.point_shape)
        if len(lead) != 1 or lead[0] == 0:
            raise ValueError(f"targets: expected an array of shape (n, *point_shape), got {x.shape}")
        q, errors = np.empty(lead + (self.joints,)), np.empty(lead + (4,))
        clock = None if time is None else as_doubles(time, "time")
        first = None if start is None else as_doubles(start, "start")
        info = _core.arm_track(
            self._handle, m._handle, x, clock, first, _track_settings(**settings), as_seed(seed), one, q, errors
        )
        _, worst, margin, margin_joint, step, stretch, stretch_joint, cause, where, joint, limit = info[:11]
        jumps, target, jumping, why = info[11:]
        scene = {key: settings[key] for key in _SCENE if settings.get(key) is not None}
        near = self.clearance(q, **scene, dim=m.factors[0].ambient) if scene else None
        return Tracked(
            q, errors[:, 0], errors[:, 1], errors[:, 2], errors[:, 3] != 0, worst, margin, margin_joint, step, stretch,
            stretch_joint, _CAUSES[cause], where if cause else None, joint if joint >= 0 else None,
            limit if joint >= 0 else None, jumps, target if jumps else None, jumping if jumps else None, near, why,
        )

    def place(self, targets: Any, manifold: str | Manifold, placement: Placement = Placement()) -> Array:
        """Return targets that are moved, turned and scaled by a placement."""
        m = Manifold(manifold)
        x = m._take(targets, "targets", m.point_shape)[0].copy()
        _core.arm_place(m._handle, _row(placement), x)
        return x

    def find_place(
        self, targets: Any, manifold: str | Manifold, placement: Placement = Placement(), *, seed: int = 0,
        **settings: Any,
    ) -> tuple[Placement, bool]:
        """Find a scale and an offset that put targets within reach.

        Returns
        -------
        placement : Placement
        found : bool
            Whether all targets that were tried are within reach.
        """
        m = Manifold(manifold)
        x, _ = m._take(targets, "targets", m.point_shape)
        row = _row(placement).copy()
        found = _core.arm_place_auto(self._handle, m._handle, x, _track_settings(**settings), as_seed(seed), row)
        return Placement(row[0], tuple(row[1:4]), tuple(row[4:8]), row[8]), found


def _misses(found: Tracked) -> str:
    """The sentence of the program; targets count from 1."""
    count, k = len(found.q), found.worst
    angle = f" and {found.orientation_error[k]:.3g} rad" if found.orientation_error.any() else ""
    place = "" if found.cause_target is None else f"; at target {found.cause_target + 1} {found.why} (Arm.find_place, Arm.place)"
    return (f"{int(found.missed.sum())} of {count} points were missed, target {k + 1} most: by "
            f"{found.position_error[k]:.3g}{angle}; the nearest configurations were taken{place}")


def _track_settings(
    *, obstacles: Any = None, clearance: float | None = None, self_clearance: float | None = None, **settings: Any
) -> tuple[Any, ...]:
    scene = obstacles is not None or clearance is not None or self_clearance is not None
    regions = _regions(() if obstacles is None else obstacles) if scene else None
    return texts("track", settings), regions, float(clearance or 0), float(self_clearance or 0)
