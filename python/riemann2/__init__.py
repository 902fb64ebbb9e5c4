"""Learn low-dimensional Riemannian submanifolds from Riemannian data.

Data on curved spaces (robot poses, orientations, covariance matrices, brain connectomes) get a latent space of few
dimensions. Every point of it decodes to a point on the curved space, with uncertainty. The metric of the data is
pulled back into it, so that distances, shortest paths and means follow the data.

>>> import riemann2 as rm2
>>> data = rm2.generate("toy", trajectories=3, points=20)
>>> model = rm2.WGPLVM("R2 x S2").fit(data)
>>> path = model.geodesic(model.latents_[0], model.latents_[-1])
>>> path.converged
True

Start with `Manifold`, `Data` or `read`, and `WGPLVM`.
"""

from . import _start  # noqa: F401  chooses the kernels of OpenBLAS before the library is loaded
from ._core import CutLocusError, NumericalError
from ._core import version as __version__
from ._start import get_threads, set_threads, show_config
from .data import Data, generate, read
from .manifold import Factor, Manifold
from .model import GPLVM, WGPLVM, load
from .space import Path, Sphere

__all__ = [
    "CutLocusError",
    "Data",
    "Factor",
    "GPLVM",
    "Manifold",
    "NumericalError",
    "Path",
    "Sphere",
    "WGPLVM",
    "__version__",
    "generate",
    "get_threads",
    "load",
    "read",
    "set_threads",
    "show_config",
]
