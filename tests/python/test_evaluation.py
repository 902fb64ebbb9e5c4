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
    n = model.info_["calibration_freedom"]
    assert found.degrees == 4 and found.freedom == n == 3
    assert found.mean_square == pytest.approx(found.squares.mean() / 4 * (n - 2) / n)
    encoded = rm2.calibration(model, model.latents_, toy.points, encoded=True)
    assert encoded.degrees == 2
    np.testing.assert_array_equal(encoded.squares, found.squares)
    assert (encoded.quantiles < found.quantiles).all()
    scales = model.info_["calibration"]
    assert model.info_["calibrated"] == 3 and len(scales) == 2 and min(scales) > 0
    assert ((0 <= found.probabilities) & (found.probabilities <= 1)).all()


def test_cross_validation(toy, tmp_path):
    models = [rm2.WGPLVM("R2 x S2", q, max_iterations=10) for q in (1, 2)]
    found = rm2.cross_validate(models, toy, checkpoint=tmp_path / "jobs.csv")
    assert len(found.rows) == 2 and [len(jobs) for jobs in found.jobs] == [3, 3]
    np.testing.assert_array_equal(found.folds, np.repeat([0, 1, 2], 20))
    by_hand = rm2.WGPLVM("R2 x S2", 2, max_iterations=10).fit(toy.points[20:], groups=toy.groups[20:])
    held = rm2.Data(toy.points[:20], "R2 x S2", groups=[0] * 20)
    score = rm2.score(by_hand, held)[0]
    job = found.jobs[1][0]
    assert job.log_density == pytest.approx(score.log_density_manifold, abs=1e-6)
    assert job.residual == pytest.approx(score.tangent, abs=1e-6)
    assert not job.failed and job.held == 20 and job.train == 40 and job.motion > 0
    values = [j.log_density for j in found.jobs[0]]
    assert found.rows[0].log_density == pytest.approx(np.mean(values), rel=1e-12)
    assert found.rows[0].log_density_error == pytest.approx(np.std(values, ddof=1) / np.sqrt(3), rel=1e-10)
    assert found.best == int(np.argmax([row.log_density for row in found.rows]))
    again = rm2.cross_validate(models, toy, checkpoint=tmp_path / "jobs.csv", resume=True)
    assert again.resumed == 6 and again.jobs == found.jobs
    alone = rm2.cross_validate(models[0], toy, motion=False, folds=3)
    assert alone.jobs[0][1].log_density == found.jobs[0][1].log_density and np.isnan(alone.rows[0].motion)


def test_cross_validation_fails_by_rows(toy):
    models = [rm2.WGPLVM("R2 x S2", max_iterations=5), rm2.WGPLVM("R2 x S2", 4, recipe="points")]
    found = rm2.cross_validate(models, toy, motion=False)
    assert found.rows[1].failed == 3 and found.jobs[1][0].failed and found.jobs[1][0].message
    assert found.recommended == 0
    with pytest.raises(ValueError, match="at least two points"):
        rm2.cross_validate(models[0], rm2.Data(np.eye(2)[:1], "R2"))
    with pytest.raises(ValueError, match="folds is 4, more than the 3 trajectories"):
        rm2.cross_validate(models[0], toy, folds=4)
    with pytest.raises(TypeError, match="expected a WGPLVM"):
        rm2.cross_validate([], toy)
    with pytest.raises(TypeError, match="did you mean"):
        rm2.cross_validate(models[0], toy, fold=4)
