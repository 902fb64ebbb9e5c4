"""Motions that meet poses: shapes, poses, settings and wrong arguments. Numbers are tested in C."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import riemann2 as rm2


@pytest.fixture(scope="module")
def ends(model):
    points, groups = np.array(model.data_.points), np.asarray(model.data_.groups)
    first = points[groups == groups[0]]
    return first[0], first[-1], first[len(first) // 2]


def test_poses_are_met(model, ends):
    start, goal, middle = ends
    moved = goal.copy()
    moved[0] += 0.1
    motion = model.geodesic(start_pose=start, goal_pose=moved, via_poses=[middle], nodes=100)
    n, dim = 100, model.manifold_.dim
    assert isinstance(motion, rm2.Motion) and isinstance(motion, rm2.Path) and len(motion) == n
    np.testing.assert_allclose(motion.points[motion.pose_nodes], [start, middle, moved], rtol=0, atol=1e-9)
    assert model.manifold_.belongs(motion.points).all()
    assert motion.cov.shape == (n, dim, dim) and motion.std.shape == motion.over_spread.shape == (n,)
    np.testing.assert_allclose(motion.cov[motion.pose_nodes], 0, atol=1e-9)
    assert motion.variability.shape == motion.corrected.shape == (n, len(model.manifold_.factors))
    np.testing.assert_array_equal(motion.largest, motion.corrected.max(axis=0))
    np.testing.assert_array_equal(motion.route_points, model.inverse_transform(motion.latent))
    # the correction takes the route to the motion
    c = np.einsum("nij,nj->ni", motion.frames, motion.correction)
    scaled = np.abs(model.manifold_.log_coords(motion.route_points, motion.points) - c)
    assert scaled[:, 2:].max() < 1e-8  # the first factor of the toy data is scaled
    drawn = motion.samples(5, seed=3)
    assert drawn.shape == (5, *motion.points.shape)
    np.testing.assert_allclose(drawn[:, motion.pose_nodes], np.broadcast_to(
        motion.points[motion.pose_nodes], (5, 3, *start.shape)), rtol=0, atol=1e-9)
    np.testing.assert_array_equal(drawn, motion.samples(5, seed=3))
    assert motion.time(speed=(1, 1))[-1] > 0
    assert "Motion" in repr(motion) and motion.reason == ""


def test_mixed_ends(model, ends):
    start, goal, middle = ends
    Z = model.latents_
    motion = model.geodesic(Z[0], goal_pose=goal)
    np.testing.assert_allclose(motion.points[0], model.inverse_transform(Z[0]), rtol=0, atol=1e-9)
    np.testing.assert_array_equal(motion.latent[0], Z[0])
    half = start.copy()
    half[2:] = np.nan
    motion = model.geodesic(start_pose=half, goal_pose=rm2.Pose(goal, velocity=[0.5, 0, np.nan, np.nan, np.nan]), duration=2)
    assert np.isnan(motion.pose_errors[0, 1]) and motion.pose_errors[0, 0] < 1e-9
    s = motion.phase[-3:] - 1
    slope = np.polyfit(s, motion.points[-3:, :2], 2)[1]
    np.testing.assert_allclose(slope, [1, 0], atol=1e-6)  # per duration
    np.testing.assert_allclose(motion.pose_velocities[1, :2], [0.5, 0], atol=1e-6)
    assert abs(motion.pose_velocities[0, 2:] @ motion.points[0, 2:]) < 1e-9  # tangent
    timed = model.geodesic(start_pose=start, goal_pose=goal, via_poses=[rm2.Pose(middle, time=0.8)], duration=2)
    assert abs(timed.phase[timed.pose_nodes[1]] - 0.4) < 0.01
    part = model.geodesic(start_pose=rm2.Pose(middle, middle=True), goal_pose=goal)
    assert part.pose_errors.max() < 1e-9


def test_far_goals_warn(model, ends):
    start, goal, _ = ends
    far = goal.copy()
    far[0] += 3
    with pytest.warns(rm2.OutsideWarning, match="goal is .* times as far"):
        motion = model.geodesic(start_pose=start, goal_pose=far)
    assert motion.outside and motion.stretch > 2 and motion.kappa > 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not model.geodesic(start_pose=start, goal_pose=far, stretch_limit=1e6, nodes=50).outside


def test_obstacles(model, ends):
    start, goal, _ = ends
    free = model.geodesic(start_pose=start, goal_pose=goal)
    ball = rm2.Sphere(free.points[100, :2] + 0.02, 0.1)
    motion = model.geodesic(start_pose=start, goal_pose=goal, obstacles=[ball], clearance=0.02)
    assert not motion.blocked and motion.clearance >= 0.02 and motion.plans >= 1
    assert np.linalg.norm(motion.points[:, :2] - ball.centre, axis=1).min() - 0.1 >= motion.clearance - 1e-12
    with pytest.raises(ValueError, match="goal is .* from obstacle 1"):
        model.geodesic(start_pose=start, goal_pose=goal, obstacles=[rm2.Sphere(goal[:2], 0.1)])


def test_wrong_arguments(model, ends):
    start, goal, middle = ends
    Z = model.latents_
    with pytest.raises(TypeError, match="start and end"):
        model.geodesic(Z[0])
    with pytest.raises(TypeError, match="goal_pose: expected a point or a latent point"):
        model.geodesic(start_pose=start)
    with pytest.raises(TypeError, match="exclude each other"):
        model.geodesic(start_pose=start, goal_pose=goal, via=[Z[3]])
    with pytest.raises(ValueError, match=r"start_pose: expected an array of shape \(5,\), got \(4,\)"):
        model.geodesic(start_pose=start[:4], goal_pose=goal)
    with pytest.raises(ValueError, match="latents"):
        model.geodesic([0, 0, 0], goal_pose=goal)
    with pytest.raises(TypeError, match="given twice"):
        model.geodesic(Z[0], start_pose=rm2.Pose(start, latent=Z[0]), goal_pose=goal)
    with pytest.raises(TypeError, match="unknown setting 'aproach'; did you mean"):
        model.geodesic(start_pose=start, goal_pose=goal, aproach=True)
    with pytest.raises(ValueError, match="time 3 is not between"):
        model.geodesic(start_pose=start, goal_pose=goal, via_poses=[rm2.Pose(middle, time=3)])
    motion = model.geodesic(start_pose=start, goal_pose=goal, nodes=20)
    with pytest.raises(ValueError, match="frame"):
        motion.covariances("world")
    with pytest.raises(ValueError):
        rm2.GPLVM("R2 x S2").fit(model.data_).geodesic(start_pose=start, goal_pose=goal)


def test_frames(model, ends):
    """Numbers are tested in C; here that the frames arrive there."""
    start, goal, _ = ends
    moved = goal.copy()
    moved[0] += 0.1
    plain = model.geodesic(start_pose=start, goal_pose=moved)
    framed = model.geodesic(start_pose=start, goal_pose=moved, frames=["start", "goal"])
    np.testing.assert_allclose(framed.points[[0, -1]], [start, moved], rtol=0, atol=1e-9)
    assert np.abs(framed.points - plain.points).max() > 1e-3
    np.testing.assert_allclose(model.geodesic(start_pose=start, goal_pose=moved, frames="world").points, plain.points, atol=1e-9)
    points, groups = np.array(model.data_.points), np.asarray(model.data_.groups)
    then = np.array([points[groups == g][0] for g in dict.fromkeys(groups)])
    box = rm2.Frame(then, start)
    as_start = model.geodesic(start_pose=start, goal_pose=moved, frames=["start"])
    np.testing.assert_allclose(model.geodesic(start_pose=start, goal_pose=moved, frames=box).points, as_start.points, atol=1e-9)
    for frames, error, text in ((["table"], ValueError, "expected 'start'"), ([rm2.Frame(then[:1], start)], ValueError, "then"),
                                ([3], ValueError, "expected 'start'")):
        with pytest.raises(error, match=text):
            model.geodesic(start_pose=start, goal_pose=moved, frames=frames)
    with pytest.raises(TypeError, match="only motions"):
        model.geodesic(model.latents_[0], model.latents_[9], frames=["start"])


def test_stiffness_follows_the_demonstrators(monkeypatch, tmp_path):
    """The stiffness profile of examples/python/motions.py, compared with its definition."""
    monkeypatch.chdir(tmp_path)
    parts = (Path(__file__).resolve().parents[2] / "examples" / "python" / "motions.py").read_text(encoding="utf-8").split("# %%")
    wanted = [p for p in parts if "import riemann2" in p or "moved = goal" in p or "def stiffness" in p]
    assert len(wanted) == 3
    space = {}
    exec("".join(p.partition("\n")[2] for p in wanted), space)
    motion, K, soft, stiff = (space[n] for n in ("motion", "K", "SOFT", "STIFF"))
    assert K.shape == (len(motion), 3, 3)
    _, spread = motion.covariances()
    for k, cov in zip(K, spread[:, :3, :3]):
        np.testing.assert_allclose(k, k.T)
        values, vectors = np.linalg.eigh(cov)
        own = np.einsum("ia,ij,ja->a", vectors, k, vectors)
        np.testing.assert_allclose(vectors.T @ k @ vectors, np.diag(own), atol=1e-9 * stiff)  # the same axes
        assert (np.diff(own) <= 1e-9 * stiff).all() and own.min() >= soft and own.max() <= stiff  # stiff where all agree
    assert K[:, 0, 0].max() > 1.5 * K[:, 0, 0].min()
