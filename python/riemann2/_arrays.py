"""Arrays as the library takes them: C-contiguous float64, converted at most once."""

from __future__ import annotations

from typing import Any

import numpy as np


def as_doubles(value: Any, name: str) -> np.ndarray:
    """Return `value` as a C-contiguous float64 array, without a copy where it is one.

    Raises ValueError for masked, ragged, complex or object arrays, and for text.
    """
    if type(value) is np.ndarray and value.dtype == np.float64 and value.flags.c_contiguous:
        return value
    if isinstance(value, np.ma.MaskedArray) and np.ma.getmaskarray(value).any():
        raise ValueError(f"{name}: masked entries are not supported; use NaN where entries may be missing")
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name}: rows of unequal length ({error})") from None
    if array.dtype.kind not in "fiub":
        try:
            array = array.astype(np.float64) if array.dtype.kind == "O" else None
        except (TypeError, ValueError):
            array = None
        if array is None:
            raise ValueError(f"{name}: expected numbers, got an array of {np.asarray(value).dtype}")
    return np.ascontiguousarray(array, dtype=np.float64)
