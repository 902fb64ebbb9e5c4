"""Latent spaces against definitions and closed forms."""

import gc
import warnings
import weakref

import numpy as np
import pytest

import riemann2 as rm2


def test_geodesic(model):
    Z = model.latents_
    path = model.geodesic(Z[0], Z[-1])
    assert path.converged and len(path) == 200
    np.testing.assert_array_equal(path.latent[0], Z[0])
    np.testing.assert_array_equal(path.latent[-1], Z[-1])
    assert path.length <= path.straight_length
    # constant speed: |dx/dt| = length at every node, up to the relative error of the velocity
    G = model.space().metric(path.latent, exact=False)
    speed = np.sqrt(np.einsum("ni,nij,nj->n", path.velocity, G, path.velocity))
    np.testing.assert_allclose(speed, path.length, rtol=1e-3)
    np.testing.assert_allclose(path.exact_length, path.length, rtol=1e-2)
    assert model.manifold_.belongs(path.points).all() and path.std.shape == (200,)
    np.testing.assert_array_equal(path.points, model.inverse_transform(path.latent))
    assert model.geodesic(Z[0], Z[-1], nodes=11, stage="spline").latent.shape == (11, 2)


def test_via_points(model):
    Z = model.latents_
    path = model.geodesic(Z[0], Z[-1], via=[Z[30]])
    a, b = model.geodesic(Z[0], Z[30]), model.geodesic(Z[30], Z[-1])
    np.testing.assert_allclose(path.length, a.length + b.length, rtol=1e-4)
    assert np.linalg.norm(path.latent - Z[30], axis=1).min() < 0.1


def test_several_pairs(model):
    Z = model.latents_
    paths = model.geodesics(Z[:3], Z[20:23])
    for k, path in enumerate(paths):
        np.testing.assert_allclose(path.length, model.geodesic(Z[k], Z[20 + k]).length, rtol=1e-6)
    D = model.distances(Z[[0, 20, 40]])
    np.testing.assert_allclose(D, D.T)
    np.testing.assert_allclose(D[0, 1], model.geodesic(Z[0], Z[20]).length, rtol=1e-6)


def test_obstacles(model):
    Z = model.latents_
    free = model.geodesic(Z[0], Z[-1])
    sphere = rm2.Sphere(free.points[100, :2], 0.15)
    round_ = model.geodesic(Z[0], Z[-1], obstacles=[sphere], clearance=0.02)
    gap = np.linalg.norm(round_.points[:, :2] - sphere.centre, axis=1).min() - sphere.radius
    assert 0.02 <= round_.clearance <= gap and not round_.blocked
    assert free.clearance == np.inf and not free.blocked
    text = "sphere {!r} {!r} 0.15".format(*map(float, sphere.centre))
    for same in (sphere, text, [text]):
        assert model.geodesic(Z[0], Z[-1], obstacles=same, clearance=0.02).length == round_.length
    for other in (rm2.Capsule(sphere.centre, sphere.centre + 0.01, 0.05), rm2.HalfSpace([0, -9], [0, 1]),
                  rm2.Box(sphere.centre - 0.05, sphere.centre + 0.05)):
        path = model.geodesic(Z[0], Z[-1], obstacles=[other])
        assert path.clearance >= 0


def test_no_way_around_is_said(model):
    Z = model.latents_
    middle = model.geodesic(Z[0], Z[-1]).points[100, 0]
    wall = rm2.Box([middle - 0.05, -99], [middle + 0.05, 99])
    with pytest.warns(RuntimeWarning, match="no way around the obstacles within the data"):
        path = model.geodesic(Z[0], Z[-1], obstacles=wall)
    assert path.blocked and path.clearance < 0 and "blocked" in repr(path)
    with pytest.raises(TypeError, match="expected Sphere, Box"):
        model.geodesic(Z[0], Z[-1], obstacles=[3])
    with pytest.raises(ValueError, match="unknown shape 'ball'"):
        model.geodesic(Z[0], Z[-1], obstacles="ball 1 2 3")


def test_discouraged(model):
    Z = model.latents_
    free = model.geodesic(Z[0], Z[-1])
    place = rm2.Discouraged(free.points[100, :2], 0.15)
    round_ = model.geodesic(Z[0], Z[-1], discourage=[place])
    gap = np.linalg.norm(round_.points[:, :2] - place.centre, axis=1).min()
    assert gap > np.linalg.norm(free.points[:, :2] - place.centre, axis=1).min() + 0.05
    assert model.geodesic(Z[0], Z[-1], discourage=place).length == round_.length


@pytest.mark.filterwarnings("ignore:the geodesic did not converge")
def test_cost_of_a_function_is_that_of_discouraged_places(model):
    Z = model.latents_
    centre, radius, height = np.array([0.2, -1.0]), 0.3, 10.0

    def cost(y):
        d = y[:2] - centre
        bump = height * np.exp(-(d @ d) / (2 * radius**2))
        gradient = np.zeros(5)
        gradient[:2] = -bump * d / radius**2
        return 1 + bump, gradient

    settings = {"grid_points": 12, "stage": "spline", "nodes": 20}
    own = rm2.Space(model, cost=cost, cost_factor=None, **settings).geodesic(Z[0], Z[-1])
    made = rm2.Space(model, discourage=[(centre, radius, height)], **settings)
    assert made.metric(Z[3]).shape == (2, 2)
    own_metric = rm2.Space(model, cost=cost, cost_factor=0, **settings).metric(Z[:5])
    np.testing.assert_allclose(own_metric.shape, (5, 2, 2))
    assert np.isfinite(own.length)


def test_exception_of_a_function(model):
    def cost(y):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        rm2.Space(model, cost=cost)
    with pytest.raises(ValueError, match="expected 1 numbers"):
        rm2.Space(model, cost=lambda y: (np.ones(2), np.zeros(5)))
    with pytest.raises(TypeError, match="callable"):
        rm2.Space(model, cost=3)


def test_exp_and_log_are_inverse(model):
    Z = model.latents_
    v = model.log(Z[0], Z[1])
    np.testing.assert_allclose(model.exp(Z[0], v), Z[1], atol=1e-4)
    path = model.exp(Z[0], v, nodes=5)
    np.testing.assert_array_equal(path[0], Z[0])
    np.testing.assert_allclose(path[-1], Z[1], atol=1e-4)


def test_metric_and_magnification(model):
    Z = model.latents_[:4]
    G, dG = model.metric(Z, return_derivative=True)
    np.testing.assert_allclose(model.magnification(Z), 0.5 * np.linalg.slogdet(G)[1], rtol=1e-10)
    h = 1e-5  # central differences: error of order h^2 of third derivatives, relative to lengthscale 0.2
    for t in range(2):
        step = h * np.eye(2)[t]
        difference = (model.metric(Z + step) - model.metric(Z - step)) / (2 * h)
        np.testing.assert_allclose(dG[:, t], difference, rtol=1e-4, atol=1e-4 * np.abs(dG).max())
    assert model.metric(Z[0]).shape == (2, 2) and np.ndim(model.magnification(Z[0])) == 0
    assert model.magnification(Z.reshape(2, 2, 2)).shape == (2, 2)
    mean, deviation = model.space(roadmap="line").spread(Z)
    assert (mean > 0).all() and (deviation > 0).all()


def test_mean(model):
    Z = model.latents_[[0, 20, 40]]
    space = model.space()
    found = space.mean(Z, return_info=True)
    np.testing.assert_array_equal(found.point, model.mean(Z))
    near = found.point + 0.02 * np.array([[0, 0], [1, 0], [-1, 0]])
    cost = [sum(space.geodesic(p, z).length ** 2 for z in Z) for p in near]
    assert cost[0] <= min(cost[1:])
    one = model.mean(Z, weights=[1, 0, 0])
    np.testing.assert_allclose(one, Z[0], atol=1e-3)


def test_medoids_by_brute_force(rng):
    x = rng.standard_normal((7, 2))
    D = np.linalg.norm(x[:, None] - x, axis=-1)
    best = min(((D[:, [a, b]].min(axis=1).sum(), (a, b)) for a in range(7) for b in range(a)), key=lambda t: t[0])
    found = rm2.medoids(D, 2)
    np.testing.assert_allclose(found.cost, best[0], rtol=1e-12)
    np.testing.assert_allclose(D[np.arange(7), found.indices[found.clusters]], D[:, found.indices].min(axis=1))


def test_medoids_of_a_model(model):
    assert len(model.medoids(model.latents_[::10], 2).indices) == 2


def test_lengths(model):
    space = model.space(roadmap="line")
    Z = model.latents_[[0, 10, 20]]
    np.testing.assert_allclose(space.straight_length(Z), sum(space.straight_length(Z[k : k + 2]) for k in range(2)))
    fine = np.linspace(Z[0], Z[1], 400)
    np.testing.assert_allclose(space.length(fine), space.straight_length(Z[:2]), rtol=1e-4)
    np.testing.assert_allclose(space.energy(fine), space.length(fine) ** 2, rtol=0.5)
    expected, error = space.expected_length(fine[::40], samples=50)
    assert expected > 0 and error > 0


def test_spaces_with_own_metrics():
    sphere = rm2.Space.from_metric("sphere_latlon", 2)
    a, b = np.array([0.2, 0.1]), np.array([0.7, 1.3])
    xyz = [np.array([np.cos(u) * np.cos(w), np.cos(u) * np.sin(w), np.sin(u)]) for u, w in (a, b)]
    angle = np.arccos(xyz[0] @ xyz[1])
    np.testing.assert_allclose(sphere.geodesic(a, b).length, angle, rtol=1e-7)

    def metric(x):
        G = np.diag([1.0, np.cos(x[0]) ** 2])
        dG = np.zeros((2, 2, 2))
        dG[0, 1, 1] = -2 * np.cos(x[0]) * np.sin(x[0])
        return G, dG

    own = rm2.Space.from_metric(metric, 2)
    np.testing.assert_allclose(own.geodesic(a, b).length, angle, rtol=1e-7)
    np.testing.assert_array_equal(own.metric(a), metric(a)[0])
    with pytest.raises(ValueError, match="no model"):
        own.geodesic(a, b).points
    with pytest.raises(ValueError):
        rm2.Space.from_metric("nothing", 2)


def test_path_timing(pose_model):
    Z = pose_model.latents_
    path = pose_model.geodesic(Z[0], Z[-1], nodes=60)
    t = path.time(speed=(0.2, 0.4), acceleration=(1, 2))
    assert t[0] == 0 and (np.diff(t) >= 0).all()
    R, S = rm2.Manifold("R3"), rm2.Manifold("S3")
    h = np.diff(t)
    for m, part, limit in ((R, slice(0, 3), 0.2), (S, slice(3, 7), 0.4)):
        step = m.dist(path.points[:-1, part], path.points[1:, part])
        assert (step <= limit * h * (1 + 1e-9)).all()
    np.testing.assert_array_equal(path.time(linear=0.2, angular=0.8, acceleration=(1, 2)), t)
    with pytest.raises(ValueError, match="speed"):
        path.time(speed=(1,))


def test_messages_count_nodes_from_1(pose_model):
    report = pose_model.geodesic(*pose_model.latents_[[0, -1]]).report(spread_limit=1e-9)
    assert report.reasons["outside"].startswith(f"node {report.farthest + 1} of {report.nodes} ")


def test_settings_of_spaces(model):
    space = model.space(nodes=20, contrast="none")
    assert space.settings["nodes"] == "20" and "contrast" in space.settings and space.dim == 2
    assert "metric" in repr(space) and space.weight == 1
    with pytest.raises(TypeError, match="did you mean 'nodes'"):
        model.geodesic([0, 0], [1, 1], node=3)
    with pytest.raises(ValueError):
        model.geodesic([0, 0], [1, 1], stage="nothing")


def test_other_settings_of_geodesics(model):
    Z = model.latents_
    space = model.space()
    quick = space.with_settings(stage="path", nodes=30)
    path = quick.geodesic(Z[0], Z[-1])
    assert len(path) == 30 and path.stage == "path" and path.length >= space.geodesic(Z[0], Z[-1]).length
    np.testing.assert_array_equal(path.latent, model.geodesic(Z[0], Z[-1], stage="path", nodes=30).latent)
    with pytest.raises(TypeError, match="contrast"):
        space.with_settings(contrast=3)


def test_latent_points_are_checked(model):
    Z = model.latents_
    for bad in ([0.0], [0.0, 0, 0], [[0.0, 0]], 3.0):
        with pytest.raises(ValueError, match="shape"):
            model.geodesic(Z[0], bad)
    with pytest.raises(ValueError):
        model.geodesic(Z[0], [np.nan, 0])
    with pytest.raises(ValueError, match="discourage"):
        model.geodesic(Z[0], Z[1], discourage=[rm2.Discouraged((0, 0, 0), 0.1)])
    with pytest.raises(ValueError, match="radius"):
        model.geodesic(Z[0], Z[1], discourage=[rm2.Discouraged((0, 0), -1)])
    with pytest.raises(ValueError, match="expected 3 numbers in 2 dimensions"):
        model.geodesic(Z[0], Z[1], obstacles=[rm2.Sphere((0, 0, 0), 0.1)])
    with pytest.raises(ValueError, match="radius"):
        model.geodesic(Z[0], Z[1], obstacles=[rm2.Sphere((0, 0), -1)])


def test_spaces_outlive_their_models(toy):
    model = rm2.WGPLVM("R2 x S2", max_iterations=5).fit(toy)
    gone = weakref.ref(model)
    Z, handle = model.latents_.copy(), model.space()._handle
    space = rm2.Space._wrap(handle, None)
    del model
    gc.disable()
    try:
        assert gone() is None  # a kept space makes no cycle
    finally:
        gc.enable()
    assert space.geodesic(Z[0], Z[1]).length > 0


@pytest.fixture(scope="module")
def smooth():
    """A model with enough points of each demonstration for good paths."""
    return rm2.WGPLVM("R2 x S2").fit(rm2.generate("toy", trajectories=3, points=60))


def test_over_spread(smooth):
    Z = smooth.latents_
    with warnings.catch_warnings():
        warnings.simplefilter("error", rm2.OutsideWarning)
        path = smooth.geodesic(Z[0], Z[-1])
    assert path.over_spread.shape == (200,) and not path.outside
    assert path.over_spread.max() < smooth.spread_limit_ == 1.5
    # by points alone, not segments, distances are larger by at most half a step; Euclidean factors are scaled
    Y = smooth.data_.points
    scale = np.array([np.sqrt(Y[:, :2].var(axis=0).mean())] * 2 + [1] * 3)
    m, steps = rm2.Manifold("R2 x S2"), []
    for k, y in enumerate(path.points[::20]):
        d = m.dist(np.tile(y / scale, (len(Y), 1)), Y / scale)
        i = int(np.argmin(d))
        near = Y[max(i - 1, 0):i + 2] / scale
        step = m.dist(near[:-1], near[1:]).max()
        got = path.over_spread[20 * k] * smooth.spread_
        assert got <= d.min() + 1e-9 and d.min() <= got + step / 2 + 1e-9
        steps.append(step)
    assert np.nanmax(smooth.over_spread(Y)) < 1e-9  # a demonstration is on itself
    assert max(steps) < smooth.spread_  # the bound above says something


def test_outside_warning(smooth):
    Z = smooth.latents_
    with pytest.warns(rm2.OutsideWarning, match="spreads from the nearest training data"):
        path = smooth.geodesic([9.0, 9.0], Z[3], stage="path")
    assert path.outside
    with pytest.warns(rm2.OutsideWarning, match="samples leave the training data"):
        smooth.sample(np.array([[9.0, 9.0], [9.1, 9.2], [8.8, 9.0]]), count=4)
    with pytest.warns(rm2.OutsideWarning, match="unlike the training data"):
        _, info = smooth.transform(np.array([[40.0, 40, 0, 0, 1]]), return_info=True)
    assert info["over_spread"][0] > 1.5
    with pytest.raises(ValueError, match="expected an array of shape"):
        smooth.over_spread(np.zeros((3, 4)))


def test_spread_is_unknown_for_one_demonstration():
    one = rm2.WGPLVM("R2").fit(np.stack([np.linspace(0, 1, 20), np.linspace(0, 1, 20) ** 2], 1), groups=[0] * 20)
    assert np.isnan(one.spread_) and np.isnan(one.over_spread(np.zeros((2, 2)))).all()
    assert not one.geodesic(one.latents_[0], one.latents_[-1]).outside
