"""Wrapped and Euclidean Gaussian process latent variable models, in the manner of scikit-learn."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any, Callable, Sequence

import numpy as np

from . import _core
from ._arrays import as_doubles
from ._settings import table, texts
from .data import Data
from .manifold import Manifold
from .space import Path, obstacle_rows

__all__ = ["GPLVM", "WGPLVM", "load"]

_ENCODED = 4  # log density, residual, converged, nearest training point
_PROGRESS_AFTER = 2.0  # seconds


class _Line:
    """A line of progress on a terminal or in a notebook, once work lasts longer than two seconds."""

    def __init__(self) -> None:
        self._shown = False

    def __call__(self, activity: str, done: int, total: int, seconds: float, objective: float | None) -> bool:
        if seconds < _PROGRESS_AFTER or not (sys.stderr.isatty() or "ipykernel" in sys.modules):
            return True
        of = f" of {total}" if total else ""
        value = "" if objective is None else f", objective {objective:.4f}"
        print(f"\r{activity}: {done}{of}{value}, {seconds:.0f} s", end="", file=sys.stderr, flush=True)
        self._shown = True
        return True

    def close(self) -> None:
        if self._shown:
            print(file=sys.stderr)


class WGPLVM:
    """A latent space of data on a manifold: everything decoded lies on the manifold.

    Parameters
    ----------
    manifold : str or Manifold
        Such as ``"R3 x S3"``. ``"SPD"`` and ``"R"`` without a number take their size from the data.
    latent_dim : int
        Dimensions of the latent space.
    recipe : str
        Which defaults the other settings have.
    random_state : int, optional
        Seed of what is random.
    **settings
        Every setting of the library's table "fit" under its name: ``kernel="matern52"``, ``max_iterations=300``,
        ``lengthscale="learned 0.3"``, ...

    Attributes
    ----------
    latents_ : array of shape (n, latent_dim)
    manifold_ : Manifold
    data_ : Data
        The training set.
    info_ : dict
        Likelihood, hyperparameters, why training stopped.
    n_features_in_ : int

    Examples
    --------
    >>> import riemann2 as rm2
    >>> data = rm2.generate("toy", trajectories=3, points=20)
    >>> model = rm2.WGPLVM("R2 x S2").fit(data)
    >>> model.latents_.shape
    (60, 2)
    >>> bool(model.manifold_.belongs(model.inverse_transform(model.latents_)).all())
    True
    """

    _model_word = "wgplvm"

    def __init__(
        self,
        manifold: str | Manifold = "R",
        latent_dim: int = 2,
        *,
        recipe: str = "robust",
        random_state: int | None = None,
        **settings: Any,
    ):
        self.manifold = manifold
        self.latent_dim = latent_dim
        self.recipe = recipe
        self.random_state = random_state
        self._settings = {}
        self.set_params(**settings)

    # ---- parameters, as scikit-learn has them --------------------------------------------------

    _own = ("manifold", "latent_dim", "recipe", "random_state")
    _fixed = ("model", "latent_dim", "recipe", "seed")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return all parameters by name."""
        return {name: getattr(self, name) for name in self._own} | self._settings

    def set_params(self, **params: Any) -> WGPLVM:
        """Set parameters by name."""
        rows = table("fit")
        for name, value in params.items():
            if name in self._own:
                setattr(self, name, value)
            elif name in rows and name not in self._fixed:
                self._settings[name] = value
            else:
                texts("fit", {name: value})  # raises for an unknown name
                raise TypeError(f"'{name}' is set by the class or another parameter")
        return self

    def __repr__(self) -> str:
        params = ", ".join(f"{k}={v!r}" for k, v in self.get_params().items() if k != "manifold" and v is not None)
        return f"{type(self).__name__}({str(getattr(self.manifold, 'spec', self.manifold))!r}, {params})"

    # ---- training ------------------------------------------------------------------------------

    def _spec(self, array: np.ndarray) -> str:
        """The manifold's specification, with the size of the data where it has none."""
        spec = self.manifold.spec if isinstance(self.manifold, Manifold) else str(self.manifold)
        if spec in ("R", "SPD") and array.ndim < 2:
            raise ValueError(f"expected an array of at least two dimensions for '{spec}', got shape {array.shape}")
        return f"{spec}{array.shape[-1]}" if spec in ("R", "SPD") else spec

    def _data(self, Y: Any, groups: Any, time: Any, labels: Any) -> Data:
        if isinstance(Y, Data):
            return Y
        array = as_doubles(Y, "Y")
        manifold = Manifold(self._spec(array))
        products = len(manifold.factors) > 1 and any(f.name == "R" for f in manifold.factors)
        return Data(array, manifold, groups=groups, time=time, labels=labels, scale=products)

    def fit(
        self,
        Y: Any,
        y: Any = None,
        *,
        groups: Sequence[Any] | None = None,
        time: Any = None,
        init: Any = None,
        base_point: Any = None,
        callback: Callable[..., bool] | None = None,
    ) -> WGPLVM:
        """Train on points.

        Parameters
        ----------
        Y : array of shape (n, *point_shape), or Data
        y : ignored
            For pipelines.
        groups : sequence of n ids, optional
            Trajectory of each point.
        time : array of shape (n,), optional
        init : array of shape (n, latent_dim), optional
            Latent points to start from.
        base_point : array of point_shape, optional
        callback : callable, optional
            Called with (activity, done, total, seconds, objective); returning False stops training.

        Returns
        -------
        self
        """
        data = self._data(Y, groups, time, None)
        settings = {"model": self._model_word, "recipe": self.recipe, "latent_dim": self.latent_dim}
        if self.random_state is not None:
            settings["seed"] = int(self.random_state)
        given = texts("fit", {**settings, **self._settings})
        start, base = (None if a is None else as_doubles(a, n) for a, n in ((init, "init"), (base_point, "base_point")))
        line = callback or _Line()
        handle = _core.fit(data._handle, given, start, base, line)
        if isinstance(line, _Line):
            line.close()
        self._adopt(handle)
        if self.info_["stop"] == "interrupted":
            warnings.warn("training was interrupted; the model is the best so far", RuntimeWarning, stacklevel=2)
        return self

    def _adopt(self, handle: Any) -> None:
        self._handle = handle
        self._spaces: dict[Any, Any] = {}
        self.info_: dict[str, Any] = _core.model_info(handle)
        self.data_ = Data._wrap(_core.model_data(handle))
        self.manifold_ = self.data_.manifold
        self.latents_ = np.empty((self.info_["points"], self.info_["latent_dim"]))
        _core.model_array(handle, "latents", self.latents_)
        self.n_features_in_ = self.manifold_.point_shape[-1]
        self.n_iter_ = self.info_["iterations"]

    def _fitted(self) -> Any:
        try:
            return self._handle
        except AttributeError:
            try:
                from sklearn.exceptions import NotFittedError as error
            except ImportError:
                error = ValueError
            raise error(f"this {type(self).__name__} is not fitted; call fit first") from None

    # ---- between the manifold and the latent space ---------------------------------------------

    def _latents(self, Z: Any) -> tuple[np.ndarray, tuple[int, ...]]:
        array = as_doubles(Z, "latents")
        Q = self.info_["latent_dim"]
        if array.ndim == 0 or array.shape[-1] != Q:
            raise ValueError(f"latents: expected an array of shape (..., {Q}), got {array.shape}")
        return array, array.shape[:-1]

    def transform(self, Y: Any, *, return_cov: bool = False, **settings: Any) -> Any:
        """Encode points: return their latent points.

        Parameters
        ----------
        Y : array of shape (n, *point_shape), or Data
            NaN entries are missing: entries of Euclidean factors, or whole factors.
        return_cov : bool
            Also return the latent uncertainty, (n, latent_dim, latent_dim).
        **settings
            Settings of the library's table "encode".
        """
        latents, cov, _ = self._encode(Y, return_cov, settings)
        return (latents, cov) if return_cov else latents

    encode = transform

    def _encode(self, Y: Any, with_cov: bool, settings: dict[str, Any]) -> tuple[np.ndarray, Any, np.ndarray]:
        handle = self._fitted()
        array = Y.points if isinstance(Y, Data) else as_doubles(Y, "Y")
        shape = self.manifold_.point_shape
        if array.ndim != 1 + len(shape) or array.shape[1:] != shape:
            raise ValueError(f"Y: expected an array of shape (n, {', '.join(map(str, shape))}), got {array.shape}")
        n, Q = len(array), self.info_["latent_dim"]
        latents, info = np.empty((n, Q)), np.empty((n, _ENCODED))
        cov = np.empty((n, Q, Q)) if with_cov else None
        _core.encode(handle, np.ascontiguousarray(array), texts("encode", settings), latents, cov, info)
        return latents, cov, info

    def fit_transform(self, Y: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
        """Train, and return the latent points of the training set."""
        return self.fit(Y, y, **fit_params).latents_.copy()

    def inverse_transform(self, Z: Any, *, return_std: bool = False, return_cov: bool = False) -> Any:
        """Decode latent points: return points on the manifold.

        Parameters
        ----------
        Z : array of shape (..., latent_dim)
        return_std : bool
            Also return the standard deviation of each point.
        return_cov : bool
            Also return the covariance of the tangent coordinates.
        """
        handle = self._fitted()
        array, lead = self._latents(Z)
        M = self.info_["outputs"]
        points = np.empty(lead + self.manifold_.point_shape)
        std = np.empty(lead) if return_std else None
        cov = np.empty(lead + (M, M)) if return_cov else None
        _core.decode(handle, array, points, None, cov, std)
        extra = [a for a in (std, cov) if a is not None]
        return (points, *extra) if extra else points

    decode = inverse_transform

    def sample(self, Z: Any, count: int = 1, *, noise: bool = False, seed: int = 0) -> np.ndarray:
        """Draw `count` trajectories over latent points: (count, n, *point_shape), on the manifold."""
        handle = self._fitted()
        array, lead = self._latents(Z)
        if len(lead) != 1:
            raise ValueError(f"latents: expected an array of shape (n, latent_dim), got {array.shape}")
        out = np.empty((count,) + lead + self.manifold_.point_shape)
        _core.sample(handle, array, count, noise, seed, out)
        return out

    def score(self, Y: Any, y: Any = None) -> float:
        """Return the mean log density of points at their encoded latent points."""
        return float(self._encode(Y, False, {})[2][:, 0].mean())

    # ---- the latent space ----------------------------------------------------------------------

    def _space(self, avoid: Sequence[Any] = (), **settings: Any) -> Any:
        """The latent space with these settings; kept for the next call."""
        given = texts("space", settings)
        rows = obstacle_rows(avoid)
        key = (tuple(sorted(given.items())), None if rows is None else rows.tobytes())
        if key not in self._spaces:
            if len(self._spaces) > 8:
                self._spaces.clear()
            self._spaces[key] = _core.space(self._fitted(), given, None, rows)
        return self._spaces[key]

    def geodesic(self, start: Any, end: Any, *, via: Sequence[Any] = (), avoid: Sequence[Any] = (), **settings: Any) -> Path:
        """Return the shortest path between two latent points.

        Parameters
        ----------
        start, end : arrays of shape (latent_dim,)
        via : sequence of latent points
            Points to pass on the way.
        avoid : sequence of Sphere
            Obstacles in the first Euclidean factor.
        **settings
            Settings of the library's table "space": ``contrast``, ``nodes``, ``tolerance``, ``stage``, ...

        Warns
        -----
        RuntimeWarning
            If the path did not reach the tolerance.
        """
        self._fitted()
        stops, _ = self._latents(np.stack([np.asarray(p, dtype=float) for p in (start, *via, end)]))
        path = Path(self, _core.geodesic(self._space(avoid, **settings), stops))
        if not path.converged:
            warnings.warn(f"the geodesic did not converge (error {path.error:.1e})", RuntimeWarning, stacklevel=2)
        return path

    def geodesics(self, starts: Any, ends: Any, *, avoid: Sequence[Any] = (), **settings: Any) -> list[Path]:
        """Return the shortest paths between pairs of latent points, on all cores."""
        self._fitted()
        a, _ = self._latents(starts)
        b, _ = self._latents(ends)
        line = _Line()
        rows = _core.geodesics(self._space(avoid, **settings), a, b, line)
        line.close()
        return [Path(self, row) for row in rows]

    def distances(self, Z: Any, **settings: Any) -> np.ndarray:
        """Return the geodesic distances between latent points, (n, n)."""
        self._fitted()
        array, lead = self._latents(Z)
        n = int(np.prod(lead))
        out, line = np.empty((n, n)), _Line()
        unconverged = _core.distances(self._space(**settings), array, line, out)
        line.close()
        if unconverged:
            warnings.warn(f"{unconverged} geodesics did not converge", RuntimeWarning, stacklevel=2)
        return out

    def mean(self, Z: Any, weights: Any = None, **settings: Any) -> np.ndarray:
        """Return the Fréchet mean of latent points in the metric of the data."""
        self._fitted()
        array, _ = self._latents(Z)
        w = None if weights is None else as_doubles(weights, "weights")
        out = np.empty(array.shape[-1])
        if not _core.space_mean(self._space(**settings), array, w, out):
            warnings.warn("the mean did not converge", RuntimeWarning, stacklevel=2)
        return out

    def exp(self, z: Any, v: Any, **settings: Any) -> np.ndarray:
        """Return the end of the geodesic from `z` with velocity `v`."""
        return self._two(_core.space_exp, z, v, settings)

    def log(self, z: Any, y: Any, **settings: Any) -> np.ndarray:
        """Return the velocity at `z` of the geodesic to `y`."""
        return self._two(_core.space_log, z, y, settings)

    def _two(self, call: Callable[..., bool], z: Any, v: Any, settings: dict[str, Any]) -> np.ndarray:
        self._fitted()
        a, _ = self._latents(z)
        b, _ = self._latents(v)
        out = np.empty(self.info_["latent_dim"])
        if not call(self._space(**settings), a, b, out):
            warnings.warn("the geodesic did not converge", RuntimeWarning, stacklevel=3)
        return out

    def metric(self, Z: Any, **settings: Any) -> np.ndarray:
        """Return the metric at latent points, (..., latent_dim, latent_dim)."""
        self._fitted()
        array, lead = self._latents(Z)
        Q = array.shape[-1]
        out = np.empty(lead + (Q, Q))
        _core.space_metric(self._space(**settings), array, out, None)
        return out

    def magnification(self, Z: Any, **settings: Any) -> np.ndarray:
        """Return the logarithm of the volume element, log sqrt det G, at latent points."""
        self._fitted()
        array, lead = self._latents(Z)
        out = np.empty(lead)
        _core.space_metric(self._space(**settings), array, None, out)
        return out

    # ---- files ---------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Write the model to a file, the same as those of the program."""
        _core.model_write(self._fitted(), os.fspath(path), overwrite)

    def __getstate__(self) -> dict[str, Any]:
        state = {"params": self.get_params()}
        if hasattr(self, "_handle"):
            state["model"] = _core.model_to_bytes(self._handle)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._settings = {}
        for name in self._own:
            setattr(self, name, None)
        self.set_params(**state["params"])
        if "model" in state:
            self._adopt(_core.model_from_bytes(state["model"]))


class GPLVM(WGPLVM):
    """The Euclidean counterpart, for comparison: decoded points leave the manifold."""

    _model_word = "gplvm"


def load(path: str | os.PathLike[str]) -> WGPLVM:
    """Read a model from a file."""
    handle = _core.model_read(os.fspath(path))
    info = _core.model_info(handle)
    rows, given = table("fit"), info["settings"]
    kind = GPLVM if given["model"] == "gplvm" else WGPLVM
    seed = int(given["seed"])
    model = kind(info["manifold"], int(given["latent_dim"]), recipe=given["recipe"], random_state=seed or None)
    column = rows["recipe"].words.index(given["recipe"])
    changed = {k: rows[k].value(v) for k, v in given.items() if k not in WGPLVM._fixed and v != rows[k].defaults[column]}
    model.set_params(**{k: v for k, v in changed.items() if v != "given"})
    model._adopt(handle)
    return model
