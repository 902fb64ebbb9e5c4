"""The methods of a model that ask its latent space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence, cast, overload

import numpy as np

from ._progress import Callback
from ._settings import texts
from .motion import Motion, meet, split_settings
from .space import Discouraged, Medoids, Path, Space

if TYPE_CHECKING:
    from ._arrays import Array
    from .model import WGPLVM

_SPACES = 8  # latent spaces that a model keeps


class ModelPart:
    """Some of the methods of a model, which `WGPLVM` joins."""

    def _whole(self) -> WGPLVM:
        """The fitted model that this is a part of."""
        model = cast("WGPLVM", self)
        model._fitted()
        return model


class ModelSpace(ModelPart):
    """What a model offers of its latent space; `Space` does the work."""

    def space(self, *, obstacles: Sequence[Any] | str = (), discourage: Sequence[Any] | Discouraged = (),
              cost: Any = None, callback: Callback = None, **settings: Any) -> Space:
        """Return the latent space with these settings (see `Space`); it is kept for the next call."""
        key = (repr(obstacles), repr(discourage), cost, tuple(sorted(texts("space", settings).items())))
        model = self._whole()
        handle = model._spaces.get(key)
        if handle is not None:
            return Space._wrap(handle, model)
        made = Space(model, obstacles=obstacles, discourage=discourage, cost=cost, callback=callback, **settings)
        while len(model._spaces) >= _SPACES:
            model._spaces.pop(next(iter(model._spaces)), None)
        model._spaces[key] = made._handle
        return made

    @overload
    def geodesic(
        self, start: Any = ..., end: Any = ..., *, start_pose: Any, goal_pose: Any = ...,
        via_poses: Sequence[Any] = ..., frames: Any = ..., obstacles: Sequence[Any] | str = ...,
        discourage: Sequence[Any] | Discouraged = ..., cost: Any = ..., callback: Callback = ..., **settings: Any,
    ) -> Motion: ...

    @overload
    def geodesic(
        self, start: Any, end: Any = ..., *, goal_pose: Any, via_poses: Sequence[Any] = ..., frames: Any = ...,
        obstacles: Sequence[Any] | str = ...,
        discourage: Sequence[Any] | Discouraged = ..., cost: Any = ..., callback: Callback = ..., **settings: Any,
    ) -> Motion: ...

    @overload
    def geodesic(
        self, start: Any, end: Any, *, via_poses: Sequence[Any], frames: Any = ..., obstacles: Sequence[Any] | str = ...,
        discourage: Sequence[Any] | Discouraged = ..., cost: Any = ..., callback: Callback = ..., **settings: Any,
    ) -> Motion: ...

    @overload
    def geodesic(
        self, start: Any, end: Any, *, via: Sequence[Any] = ..., obstacles: Sequence[Any] | str = ...,
        discourage: Sequence[Any] | Discouraged = ..., cost: Any = ..., callback: Callback = ..., **settings: Any,
    ) -> Path: ...

    def geodesic(
        self, start: Any = None, end: Any = None, *, via: Sequence[Any] = (), start_pose: Any = None,
        goal_pose: Any = None, via_poses: Sequence[Any] = (), frames: Any = (), obstacles: Sequence[Any] | str = (),
        discourage: Sequence[Any] | Discouraged = (), cost: Any = None, callback: Callback = None, **settings: Any,
    ) -> Path:
        """Return the shortest path between two latent points, or a motion that meets poses exactly.

        Parameters
        ----------
        start, end : arrays of shape (latent_dim,)
            Not needed where there is a pose.
        via : sequence of latent points
            Points to pass on the way.
        start_pose, goal_pose : points of the manifold, or `Pose`
            The motion begins (ends) exactly there. One of them or a via pose makes the result a `Motion`; ends without a
            pose are the decoded latent points.
        via_poses : sequence of points of the manifold, or `Pose`
            Poses that the motion passes on the way, in this order.
        frames : sequence of "start", "goal", "world" or `Frame`
            See demonstrations relative to objects that were elsewhere in each of them: the start, the goal, others. They are moved
            to where the objects are now, and combined by how much they agree there.
        obstacles : sequence of Sphere, Box, Capsule, HalfSpace or texts
            Keep-out regions in the first Euclidean factor; see ``clearance`` and ``deviations`` among the settings.
        discourage : sequence of Discouraged
            Costs in the first Euclidean factor.
        cost : callable, optional
            See `Space`.
        callback : callable, optional
            Called with a `Progress`; returning False stops with KeyboardInterrupt.
        **settings
            Settings of the library's table "space": ``contrast``, ``nodes``, ``tolerance``, ``stage``, ...; with poses
            also of its table "meet": ``approach``, ``through``, ``robust``, ``stretch_limit``, ``duration``.

        Warns
        -----
        RuntimeWarning
            If the path did not reach the tolerance, or no way keeps the clearance from the obstacles.
        OutsideWarning
            If the path leaves the demonstrations, or the poses are far from them (`Motion.reason`).

        Examples
        --------
        >>> import numpy as np, riemann2 as rm2
        >>> data = rm2.generate("toy", trajectories=3, points=60)
        >>> model = rm2.WGPLVM("R2 x S2").fit(data)
        >>> start, goal = data.points[0], data.points[59]
        >>> motion = model.geodesic(start_pose=start, goal_pose=goal)
        >>> bool(np.allclose(motion.points[[0, -1]], [start, goal], rtol=0, atol=1e-9))
        True
        """
        if start_pose is not None or goal_pose is not None or len(via_poses):
            if len(via):
                raise TypeError("via: latent points on the way and poses exclude each other; pass via_poses")
            own, rest = split_settings(settings)
            space = self.space(obstacles=obstacles, discourage=discourage, cost=cost, callback=callback, **rest)
            return meet(space, start_pose, goal_pose, via_poses, (start, end), frames, own, callback)
        if len(frames):
            raise TypeError("frames: only motions have them; pass start_pose, goal_pose or via_poses")
        if start is None or end is None:
            raise TypeError("geodesic: pass start and end, or start_pose and goal_pose")
        space = self.space(obstacles=obstacles, discourage=discourage, cost=cost, callback=callback, **settings)
        return space.geodesic(start, end, via=via, callback=callback)

    def geodesics(self, starts: Any, ends: Any, *, obstacles: Sequence[Any] | str = (),
                  discourage: Sequence[Any] | Discouraged = (), callback: Callback = None,
                  **settings: Any) -> list[Path]:
        """Return the shortest paths between pairs of latent points, (n, latent_dim) each, on all threads."""
        space = self.space(obstacles=obstacles, discourage=discourage, **settings)
        return space.geodesics(starts, ends, callback=callback)

    def distances(self, Z: Any, *, callback: Callback = None, **settings: Any) -> Array:
        """Return the geodesic distances between latent points, (n, n)."""
        return self.space(**settings).distances(Z, callback=callback)

    def medoids(self, Z: Any, k: int, *, callback: Callback = None, **settings: Any) -> Medoids:
        """Partition latent points around k medoids, by geodesic distances."""
        return self.space(**settings).medoids(Z, k, callback=callback)

    def mean(self, Z: Any, weights: Any = None, *, callback: Callback = None, **settings: Any) -> Array:
        """Return the Fréchet mean of latent points in the metric of the data."""
        return np.asarray(self.space(**settings).mean(Z, weights, callback=callback))

    def exp(self, z: Any, v: Any, *, nodes: int = 0, **settings: Any) -> Array:
        """Return the end of the geodesic from `z` with velocity `v`; with `nodes` that many points of it."""
        return self.space(**settings).exp(z, v, nodes=nodes)

    def log(self, z: Any, y: Any, **settings: Any) -> Array:
        """Return the velocity at `z` of the geodesic to `y`."""
        return self.space(**settings).log(z, y)

    def _metric_space(self, settings: dict[str, Any]) -> Space:
        """A space whose metric alone is asked for: without a roadmap."""
        quick: dict[str, Any] = {"roadmap": "line", **settings}
        return self.space(**quick)

    def metric(self, Z: Any, *, return_derivative: bool = False, **settings: Any) -> Any:
        """Return the metric at latent points, (..., latent_dim, latent_dim)."""
        return self._metric_space(settings).metric(Z, return_derivative=return_derivative)

    def magnification(self, Z: Any, **settings: Any) -> Any:
        """Return the logarithm of the volume element, log sqrt det G, at latent points."""
        return self._metric_space(settings).magnification(Z)
