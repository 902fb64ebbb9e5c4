"""Settings by name, from the library's own tables."""

from __future__ import annotations

import difflib
import inspect
import sys
from functools import lru_cache
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from . import _core

__all__ = ["Setting", "settings"]

_FLAG, _COUNT, _NUMBER, _CHOICE, _RECIPE, _TEXT, _CHARACTER, _HYPERPARAMETER, _SEED = range(9)


class Setting(NamedTuple):
    """One row of a table of settings."""

    name: str
    """The keyword."""
    type: int
    """Number of its type, for the library."""
    words: list[str]
    """Words of a choice."""
    zero: str | None
    """Word for 0, such as "auto"."""
    defaults: list[str]
    """Default of each recipe."""
    expected: str
    """What a value must be."""
    group: str
    """Title of the group that the setting is in."""
    help: str
    """One line of explanation."""

    @property
    def default(self) -> Any:
        """The default of the first recipe, as a Python value."""
        return self.value(self.defaults[0])

    def value(self, text: str) -> Any:
        """Turn a text of the library into a Python value."""
        if self.zero is not None and text == self.zero:
            return text
        if self.type == _FLAG and not self.words:
            return text == "yes"
        if self.type in (_COUNT, _SEED):
            return int(text)
        if self.type == _NUMBER:
            return float(text)
        return text

    def text(self, value: Any) -> str:
        """Turn a Python value into a text of the library."""
        if isinstance(value, str):
            return value
        if isinstance(value, (bool, np.bool_)) and self.type == _FLAG:
            return self.words[int(value)] if self.words else ("yes" if value else "no")
        if isinstance(value, (bool, np.bool_)) or self.type in (_TEXT, _CHARACTER, _CHOICE, _RECIPE, _FLAG):
            raise TypeError(f"{self.name}: expected {self.expected}, got {value!r}")
        if isinstance(value, (int, np.integer, float, np.floating)):
            if value == 0 and self.zero is not None:
                return self.zero
            if self.type in (_COUNT, _SEED):
                if int(value) != value:
                    raise ValueError(f"{self.name}: expected {self.expected}, got {value!r}")
                return str(int(value))
            return repr(float(value))
        raise TypeError(f"{self.name}: expected {self.expected}, got {type(value).__name__}")


@lru_cache(maxsize=None)
def table(name: str) -> dict[str, Setting]:
    """Return the settings of a table by name."""
    return {row[0]: Setting(*row) for row in _core.settings(name)}


def settings(name: str) -> list[Setting]:
    """Return the settings of a table.

    Parameters
    ----------
    name : str
        "fit", "data", "encode", "space", "meet", "report", "generate", "dtw", "track", "placement", "planner", "mean",
        "figure", "cross", "test", "classify" or "covariance".

    Examples
    --------
    >>> import riemann2 as rm2
    >>> [s.expected for s in rm2.settings("fit") if s.name == "kernel"][0].split()[:2]
    ['one', 'of']
    """
    return list(table(name).values())


def describe(name: str, skip: tuple[str, ...] = ()) -> str:
    """Return the settings of a table as a section of a docstring."""
    rows = []
    for s in table(name).values():
        if s.name not in skip:
            rows.append(f"    {s.name} : {s.expected}\n        {s.help} (default: {s.defaults[0] or 'none'})")
    return "\n".join(rows)


def _parameters_of_calls() -> list[str]:
    """Return the named parameters of the package's functions that are running and take settings."""
    names: list[str] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        code = frame.f_code
        if code.co_flags & inspect.CO_VARKEYWORDS:
            named = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            names += [n for n in named if n not in ("self", "cls")]
        frame = frame.f_back
    return names


def check(values: dict[str, Any], *names: str) -> None:
    """Raise TypeError for keywords that are in none of the tables; it names the nearest keyword of the call."""
    known = [key for name in names for key in table(name)]
    for key in values:
        if key not in known:
            near = difflib.get_close_matches(key, known + _parameters_of_calls(), 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise TypeError(f"unknown setting '{key}'{hint}")


def texts(name: str, values: dict[str, Any]) -> dict[str, str]:
    """Turn keyword arguments into the texts that the library takes; None means the default.

    Unknown names raise TypeError.
    """
    check(values, name)
    rows = table(name)
    return {key: rows[key].text(value) for key, value in values.items() if value is not None}
