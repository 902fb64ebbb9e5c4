"""Planners: paths around obstacles that move."""

import numpy as np
import pytest
import riemann2 as rm2


def gap(plan, sphere):
    return np.linalg.norm(plan.positions - sphere.centre, axis=1).min() - sphere.radius


def test_moving_sphere(model):
    space = model.space()
    planner, Z = space.planner(), model.latents_
    free = planner.update(Z[0], Z[-1])
    assert free.state == "found" and free.clearance == np.inf and free.refined and free.complete
    assert free.latent.shape == (48, 2) and free.positions.shape == (48, 2)
    np.testing.assert_allclose(free.positions, model.inverse_transform(free.latent)[:, :2], atol=1e-9)
    found = 0
    for t in np.linspace(-0.3, 0.3, 13):
        sphere = rm2.Sphere(free.positions[24] + (t, 0.0), 0.1)
        plan = planner.update(Z[0], Z[-1], [sphere], clearance=0.02, seconds=10.0)
        assert plan.seconds > 0
        if plan.state == "found":
            found += 1
            assert plan.clearance >= 0.02 and gap(plan, sphere) == pytest.approx(plan.clearance, abs=1e-9)
            np.testing.assert_array_equal(plan.latent[[0, -1]], Z[[0, -1]])
            assert plan.length == pytest.approx(space.length(plan.latent), rel=0.1)
        else:
            assert len(plan.latent) == 0
    assert found >= 6
    planner.forget()
    assert not planner.update(Z[0], Z[-1]).kept


def test_states_and_errors(model):
    Z = model.latents_
    planner = model.space(grid_points=25).planner(nodes=16, gain=0.05, deviations=0.0)
    start, goal = model.inverse_transform(Z[[0, -1]])[:, :2]
    assert planner.update(Z[0], Z[-1], rm2.Sphere(start, 0.1)).state == "start blocked"
    assert planner.update(Z[0], Z[-1], rm2.Sphere(goal, 0.1)).state == "goal blocked"
    assert planner.update(Z[0], Z[-1], "sphere 90 90 1", seconds=1e-9).state == "late"
    assert "Planner" in repr(planner)
    with pytest.raises(ValueError, match="query.to: coordinate 0 is 1000"):
        planner.update(Z[0], [1000.0, 0.0])
    with pytest.raises(ValueError, match="query.clearance is -1"):
        planner.update(Z[0], Z[-1], clearance=-1)
    with pytest.raises(ValueError, match="start: expected an array of shape"):
        planner.update(Z[0, :1], Z[-1])
    with pytest.raises(ValueError, match="settings.nodes is \"3\", expected a whole number from 8"):
        model.space().planner(nodes=3)
    with pytest.raises(TypeError):
        rm2.Planner(model.space(), what=1)
    with pytest.raises((ValueError, NotImplementedError), match="needs a space with a grid"):
        model.space(roadmap="graph").planner()
