"""Figures of the library: PNG, SVG and PDF, inline in notebooks."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from . import _core
from ._arrays import as_count, as_doubles
from ._settings import texts
from .manifold import Manifold

if TYPE_CHECKING:
    from ._arrays import Array

__all__ = ["Figure", "Panel"]

_KINDS = ("plane", "space", "sphere", "cone", "matrices")
_WIDTHS = {"plane": 2, "space": 3, "sphere": 3, "cone": 4}
_LEGENDS = ("auto", "below", "right", "none")
_DASHES = ("solid", "dashed", "dotted", "dash-dot")
_MARKERS = ("none", "circle", "square", "triangle", "diamond", "cross", "star")
COLOURS = {"blue": 0x0072B2, "vermilion": 0xD55E00, "green": 0x009E73, "orange": 0xE69F00, "sky": 0x56B4E9,
            "purple": 0xCC79A7, "black": 0x000000, "yellow": 0xF0E442, "brown": 0x734339, "grey": 0x808080, "white": 0xFFFFFF,
            "geodesic": 0xD55E00, "straight": 0x222222, "demonstrations": 0x9A9A9A, "new": 0x2A2AC0,
            "obstacle": 0x6A1B7A, "arm": 0x4A5563}
_CURVE, _POINTS, _BAND, _ELLIPSES, _FRAMES, _ARM, _FACTOR, _FACTOR_POINTS = range(8)


def _index(words: Sequence[str], word: Any, name: str) -> int:
    if word not in words:
        raise ValueError(f"{name}: expected one of {', '.join(words)}, got {word!r}")
    return words.index(word)


def _colour(colour: Any) -> int:
    if colour is None:
        return 0
    if isinstance(colour, str) and colour in COLOURS:
        return 0x1000000 | COLOURS[colour]
    if isinstance(colour, str) and len(colour) == 7 and colour[0] == "#":
        try:
            return 0x1000000 | int(colour[1:], 16)
        except ValueError:
            pass
    raise ValueError(f"colour: expected '#rrggbb' or one of {', '.join(COLOURS)}, got {colour!r}")


def _style(
    label: str | None = None,
    colour: str | None = None,
    width: float = 0.0,
    dash: str = "solid",
    marker: str = "none",
    size: float = 0.0,
    opacity: float = 0.0,
    halo: bool = False,
) -> tuple[Any, ...]:
    """How an item looks; zeros are the defaults of the item."""
    return (label, _colour(colour), float(width), _index(_DASHES, dash, "dash"), _index(_MARKERS, marker, "marker"),
            float(size), float(opacity), bool(halo))


def _axis(label: str | None = None, min: float = 0.0, max: float = 0.0, log: bool = False, hidden: bool = False) -> Any:
    return label, float(min), float(max), bool(log), bool(hidden)


def _axis_of(value: Any) -> Any:
    """An axis from its label or from a dict of label, min, max, log, hidden."""
    return _axis(**value) if isinstance(value, dict) else _axis(value)


class Panel:
    """One panel of a figure; items are added in turn.

    Keywords of items: ``label`` (entry in the legend), ``colour`` (by meaning: "geodesic", "straight",
    "demonstrations", "new", "obstacle", "arm"; or "blue", "#rrggbb", ...), ``width``, ``dash``
    ("solid", "dashed", "dotted", "dash-dot"), ``marker`` ("circle", "square", ...), ``size``, ``opacity``, ``halo``.
    """

    def __init__(self, handle: Any, width: int):
        if not isinstance(handle, _core.Handle):
            raise TypeError("panels are made by the method panel of a Figure")
        self._handle = handle
        self._width = width

    def _points(self, points: Any, name: str = "points", width: int | None = None) -> Array:
        array = as_doubles(points, name)
        width = self._width if width is None else width
        rows = len(array) if array.ndim > 1 and len(array) > 0 else 1
        if array.ndim < 1 or array.size % width or (array.ndim > 1 and array.size not in (0, rows * width)):
            raise ValueError(f"{name}: expected an array of shape (n, {width}), got {array.shape}")
        return array.reshape(-1, width)

    def _draw(self, item: int, n: int, *arrays: Any, number: int = 0, manifold: Any = None, **style: Any) -> Panel:
        a, b, c = [*arrays, None, None][:3]
        _core.plot(self._handle, item, n, number, manifold, a, b, c, _style(**style))
        return self

    def curve(self, points: Any, **style: Any) -> Panel:
        """Add a line through points."""
        array = self._points(points)
        return self._draw(_CURVE, len(array), array, **style)

    def points(self, points: Any, **style: Any) -> Panel:
        """Add markers; those that coincide are one, with their number."""
        array = self._points(points)
        return self._draw(_POINTS, len(array), array, **style)

    def groups(self, points: Any, groups: Any, names: Sequence[Any] | None = None, **style: Any) -> Panel:
        """Add markers that are coloured by group; `groups` are numbers from 0, one per point."""
        array = self._points(points)
        numbers = [as_count(g, "groups") for g in np.asarray(groups).tolist()]
        count = max(numbers, default=-1) + 1
        texts = [str(n) for n in (range(count) if names is None else names)]
        if len(numbers) != len(array) or len(texts) < count:
            raise ValueError("groups: expected one number per point and one name per group")
        _core.plot_groups(self._handle, array, self._width, numbers, texts, _style(**style))
        return self

    def band(self, x: Any, low: Any, high: Any, **style: Any) -> Panel:
        """Add the region between two curves over x."""
        arrays = [self._points(v, n, 1) for v, n in ((x, "x"), (low, "low"), (high, "high"))]
        if len({len(a) for a in arrays}) != 1:
            raise ValueError("x, low and high have different lengths")
        return self._draw(_BAND, len(arrays[0]), *arrays, **style)

    def ellipses(self, centres: Any, matrices: Any, **style: Any) -> Panel:
        """Add ellipses of 2 x 2 matrices, (n, 2, 2), around centres, (n, 2)."""
        a, b = self._points(centres, "centres", 2), self._points(matrices, "matrices", 4)
        if len(a) != len(b):
            raise ValueError("centres and matrices have different lengths")
        return self._draw(_ELLIPSES, len(a), a, b, **style)

    def frames(self, quaternions: Any, positions: Any = None, **style: Any) -> Panel:
        """Add orientations, (n, 4), as three arrows at positions, (n, 3)."""
        q = self._points(quaternions, "quaternions", 4)
        p = None if positions is None else self._points(positions, "positions", 3)
        if p is not None and len(p) != len(q):
            raise ValueError("quaternions and positions have different lengths")
        return self._draw(_FRAMES, len(q), p, q, **style)

    def arm(self, skeletons: Any, **style: Any) -> Panel:
        """Add an arm in several configurations, (n, points, 2 or 3), from light to dark."""
        array = as_doubles(skeletons, "skeletons")
        if array.ndim != 3 or array.shape[2] != self._width:
            raise ValueError(f"skeletons: expected an array of shape (n, points, {self._width}), got {array.shape}")
        return self._draw(_ARM, len(array), array, number=array.shape[1], **style)

    def regions(self, obstacles: Any, **style: Any) -> Panel:
        """Add keep-out regions: Sphere, Box, Capsule, HalfSpace, a text, or a sequence of them."""
        from .space import _regions

        _core.plot_regions(self._handle, _regions(obstacles), self._width, _style(**style))
        return self

    def factor(
        self, points: Any, manifold: str | Manifold, factor: int = 0, *, ordered: bool = True, **style: Any
    ) -> Panel:
        """Add one factor of points of a manifold, in a panel that was made for it; a line joins them if `ordered`."""
        m = Manifold(manifold)
        array, lead = m._take(points, "points", m.point_shape)
        number = as_count(factor, "factor")
        if len(lead) != 1 or number >= len(m.factors):
            raise ValueError(f"expected points of shape (n, *point_shape) and a factor below {len(m.factors)}")
        item = _FACTOR if ordered else _FACTOR_POINTS
        return self._draw(item, len(array), array, number=number, manifold=m._handle, **style)

    def heat(
        self,
        values: Any,
        x: tuple[float, float],
        y: tuple[float, float],
        *,
        label: str | None = None,
        min: float = 0.0,
        max: float = 0.0,
        log: bool = False,
        contours: int = 0,
    ) -> Panel:
        """Add a heat map, (rows, columns), over the ranges x and y: the background of the panel."""
        array = as_doubles(values, "values")
        if array.ndim != 2:
            raise ValueError(f"values: expected a matrix, got an array of shape {array.shape}")
        rows, columns = array.shape
        (x0, x1), (y0, y1) = x, y
        ranges = float(x0), float(x1), float(y0), float(y1)
        _core.plot_heat(self._handle, array, columns, rows, *ranges, label, float(min), float(max), bool(log),
                        as_count(contours, "contours"))
        return self

    def matrices(self, values: Any, *, correlation: bool = False, limit: float = 0.0, name: str | None = None,
                 label: str | None = None) -> Panel:
        """Add a row of square heat maps, (count, n, n)."""
        array = as_doubles(values, "values")
        if array.ndim != 3 or array.shape[1] != array.shape[2]:
            raise ValueError(f"values: expected an array of shape (count, n, n), got {array.shape}")
        count, n, _ = array.shape
        _core.plot_matrices(self._handle, array, count, n, bool(correlation), float(limit), name, label)
        return self


class Figure:
    """A page with a grid of panels.

    Parameters
    ----------
    width, height : float, optional
        Millimetres. Defaults are those of the library's table "figure".
    rows, columns : int, optional
    title : str, optional
    font_size : float, optional
        Typographic points.
    legend : bool, optional
        One legend below all panels, instead of one per panel.

    Examples
    --------
    >>> import riemann2 as rm2
    >>> figure = rm2.Figure()
    >>> panel = figure.panel(x="time [s]", y="distance")
    >>> _ = panel.curve([[0, 0], [1, 1]], label="path")
    >>> figure.to_bytes("svg").startswith(b"<?xml")
    True
    """

    def __init__(self, width: float | None = None, height: float | None = None, rows: int | None = None,
                 columns: int | None = None, title: str | None = None, font_size: float | None = None,
                 legend: bool | None = None):
        if not hasattr(_core, "figure"):
            raise NotImplementedError("riemann2 was built without Cairo: figures are not available")
        self._handle = _core.figure(texts("figure", {
            "width": width, "height": height, "rows": rows, "columns": columns, "title": title, "font_size": font_size,
            "legend": legend,
        }))

    def panel(
        self,
        row: int = 0,
        column: int = 0,
        *,
        kind: str = "plane",
        manifold: str | Manifold | None = None,
        factor: int = 0,
        title: str | None = None,
        x: Any = None,
        y: Any = None,
        z: Any = None,
        equal: bool = False,
        legend: str = "auto",
        azimuth: float | None = None,
        elevation: float | None = None,
        names: Sequence[str] | None = None,
    ) -> Panel:
        """Add a panel.

        Parameters
        ----------
        row, column : int
        kind : {"plane", "space", "sphere", "cone", "matrices"}
        manifold, factor : str or Manifold, int
            Instead of a kind: the panel that shows this factor of points of a manifold.
        title : str, optional
        x, y, z : str or dict, optional
            Label of an axis, or a dict of label, min, max, log, hidden.
        equal : bool
            One unit is equally long on all axes.
        legend : {"auto", "below", "right", "none"}
        azimuth, elevation : float, optional
            Degrees; where the viewer stands.
        names : sequence of str, optional
            Of rows and columns of matrices, such as regions of the brain.
        """
        m = None if manifold is None else Manifold(manifold)
        number = _index(_KINDS, kind, "kind") if m is None else as_count(factor, "factor")
        a, e = (float("nan") if v is None else float(v) for v in (azimuth, elevation))
        handle, shown = _core.panel(
            self._handle, as_count(row, "row"), as_count(column, "column"), None if m is None else m._handle, number,
            title, _axis_of(x), _axis_of(y), _axis_of(z), bool(equal), _index(_LEGENDS, legend, "legend"), a, e,
            None if names is None else [str(name) for name in names],
        )
        return Panel(handle, _WIDTHS.get(_KINDS[shown], 2))

    def save(self, path: str | os.PathLike[str], *, dpi: float = 0.0, overwrite: bool = False) -> None:
        """Write a .png, .svg or .pdf file, by the ending of its name; `dpi` 0 is 300."""
        _core.figure_save(self._handle, os.fspath(path), float(dpi), overwrite)

    def savefig(self, path: str | os.PathLike[str], *, dpi: float = 0.0) -> None:
        """Write the figure over an existing file, as `matplotlib.figure.Figure.savefig` does."""
        self.save(path, dpi=dpi, overwrite=True)

    def to_bytes(self, format: str = "svg", dpi: float = 0.0) -> bytes:
        """Return the figure as the contents of a "png", "svg" or "pdf" file."""
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, f"figure.{format}")
            self.save(path, dpi=dpi)
            with open(path, "rb") as file:
                return file.read()

    def _repr_svg_(self) -> str:
        return self.to_bytes("svg").decode()
