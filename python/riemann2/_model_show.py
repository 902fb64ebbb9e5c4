"""The methods of a model that show it: figures and the explorer."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Sequence, cast

from ._arrays import as_count
from ._model_space import ModelPart
from .space import Path

if TYPE_CHECKING:
    from .explorer import Explorer
    from .figure import Figure
    from .model import WGPLVM


class ModelShow(ModelPart):
    """What a model shows of itself."""

    def plot(
        self, *paths: Path, points: Any = None, labels: Any = None, ax: Any = None, grid: int = 50,
        title: str | None = None, **settings: Any,
    ) -> Any:
        """Draw the latent space: training points, magnification, new points, paths.

        Parameters
        ----------
        *paths : Path
        points : array_like, optional
            Latent points of new data, as `transform` returns them: markers that no line joins.
        labels : sequence, optional
            One per point of `points`; those that the training data have too get the same colours.
        ax : matplotlib axes, optional
            Draw there and return them; without it the library's own figure is returned, which notebooks show.
        grid : int
            Nodes of the coloured grid along each dimension.
        title : str, optional
        **settings
            Settings of the library's table "space".
        """
        from ._latent_figure import New, draw, draw_axes

        model = self._whole()
        _need_paths(paths)
        if points is None and labels is not None:
            raise ValueError("labels: they belong to points; pass points too")
        new = None if points is None else New(points, labels, model.info_["latent_dim"])
        if ax is not None:
            return draw_axes(model, paths, ax, as_count(grid, "grid"), title, settings, new)
        return draw(model, paths, as_count(grid, "grid"), title, settings, new)

    def plot_decoded(self, *paths: Path, obstacles: Any = (), title: str | None = None) -> Figure:
        """Draw the decoded points of paths over the training data, one panel per factor.

        Parameters
        ----------
        *paths : Path
        obstacles : Sphere, Box, Capsule, HalfSpace, a text, or a sequence of them
            Drawn in the panel of positions.
        title : str, optional
        """
        from ._latent_figure import draw_decoded

        model = self._whole()
        _need_paths(paths)
        return draw_decoded(model, paths, obstacles, title)

    def explore(
        self, *, browser: bool = False, program: str | os.PathLike[str] | None = None, arm: str | os.PathLike[str] | None = None,
        base: str | None = None, tip: str | None = None, port: int = 0, height: int = 720,
    ) -> Explorer:
        """Show the latent space in a page that can be touched; notebooks show it inline.

        Parameters
        ----------
        browser : bool
            Open the page in a browser.
        program : path, optional
            The program riemann2, which serves the page; default: RIEMANN2_PROGRAM, or `riemann2` on the path.
        arm : str or path, optional
            Robot arm to show with poses, such as "panda" or a URDF file.
        base, tip : str, optional
            Links of the URDF file, as in `Arm`.
        port : int
            Port on this machine; 0: a free one.
        height : int
            Pixels in a notebook.
        """
        from .explorer import Explorer

        shown = Explorer(self._whole(), program, arm, port, height, base, tip)
        if browser:
            import webbrowser

            webbrowser.open(shown.address)
        return shown

    def _repr_html_(self) -> str:
        from ._latent_figure import card

        return card(cast("WGPLVM", self))


def _need_paths(paths: Sequence[Any]) -> None:
    for path in paths:
        if not isinstance(path, Path):
            raise TypeError(f"paths: expected riemann2.Path, got {type(path).__name__}")
