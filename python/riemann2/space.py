"""Latent spaces: their metric, geodesics and what these decode to."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Sequence

import numpy as np

from . import _core
from ._arrays import as_count, as_doubles, as_seed
from ._progress import Callback, watch
from ._settings import texts
from .planner import Planner
from .report import PathReport, Smoothness

if TYPE_CHECKING:
    from ._arrays import Array
    from .model import WGPLVM

__all__ = [
    "Box", "Capsule", "Discouraged", "HalfSpace", "Mean", "Medoids", "OutsideWarning", "Path", "Space", "Sphere",
    "medoids",
]

_POLYGON, _STRAIGHT, _EXPECTED = range(3)


class OutsideWarning(RuntimeWarning):
    """A result leaves the training data: it is farther from them than they are from each other.

    Choose end points among the demonstrations, add demonstrations there, or check the training.
    """


class Sphere(NamedTuple):
    """A keep-out region in the first Euclidean factor, in the units of the data."""

    centre: Sequence[float]
    radius: float


class Box(NamedTuple):
    """A keep-out region with sides along the axes: two opposite corners."""

    low: Sequence[float]
    high: Sequence[float]


class Capsule(NamedTuple):
    """A keep-out region: all points nearer than the radius to a segment."""

    start: Sequence[float]
    end: Sequence[float]
    radius: float


class HalfSpace(NamedTuple):
    """A keep-out region: everything behind a plane whose normal points to the free side."""

    point: Sequence[float]
    normal: Sequence[float]


class Discouraged(NamedTuple):
    """A cost, not a wall, in the first Euclidean factor: paths tend to go round.

    The metric of the data is multiplied by 1 + height exp(-|y - centre|² / (2 radius²)).
    """

    centre: Sequence[float]
    radius: float
    height: float = 1e3


_REGIONS = {Sphere: "sphere", Box: "box", Capsule: "capsule", HalfSpace: "halfspace"}


def _region_text(region: Any) -> str:
    """One keep-out region as the library reads it; texts are taken as they are."""
    if isinstance(region, str):
        return region
    word = _REGIONS.get(type(region))
    if word is None:
        raise TypeError(f"obstacles: expected Sphere, Box, Capsule, HalfSpace or a text, got {region!r}")
    return " ".join([word, *(repr(float(v)) for part in region for v in np.ravel(part))])


def _regions(obstacles: Any) -> str:
    if isinstance(obstacles, (str, *_REGIONS)):
        obstacles = [obstacles]
    return "\n".join(map(_region_text, obstacles))


def _discouraged_rows(discourage: Any) -> Array | None:
    """Centre, radius and height of each place in one row."""
    if isinstance(discourage, Discouraged):
        discourage = [discourage]
    rows = []
    for one in discourage:
        try:
            place = one if isinstance(one, Discouraged) else Discouraged(*one)
            row = [*map(float, np.ravel(place.centre)), float(place.radius), float(place.height)]
        except TypeError:
            raise TypeError(f"discourage: expected Discouraged(centre, radius, height), got {one!r}") from None
        if not (np.isfinite(row).all() and place.radius > 0 and place.height >= 0):
            raise ValueError(f"discourage: expected a finite centre, a positive radius and height >= 0, got {place}")
        rows.append(row)
    return as_doubles(rows, "discourage") if rows else None


class Medoids(NamedTuple):
    """Points that represent clusters."""

    indices: Array
    """Their indices from 0, increasing."""
    clusters: Array
    """Which of them each point is nearest to, from 0."""
    cost: float
    """Sum of the distances to them."""


def medoids(distances: Any, k: int) -> Medoids:
    """Partition points around k medoids.

    Parameters
    ----------
    distances : array of shape (n, n)
    k : int

    Examples
    --------
    >>> import numpy as np, riemann2 as rm2
    >>> x = np.array([0.0, 0.1, 0.2, 5.0, 5.1, 5.2])
    >>> rm2.medoids(abs(x[:, None] - x), 2).indices
    array([1, 4])
    """
    d = as_doubles(distances, "distances")
    if d.ndim != 2 or d.shape[0] != d.shape[1]:
        raise ValueError(f"distances: expected a square matrix, got an array of shape {d.shape}")
    found, clusters, cost = _core.medoids(d, len(d), as_count(k, "k"))
    return Medoids(np.array(found), np.array(clusters), cost)


class Mean(NamedTuple):
    """A Fréchet mean in the latent space."""

    point: Array
    converged: bool
    iterations: int
    gradient: float
    variance: float


class Path:
    """A geodesic of the latent space.

    Attributes
    ----------
    latent, velocity : array of shape (nodes, latent_dim)
    length, energy : float
        In the metric that was minimised.
    error : float
        Estimated relative error of the velocity.
    residual : float
        Largest residual of the geodesic equation, relative to the length.
    converged : bool
        Whether the last stage reached its tolerance.
    stage : str
        Which stage the curve comes from: "path", "spline" or "polish".
    iterations, evaluations : int
    path_length, spline_length : float
        Lengths after the stages before, to about three digits; 0 where there was none.
    clearance : float
        Proven distance of the decoded path from the obstacles; infinity without.
    blocked : bool
        No way keeps the clearance: the path is the one that comes nearest to it, and must not be driven.
    """

    def __init__(self, space: Space, row: tuple[Any, ...], stops: Array):
        if not isinstance(space, Space):
            raise TypeError("paths are made by the method geodesic of a model or of a Space")
        nodes, x, v = row[:3]
        self.length: float
        self.energy: float
        self.error: float
        self.residual: float
        self.converged: bool
        self.stage: str
        self.iterations: int
        self.evaluations: int
        self.path_length: float
        self.spline_length: float
        self.clearance: float
        self.blocked: bool
        (self.length, self.energy, self.error, self.residual, self.converged, self.stage, self.iterations,
         self.evaluations, self.path_length, self.spline_length, self.clearance, self.blocked) = row[3:]
        self.latent: Array = np.frombuffer(x).reshape(nodes, -1).copy()
        self.velocity: Array = np.frombuffer(v).reshape(nodes, -1).copy()
        self.space = space
        self._stops = stops
        self._decoded: tuple[Array, Array] | None = None
        self._over_spread: Array | None = None

    def _decode(self) -> tuple[Array, Array]:
        if self._decoded is None:
            self._decoded = self._model().inverse_transform(self.latent, return_std=True)
        return self._decoded

    def _model(self) -> WGPLVM:
        if self.space.model is None:
            raise ValueError("the space has no model: its points have no decoded counterpart")
        return self.space.model

    @property
    def points(self) -> Array:
        """Decoded points, on the manifold and in the units of the data: (nodes, *point_shape)."""
        return self._decode()[0]

    @property
    def std(self) -> Array:
        """Standard deviations of the decoded points, (nodes,)."""
        return self._decode()[1]

    @property
    def over_spread(self) -> Array:
        """Distances of the nodes from the nearest demonstration, in multiples of the demonstrations' spread: (nodes,).

        NaN where the spread is unknown; see `WGPLVM.over_spread`.
        """
        if self._over_spread is None:
            self._over_spread = self._model().over_spread(self.points, path=True)
        return self._over_spread

    @property
    def outside(self) -> bool:
        """Whether the path leaves the demonstrations: a node is farther from them than ``spread_limit`` spreads."""
        return "outside" in self._measure().reasons

    @property
    def exact_length(self) -> float:
        """Length in the exact metric of the model, whatever was minimised."""
        return self.space.length(self.latent)

    @property
    def straight_length(self) -> float:
        """Length of the straight lines through the same points."""
        return self.space.straight_length(self._stops)

    def report(self, **settings: Any) -> PathReport:
        """Return lengths, clearance and distance from the demonstrations, and whether the path may be relied on.

        A path of few nodes is measured along a curve with more of them, which is computed anew.

        Parameters
        ----------
        **settings
            Settings of the library's table "report": ``spread_limit``, the largest distance from the demonstrations in
            multiples of their spread, and ``omission_limit``, that of the demonstrated motion between the ends from the path.

        Examples
        --------
        >>> import riemann2 as rm2
        >>> report = rm2.Space.from_metric("sphere_latlon", 2).geodesic([0, 0], [0, 1]).report()
        >>> report.reliable, round(report.length, 6), report.reasons
        (True, 1.0, {})
        """
        return self._measure(settings, straight=True, fine=True)

    def _measure(self, settings: dict[str, Any] | None = None, straight: bool = False, fine: bool = False) -> PathReport:
        measured, nodes = self, len(self)
        if fine and nodes >= 2 and _core.path_nodes(nodes) > nodes:
            space = self.space.with_settings(nodes=_core.path_nodes(nodes))
            measured = Path(space, _core.geodesic(space._handle, self._stops, None), self._stops)
        near = None if self.space.model is None else self.space.model._near()[0]
        curve = (measured.length, measured.energy, measured.error, measured.residual, measured.converged,
                 measured.clearance, measured.blocked)
        found = _core.path_report(self.space._handle, near, measured.latent, curve, self._stops, nodes, straight,
                                  texts("report", settings or {}))
        return PathReport(*found[:-6], *(Smoothness(*both) for both in found[-6:-4]), *found[-4:])

    def __len__(self) -> int:
        return len(self.latent)

    def __repr__(self) -> str:
        state = ", blocked" if self.blocked else "" if self.converged else ", not converged"
        return f"<riemann2.Path: {len(self)} nodes, length {self.length:.6g}{state}>"

    def time(
        self, speed: Any = None, acceleration: Any = None, *, linear: float | None = None, angular: float | None = None
    ) -> Array:
        """Return the times of the nodes, as fast as limits allow.

        Parameters
        ----------
        speed, acceleration : sequence of floats, one per factor, optional
            In the factor's distance units per second, and per second squared; 0 means no limit. The distance of S3 is
            half the angle of rotation.
        linear, angular : float, optional
            Instead of `speed`: limits of all Euclidean factors, in units of the data per second, and of all S3 and SO3
            factors, in radians of rotation per second.
        """
        return self._model().manifold_.retime(self.points, speed, acceleration, linear=linear, angular=angular)


class Space:
    """The latent space of a model with its metric and a roadmap; made once for many questions.

    Methods of a model with the same names make and keep such a space.

    Parameters
    ----------
    model : WGPLVM
        A fitted model.
    obstacles : sequence of Sphere, Box, Capsule, HalfSpace or texts
        Keep-out regions in the first Euclidean factor. Paths keep the ``clearance`` of the settings, and ``deviations``
        standard deviations more, from all of them, or are marked as blocked.
    discourage : sequence of Discouraged
        Costs in the first Euclidean factor.
    cost : callable, optional
        Instead of discouraged places: takes a point of the manifold, flat and in the units of the data, and returns a positive
        weight and its gradient. It multiplies the metric of the data.
    cost_factor : int, optional
        Factor whose metric is multiplied; all by default.
    cover : array of shape (n, latent_dim), optional
        Points that the grid covers besides the training latents.
    **settings
        Settings of the library's table "space", such as ``contrast=100``, ``stage="spline"``, ``nodes=50``,
        ``metric="density"``: see `riemann2.settings`.

    Examples
    --------
    >>> import numpy as np, riemann2 as rm2
    >>> sphere = rm2.Space.from_metric("sphere_latlon", 2)
    >>> path = sphere.geodesic([0, 0], [0, 1])
    >>> bool(np.isclose(path.length, 1))
    True
    """

    def __init__(
        self,
        model: WGPLVM,
        *,
        obstacles: Sequence[Any] | str = (),
        discourage: Sequence[Any] | Discouraged = (),
        cost: Callable[[Array], tuple[float, Any]] | None = None,
        cost_factor: int | None = None,
        cover: Any = None,
        callback: Callback = None,
        **settings: Any,
    ):
        if not hasattr(model, "_fitted"):
            raise TypeError(f"model: expected a WGPLVM, got {type(model).__name__}")
        given = texts("space", settings)
        points = None if cover is None else as_doubles(cover, "cover")
        factor = -1 if cost_factor is None else as_count(cost_factor, "cost_factor")
        with watch(callback) as report:
            handle = _core.space(
                model._fitted(), given, points, _discouraged_rows(discourage), _regions(obstacles),
                _function(cost, "cost"), factor, report,
            )
        self._take(handle, model)

    @classmethod
    def from_metric(
        cls,
        metric: str | Callable[[Array], tuple[Any, Any]],
        dim: int,
        *,
        points: Any = None,
        **settings: Any,
    ) -> Space:
        """Return a space with a metric of its own.

        Parameters
        ----------
        metric : str or callable
            ``"euclidean"``, ``"sphere_latlon"``, ``"half_plane"``, ``"bump"``, or a function that takes a point and
            returns G, (dim, dim), and its derivatives, (dim, dim, dim) with ``dG[t]`` = dG/dx_t.
        dim : int
            Dimensions of the space.
        points : array of shape (n, dim), optional
            What a grid covers, or the nodes of a graph; without them geodesics start from straight lines.
        **settings
            Settings of the library's table "space" that concern the roadmap and geodesics.
        """
        name = metric if isinstance(metric, str) else "metric of a function"
        function = None if isinstance(metric, str) else _function(metric, "metric")
        rows = None if points is None else as_doubles(points, "points")
        self = cls.__new__(cls)
        self._take(
            _core.space_from_metric(name, function, as_count(dim, "dim"), texts("space", settings), rows), None
        )
        return self

    @classmethod
    def _wrap(cls, handle: Any, model: WGPLVM) -> Space:
        self = cls.__new__(cls)
        self._take(handle, model)
        return self

    def _take(self, handle: Any, model: WGPLVM | None) -> None:
        self._handle = handle
        self.model = model
        self.dim: int
        self.metric_text: str
        self.weight: float
        self.settings: dict[str, str]
        self.dim, self.metric_text, self.weight, self.settings = _core.space_info(handle)

    def with_settings(self, **settings: Any) -> Space:
        """Return the same space with other settings of geodesics: stage, nodes, intervals, max_iterations, tolerance.

        Metric and roadmap are shared.
        """
        allowed = ("stage", "nodes", "intervals", "max_iterations", "tolerance")
        for name in settings:
            if name not in allowed:
                raise TypeError(f"'{name}' is not a setting of geodesics; expected one of {', '.join(allowed)}")
        other = Space.__new__(Space)
        other._take(_core.space_with(self._handle, texts("space", settings)), self.model)
        return other

    def __repr__(self) -> str:
        return f"<riemann2.Space: {_core.space_text(self._handle)}>"

    def _points(self, Z: Any, name: str = "latents", ndim: int | None = None) -> tuple[Array, tuple[int, ...]]:
        array = as_doubles(Z, name)
        if array.ndim == 0 or array.shape[-1] != self.dim or (ndim is not None and array.ndim != ndim):
            shape = f"(..., {self.dim})" if ndim is None else "(" + "n, " * (ndim - 1) + f"{self.dim})"
            raise ValueError(f"{name}: expected an array of shape {shape}, got {array.shape}")
        return array, array.shape[:-1]

    # ---- geodesics -----------------------------------------------------------------------------

    def geodesic(self, start: Any, end: Any, *, via: Sequence[Any] = (), callback: Callback = None) -> Path:
        """Return the shortest path between two latent points.

        Parameters
        ----------
        start, end : arrays of shape (latent_dim,)
        via : sequence of latent points
            Points to pass on the way.
        callback : callable, optional
            Called with a `Progress`; returning False stops the search with KeyboardInterrupt.

        Warns
        -----
        RuntimeWarning
            If the path did not converge, leaves out demonstrated motion, or does not keep the clearance from obstacles.
        OutsideWarning
            If the path leaves the demonstrations (`Path.over_spread`).
        """
        rows = [self._points(p, "latents", 1)[0] for p in (start, *via, end)]
        stops = np.stack(rows)
        with watch(callback) as report:
            path = Path(self, _core.geodesic(self._handle, stops, report), stops)
        for name, reason in path._measure().reasons.items():
            warnings.warn(reason, OutsideWarning if name == "outside" else RuntimeWarning, stacklevel=2)
        return path

    def geodesics(self, starts: Any, ends: Any, *, callback: Callback = None) -> list[Path]:
        """Return the shortest paths between pairs of latent points, (n, latent_dim) each, on all threads."""
        a, _ = self._points(starts, "starts", 2)
        b, _ = self._points(ends, "ends", 2)
        if a.shape != b.shape:
            raise ValueError(f"starts and ends have different shapes: {a.shape} and {b.shape}")
        with watch(callback) as report:
            rows = _core.geodesics(self._handle, a, b, report)
        paths = [Path(self, row, np.stack([a[k], b[k]])) for k, row in enumerate(rows)]
        outside = sum(p.outside for p in paths)
        if outside:
            warnings.warn(f"{outside} of {len(paths)} paths leave the demonstrations", OutsideWarning, stacklevel=2)
        return paths

    def distances(self, Z: Any, *, callback: Callback = None) -> Array:
        """Return the geodesic distances between latent points, (n, n)."""
        array, _ = self._points(Z, ndim=2)
        out = np.empty((len(array), len(array)))
        with watch(callback) as report:
            unconverged = _core.distances(self._handle, array, report, out)
        if unconverged:
            warnings.warn(f"{unconverged} geodesics did not converge", RuntimeWarning, stacklevel=2)
        return out

    def medoids(self, Z: Any, k: int, *, callback: Callback = None) -> Medoids:
        """Partition latent points around k medoids, by geodesic distances."""
        return medoids(self.distances(Z, callback=callback), k)

    def mean(self, Z: Any, weights: Any = None, *, return_info: bool = False, callback: Callback = None) -> Any:
        """Return the Fréchet mean of latent points.

        Parameters
        ----------
        Z : array of shape (n, latent_dim)
        weights : array of shape (n,), optional
        return_info : bool
            Return a `Mean` with variance and gradient instead of the point alone.
        """
        array, _ = self._points(Z, ndim=2)
        w = None if weights is None else as_doubles(weights, "weights")
        out = np.empty(self.dim)
        with watch(callback) as report:
            found = Mean(out, *_core.space_mean(self._handle, array, w, report, out))
        if not found.converged and not return_info:
            warnings.warn(f"the mean did not converge (gradient {found.gradient:.1e})", RuntimeWarning, stacklevel=2)
        return found if return_info else out

    def exp(self, z: Any, v: Any, *, nodes: int = 0) -> Array:
        """Return the end of the geodesic from `z` with velocity `v`; with `nodes` that many points of it."""
        a, _ = self._points(z, "z", 1)
        b, _ = self._points(v, "v", 1)
        end, velocity = np.empty(self.dim), np.empty(self.dim)
        path = np.empty((as_count(nodes, "nodes"), self.dim)) if nodes else None
        _core.space_exp(self._handle, a, b, end, velocity, path)
        return end if path is None else path

    def log(self, z: Any, y: Any) -> Array:
        """Return the velocity at `z` of the geodesic to `y`."""
        a, _ = self._points(z, "z", 1)
        b, _ = self._points(y, "y", 1)
        out = np.empty(self.dim)
        if not _core.space_log(self._handle, a, b, out):
            warnings.warn("the geodesic did not converge", RuntimeWarning, stacklevel=2)
        return out

    def planner(self, **settings: Any) -> Planner:
        """Return a `Planner` for obstacles that move; its settings are those of the class."""
        return Planner(self, **settings)

    # ---- metric --------------------------------------------------------------------------------

    def metric(self, Z: Any, *, return_derivative: bool = False, exact: bool = True) -> Any:
        """Return the metric at latent points, (..., latent_dim, latent_dim).

        Parameters
        ----------
        Z : array of shape (..., latent_dim)
        return_derivative : bool
            Also return dG, (..., latent_dim, latent_dim, latent_dim), with ``dG[..., t, :, :]`` = dG/dz_t.
        exact : bool
            The exact metric, or the one that geodesics are searched in.
        """
        array, lead = self._points(Z)
        Q = self.dim
        G = np.empty(lead + (Q, Q))
        dG = np.empty(lead + (Q, Q, Q)) if return_derivative else None
        _core.space_metric(self._handle, exact, array, G, dG, None)
        return (G, dG) if return_derivative else G

    def magnification(self, Z: Any) -> Any:
        """Return the logarithm of the volume element, log sqrt det G, at latent points."""
        array, lead = self._points(Z)
        out = np.empty(lead)
        _core.space_metric(self._handle, True, array, None, None, out)
        return out[()]

    def spread(self, Z: Any, directions: Any = None) -> tuple[Any, Any]:
        """Return mean and standard deviation of the random metric: of a^T G a, or of its trace without directions."""
        array, lead = self._points(Z)
        along = None if directions is None else self._points(directions, "directions")[0]
        mean, deviation = np.empty(lead), np.empty(lead)
        _core.space_spread(self._handle, array, along, mean, deviation)
        return mean[()], deviation[()]

    # ---- lengths -------------------------------------------------------------------------------

    def length(self, path: Any) -> float:
        """Return the length of the polygon through latent points, (n, latent_dim), in the exact metric."""
        return _core.space_length(self._handle, _POLYGON, self._points(path, "path", 2)[0], 0, 0)[0]

    def energy(self, path: Any) -> float:
        """Return the energy of the polygon through latent points, (n, latent_dim), in the exact metric."""
        return _core.space_length(self._handle, _POLYGON, self._points(path, "path", 2)[0], 0, 0)[1]

    def straight_length(self, points: Any) -> float:
        """Return the length of the straight lines through latent points in turn, in the exact metric."""
        return _core.space_length(self._handle, _STRAIGHT, self._points(points, "points", 2)[0], 0, 0)[0]

    def expected_length(self, path: Any, samples: int = 100, seed: int = 0) -> tuple[float, float]:
        """Return the expected length of a polygon under the random metric of the model, and its standard error."""
        array = self._points(path, "path", 2)[0]
        return _core.space_length(self._handle, _EXPECTED, array, as_count(samples, "samples"), as_seed(seed))


def _function(callable_: Any, name: str) -> Any:
    """The function as the library calls it: from bytes to two arrays."""
    if callable_ is None:
        return None
    if not callable(callable_):
        raise TypeError(f"{name}: expected a callable, got {type(callable_).__name__}")

    def call(point: bytes) -> tuple[Array, Array]:
        value, derivative = callable_(np.frombuffer(point))
        return as_doubles(value, name), as_doubles(derivative, name)

    return call
