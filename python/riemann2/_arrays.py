"""Arrays as the library takes them: C-contiguous float64, converted at most once."""

from __future__ import annotations

import operator
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

_FLOAT64 = np.dtype("float64")


def as_doubles(value: Any, name: str) -> Array:
    """Return `value` as a C-contiguous float64 array, without a copy where it is one.

    Raises ValueError for masked, ragged and complex arrays and for text, TypeError for objects that are not numbers.
    """
    if type(value) is np.ndarray and value.dtype is _FLOAT64 and value.flags.c_contiguous:
        return value
    if isinstance(value, np.ma.MaskedArray) and np.any(value.mask):
        raise ValueError(f"{name}: masked entries are not supported; use NaN where entries may be missing")
    if hasattr(value, "toarray") and hasattr(value, "nnz"):
        raise TypeError(f"{name}: sparse matrices are not supported; pass {name}.toarray()")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # NumPy before 1.24 warns about ragged lists
            array = np.asarray(value)
    except (ValueError, Warning) as error:
        raise ValueError(f"{name}: expected an array of numbers ({error})") from None
    if array.dtype.kind == "c":
        raise ValueError(f"{name}: Complex data not supported")
    if array.dtype.kind == "O":
        try:
            array = array.astype(np.float64)
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name}: expected numbers, got an array of {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.float64)


def as_count(value: Any, name: str) -> int:
    """Return `value` as a number of things: an int from 0."""
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: expected an int, got {type(value).__name__}") from None
    if isinstance(value, bool) or not 0 <= count < 2**48:
        raise ValueError(f"{name}: expected a whole number from 0, got {value!r}")
    return count


def as_seed(value: Any, name: str = "seed") -> int:
    """Return `value` as a seed: an int from 0 to 2**64 - 1, or one drawn from a generator of NumPy."""
    if value is None:
        return 0
    if isinstance(value, np.random.RandomState):
        return int(value.randint(2**32, dtype=np.uint64))
    if isinstance(value, np.random.Generator):
        return int(value.integers(2**32))
    try:
        seed = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: expected an int, got {type(value).__name__}") from None
    if not 0 <= seed < 2**64:
        raise ValueError(f"{name}: expected 0 to 2**64 - 1, got {seed}")
    return seed
