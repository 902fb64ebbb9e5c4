"""Manifolds against their definitions, in every shape of call."""

import pickle

import numpy as np
import pytest

import riemann2 as rm2

SPECS = ["R3", "S2", "S3", "SO3", "SPD3", "H2", "T2", "SE3", "R2 x S2", "R2 x SPD2"]
# Tolerances are some thousand times the rounding of doubles: the operations are chains of tens of roundings.
CLOSE = {"rtol": 1e-10, "atol": 1e-10}


def near_pair(m, n, rng):
    """Points and others within the injectivity radius."""
    p = m.random(n, seed=1)
    q = m.exp(p, m.from_coords(p, 0.3 * rng.standard_normal((n, m.dim))))
    return p, q


@pytest.mark.parametrize("spec", SPECS)
def test_exp_inverts_log(spec, rng):
    m = rm2.Manifold(spec)
    p, q = near_pair(m, 6, rng)
    v = m.log(p, q)
    assert v.shape == q.shape == (6,) + m.point_shape
    np.testing.assert_allclose(np.abs(m.exp(p, v)), np.abs(q), **CLOSE)  # rotations: either sign
    assert m.belongs(q).all()


@pytest.mark.parametrize("spec", SPECS)
def test_dist_is_the_length_of_log(spec, rng):
    m = rm2.Manifold(spec)
    p, q = near_pair(m, 6, rng)
    v = m.log(p, q)
    np.testing.assert_allclose(m.dist(p, q), m.norm(p, v), **CLOSE)
    np.testing.assert_allclose(m.dist(p, q), np.linalg.norm(m.log_coords(p, q), axis=-1), **CLOSE)
    np.testing.assert_allclose(m.inner(p, v, v), m.norm(p, v) ** 2, **CLOSE)


@pytest.mark.parametrize("spec", SPECS)
def test_transport_keeps_inner_products(spec, rng):
    m = rm2.Manifold(spec)
    p, q = near_pair(m, 4, rng)
    v = m.log(p, q)
    z = m.from_coords(p, rng.standard_normal((4, m.dim)))
    moved, end = m.parallel_transport(p, direction=v, vector=z), m.exp(p, v)
    np.testing.assert_allclose(m.inner(end, moved, moved), m.inner(p, z, z), **CLOSE)
    with pytest.raises(TypeError):
        m.parallel_transport(p, v, z)


@pytest.mark.parametrize("spec", SPECS)
def test_dexp_is_the_derivative_of_exp(spec, rng):
    m = rm2.Manifold(spec)
    p = m.random(seed=3)
    v, w = (m.from_coords(p, 0.3 * rng.standard_normal(m.dim)) for _ in range(2))
    h = 1e-6  # central differences: error h^2 next to rounding 1e-16 / h
    difference = (m.exp(p, v + h * w) - m.exp(p, v - h * w)) / (2 * h)
    np.testing.assert_allclose(m.dexp(p, v, w), difference, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("spec", SPECS)
def test_one_point_is_a_row_of_many(spec, rng):
    m = rm2.Manifold(spec)
    p, q = near_pair(m, 5, rng)
    np.testing.assert_array_equal(m.log(p, q)[2], m.log(p[2], q[2]))
    one = m.log(p[0], q)  # one base point for all
    np.testing.assert_allclose(one[3], m.log(p[0], q[3]), **CLOSE)
    grid = m.dist(p[:, None], q[None])  # broadcast
    assert grid.shape == (5, 5)
    np.testing.assert_allclose(grid[1, 2], m.dist(p[1], q[2]), **CLOSE)
    assert isinstance(m.dist(p[0], q[0]), float)


@pytest.mark.parametrize("spec", SPECS)
def test_mean_has_no_gradient(spec, rng):
    m = rm2.Manifold(spec)
    p = m.random(seed=2)
    points = m.exp(p, m.from_coords(p, 0.2 * rng.standard_normal((20, m.dim))))
    mean = m.mean(points)
    np.testing.assert_allclose(m.log_coords(mean, points).mean(axis=0), 0, atol=1e-12)
    np.testing.assert_array_equal(m.mean(points[:1], weights=[2.0]).shape, m.point_shape)


def test_project_and_belongs():
    m = rm2.Manifold("R2 x S2")
    x = np.array([0.3, 0.1, 3.0, 0.0, 4.0])
    assert not m.belongs(x)
    np.testing.assert_allclose(m.project(x), [0.3, 0.1, 0.6, 0, 0.8], rtol=1e-15)
    assert m.belongs(m.project(x))
    np.testing.assert_allclose(m.defect(m.project(x)), 0, atol=1e-15)


def test_points_off_the_manifold_are_refused():
    """q and 5 q are one direction, but 5 q is no point of the sphere."""
    S = rm2.Manifold("S2")
    q = np.array([0.0, 0.6, 0.8])
    for call in (
        lambda x: S.dist(q, x),
        lambda x: S.dist(x, q),
        lambda x: S.log(q, x),
        lambda x: S.log_coords(q, x),
        lambda x: S.distances([q, x]),
        lambda x: S.mean([q, x]),
        lambda x: rm2.dtw([q, q], [q, x], manifold=S),
    ):
        call(1.0005 * q)
        with pytest.raises(ValueError, match="point is not on the manifold.*off by 4|factor 1.*not on the manifold"):
            call(5 * q)


def test_spd_points_are_matrices():
    m = rm2.Manifold("SPD3")
    X = m.random(4)
    assert X.shape == (4, 3, 3) and m.point_shape == (3, 3)
    values, vectors = np.linalg.eigh(X[0])
    root = vectors @ np.diag(values**-0.5) @ vectors.T
    expected = np.linalg.norm(np.log(np.linalg.eigvalsh(root @ X[1] @ root)))
    np.testing.assert_allclose(m.dist(X[0], X[1]), expected, rtol=1e-10)


def test_split_and_join():
    m = rm2.Manifold("R2 x SPD2 x S2")
    x = m.random(5)
    parts = m.split(x)
    assert [p.shape for p in parts] == [(5, 2), (5, 2, 2), (5, 3)]
    np.testing.assert_array_equal(m.join(parts), x)


def test_random_is_repeatable():
    m = rm2.Manifold("S3")
    np.testing.assert_array_equal(m.random(3, seed=5), m.random(3, seed=5))
    assert not np.array_equal(m.random(3, seed=5), m.random(3, seed=6))


def test_resample_and_retime():
    m = rm2.Manifold("R2")
    line = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 0.0]])
    np.testing.assert_allclose(m.resample(line, 4)[:, 0], [0, 2 / 3, 5 / 3, 3], atol=1e-12)
    np.testing.assert_allclose(m.retime(line, speed=2.0), [0, 0.5, 1.5], rtol=1e-12)


@pytest.mark.parametrize("orientation", ["S3", "SO3"])
def test_angular_speed_is_that_of_the_rotation(orientation):
    m = rm2.Manifold(f"R3 x {orientation}")
    half = np.array([0, 0.5])  # of a turn by 1 rad about x, while a position moves by 1
    poses = np.column_stack([2 * half, 0 * half, 0 * half, np.cos(half), np.sin(half), 0 * half, 0 * half])
    np.testing.assert_allclose(m.retime(poses, angular=0.4)[-1], 1 / 0.4, rtol=1e-12)
    np.testing.assert_allclose(m.retime(poses, linear=0.2)[-1], 1 / 0.2, rtol=1e-12)
    np.testing.assert_allclose(m.retime(poses, linear=2, angular=0.5)[-1], 1 / 0.5, rtol=1e-12)
    with pytest.raises(TypeError, match="leave it out"):
        m.retime(poses, (1, 1), angular=1)
    with pytest.raises(ValueError, match="angular: expected a positive number"):
        m.retime(poses, angular=0)
    with pytest.raises(ValueError, match="R3 has no factor S3 or SO3"):
        rm2.Manifold("R3").retime(poses[:, :3], angular=1)


def test_metric_of_coordinates(rng):
    m = rm2.Manifold("S2")
    p = m.random()
    c, W, z = rng.standard_normal(2), rng.standard_normal((3, 2)), rng.standard_normal(2)
    v, end = m.from_coords(p, c), m.exp_coords(p, c)
    moved = [m.dexp(p, v, m.from_coords(p, w)) for w in W]
    inner = [[m.inner(end, a, m.dexp(p, v, m.from_coords(p, e))) for e in np.eye(2)] for a in moved]
    np.testing.assert_allclose(m.metric(c, W), inner, rtol=1e-9)  # G w in coordinates, by its definition
    h = 1e-6
    difference = (m.metric(c + h * z, W) - m.metric(c - h * z, W)) / (2 * h)
    np.testing.assert_allclose(m.metric(c, W, z), difference, rtol=1e-6, atol=1e-8)
    assert m.metric(np.stack([c, c]), np.stack([W, W])).shape == (2, 3, 2)


def test_selftest():
    assert all(passed for _, _, passed in rm2.Manifold("R2 x SPD2").selftest().values())


def test_kernel_is_positive_definite():
    m = rm2.Manifold("R2 x S2")
    x = m.random(8)
    K = m.kernel(x, lengthscale=[0.5, 1.0])
    assert np.linalg.eigvalsh(K).min() > 0
    np.testing.assert_allclose(np.diag(K), 1)
    np.testing.assert_allclose(m.kernel(x[:3], x, lengthscale=[0.5, 1.0]), K[:3], rtol=1e-12)
    R = rm2.Manifold("R2")
    d = np.linalg.norm(x[0, :2] - x[1, :2])
    np.testing.assert_allclose(R.kernel(x[:1, :2], x[1:2, :2], lengthscale=0.5)[0, 0], np.exp(-(d**2) / 0.5))


def test_results_in_arrays_of_ones_own(rng):
    m = rm2.Manifold("S2")
    p, q = m.random(2)
    out = np.empty((4, 3))
    points = m.random(4)
    assert m.log(p, points, out) is out
    np.testing.assert_array_equal(out, m.log(p, points))
    assert m.exp(p, out.copy(), out=out) is out
    frozen = np.empty((4, 3))
    frozen.flags.writeable = False
    for bad in (np.empty((4, 2)), np.empty((4, 3), np.float32), frozen, np.empty((3, 4)).T, [0] * 12):
        with pytest.raises((ValueError, TypeError)):
            m.log(p, points, bad)


def test_equality_and_pickle():
    m = rm2.Manifold("R3 x S3")
    assert m == rm2.Manifold(m) == pickle.loads(pickle.dumps(m)) and hash(m) == hash(rm2.Manifold("R3 x S3"))
    assert m != rm2.Manifold("S3 x R3")
    assert [f.name for f in m.factors] == ["R", "S"] and m.dim == 6 and m.ambient == 7


def test_cut_locus():
    m = rm2.Manifold("S2")
    with pytest.raises(rm2.CutLocusError, match="cut locus"):
        m.log([1.0, 0, 0], [-1.0, 0, 0])
    assert issubclass(rm2.CutLocusError, ValueError)


@pytest.mark.parametrize("spec", ["", "Q3", "S0", "R3 x", "SPD9999", "R"])
def test_bad_spec(spec):
    with pytest.raises(ValueError):
        rm2.Manifold(spec)


def test_resample_by_length():
    corner = np.array([[0, 0], [0.5, 0], [3, 0], [3, 0], [3, 1.0]])
    np.testing.assert_allclose(
        rm2.Manifold("R2").resample(corner, 5, by_length=True), [[0, 0], [1, 0], [2, 0], [3, 0], [3, 1]], atol=1e-15
    )
