"""Learn low-dimensional Riemannian submanifolds from Riemannian data.

Data on curved spaces (robot poses, orientations, covariance matrices, brain connectomes) get a latent space of few
dimensions. Every point of it decodes to a point on the curved space, with uncertainty. The metric of the data is
pulled back into it, so that distances, shortest paths and means follow the data.

>>> import riemann2 as rm2
>>> data = rm2.generate("toy", trajectories=3, points=60)
>>> model = rm2.WGPLVM("R2 x S2").fit(data)
>>> path = model.geodesic(model.latents_[0], model.latents_[-1])
>>> path.converged
True

Points
    Manifold    exp, log, dist, mean, ... on R, S, SO3, SPD, H and products of them
    Data        points with trajectories, time and labels; also `read` and `generate`
    covariances matrices of signals, for SPD data
Models
    WGPLVM      fit, transform, inverse_transform, geodesic, distances, mean, plot, save
    GPLVM       the Euclidean counterpart, for comparison
    load        a model from a file
Latent spaces
    Space       geodesics, distances, means, exponential and logarithm in one metric
    Path        a geodesic: latent, points, std, length, time
    Motion      a motion that meets poses exactly: points, cov, stretch, samples
    Pose        such a pose, with velocity, time or latent point
    Frame       where an object was in each demonstration, and where it is now
    Sphere, Box, Capsule, HalfSpace   keep-out regions
    Discouraged a cost on positions
    medoids     clusters from distances
Statistics
    group_means, permutation_test, classify
Evaluation
    dtw, dtw_floor, score, calibration, cross_validate
Robots and figures
    Arm         kinematics and tracking
    Figure      the library's own figures
Settings
    settings    names, ranges and defaults of every keyword
    set_threads, set_progress, show_config

Exceptions are ValueError, OSError, MemoryError, KeyboardInterrupt, `CutLocusError` and `NumericalError`. Messages go
to the logger "riemann2". A result that leaves the training data gives an `OutsideWarning`.
"""

from . import _start  # noqa: F401  first: chooses the kernels of OpenBLAS before NumPy loads it
from ._core import CutLocusError, NumericalError
from ._core import version as __version__
from ._progress import Progress, set_progress
from ._settings import Setting, settings
from ._start import get_threads, set_threads, show_config
from .covariance import covariances
from .data import Data, generate, read
from .evaluation import (
    Calibration,
    CrossValidation,
    CrossValidationJob,
    CrossValidationRow,
    Floor,
    Score,
    calibration,
    cross_validate,
    dtw,
    dtw_floor,
    score,
)
from .figure import Figure, Panel
from .manifold import Factor, Manifold, register_geometry
from .model import Added, GPLVM, WGPLVM, load
from .motion import Frame, Motion, Pose
from .planner import Plan, Planner
from .report import Demonstration, Family, Fidelity, HeldOut, LatentChoice, PathReport, Smoothness, StartReport
from .robot import Arm, Clearance, Placement, Tracked
from .space import Box, Capsule, Discouraged, HalfSpace, Mean, Medoids, OutsideWarning, Path, Space, Sphere, medoids
from .statistics import Accuracy, PermutationTest, classify, group_means, permutation_test

__all__ = [
    "Added",
    "Accuracy",
    "Arm",
    "Box",
    "Calibration",
    "Clearance",
    "CrossValidation",
    "CrossValidationJob",
    "CrossValidationRow",
    "Capsule",
    "CutLocusError",
    "Data",
    "Demonstration",
    "Discouraged",
    "Factor",
    "Family",
    "Fidelity",
    "Figure",
    "Floor",
    "Frame",
    "GPLVM",
    "HalfSpace",
    "HeldOut",
    "LatentChoice",
    "Manifold",
    "Mean",
    "Medoids",
    "Motion",
    "NumericalError",
    "OutsideWarning",
    "Panel",
    "Path",
    "PathReport",
    "PermutationTest",
    "Placement",
    "Plan",
    "Planner",
    "Pose",
    "Progress",
    "Score",
    "Setting",
    "Smoothness",
    "Space",
    "Sphere",
    "StartReport",
    "Tracked",
    "WGPLVM",
    "__version__",
    "calibration",
    "classify",
    "covariances",
    "cross_validate",
    "dtw",
    "dtw_floor",
    "generate",
    "get_threads",
    "group_means",
    "load",
    "medoids",
    "permutation_test",
    "read",
    "register_geometry",
    "score",
    "set_progress",
    "set_threads",
    "settings",
    "show_config",
]
