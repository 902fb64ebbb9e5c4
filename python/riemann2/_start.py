"""What happens on import: fonts, kernels of OpenBLAS, logging, threads."""

from __future__ import annotations

import glob
import logging
import os
import sys

_FOLDER = os.path.dirname(os.path.realpath(__file__))

# ---- fonts ---------------------------------------------------------------------------------------
# A wheel carries a font and fontconfig's settings for it, for machines that have none.

if os.path.exists(os.path.join(_FOLDER, "fonts")) and not os.path.exists("/etc/fonts/fonts.conf"):
    os.environ.setdefault("FONTCONFIG_FILE", os.path.join(_FOLDER, "fonts", "fonts.conf"))

# ---- OpenBLAS ------------------------------------------------------------------------------------
# It chooses its kernels when it is loaded. Releases that are older than a processor take kernels without AVX for
# it; a variable of the environment that is set before names better ones.

_BEFORE_AVX = {"Prescott", "Core2", "Penryn", "Dunnington", "Nehalem", "Atom", "Athlon", "Opteron", "Opteron_SSE3",
               "Barcelona", "Bobcat", "Nano", "Katmai", "Coppermine", "Northwood", "Banias", "Generic"}
_AVX512 = {"avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512cd"}


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _openblas() -> str:
    """The OpenBLAS that the extension module loads: the one in the wheel, or the system's."""
    carried = glob.glob(os.path.join(glob.escape(os.path.dirname(_FOLDER)), "riemann2.libs", "libopenblas-*"))
    return carried[0] if carried else "libopenblas.so.0"


def _core_of(openblas: str) -> str:
    """Kernels that OpenBLAS would choose, from a copy of it that is closed again."""
    import ctypes

    libc = ctypes.CDLL(None)
    opening, symbol, closing = libc.dlmopen, libc.dlsym, libc.dlclose
    opening.restype = symbol.restype = ctypes.c_void_p
    opening.argtypes = [ctypes.c_long, ctypes.c_char_p, ctypes.c_int]
    symbol.argtypes, closing.argtypes = [ctypes.c_void_p, ctypes.c_char_p], [ctypes.c_void_p]
    library = opening(-1, os.fsencode(openblas), os.RTLD_NOW)
    address = symbol(library, b"openblas_get_corename") if library else None
    name: bytes = ctypes.CFUNCTYPE(ctypes.c_char_p)(address)() if address else b""
    if library:
        closing(library)
    return name.decode()


def _choose_kernels() -> None:
    """Set OPENBLAS_CORETYPE where OpenBLAS is not loaded yet and would not use this processor's AVX."""
    if sys.platform != "linux" or os.environ.get("OPENBLAS_CORETYPE"):
        return
    flags = set(next((line for line in _read("/proc/cpuinfo").splitlines() if line.startswith("flags")), "").split())
    loaded, openblas = _read("/proc/self/maps"), _openblas()
    known = openblas if os.path.isabs(openblas) else "openblas"
    if not {"avx2", "fma"} <= flags or known in loaded or "libasan" in loaded:
        return
    try:
        core = _core_of(openblas)
    except (AttributeError, OSError):
        return
    if core in _BEFORE_AVX:
        os.environ["OPENBLAS_CORETYPE"] = "SkylakeX" if _AVX512 <= flags else "Haswell"


_choose_kernels()

from . import _core  # noqa: E402  after the choice of kernels

# ---- logging -------------------------------------------------------------------------------------

_log = logging.getLogger("riemann2")
_log.addHandler(logging.NullHandler())
_LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING)


def _write(level: int, line: str) -> None:
    _log.log(_LEVELS[level], line)


_core.set_logger(_write)

# ---- threads -------------------------------------------------------------------------------------


def set_threads(threads: int) -> None:
    """Set the number of threads of every call; 0 is all processors."""
    _core.set_threads(threads)


def get_threads() -> int:
    """Return the number of threads of every call; 0 is all processors."""
    return _core.get_threads()


def show_config() -> None:
    """Print the version of the library, its linear algebra and the number of threads.

    Where OpenBLAS was loaded before riemann2 with kernels that do not use this processor's AVX, the variable of the
    environment that chooses better ones is printed as well.
    """
    config, core, better = _core.blas()
    print(f"riemann2 {_core.version}")
    print(f"{config}, {core} kernels")
    if better:
        print(f"  faster: set OPENBLAS_CORETYPE={better} before Python starts, or import riemann2 before NumPy")
    print(f"figures: {'yes' if hasattr(_core, 'figure') else 'no (built without Cairo)'}")
    print(f"threads: {get_threads() or 'all processors'}")
