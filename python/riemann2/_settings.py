"""Settings by name, from the library's own tables."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from . import _core

_FLAG, _COUNT, _NUMBER, _CHOICE, _RECIPE, _TEXT, _CHARACTER, _HYPERPARAMETER, _SEED = range(9)


class Setting(NamedTuple):
    """One row of a table of settings."""

    name: str
    type: int
    words: list[str]
    zero: str | None
    defaults: list[str]
    expected: str
    group: str
    help: str

    @property
    def default(self) -> Any:
        """Default of the first recipe, as a Python value."""
        return self.value(self.defaults[0])

    def value(self, text: str) -> Any:
        """Turn a text of the library into a Python value."""
        if self.zero is not None and text == self.zero:
            return None if self.zero in ("auto", "none") else 0
        if self.type == _FLAG and not self.words:
            return text == "yes"
        if self.type in (_COUNT, _SEED):
            return int(text)
        if self.type == _NUMBER:
            return float(text)
        return text or None if self.type in (_TEXT, _CHARACTER) else text

    def text(self, value: Any) -> str:
        """Turn a Python value into a text of the library."""
        if value is None:
            return self.zero or ""
        if isinstance(value, (bool, np.bool_)):
            if self.type == _FLAG and self.words:
                return self.words[int(value)]
            return "yes" if value else "no"
        if isinstance(value, (int, np.integer)) and self.zero is not None and value == 0:
            return self.zero
        if isinstance(value, (float, np.floating)):
            return repr(float(value))
        if isinstance(value, (int, np.integer)):
            return str(int(value))
        if isinstance(value, str):
            return value
        raise TypeError(f"{self.name}: expected {self.expected}, got {type(value).__name__}")


@lru_cache(maxsize=None)
def table(name: str) -> dict[str, Setting]:
    """Return the settings of a table ("fit", "data", "encode", "space") by name."""
    return {row[0]: Setting(*row) for row in _core.settings(name)}


def texts(name: str, values: dict[str, Any]) -> dict[str, str]:
    """Turn keyword arguments into the texts that the library takes; unknown names raise TypeError."""
    rows = table(name)
    unknown = [key for key in values if key not in rows]
    if unknown:
        import difflib

        near = difflib.get_close_matches(unknown[0], rows, 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise TypeError(f"unknown setting '{unknown[0]}'{hint}")
    return {key: rows[key].text(value) for key, value in values.items()}
