"""What happens on import: logging, threads after a fork."""

from __future__ import annotations

import logging
import os

from . import _core

_log = logging.getLogger("riemann2")
_log.addHandler(logging.NullHandler())
_LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING)


def _write(level: int, line: str) -> None:
    _log.log(_LEVELS[level], line)


_core.set_logger(_write)


def set_threads(threads: int) -> None:
    """Set the number of threads of every call; 0 is all processors."""
    _core.set_threads(threads)


def get_threads() -> int:
    """Return the number of threads of every call; 0 is all processors."""
    return _core.get_threads()


# The threads of OpenMP do not survive a fork: the child computes on one thread.
os.register_at_fork(after_in_child=lambda: _core.set_threads(1))


def show_config() -> None:
    """Print the version of the library, its linear algebra and the number of threads."""
    print(f"riemann2 {_core.version}")
    print(f"threads  {get_threads() or 'all processors'}")
