"""Evaluation against definitions."""

import numpy as np
import pytest

import riemann2 as rm2


def warped(a, b, distance):
    """The recursion of dynamic time warping as it is defined."""
    cost = np.full((len(a) + 1, len(b) + 1), np.inf)
    cost[0, 0] = 0
    for i in range(len(a)):
        for j in range(len(b)):
            best = min(cost[i, j], cost[i, j + 1], cost[i + 1, j])
            cost[i + 1, j + 1] = distance(a[i], b[j]) ** 2 + best
    return np.sqrt(cost[-1, -1])


def test_dtw(rng):
    a, b = rng.standard_normal((7, 3)), rng.standard_normal((9, 3))
    euclidean = lambda p, q: np.linalg.norm(p - q)  # noqa: E731
    assert rm2.dtw(a, b) == pytest.approx(warped(a, b, euclidean), rel=1e-12)
    m = rm2.Manifold("S2")
    p, q = m.project(a), m.project(b)
    assert rm2.dtw(p, q, m) == pytest.approx(warped(p, q, m.dist), rel=1e-12)
    np.testing.assert_allclose(rm2.dtw(a, [b, a]), [rm2.dtw(a, b), 0], atol=1e-12)
    nearest = sum(min(euclidean(x, y) for y in b) for x in a) + sum(min(euclidean(x, y) for x in a) for y in b)
    assert rm2.dtw(a, b, kind="nearest") == pytest.approx(nearest, rel=1e-12)
    assert rm2.dtw(a, b, window=1) >= rm2.dtw(a, b)
    padded = np.vstack([a, a[-1:], a[-1:]])
    assert rm2.dtw(a, b, kind="padded") == pytest.approx(rm2.dtw(padded, b), rel=1e-12)


def test_floor(rng, toy):
    parts = [rng.standard_normal((5, 2)) for _ in range(3)]
    floor = rm2.dtw_floor(parts)
    pairs = [rm2.dtw(parts[i], parts[j]) for i in range(3) for j in range(i + 1, 3)]
    np.testing.assert_allclose(floor.distances, pairs)
    assert floor.mean == pytest.approx(np.mean(pairs)) and floor.std == pytest.approx(np.std(pairs))
    assert rm2.dtw_floor(toy, toy.manifold).mean > 0


def test_score(model, toy):
    total, each = rm2.score(model, toy)
    assert total.points == 60 and len(each) == 3 and sum(s.points for s in each) == 60
    assert total.log_density == pytest.approx(np.mean([s.log_density for s in each]), rel=1e-10)
    assert total.log_density == pytest.approx(model.score(toy.points), abs=1e-6)
    with pytest.raises(TypeError, match="Data"):
        rm2.score(model, toy.points)


def test_calibration(model, toy):
    found = rm2.calibration(model, model.latents_, toy.points)
    assert found.points == 60 and found.outputs == 4
    shares = [(found.squares <= q).mean() for q in found.quantiles]
    np.testing.assert_allclose(found.coverage, shares)
    assert found.mean_square == pytest.approx(found.squares.mean() / 4)
    assert ((0 <= found.probabilities) & (found.probabilities <= 1)).all()


def test_cross_validation(toy):
    scores = rm2.cross_validate(rm2.WGPLVM("R2 x S2", max_iterations=10), toy)
    assert len(scores) == 3 and all(s.points == 20 for s in scores)
    by_hand = rm2.WGPLVM("R2 x S2", max_iterations=10).fit(toy.points[20:], groups=toy.groups[20:])
    held = rm2.Data(toy.points[:20], "R2 x S2", groups=[0] * 20)
    assert scores[0].log_density == pytest.approx(rm2.score(by_hand, held)[0].log_density, abs=1e-6)
    with pytest.raises(ValueError, match="two trajectories"):
        rm2.cross_validate(rm2.WGPLVM("R2"), rm2.Data(np.eye(2), "R2"))
