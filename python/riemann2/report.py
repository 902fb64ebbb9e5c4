"""Reports on training and on paths."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["Demonstration", "Family", "Fidelity", "HeldOut", "LatentChoice", "PathReport", "Smoothness", "StartReport"]


class Fidelity(NamedTuple):
    """Residuals of the training points in tangent coordinates, root mean squared."""

    residual: float  #: of the decoded latents
    mean: float  #: of the mean of the points
    components: float  #: of as many principal components as there are latent dimensions
    coincident: int  #: latents that coincide with another one
    worse: bool  #: principal components reconstruct the training points better, by more than 0.2 %

    @property
    def explained(self) -> float:
        """Part of the variance that the model explains."""
        return 1.0 - (self.residual / self.mean) ** 2

    @property
    def explained_components(self) -> float:
        """Part of the variance that principal components explain."""
        return 1.0 - (self.components / self.mean) ** 2


class HeldOut(NamedTuple):
    """Training points that were held out in turn and predicted by models of the others.

    Residuals are root mean squared norms in tangent coordinates, log densities means per point on the manifold.
    """

    points: int
    folds: int
    residual: float  #: of the nearest decoded points
    mean: float  #: of the mean of the others
    components: float  #: of as many principal components as there are latent dimensions
    explained: float  #: part of the variance that the model explains
    plane: float  #: the same for a plane in an arbitrary direction
    explained_error: float  #: standard error of ``explained - plane``
    log_density: float  #: of the model
    ppca: float  #: of probabilistic principal components
    ledoit_wolf: float  #: of a normal density whose covariance is that of Ledoit and Wolf
    ppca_error: float  #: standard error of ``log_density - ppca``
    ledoit_wolf_error: float  #: standard error of ``log_density - ledoit_wolf``
    structure: bool  #: latents hold more of a new point than chance; False: the latent map shows noise


class Demonstration(NamedTuple):
    """How a trajectory passes the motion of its family, whose phase runs from 0 to 1."""

    family: int  #: from 0
    reversed: bool  #: it runs against the motion
    begin: float  #: phase of its first point
    end: float  #: phase of its last point
    misfit: float  #: root mean squared distance from the motion, over the spread of the data
    unevenness: float  #: largest deviation of its phase from an even pace
    outliers: int  #: points that were left out of the alignment
    resting: int  #: points of pauses
    outlier: int  #: the outlier that is farthest from its place, from 0; 0 without outliers
    outlier_distance: float  #: of it, over the spread of the data; 0 without outliers
    jitter: float  #: size of the noise of its points, over the spread of the data


class Family(NamedTuple):
    """Demonstrations of one motion."""

    demonstrations: int
    reference: int  #: the demonstration that the others fit into best, from 0
    complete: bool  #: the reference is the whole motion; else it was continued by others


class StartReport(NamedTuple):
    """What the start of the latent points found in the demonstrations."""

    labelled: bool  #: families are the labels of the data
    demonstrations: list[Demonstration]
    families: list[Family]

    @classmethod
    def _from(cls, found: tuple[bool, list[Any], list[Any]] | None) -> StartReport | None:
        if found is None:
            return None
        labelled, demonstrations, families = found
        return cls(labelled, [Demonstration(*d) for d in demonstrations], [Family(*f) for f in families])


class LatentChoice(NamedTuple):
    """Densities, for one number of latent dimensions, of points that training has not seen."""

    latent_dim: int
    points: int
    log_density: float  #: mean per point, against the Riemannian volume
    standard_error: float
    residual: float  #: root mean squared, in tangent coordinates
    chosen: bool


class Smoothness(NamedTuple):
    """How smooth a decoded path is, in pairs: of its positions (Euclidean factors), and of the rest (tangent coordinates).

    The curve is put at 100 points at equal steps of its arc length. NaN without such factors.
    """

    turning: tuple[float, float]  #: sum of the angles between one step and the next, in radians
    jerk: tuple[float, float]  #: third derivative at constant speed, root mean square, in lengths per duration cubed


class PathReport(NamedTuple):
    """Measures of a path, and whether it may be relied on: see `Path.report`.

    The program reports the same numbers, and ends with exit code 4 where ``reliable`` is False.
    """

    reliable: bool  #: no reason speaks against the path
    reasons: dict[str, str]  #: "blocked", "too few nodes", "not converged", "outside", "incomplete": sentences with remedies
    nodes: int
    length: float  #: in the exact metric of the model, whatever was minimised
    energy: float
    straight_length: float  #: of the straight lines through the same points
    error: float  #: estimated relative error of the velocity
    residual: float  #: of the geodesic equation, relative to the length
    converged: bool
    blocked: bool  #: the path comes nearer to the obstacles than wanted, and must not be driven
    clearance: float  #: proven distance from the obstacles; infinity without
    clearance_wanted: float
    clearance_node: int | None  #: node with the least clearance, from 0
    over_spread: float  #: largest distance from the demonstrations, in spreads; NaN: unknown, or the path is blocked
    farthest: int | None  #: node where it is, from 0; reasons count from 1
    spread: float  #: of the demonstrations, in the model's units
    spread_limit: float  #: in spreads
    smoothness: Smoothness  #: of the path; NaN: unknown, or the path is blocked
    demonstrated: Smoothness  #: median of the demonstrations
    omission: float  #: largest distance of the demonstrated motion between the ends from the path, in spreads; NaN: unknown
    omission_limit: float  #: in spreads
    omitted_demonstration: int | None  #: a demonstration that shows the part that is left out most, from 0
    omitted_point: int | None  #: point of it, from 0
