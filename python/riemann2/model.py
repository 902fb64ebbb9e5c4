"""Wrapped and Euclidean Gaussian process latent variable models, in the manner of scikit-learn."""

from __future__ import annotations

import importlib
import inspect
import os
import warnings
from typing import Any, Callable, NamedTuple, Sequence, TYPE_CHECKING, TypeVar

import numpy as np

from . import _core
from ._arrays import as_count, as_doubles, as_seed
from ._model_show import ModelShow
from ._model_space import ModelSpace
from ._progress import Callback, watch
from ._settings import describe, table, texts
from .data import Data
from .manifold import Manifold
from .report import Fidelity, HeldOut, LatentChoice, StartReport
from .space import OutsideWarning

if TYPE_CHECKING:
    from ._arrays import Array

__all__ = ["Added", "GPLVM", "WGPLVM", "load"]

_ENCODED = 4  # log density, residual, converged, nearest training point
_OWN = ("manifold", "latent_dim", "recipe", "random_state")
_FIXED = ("model", "latent_dim", "recipe", "seed")  # settings that the class or a parameter decides

Self = TypeVar("Self", bound="WGPLVM")


def _keywords() -> tuple[str, ...]:
    return tuple(name for name in table("fit") if name not in _FIXED)


def _starts(groups: Any, n: int) -> Array:
    """Return the first points of runs of equal ids, and n."""
    ids = np.asarray(groups)
    if ids.shape != (n,):
        raise ValueError(f"groups: expected {n} ids, got an array of shape {ids.shape}")
    firsts = np.flatnonzero(np.concatenate([[True], ids[1:] != ids[:-1]]))
    if len(np.unique(ids)) != len(firsts):
        raise ValueError("groups: points of one trajectory must stand next to each other")
    return np.append(firsts, n)


class Added(NamedTuple):
    """What a model makes of a new trajectory. Residuals are root mean squared norms in tangent coordinates."""

    points: int
    before: float
    """Residual of the points encoded by the model as it was."""
    after: float
    """Residual of the decoded latents after training."""
    known: bool
    """Whether `before` is at most a quarter of the spread of the training points."""
    apart: bool = False
    """Whether its latents started next to those of the model, as those of a motion that it did not know."""


class WGPLVM(ModelSpace, ModelShow):
    """A latent space of data on a manifold: everything decoded lies on the manifold.

    Parameters
    ----------
    manifold : str or Manifold
        Such as ``"R3 x S3"``. ``"SPD"`` and ``"R"`` without a number take their size from the data.
    latent_dim : int
        Dimensions of the latent space; "auto" for data without trajectories: by the density of points held out.
    recipe : str
        Which defaults the other settings have: "robust", "points", "map" or "paper". "auto" is "points" for data
        without trajectories where the other settings allow it, else "robust".
    random_state : int, optional
        Seed of random starts.
    {settings}

    Attributes
    ----------
    latents_ : array of shape (n, latent_dim)
        Latent points of the training set; read-only.
    manifold_ : Manifold
    data_ : Data
        The training set.
    info_ : dict
        Likelihood, hyperparameters, why training stopped.
    start_report_ : StartReport or None
        What the start found in the demonstrations: families, reversed and cut ones, timing.
    n_features_in_ : int
        Last axis of the points.
    n_iter_ : int

    Notes
    -----
    A setting that is None has the default of the recipe. The defaults above are those of "robust".

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
        latent_dim: int | str = 2,
        *,
        recipe: str = "auto",
        random_state: Any = None,
        **settings: Any,
    ):
        known = _keywords()
        for name in settings:
            if name not in known:
                texts("fit", {name: None})  # raises for a name that is not in the table
                raise TypeError(f"'{name}' is decided by the class or by another parameter")
        self.manifold = manifold
        self.latent_dim = latent_dim
        self.recipe = recipe
        self.random_state = random_state
        for name in known:
            setattr(self, name, settings.get(name))

    # ---- parameters, as scikit-learn has them --------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return all parameters by name."""
        return {name: getattr(self, name) for name in (*_OWN, *_keywords())}

    def set_params(self: Self, **params: Any) -> Self:
        """Set parameters by name."""
        known = (*_OWN, *_keywords())
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"invalid parameter '{name}' of {type(self).__name__}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        given = {k: v for k, v in self.get_params().items() if v is not None and k not in ("manifold", "latent_dim")}
        if given["recipe"] == "auto":
            del given["recipe"]
        spec = getattr(self.manifold, "spec", self.manifold)
        more = "".join(f", {k}={v!r}" for k, v in given.items())
        return f"{type(self).__name__}({spec!r}, latent_dim={self.latent_dim!r}{more})"

    def _more_tags(self) -> dict[str, Any]:
        """Tags of scikit-learn up to 1.5."""
        return {"requires_y": False, "non_deterministic": False, "_xfail_checks": _EXPECTED_FAILURES}

    def __sklearn_tags__(self) -> Any:
        """Tags of scikit-learn from 1.6."""
        s = importlib.import_module("sklearn.utils")
        return s.Tags(estimator_type=None, target_tags=s.TargetTags(required=False),
                      transformer_tags=s.TransformerTags(), classifier_tags=None, regressor_tags=None,
                      input_tags=s.InputTags(three_d_array=True))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_handle")

    # ---- training ------------------------------------------------------------------------------

    def _spec(self, array: Array) -> str:
        """The manifold's specification, with the size of the data where it has none."""
        if not isinstance(self.manifold, (str, Manifold)):
            raise TypeError(f"manifold: expected text such as 'R3 x S3', got {type(self.manifold).__name__}")
        spec = self.manifold.spec if isinstance(self.manifold, Manifold) else self.manifold
        if spec in ("R", "SPD"):
            wanted = "2D array (n, d)" if spec == "R" else "3D array (n, d, d)"
            if array.ndim > 1 and array.shape[-1] == 0:
                raise ValueError(f"Y: found {_sizes(array)} while a minimum of 1 is required.")
            if array.ndim != (2 if spec == "R" else 3):
                raise ValueError(f"Y: expected a {wanted} for '{spec}', got an array of shape {array.shape}. "
                                 f"Reshape your data: found {_sizes(array)}")
            return f"{spec}{array.shape[-1]}"
        return spec

    def _data(self, Y: Any, groups: Any, time: Any) -> Data:
        if isinstance(Y, Data):
            if groups is not None or time is not None:
                raise ValueError("groups and time belong to the data set; give either arrays or a Data")
            return Y
        array = as_doubles(Y, "Y")
        manifold = Manifold(self._spec(array))
        if array.ndim > 0 and len(array) == 1:
            raise ValueError("Y: training needs at least 2 points, got 1 sample")
        return Data(array, manifold, groups=groups, time=time)

    def _prepare(self, Y: Any, groups: Any, time: Any) -> tuple[Data, dict[str, str]]:
        """The data and all settings as texts."""
        seed = None if self.random_state is None else as_seed(self.random_state, "random_state")
        given = {name: getattr(self, name) for name in _keywords()}
        given.update(model=self._model_word, latent_dim=self.latent_dim, recipe=self.recipe, seed=seed)
        return self._data(Y, groups, time), texts("fit", given)

    def fit(
        self: Self,
        Y: Any,
        y: Any = None,
        *,
        groups: Sequence[Any] | Array | None = None,
        time: Any = None,
        init: Any = None,
        base_point: Any = None,
        inducing_points: Sequence[int] | None = None,
        back_kernels: Sequence[tuple[str | None, float]] | None = None,
        callback: Callback = None,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_seconds: float = 60.0,
        resume: bool = False,
    ) -> Self:
        """Train on points.

        Parameters
        ----------
        Y : array of shape (n, *point_shape), or Data
        y : ignored
            For pipelines.
        groups : sequence of n ids, optional
            Trajectory of each point; points of one trajectory stand next to each other.
        time : array of shape (n,), optional
        init : array of shape (n, latent_dim), optional
            Latent points to start from.
        base_point : array of point_shape, optional
        inducing_points : sequence of int, optional
            Training points to use as inducing points.
        back_kernels : sequence of (kind, lengthscale), one per factor, optional
            Kernels of a back constraint (setting `back_constraint`); see `Manifold.kernel`.
        callback : callable, optional
            Called with a `Progress` in each iteration; returning False stops training with the best state so far.
        checkpoint : path, optional
            File that keeps the state of training.
        checkpoint_seconds : float
            Time between two checkpoints.
        resume : bool
            Continue from an existing checkpoint.

        Warns
        -----
        RuntimeWarning
            If training was interrupted (the model is the best one so far), or principal components reconstruct the
            training points better than the model; see `fidelity`.
        """
        data, words = self._prepare(Y, groups, time)
        start, base = (None if a is None else as_doubles(a, n) for a, n in ((init, "init"), (base_point, "base_point")))
        chosen = None if inducing_points is None else [as_count(k, "inducing_points") for k in inducing_points]
        kernels = None
        if back_kernels is not None:
            kinds, scales = zip(*back_kernels)
            kernels = list(kinds), as_doubles(scales, "back_kernels")
        path = None if checkpoint is None else os.fspath(checkpoint)
        with watch(callback) as report:
            handle = _core.fit(data._handle, words, start, base, chosen, kernels, report, path,
                               float(checkpoint_seconds), bool(resume))
        self._adopt(handle)
        if self.info_["stop"] == "interrupted":
            warnings.warn("training was interrupted; the model is the best so far", RuntimeWarning, stacklevel=2)
        elif self.fidelity().worse:
            warnings.warn("principal components reconstruct the training points better than this model; compare "
                          "fidelity() and try other settings", RuntimeWarning, stacklevel=2)
        return self

    def inspect(self, Y: Any, *, groups: Any = None, time: Any = None) -> StartReport | None:
        """Return what the start of `fit` would find in the demonstrations, without training.

        None if it would not align them: there are fewer than two trajectories, most of them do not move, or the
        setting `init` asks for another start.
        """
        data, words = self._prepare(Y, groups, time)
        return StartReport._from(_core.fit_inspect(data._handle, words))

    def choose_latent(self, Y: Any, *, largest: int = 10, callback: Callback = None) -> list[LatentChoice]:
        """Compare numbers of latent dimensions on points that training has not seen.

        For data without trajectories. Dimensions 1, 2, ... up to `largest` are tried until the density declines; the
        row with `chosen` is what ``latent_dim="auto"`` takes.
        """
        data, words = self._prepare(Y, None, None)
        with watch(callback) as report:
            rows, chosen = _core.fit_choose_latent(data._handle, words, as_count(largest, "largest"), report)
        return [LatentChoice(*row, k == chosen) for k, row in enumerate(rows)]

    def add(self: Self, data: Data, *, callback: Callback = None) -> tuple[Self, list[Added]]:
        """Go on with more demonstrations: return a new model of all points, and what this one makes of the new ones.

        New points are encoded, trajectories as a whole; training starts from the latents of this model and these, with the
        settings, scales and base point of this model.

        Parameters
        ----------
        data : Data
            On the manifold of the model, with trajectories if its training data have some.
        callback : callable, optional
            As in `fit`.

        Returns
        -------
        model : WGPLVM
        added : list of Added, one per trajectory of the data

        Warns
        -----
        RuntimeWarning
            If the model does not know a trajectory: train on all data afresh.

        Examples
        --------
        >>> import riemann2 as rm2
        >>> data = rm2.generate("toy", trajectories=3, points=15)
        >>> model = rm2.WGPLVM("R2 x S2", max_iterations=20).fit(data.points[:30], groups=data.groups[:30])
        >>> more, added = model.add(rm2.Data(data.points[30:], "R2 x S2", groups=["new"] * 15, scale="none"))
        >>> len(more.latents_), added[0].points
        (45, 15)
        """
        if not isinstance(data, Data):
            raise TypeError(f"data: expected riemann2.Data, got {type(data).__name__}")
        with watch(callback) as report:
            handle, rows = _core.fit_add(self._fitted(), data._handle, report)
        model = type(self)(**self.get_params())
        model._adopt(handle)
        added = [Added(*row) for row in rows]
        if not all(one.known for one in added):
            warnings.warn("the model does not know some of the new trajectories; train on all data afresh",
                          RuntimeWarning, stacklevel=2)
        return model, added

    def _adopt(self, handle: Any) -> None:
        self._handle = handle
        self._spaces: dict[Any, Any] = {}  # handles of latent spaces by their settings
        self._vicinity: list[tuple[Any, ...]] = []  # of the training data, once it is asked for
        self.info_: dict[str, Any] = _core.model_info(handle)
        self.data_ = Data._wrap(_core.model_data(handle))
        self.manifold_ = self.data_.manifold
        self.start_report_ = StartReport._from(_core.model_start(handle))
        self.latents_: Array = np.empty((self.info_["points"], self.info_["latent_dim"]))
        _core.model_array(handle, "latents", self.latents_)
        self.latents_.flags.writeable = False
        self.n_features_in_: int = self.manifold_.point_shape[-1]
        self.n_iter_: int = self.info_["iterations"]

    def _fitted(self) -> Any:
        try:
            return self._handle
        except AttributeError:
            raise _not_fitted(f"this {type(self).__name__} is not fitted; call fit first") from None

    def array(self, name: str) -> Array:
        """Return a copy of an array of the model.

        Parameters
        ----------
        name : str
            "lengthscale", "task_covariance", "task_noise", "base", "mean", "gpdm" (lengthscale, variance and noise of
            the dynamics), "inducing_inputs" or "trace" (the objective of each iteration).
        """
        handle = self._fitted()
        M, Q = self.info_["outputs"], self.info_["latent_dim"]
        shapes = {"lengthscale": (Q,), "task_covariance": (M, M), "base": self.manifold_.point_shape, "mean": (M,),
                  "trace": (self.n_iter_ + 1,), "task_noise": (M,), "gpdm": (3,),
                  "inducing_inputs": (self.info_["inducing"], Q)}
        if not isinstance(name, str) or name not in shapes:
            raise ValueError(f"name: expected one of {', '.join(shapes)}, got {name!r}")
        out = np.empty(shapes[name])
        _core.model_array(handle, name, out)
        return out

    # ---- between the manifold and the latent space ---------------------------------------------

    def _latents(self, Z: Any) -> tuple[Array, tuple[int, ...]]:
        array = as_doubles(Z, "latents")
        Q = self.info_["latent_dim"]
        if array.ndim == 0 or array.shape[-1] != Q:
            raise ValueError(f"latents: expected an array of shape (..., {Q}), got {array.shape}")
        return array, array.shape[:-1]

    def transform(
        self,
        Y: Any,
        *,
        groups: Sequence[Any] | Array | None = None,
        return_cov: bool = False,
        return_info: bool = False,
        align_signs: bool = True,
        callback: Callback = None,
        **settings: Any,
    ) -> Any:
        """Encode points: return their latent points.

        Parameters
        ----------
        Y : array of shape (n, *point_shape), or Data
            NaN entries are missing: entries of Euclidean factors, or whole factors.
        groups : sequence of n ids, optional
            Points with equal ids stand next to each other and are one trajectory: its latents are sought together and do
            not jump between places that decode alike. By default those of a `Data`; the points of an array are encoded each
            by itself.
        return_cov : bool
            Also return the latent uncertainty, (n, latent_dim, latent_dim).
        return_info : bool
            Also return a dict of arrays: log_density, residual, converged, nearest, and over_spread: residuals in
            multiples of the spread of the training data.
        align_signs : bool
            Choose q or -q of quaternions as in the training data.
        callback : callable, optional
            Called with a `Progress`; returning False stops with KeyboardInterrupt.
        **settings
            Settings of the library's table "encode": ``objective``, ``searches``, ...

        Warns
        -----
        OutsideWarning
            If the residuals of most points are beyond 1.5 spreads of the training data.
        """
        latents, cov, info = self._encode(Y, groups, return_cov, align_signs, callback, settings)
        found = {"log_density": info[:, 0], "residual": info[:, 1], "converged": info[:, 2] != 0,
                 "nearest": info[:, 3].astype(int), "over_spread": info[:, 1] / self.spread_}
        outside = int(np.sum(found["over_spread"] > self.spread_limit_))
        if 2 * outside > len(latents):
            warnings.warn(f"{outside} of {len(latents)} points are unlike the training data: residuals beyond "
                          f"{self.spread_limit_:g} spreads", OutsideWarning, stacklevel=2)
        more = ([cov] if return_cov else []) + ([found] if return_info else [])
        return (latents, *more) if more else latents

    encode = transform

    def _encode(
        self, Y: Any, groups: Any, with_cov: bool, align: bool, callback: Callback, settings: dict[str, Any]
    ) -> tuple[Array, Any, Array]:
        handle = self._fitted()
        array = Y.points if isinstance(Y, Data) else as_doubles(Y, "Y")
        shape = self.manifold_.point_shape
        if array.ndim != 1 + len(shape) or array.shape[1:] != shape:
            wanted = f"(n, {', '.join(map(str, shape))})"
            raise ValueError(
                f"Y: expected an array of shape {wanted}, got {array.shape}. Reshape your data: X has "
                f"{array.shape[-1] if array.ndim else 0} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input; found {_sizes(array)}"
            )
        if len(array) == 0:
            raise ValueError(f"Y: expected at least one point; found {_sizes(array)} while a minimum of 1 is required.")
        regularise = not (isinstance(Y, Data) and Y.shrinkage > 0)
        n, Q = len(array), self.info_["latent_dim"]
        if groups is None and isinstance(Y, Data):
            groups = Y.groups
        first = None if groups is None else _starts(groups, n).astype(float)
        latents, info = np.empty((n, Q)), np.empty((n, _ENCODED))
        cov = np.empty((n, Q, Q)) if with_cov else None
        with watch(callback) as report:
            _core.encode(
                handle, array, texts("encode", settings), first, bool(align), regularise, report, latents, cov, info
            )
        return latents, cov, info

    def fit_transform(self, Y: Any, y: Any = None, **fit_params: Any) -> Array:
        """Train, and return the latent points of the training set."""
        return self.fit(Y, y, **fit_params).latents_.copy()

    def inverse_transform(
        self, Z: Any, *, return_std: bool = False, return_cov: bool = False, return_tangent: bool = False
    ) -> Any:
        """Decode latent points: return points on the manifold, in the units of the data.

        Parameters
        ----------
        Z : array of shape (..., latent_dim)
        return_std : bool
            Also return the standard deviation of each point.
        return_cov : bool
            Also return the covariance of the tangent coordinates, (..., outputs, outputs).
        return_tangent : bool
            Also return the mean of the tangent coordinates, (..., outputs).
        """
        handle = self._fitted()
        array, lead = self._latents(Z)
        M = self.info_["outputs"]
        points = np.empty(lead + self.manifold_.point_shape)
        std = np.empty(lead) if return_std else None
        cov = np.empty(lead + (M, M)) if return_cov else None
        tangent = np.empty(lead + (M,)) if return_tangent else None
        _core.decode(handle, array, points, tangent, cov, std)
        extra = [a for a in (std, cov, tangent) if a is not None]
        return (points, *extra) if extra else points

    decode = inverse_transform

    def sample(self, Z: Any, count: int = 1, *, noise: bool = False, seed: Any = 0) -> Array:
        """Draw trajectories over latent points.

        Parameters
        ----------
        Z : array of shape (n, latent_dim)
        count : int
        noise : bool
            Draw observations, with their noise.
        seed : int

        Returns
        -------
        array of shape (count, n, *point_shape), on the manifold

        Warns
        -----
        OutsideWarning
            If most of the trajectories leave the training data.
        """
        handle = self._fitted()
        array, lead = self._latents(Z)
        if len(lead) != 1:
            raise ValueError(f"latents: expected an array of shape (n, latent_dim), got {array.shape}")
        out = np.empty((as_count(count, "count"),) + lead + self.manifold_.point_shape)
        _core.sample(handle, array, len(out), bool(noise), as_seed(seed), out)
        outside = sum(bool(np.any(self.over_spread(one, path=True) > self.spread_limit_)) for one in out)
        if 2 * outside > len(out):
            warnings.warn(f"{outside} of {len(out)} samples leave the training data", OutsideWarning, stacklevel=2)
        return out

    def _near(self) -> tuple[Any, ...]:
        handle = self._fitted()
        if not self._vicinity:
            self._vicinity.append(_core.vicinity(handle))
        return self._vicinity[0]

    @property
    def spread_(self) -> float:
        """Spread of the training data among themselves, in the model's units; NaN: unknown.

        With trajectories the median of what each is away from the others where it is farthest; else the 99 % quantile of
        the distances of points to the nearest other one.
        """
        return float(self._near()[3])

    @property
    def spread_limit_(self) -> float:
        """Distance in spreads beyond which a result is said to leave the training data: 1.5."""
        return float(self._near()[4])

    def over_spread(self, Y: Any, *, path: bool = False) -> Array:
        """Return the distances of points from the nearest training data, in multiples of their spread.

        Parameters
        ----------
        Y : array of shape (n, *point_shape), in the units of the data
            Quick where points follow each other, as those of a path do.
        path : bool
            Whether they are a path: it is compared with the family of demonstrations that all of it is nearest to. Else
            every point is compared with the family that it is nearest to.

        Returns
        -------
        array of shape (n,); NaN where the spread is unknown: fewer than two demonstrations, or all the same
        """
        handle = self._fitted()
        array = as_doubles(Y, "Y")
        shape = self.manifold_.point_shape
        if array.shape[1:] != shape or array.ndim != 1 + len(shape):
            raise ValueError(f"Y: expected an array of shape (n, {', '.join(map(str, shape))}), got {array.shape}")
        out = np.empty(len(array))
        _core.vicinity_of(self._near()[0], handle, array, out, bool(path))
        return out

    def score(self, Y: Any, y: Any = None) -> float:
        """Return the mean log density of points at their encoded latent points, in nats per point."""
        return float(self._encode(Y, None, False, True, None, {})[2][:, 0].mean())

    def reconstruction(self) -> tuple[float, float]:
        """Return the root mean squared error of the decoded training points: ambient entries, and outputs."""
        return _core.reconstruction(self._fitted())

    def fidelity(self) -> Fidelity:
        """Return the residuals of the training points, compared with those of their mean and of principal components."""
        return Fidelity(*_core.model_fidelity(self._fitted()))

    def held_out(self) -> HeldOut:
        """Return how well models of a part of the training points predict the others.

        Trains five times, on data without trajectories. `fidelity` cannot show whether a model has learned noise; here
        ``structure`` is False where the latent space holds no more of a new point than an arbitrary plane does.
        """
        return HeldOut(*_core.model_held_out(self._fitted()))

    def coordinates(self, Y: Any, view: str = "tangent") -> Array:
        """Return points as the model sees them.

        Parameters
        ----------
        Y : array of shape (n, *point_shape)
        view : {"tangent", "ambient", "manifold"}
            Coordinates of the logarithm at the base point; ambient coordinates in the model's units; the same for
            points that must be on the manifold.
        """
        handle = self._fitted()
        views = ("ambient", "tangent", "manifold")
        if view not in views:
            raise ValueError(f"view: expected one of {', '.join(views)}, got {view!r}")
        array, lead = self.manifold_._take(Y, "Y", self.manifold_.point_shape)
        out = np.empty(lead + (_core.view_width(handle, views.index(view)),))
        _core.view_rows(handle, views.index(view), array, out)
        return out

    # ---- files ---------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], overwrite: bool = False, *, compact: bool = False) -> None:
        """Write the model to a file, the same as those of the program.

        `compact`: with sums over all points for predictions, which are the same to the last bit, and about 5000 of the
        points, for encoding, grids and distances from the demonstrations. Needs inducing points
        (``inference="inducing"``).
        """
        _core.model_write(self._fitted(), os.fspath(path), overwrite, compact)

    def to_bytes(self) -> bytes:
        """Return the contents of the model's file."""
        return _core.model_to_bytes(self._fitted())

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = {"params": self.get_params()}
        if hasattr(self, "_handle"):
            state["model"] = _core.model_to_bytes(self._handle)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name in (*_OWN, *_keywords()):
            setattr(self, name, state["params"].get(name))
        if "model" in state:
            self._adopt(_core.model_from_bytes(state["model"]))


class GPLVM(WGPLVM):
    """The Euclidean counterpart of `WGPLVM`, for comparison: decoded points leave the manifold.

    Parameters, attributes and methods are those of `WGPLVM`.
    """

    _model_word = "gplvm"


def _sizes(array: Array) -> str:
    """Sizes in the words that users of scikit-learn know."""
    samples = array.shape[0] if array.ndim else 0
    features = array.shape[-1] if array.ndim > 1 else 0
    return f"{samples} sample(s) and {features} feature(s) (shape={array.shape})"


def _not_fitted(message: str) -> Exception:
    """scikit-learn's exception where that is installed, which is a ValueError and an AttributeError."""
    try:
        error: Exception = importlib.import_module("sklearn.exceptions").NotFittedError(message)
    except ImportError:
        return ValueError(message)
    return error


# Estimator checks of scikit-learn that do not apply, with the reason.
_TWO_WAYS = "latents of training are not those of encoding: they also follow priors and neighbours"
_EXPECTED_FAILURES = {
    "check_estimators_nan_inf": "fit rejects NaN; transform takes it for a missing entry",
    "check_transformer_data_not_an_array": _TWO_WAYS,
    "check_transformer_general": _TWO_WAYS,
}


def _add_keywords(function: Callable[..., Any]) -> None:
    """Give the constructor a signature with every setting of the table."""
    given = inspect.signature(function)
    kept = [p for p in given.parameters.values() if p.kind is not p.VAR_KEYWORD]
    more = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in _keywords()]
    function.__signature__ = given.replace(parameters=[*kept, *more])  # type: ignore[attr-defined]


_add_keywords(WGPLVM.__init__)
if WGPLVM.__doc__:
    WGPLVM.__doc__ = WGPLVM.__doc__.replace("    {settings}", describe("fit", _FIXED))


def load(path: str | os.PathLike[str]) -> WGPLVM:
    """Read a model from a file of Python, of the program or of the C library."""
    return _from_handle(_core.model_read(os.fspath(path)))


def _from_handle(handle: Any) -> WGPLVM:
    info = _core.model_info(handle)
    rows, given = table("fit"), info["settings"]
    kind = GPLVM if given["model"] == "gplvm" else WGPLVM
    column = rows["recipe"].words.index(given["recipe"])
    seed = int(given["seed"])
    model = kind(info["manifold"], int(given["latent_dim"]), recipe=given["recipe"], random_state=seed or None)
    for name in _keywords():
        value = rows[name].value(given[name])
        if value not in ("given", rows[name].value(rows[name].defaults[column])):
            setattr(model, name, value)
    model._adopt(handle)
    return model
