"""Manifolds: spheres, rotations, positive definite matrices, hyperbolic spaces and products of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

import numpy as np

from . import _core
from ._arrays import as_count, as_doubles, as_seed
from ._progress import Callback, watch
from ._settings import texts

if TYPE_CHECKING:
    from ._arrays import Array

__all__ = ["Factor", "Manifold", "register_geometry"]


class Factor(NamedTuple):
    """One factor of a product manifold."""

    name: str
    """Name of its geometry: "R", "S", "SO", "SPD", "SPDlog" or "H"."""
    n: int
    """Which member of the family, such as 3 in "S3"."""
    dim: int
    """Dimension."""
    ambient: int
    """Numbers of a point."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one point: (n, n) for positive definite matrices, (ambient,) otherwise."""
        return (self.n, self.n) if self.name.startswith("SPD") else (self.ambient,)


def _linear(factor: Factor) -> float:
    return float(factor.name == "R")


def _angular(factor: Factor) -> float:
    return {("S", 3): 0.5, ("SO", 3): 1.0}.get((factor.name, factor.n), 0.0)


class Manifold:
    """A Riemannian manifold, from a specification.

    Parameters
    ----------
    spec : str
        ``"R3"``, ``"S2"``, ``"SO3"``, ``"SPD15"``, ``"SPD15:log"``, ``"H2"``, ``"T7"``, ``"SE3"`` or a product such as
        ``"R3 x S3"``.

    Notes
    -----
    Every operation takes one point or arrays of points. A point has the shape `point_shape`: ``(d, d)`` for a
    single factor of positive definite matrices, ``(ambient,)`` for all other manifolds; leading axes count
    points. Base points are one for all, or one for each point.

    Examples
    --------
    >>> import numpy as np
    >>> import riemann2 as rm2
    >>> S = rm2.Manifold("S2")
    >>> p, q = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    >>> S.dist(p, q) == np.pi / 2
    True
    >>> bool(np.allclose(S.exp(p, S.log(p, q)), q))
    True
    """

    __slots__ = ("_handle", "spec", "dim", "ambient", "factors", "point_shape")

    def __init__(self, spec: str | "Manifold"):
        if isinstance(spec, Manifold):
            spec = spec.spec
        if not isinstance(spec, str):
            raise TypeError(f"spec: expected text such as 'R3 x S3', got {type(spec).__name__}")
        self._handle = _core.manifold(spec)
        self.spec: str
        self.dim: int
        self.ambient: int
        self.spec, self.dim, self.ambient, rows = _core.manifold_info(self._handle)
        self.factors: tuple[Factor, ...] = tuple(Factor(*row) for row in rows)
        self.point_shape: tuple[int, ...] = (
            self.factors[0].shape if len(self.factors) == 1 else (self.ambient,)
        )

    def __repr__(self) -> str:
        return f"Manifold({self.spec!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Manifold) and other.spec == self.spec

    def __hash__(self) -> int:
        return hash(self.spec)

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return Manifold, (self.spec,)

    # ---- shapes -------------------------------------------------------------------------------

    def _take(self, value: Any, name: str, shape: tuple[int, ...]) -> tuple[Array, tuple[int, ...]]:
        """The array and its leading axes."""
        array = as_doubles(value, name)
        axes = array.shape
        if axes == shape:
            return array, ()
        lead = axes[: len(axes) - len(shape)]
        if axes[len(lead) :] != shape:
            raise ValueError(
                f"{name}: expected points of shape {shape} on {self.spec}, got an array of shape {array.shape}"
            )
        return array, lead

    def _base(self, p: Any, lead: tuple[int, ...]) -> tuple[Array, tuple[int, ...]]:
        """Base points that fit `lead`, and the leading axes of the result."""
        base, base_lead = self._take(p, "base point", self.point_shape)
        if not base_lead or base_lead == lead:
            return base, lead
        try:
            common = np.broadcast_shapes(base_lead, lead)
        except ValueError:
            raise ValueError(f"base points {base_lead} and points {lead} do not have matching axes") from None
        return np.ascontiguousarray(np.broadcast_to(base, common + self.point_shape)), common

    def _apply(
        self, name: str, p: Any, x: Any, w: Any, shapes: tuple[tuple[int, ...], tuple[int, ...]], out: Any = None
    ) -> Array:
        """Operation `name` on points of shape shapes[0], with results of shape shapes[1], in `out` if given."""
        given, result = shapes
        array, lead = self._take(x, name, given)
        second = None
        if p is not None:
            p, common = self._base(p, lead)
            if common != lead:
                array = np.ascontiguousarray(np.broadcast_to(array, common + given))
                lead = common
        if w is not None:
            second, second_lead = self._take(w, name, given)
            if second_lead != lead:
                second = np.ascontiguousarray(np.broadcast_to(second, lead + given))
        if out is None:
            out = np.empty(lead + result)
        elif not isinstance(out, np.ndarray) or out.shape != lead + result:
            raise ValueError(f"out: expected an array of shape {lead + result}")
        _core.manifold_apply(self._handle, name, p, array, second, out)
        return out  # type: ignore[no-any-return]

    # ---- points -------------------------------------------------------------------------------

    def random(self, n: int | None = None, seed: int = 0) -> Array:
        """Draw `n` random points (one without `n`); the same for the same seed."""
        out = np.empty((() if n is None else (as_count(n, "n"),)) + self.point_shape)
        _core.manifold_random(self._handle, as_seed(seed), out)
        return out

    def default_point(self) -> Array:
        """Return the origin: 0, (1, 0, ...), or the identity matrix."""
        out = np.empty(self.point_shape)
        _core.manifold_default_point(self._handle, out)
        return out

    def project(self, x: Any) -> Array:
        """Return the nearest points on the manifold."""
        return self._apply("project", None, x, None, (self.point_shape, self.point_shape))

    def defect(self, x: Any) -> Array:
        """Return how far points are from the manifold, relative to their size: one number per factor."""
        return self._apply("defect", None, x, None, (self.point_shape, (len(self.factors),)))

    def belongs(self, x: Any) -> Array:
        """Return which points lie on the manifold, in the sense of `numpy.isclose`."""
        array, lead = self._take(x, "points", self.point_shape)
        on = np.empty(lead + (len(self.factors),), dtype=bool)
        _core.manifold_contains(self._handle, array, on)
        inside: Array = on.all(axis=-1)
        return inside

    def split(self, x: Any) -> list[Array]:
        """Split points of a product into those of its factors, each in the shape of its factor."""
        array, lead = self._take(x, "points", self.point_shape)
        ends = np.cumsum([f.ambient for f in self.factors])[:-1]
        parts = np.split(array.reshape(lead + (self.ambient,)), ends, axis=-1)
        return [part.reshape(lead + f.shape) for part, f in zip(parts, self.factors)]

    def join(self, parts: Sequence[Any]) -> Array:
        """Join points of the factors into points of the product: the inverse of `split`."""
        if len(parts) != len(self.factors):
            raise ValueError(f"expected {len(self.factors)} arrays, one per factor of {self.spec}, got {len(parts)}")
        taken = [self._take(part, f"factor {k + 1}", f.shape) for k, (part, f) in enumerate(zip(parts, self.factors))]
        lead = np.broadcast_shapes(*(one for _, one in taken))
        rows = [
            np.broadcast_to(a, lead + f.shape).reshape(lead + (f.ambient,)) for (a, _), f in zip(taken, self.factors)
        ]
        joined: Array = np.concatenate(rows, axis=-1).reshape(lead + self.point_shape)
        return joined

    # ---- geodesics ----------------------------------------------------------------------------

    def exp(self, p: Any, v: Any, out: Array | None = None) -> Array:
        """Return the exponential map: the end of the geodesic from `p` with initial velocity `v`.

        With `out`, a C-contiguous float64 array, the result is written there.
        """
        return self._apply("exp", p, v, None, (self.point_shape, self.point_shape), out)

    def log(self, p: Any, q: Any, out: Array | None = None) -> Array:
        """Return the logarithm: the initial velocity of the shortest geodesic from `p` to `q`.

        With `out`, a C-contiguous float64 array, the result is written there.

        Raises
        ------
        CutLocusError
            Where the shortest geodesic is not unique.
        """
        return self._apply("log", p, q, None, (self.point_shape, self.point_shape), out)

    def dist(self, p: Any, q: Any) -> Array | float:
        """Return the geodesic distance between `p` and `q`."""
        return self._apply("distance", p, q, None, (self.point_shape, ()))[()]

    def distances(self, points: Any, *, callback: Callback = None) -> Array:
        """Return the distances between all pairs of points, (n, n)."""
        array, lead = self._take(points, "points", self.point_shape)
        if len(lead) != 1:
            raise ValueError(f"points: expected an array of shape (n, *point_shape), got {array.shape}")
        out = np.empty(lead + lead)
        with watch(callback) as report:
            _core.manifold_distances(self._handle, array, out, report)
        return out

    def inner(self, p: Any, v: Any, w: Any) -> Array | float:
        """Return the inner product of tangent vectors `v` and `w` at `p`."""
        return self._apply("inner", p, v, w, (self.point_shape, ()))[()]

    def norm(self, p: Any, v: Any) -> Array | float:
        """Return the length of tangent vectors `v` at `p`."""
        return np.sqrt(self.inner(p, v, v))

    def parallel_transport(self, p: Any, *, direction: Any, vector: Any) -> Array:
        """Carry tangent vectors along the geodesic t -> exp(p, t direction) from t = 0 to 1.

        Parameters
        ----------
        p : array of shape (..., *point_shape)
        direction, vector : arrays of shape (..., *point_shape)
            Tangent vectors at `p`: the way to go, and what is carried to its end. By name, so that they are not swapped.
        """
        return self._apply("transport", p, direction, vector, (self.point_shape, self.point_shape))

    def dexp(self, p: Any, v: Any, w: Any) -> Array:
        """Return the derivative of exp(p, v + t w) at t = 0."""
        return self._apply("dexp", p, v, w, (self.point_shape, self.point_shape))

    def resample(self, points: Any, count: int, *, by_length: bool = False) -> Array:
        """Return `count` points at equal steps of the index along `points`, on the geodesics between neighbours.

        With `by_length` at equal steps of arc length: the curve, whatever its timing and the number of its points.
        """
        array, lead = self._take(points, "points", self.point_shape)
        if len(lead) != 1:
            raise ValueError(f"points: expected one trajectory of shape (n, {self.point_shape}), got {array.shape}")
        out = np.empty((as_count(count, "count"),) + self.point_shape)
        _core.manifold_resample(self._handle, array, out, bool(by_length))
        return out

    def _speeds(self, linear: float | None, angular: float | None) -> Array:
        """Limits per factor, in its distance units, from those by name; the distance of S3 is half the rotation angle."""
        speed = np.zeros(len(self.factors))
        for name, limit, of in (("linear", linear, _linear), ("angular", angular, _angular)):
            if limit is None:
                continue
            if not (np.isfinite(limit) and limit > 0):
                raise ValueError(f"{name}: expected a positive number, got {limit!r}")
            scales = np.array([of(f) for f in self.factors])
            if not scales.any():
                raise ValueError(f"{name}: {self.spec} has no factor {'R' if name == 'linear' else 'S3 or SO3'}")
            speed += scales * limit
        return speed

    def retime(
        self, points: Any, speed: Any = None, acceleration: Any = None, *, linear: float | None = None,
        angular: float | None = None,
    ) -> Array:
        """Return times of the points of a trajectory, from 0, as fast as limits allow.

        Parameters
        ----------
        points : array of shape (n, *point_shape)
        speed, acceleration : sequence of floats, one per factor, optional
            In the factor's distance units per second, and per second squared; 0 means no limit. With limits of
            acceleration the trajectory starts and ends at rest. The distance of S3 is half the angle of rotation.
        linear, angular : float, optional
            Instead of `speed`: limits of all Euclidean factors, in units of the data per second, and of all S3 and SO3
            factors, in radians of rotation per second.

        Examples
        --------
        >>> import numpy as np, riemann2 as rm2
        >>> half_turn = [[1, 0, 0, 0], [0, 1, 0, 0]]
        >>> rm2.Manifold("S3").retime(half_turn, angular=np.pi / 2).round(6).tolist()
        [0.0, 2.0]
        """
        if linear is not None or angular is not None:
            if speed is not None:
                raise TypeError("speed: leave it out with linear and angular, which are limits of speed, too")
            speed = self._speeds(linear, angular)
        array, lead = self._take(points, "points", self.point_shape)
        if len(lead) != 1:
            raise ValueError(f"points: expected one trajectory of shape (n, {self.point_shape}), got {array.shape}")
        fast, strong = (
            None if value is None else np.atleast_1d(as_doubles(value, name))
            for value, name in ((speed, "speed"), (acceleration, "acceleration"))
        )
        out = np.empty(lead)
        _core.retime(self._handle, array, fast, strong, out)
        return out

    # ---- coordinates --------------------------------------------------------------------------

    def to_coords(self, p: Any, v: Any) -> Array:
        """Return coordinates of tangent vectors in an orthonormal frame at `p`."""
        return self._apply("to_coords", p, v, None, (self.point_shape, (self.dim,)))

    def from_coords(self, p: Any, c: Any) -> Array:
        """Return tangent vectors from coordinates in the orthonormal frame at `p`."""
        return self._apply("from_coords", p, c, None, ((self.dim,), self.point_shape))

    def exp_coords(self, p: Any, c: Any) -> Array:
        """Return exp(p, from_coords(p, c))."""
        return self._apply("exp_coords", p, c, None, ((self.dim,), self.point_shape))

    def log_coords(self, p: Any, q: Any) -> Array:
        """Return to_coords(p, log(p, q))."""
        return self._apply("log_coords", p, q, None, (self.point_shape, (self.dim,)))

    def log_volume(self, c: Any) -> Array | float:
        """Return log |det dExp| at coordinates `c`."""
        return self._apply("log_volume", None, c, None, ((self.dim,), ()))[()]

    def metric(self, c: Any, W: Any, z: Any = None) -> Array:
        """Return the metric G(c) = dExp^T g dExp at coordinates `c`, applied to vectors.

        Parameters
        ----------
        c : array of shape (dim,) or (n, dim)
        W : array of shape (count, dim) or (n, count, dim)
            Vectors at each of the coordinates.
        z : array of the shape of `c`, optional
            Return the derivative of G in the direction `z`, applied to the vectors, instead.
        """
        at, vectors = as_doubles(c, "c"), as_doubles(W, "W")
        if at.ndim not in (1, 2) or at.shape[-1] != self.dim:
            raise ValueError(f"c: expected an array of shape (n, {self.dim}), got {at.shape}")
        if vectors.ndim != at.ndim + 1 or vectors.shape[:-2] != at.shape[:-1] or vectors.shape[-1] != self.dim:
            raise ValueError(f"W: expected vectors of shape (..., count, {self.dim}) at each c, got {vectors.shape}")
        along = None if z is None else as_doubles(z, "z")
        out = np.empty(vectors.shape)
        _core.manifold_metric(self._handle, at, along, vectors, out)
        return out

    def selftest(self, trials: int = 10) -> dict[str, tuple[float, float, bool]]:
        """Check the manifold against identities of Riemannian geometry.

        Returns
        -------
        dict of property to (worst error, bound, passed)
        """
        return {row[0]: row[1:] for row in _core.manifold_selftest(self._handle, as_count(trials, "trials"))}

    # ---- kernels ------------------------------------------------------------------------------

    def kernel(self, X: Any, Y: Any = None, *, lengthscale: Any = 1.0, kind: Any = None) -> Array:
        """Return the matrix of a positive definite kernel between points, (n, m); of `X` with itself without `Y`.

        Parameters
        ----------
        X, Y : arrays of shape (n, *point_shape) and (m, *point_shape)
        lengthscale : float or sequence of floats, one per factor
            In units of the factor's distance.
        kind : str or sequence, one per factor, optional
            ``"heat"``, ``"matern32"``, ``"matern52"`` or ``"log-euclidean"``; by default heat, or log-euclidean for
            positive definite matrices larger than 3 x 3.
        """
        count = len(self.factors)
        kinds = list(kind) if isinstance(kind, (list, tuple)) else [kind] * count
        scales = np.ascontiguousarray(np.broadcast_to(as_doubles(lengthscale, "lengthscale"), (count,)))
        x, lead = self._take(X, "X", self.point_shape)
        y, other = (None, lead) if Y is None else self._take(Y, "Y", self.point_shape)
        if len(lead) != 1 or len(other) != 1:
            raise ValueError("X and Y: expected arrays of shape (n, *point_shape)")
        out = np.empty(lead + other)
        _core.kernel(self._handle, kinds, scales, x, y, out)
        return out

    # ---- statistics ---------------------------------------------------------------------------

    def mean(self, points: Any, weights: Any = None, **settings: Any) -> Array:
        """Return the Fréchet mean of points, the minimiser of the weighted sum of squared distances.

        Parameters
        ----------
        points : array of shape (n, *point_shape)
        weights : array of shape (n,), optional
            Equal by default; they need not sum to one.
        **settings
            Settings of the library's table "mean": ``max_iterations``, and ``tolerance`` of the gradient, relative to the root
            mean squared distance.

        Warns
        -----
        RuntimeWarning
            If the iteration did not converge; the last value is returned.
        """
        array, lead = self._take(points, "points", self.point_shape)
        if len(lead) != 1 or lead[0] == 0:
            raise ValueError(f"points: expected at least one point in an array of shape (n, ...), got {array.shape}")
        w = None if weights is None else as_doubles(weights, "weights")
        out = np.empty(self.point_shape)
        converged, iterations, gradient, _ = _core.manifold_mean(
            self._handle, array, w, texts("mean", settings), out
        )
        if not converged:
            import warnings

            warnings.warn(
                f"mean did not converge: gradient {gradient:.1e} after {iterations} iterations",
                RuntimeWarning,
                stacklevel=2,
            )
        return out


def register_geometry(library: str | os.PathLike[str], function: str) -> None:
    """Add a geometry of your own, written in C: specifications can then name it, as in ``"Torus2 x R3"``.

    Parameters
    ----------
    library : path
        A shared library, compiled against the headers of riemann2. It stays loaded.
    function : str
        A function of it, ``const rm2_geometry *function(void)``; the table that it returns is used for good.
        ``examples/own_manifold.c`` shows how to write one.
    """
    if not isinstance(function, str) or not function:
        raise TypeError(f"function: expected the name of a function, got {function!r}")
    import ctypes

    path = os.path.abspath(os.fspath(library))
    loaded = ctypes.CDLL(path)
    try:
        address = ctypes.cast(getattr(loaded, function), ctypes.c_void_p).value
    except AttributeError:
        raise ValueError(f"{path} has no function {function!r}") from None
    _core.register_geometry(address or 0)
