"""Progress of long calls: a callback, a bar in terminals and notebooks."""

from __future__ import annotations

import importlib
import sys
from typing import Any, Callable, NamedTuple, Optional

__all__ = ["Progress", "set_progress"]

_AFTER = 2.0  # seconds
_shown = True


class Progress(NamedTuple):
    """How far a long call is; what a callback gets."""

    activity: str
    """What is done: "fit", "encode", "distances", "geodesics", "geodesic", "mean" or "roadmap"."""
    done: int
    """Iterations, points, pairs or nodes that are done."""
    total: int
    """Number of them in all; 0 if unknown."""
    seconds: float
    """Time since the call began."""
    objective: float | None
    """Value of the objective of training; None outside of training."""


Callback = Optional[Callable[[Progress], Any]]


def set_progress(shown: bool) -> None:
    """Switch the progress bar of long calls on or off.

    The bar appears in terminals and notebooks once a call lasts longer than two seconds.
    """
    global _shown
    _shown = bool(shown)


def _bar(total: int, activity: str) -> Any:
    try:
        tqdm = importlib.import_module("tqdm.auto")
    except ImportError:
        return None
    return tqdm.tqdm(total=total or None, desc=activity, leave=False)


class watch:
    """What a call of the library reports to: a context manager that is called with five numbers."""

    def __init__(self, callback: Callback = None):
        if callback is not None and not callable(callback):
            raise TypeError(f"callback: expected a callable, got {type(callback).__name__}")
        self._callback = callback
        self._tqdm: Any = None
        self._written = False

    def __enter__(self) -> Any:
        visible = _shown and (sys.stderr.isatty() or "ipykernel" in sys.modules)
        return self if self._callback or visible else None

    def __exit__(self, *exception: Any) -> None:
        if self._tqdm is not None:
            self._tqdm.close()
        elif self._written:
            print(file=sys.stderr)

    def __call__(self, *numbers: Any) -> bool:
        progress = Progress(*numbers)
        if self._callback is not None:
            return self._callback(progress) is not False
        if progress.seconds >= _AFTER:
            self._show(progress)
        return True

    def _show(self, p: Progress) -> None:
        if not self._written:
            self._tqdm = _bar(p.total, p.activity)
            self._written = True
        if self._tqdm is not None:
            self._tqdm.update(p.done - self._tqdm.n)
            return
        of = f" of {p.total}" if p.total else ""
        value = "" if p.objective is None else f", objective {p.objective:.4f}"
        print(f"\r{p.activity}: {p.done}{of}{value}, {p.seconds:.0f} s", end="", file=sys.stderr, flush=True)
