"""Figures of models: the latent space, decoded paths, the card of a notebook."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from .figure import COLOURS, Figure, Panel

if TYPE_CHECKING:
    from ._arrays import Array
    from .model import WGPLVM
    from .space import Path

_PADDING = 0.1  # margin around the latent points, in parts of the larger side
_OTHERS = ("blue", "orange", "green", "purple", "sky", "brown")  # of further paths
_DASHES = ("solid", "dash-dot", "dotted")
_LINES = {"solid": "-", "dashed": "--", "dash-dot": "-.", "dotted": ":"}  # of matplotlib


def _hex(colour: str) -> str:
    return f"#{COLOURS[colour]:06x}"


def _is_straight(path: Path) -> bool:
    """Do the latent points lie on a line?"""
    Z = np.asarray(path.latent)
    chord = Z[-1] - Z[0]
    square = float(chord @ chord)
    if len(Z) < 3 or square == 0:
        return False
    off = (Z - Z[0]) - np.outer((Z - Z[0]) @ chord / square, chord)
    return bool((off**2).sum(axis=1).max() <= 1e-12 * square)


def _path_styles(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """Straight lines look like straight lines, the first other path like a geodesic."""
    styles: list[dict[str, Any]] = []
    others = 0
    for k, path in enumerate(paths):
        if _is_straight(path):
            style: dict[str, Any] = {"colour": "straight", "dash": "dashed", "width": 1.3}
        elif others == 0:
            style, others = {"colour": "geodesic", "width": 1.6}, 1
        else:
            style = {"colour": _OTHERS[(others - 1) % len(_OTHERS)], "dash": _DASHES[(others - 1) % 3], "width": 1.4}
            others += 1
        styles.append({"label": "path" if len(paths) == 1 else f"path {k + 1}", **style})
    return styles


def _ends(add: Any) -> None:
    """Mark start and end: `add` draws the first (0) or the last (-1) point."""
    add(0, label="start", colour="straight", marker="circle", size=4.5, halo=True)
    add(-1, label="end", colour="straight", marker="square", size=4.5, halo=True)


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


def _latent_items(panel: Panel, model: WGPLVM, paths: Sequence[Path], new: New | None) -> None:
    groups, Z = _groups(model), model.latents_[:, :3]
    data = model.data_
    if groups is None and data.groups is not None:
        for g in range(len(data.ids)):
            panel.curve(Z[data.groups == g], colour="demonstrations", width=0.5, marker="circle", size=1.9, halo=True,
                        label="demonstrations")
    elif groups is None:
        panel.points(Z, size=2.2, halo=True, colour="demonstrations", label="training data")
    else:
        panel.groups(Z, groups[0], groups[1], size=2.6, halo=True)
    if new is not None:
        for name, colour, rows in new.parts(groups[1] if groups else []):
            panel.points(new.Z[rows, :3], label=name, colour=colour, marker="diamond", size=4, halo=True)
    for path, style in zip(paths, _path_styles(paths)):
        panel.curve(path.latent[:, :3], halo=True, **style)
    for path in paths:
        _ends(lambda k, **style: panel.points(path.latent[[k], :3], **style))


class New:
    """Latent points that the model was not trained on, with labels."""

    def __init__(self, Z: Any, labels: Any, latent_dim: int):
        self.Z = np.atleast_2d(np.asarray(Z, float))
        self.labels = None if labels is None else [str(v) for v in labels]
        if self.Z.ndim != 2 or self.Z.shape[1] != latent_dim:
            raise ValueError(f"points: expected an array of shape (n, {latent_dim}), got {self.Z.shape}")
        if self.labels is not None and len(self.labels) != len(self.Z):
            raise ValueError(f"labels: expected one per point, {len(self.Z)}, got {len(self.labels)}")

    def parts(self, known: Sequence[str]) -> list[tuple[str, str, Array]]:
        """Name, colour and rows by label; known labels have the colours of the training data."""
        if self.labels is None:
            return [("new data", "new", np.arange(len(self.Z)))]
        names = [*known, *dict.fromkeys(v for v in self.labels if v not in known)]
        palette = (*_OTHERS, "yellow")
        return [(f"{name}, new", palette[k % len(palette)], np.flatnonzero(np.array(self.labels) == name))
                for k, name in enumerate(names) if name in self.labels]


def draw(
    model: WGPLVM, paths: Sequence[Path], grid: int, title: str | None, settings: dict[str, Any],
    new: New | None = None,
) -> Figure:
    """The library's figure of the latent space."""
    low, high = _box(model, paths)
    Q = model.info_["latent_dim"]
    shape = (high[1] - low[1]) / (high[0] - low[0]) if Q == 2 else 0.6
    figure = Figure(120, float(np.clip(25 + 90 * shape, 50, 150)), title=title)
    if Q == 1:
        panel = figure.panel(x="z1", y={"label": "point", "hidden": True})
        row = np.zeros((len(model.latents_), 1))
        panel.points(np.hstack([model.latents_, row]), size=2.5, colour="demonstrations", label="training data")
        return figure
    if Q == 2:
        panel = figure.panel(x="z1", y="z2", equal=True, legend="below")
        panel.heat(*_magnification(model, paths, grid, settings), label="log magnification")
    else:
        panel = figure.panel(kind="space", x="z1", y="z2", z="z3")
    _latent_items(panel, model, paths, new)
    return figure


def draw_axes(
    model: WGPLVM, paths: Sequence[Path], ax: Any, grid: int, title: str | None, settings: dict[str, Any],
    new: New | None = None,
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
    parts = [("training data", np.ones(len(Z), bool))] if groups is None else [
        (name, groups[0] == k) for k, name in enumerate(groups[1])]
    palette = ("demonstrations",) if groups is None else (*_OTHERS, "yellow")
    for k, (name, kept) in enumerate(parts):
        ax.scatter(Z[kept, 0], Z[kept, 1], s=8, label=name, color=_hex(palette[k % len(palette)]),
                   edgecolors="white", linewidths=0.3)
    if new is not None:
        for name, colour, rows in new.parts(groups[1] if groups else []):
            ax.scatter(new.Z[rows, 0], new.Z[rows, 1], s=24, label=name, color=_hex(colour), marker="D",
                       edgecolors="white", linewidths=0.5)
    for path, style in zip(paths, _path_styles(paths)):
        ax.plot(path.latent[:, 0], path.latent[:, 1], label=style["label"], color=_hex(style["colour"]),
                linestyle=_LINES[style.get("dash", "solid")])
    ax.set(xlabel="z1", ylabel="z2", title=title or "")
    ax.legend()
    return ax


def draw_decoded(model: WGPLVM, paths: Sequence[Path], obstacles: Any, title: str | None) -> Figure:
    """Decoded paths over the training data, one panel per factor; obstacles with the first positions."""
    m = model.manifold_
    count = len(m.factors)
    positions = next((k for k, f in enumerate(m.factors) if f.name == "R"), None)
    if obstacles and positions is None:
        raise ValueError(f"obstacles: {m} has no Euclidean factor")
    figure = Figure(85 * count, 80, columns=count, title=title, legend=True)
    for k in range(count):
        name = f"{m.factors[k].name}{m.factors[k].n}"
        x, y, z = "xyz" if m.factors[k].name == "R" else (None, None, None)
        panel = figure.panel(0, k, manifold=m, factor=k, title=name, x=x, y=y, z=z)
        curves = name not in ("S3", "SO3") and not (m.factors[k].name == "SPD" and m.factors[k].n > 2)
        if obstacles and k == positions:
            panel.regions(obstacles, label="obstacle")
        for points in model.data_.trajectories if curves and model.data_.groups is not None else ():
            panel.factor(points, m, k, colour="demonstrations", width=0.6, opacity=0.8, label="demonstrations")
        if curves and model.data_.groups is None:
            panel.factor(model.data_.points, m, k, ordered=False, colour="demonstrations", size=2, opacity=0.8,
                         label="training data")
        for path, style in zip(paths, _path_styles(paths)):
            panel.factor(path.points, m, k, **style)
        for path in paths if curves else ():
            _ends(lambda end, **style: panel.factor(path.points[[end]], m, k, ordered=False, **style))
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
