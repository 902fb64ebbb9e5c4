"""Learn low-dimensional Riemannian submanifolds from Riemannian data.

Data on curved spaces (robot poses, orientations, covariance matrices, brain connectomes) get a latent space of few
dimensions whose every point decodes to a point on the curved space, with uncertainty. The metric of the data is
pulled back into it, so that distances, shortest paths and means follow the data.
"""

from ._core import CutLocusError, NumericalError
from ._core import version as __version__
from .manifold import Factor, Manifold

__all__ = ["CutLocusError", "Factor", "Manifold", "NumericalError", "__version__"]
