"""Figures of models: the latent space, decoded paths, the card of a notebook."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from .figure import Figure, Panel

if TYPE_CHECKING:
    from ._arrays import Array
    from .model import WGPLVM
    from .space import Path

_PADDING = 0.1  # margin around the latent points, in parts of the larger side
_COLOURS = ("black", "vermilion", "purple", "green", "orange")


def _box(model: WGPLVM, paths: Sequence[Path]) -> tuple[Array, Array]:
    points = np.concatenate([model.latents_, *(path.latent for path in paths)])
    low, high = points.min(axis=0), points.max(axis=0)
    margin = _PADDING * max((high - low).max(), 1e-12)
    return low - margin, high + margin


def _magnification(model: WGPLVM, paths: Sequence[Path], grid: int, settings: dict[str, Any]) -> Any:
    """Values of log sqrt det G over the box, and the box."""
    low, high = _box(model, paths)
    x, y = (np.linspace(low[k], high[k], max(grid, 2)) for k in range(2))
    nodes = np.stack(np.meshgrid(x, y), axis=-1)
    return model.magnification(nodes, **settings), (low[0], high[0]), (low[1], high[1])


def _groups(model: WGPLVM) -> tuple[Array, list[str]] | None:
    data = model.data_
    if data.labels is not None:
        return data.labels, data.label_names
    if data.groups is not None and len(data.ids) <= 8:
        return data.groups, data.ids
    return None


def _latent_items(panel: Panel, model: WGPLVM, paths: Sequence[Path]) -> None:
    groups, Z = _groups(model), model.latents_[:, :3]
    if groups is None:
        panel.points(Z, size=2.5, halo=True, label="training")
    else:
        panel.groups(Z, groups[0], groups[1], size=2.5, halo=True)
    for k, path in enumerate(paths):
        name = "path" if len(paths) == 1 else f"path {k + 1}"
        panel.curve(path.latent[:, :3], label=name, colour=_COLOURS[k % len(_COLOURS)], width=1.5, halo=True)


def draw(model: WGPLVM, paths: Sequence[Path], grid: int, title: str | None, settings: dict[str, Any]) -> Figure:
    """The library's figure of the latent space."""
    low, high = _box(model, paths)
    Q = model.info_["latent_dim"]
    shape = (high[1] - low[1]) / (high[0] - low[0]) if Q == 2 else 0.6
    figure = Figure(120, float(np.clip(25 + 90 * shape, 50, 150)), title=title)
    if Q == 1:
        panel = figure.panel(x="z", y={"label": "point", "hidden": True})
        row = np.zeros((len(model.latents_), 1))
        panel.points(np.hstack([model.latents_, row]), size=2.5, label="training")
        return figure
    if Q == 2:
        panel = figure.panel(x="z₁", y="z₂", equal=True, legend="below")
        panel.heat(*_magnification(model, paths, grid, settings), label="log magnification")
    else:
        panel = figure.panel(kind="space", x="z₁", y="z₂", z="z₃")
    _latent_items(panel, model, paths)
    return figure


def draw_axes(
    model: WGPLVM, paths: Sequence[Path], ax: Any, grid: int, title: str | None, settings: dict[str, Any]
) -> Any:
    """The same on axes of matplotlib."""
    Z = model.latents_
    if not hasattr(ax, "imshow"):
        raise TypeError(f"ax: expected axes of matplotlib, got {type(ax).__name__}")
    if Z.shape[1] < 2:
        raise ValueError("ax: expected a latent space of at least two dimensions")
    if Z.shape[1] == 2:
        values, (x0, x1), (y0, y1) = _magnification(model, paths, grid, settings)
        image = ax.imshow(values, origin="lower", extent=(x0, x1, y0, y1), aspect="equal", cmap="viridis")
        ax.figure.colorbar(image, ax=ax, label="log magnification")
    groups = _groups(model)
    parts = [("training", np.ones(len(Z), bool))] if groups is None else [
        (name, groups[0] == k) for k, name in enumerate(groups[1])]
    for name, kept in parts:
        ax.scatter(Z[kept, 0], Z[kept, 1], s=8, label=name, edgecolors="white", linewidths=0.3)
    for k, path in enumerate(paths):
        ax.plot(path.latent[:, 0], path.latent[:, 1], label=f"path {k + 1}", color=f"C{k + 3}")
    ax.set(xlabel="z₁", ylabel="z₂", title=title or "")
    ax.legend()
    return ax


def draw_decoded(model: WGPLVM, paths: Sequence[Path], title: str | None) -> Figure:
    """Decoded paths over the training data, one panel per factor."""
    m = model.manifold_
    count = len(m.factors)
    figure = Figure(85 * count, 75, columns=count, title=title)
    for k in range(count):
        panel = figure.panel(0, k, manifold=m, factor=k, title=f"{m.factors[k].name}{m.factors[k].n}")
        for number, points in enumerate(model.data_.trajectories):
            panel.factor(points, m, k, colour="grey", opacity=0.5, label="training" if number == 0 else None)
        for number, path in enumerate(paths):
            colour = _COLOURS[number % len(_COLOURS)]
            panel.factor(path.points, m, k, colour=colour, width=1.5, label=f"path {number + 1}")
    return figure


def card(model: WGPLVM) -> str:
    """A small table for notebooks: manifold, sizes, likelihood, latent picture."""
    if not hasattr(model, "_handle"):
        return f"<pre>{html.escape(repr(model))}</pre>"
    info = model.info_
    rows = [("manifold", info["manifold"]), ("points", info["points"]), ("latent dimensions", info["latent_dim"]),
            ("log likelihood", f"{info['log_likelihood']:.4g}"), ("iterations", info["iterations"]),
            ("stopped", info["stop"])]
    table = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(str(v))}</td></tr>" for k, v in rows)
    try:
        svg = draw(model, (), 40, None, {}).to_bytes("svg").decode()
        picture = f"<td rowspan='1'>{svg[svg.index('<svg'):]}</td>"
    except NotImplementedError:
        picture = ""
    name = html.escape(type(model).__name__)
    return f"<table><caption>{name}</caption><tr><td><table>{table}</table></td>{picture}</tr></table>"
