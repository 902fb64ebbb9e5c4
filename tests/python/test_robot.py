"""Robot arms against closed forms and differences."""

import numpy as np
import pytest

import riemann2 as rm2


def test_planar_arm(rng):
    arm = rm2.Arm("planar:1,0.5")
    q = rng.standard_normal((6, 2))
    angle = q.sum(axis=1)
    x = np.cos(q[:, 0]) + 0.5 * np.cos(angle)
    y = np.sin(q[:, 0]) + 0.5 * np.sin(angle)
    pose = arm.pose(q)
    np.testing.assert_allclose(pose[:, :3], np.stack([x, y, 0 * x], axis=1), atol=1e-14)
    assert arm.skeleton(q).shape == (6, arm.links + 1, 3)
    np.testing.assert_allclose(arm.skeleton(q)[:, -1], pose[:, :3], atol=1e-14)
    assert arm.reach == pytest.approx(1.5)


def test_jacobian_by_differences(rng):
    arm = rm2.Arm("panda")
    q = (arm.lower + arm.upper) / 2 + 0.1 * rng.standard_normal(7)
    J, h = arm.jacobian(q), 1e-6
    for k in range(7):
        step = h * np.eye(7)[k]
        difference = (arm.pose(q + step)[:3] - arm.pose(q - step)[:3]) / (2 * h)
        np.testing.assert_allclose(J[:3, k], difference, atol=1e-8)
    np.testing.assert_allclose(arm.manipulability(q), J[:3] @ J[:3].T, atol=1e-14)
    dM = arm.manipulability_derivative(q, dim=2)
    step = h * np.eye(7)[3]
    difference = (arm.manipulability(q + step, 2) - arm.manipulability(q - step, 2)) / (2 * h)
    np.testing.assert_allclose(dM[3], difference, atol=1e-8)


def test_solve_and_track(rng):
    arm = rm2.Arm("panda")
    middle = (arm.lower + arm.upper) / 2
    q = middle + np.linspace(0, 0.4, 8)[:, None] * rng.standard_normal(7)
    targets = arm.pose(q)
    found = arm.track(targets, "R3 x S3", start=q[0], time=np.arange(8.0))
    assert not found.missed.any() and found.q.shape == (8, 7) and found.margin > 0
    np.testing.assert_allclose(arm.pose(found.q)[:, :3], targets[:, :3], atol=1e-6)
    one = arm.solve(targets[3], "R3 x S3", seed=1)
    np.testing.assert_allclose(arm.pose(one.q[0])[:3], targets[3, :3], atol=1e-6)
    far = arm.solve([9.0, 0, 0], "R3")
    assert far.missed[0] and far.position_error[0] > 1


def test_place():
    arm = rm2.Arm("planar:1,1")
    x = np.array([[5.0, 5.0], [6.0, 5.0]])
    placement, found = arm.find_place(x, "R2")
    moved = arm.place(x, "R2", placement)
    assert found and not arm.track(moved, "R2").missed.any()
    np.testing.assert_array_equal(arm.place(x, "R2"), x)


def test_arms_of_ones_own(tmp_path):
    links = [[0, 0, 0, 0, -3, 3, np.inf], [1, 0, 0, 0, -3, 3, np.inf], [1, 0, 0, 0, 0, 0, np.inf]]
    arm = rm2.Arm(links, name="mine")
    assert arm.joints == 2 and arm.name == "mine"
    np.testing.assert_allclose(arm.pose([0, 0])[:3], [2, 0, 0], atol=1e-15)
    for bad in ([[1, 2]], "nothing.csv", np.zeros((100, 7))):
        with pytest.raises((ValueError, OSError)):
            rm2.Arm(bad)


def test_links_avoid_obstacles():
    arm = rm2.Arm("planar:1,1,1", link_radius=0.05)
    assert arm.link_names == ["link1", "link2", "link3"]
    np.testing.assert_array_equal(arm.link_radius, 0.05)
    targets = np.stack([np.linspace(1.6, 1.9, 20), np.full(20, 0.3)], axis=1)
    naive = arm.track(targets, "R2")
    assert naive.clearance is None
    elbow = arm.skeleton(naive.q[10])[2, :2]
    ball = rm2.Sphere(elbow, 0.2)
    assert not arm.clearance(naive.q, [ball], clearance=0.02, dim=2).kept
    found = arm.track(targets, "R2", obstacles=[ball], clearance=0.02)
    near = found.clearance
    assert not found.missed.any() and near.kept and near.region == 0 and near.region_link in arm.link_names
    # dots on all links, at configurations between those of the motion too
    q = np.concatenate([(1 - t) * found.q[:-1] + t * found.q[1:] for t in np.linspace(0, 1, 5)])
    ends = arm.skeleton(q)[:, 1:, :2]
    dots = np.concatenate([(1 - t) * ends[:, :-1] + t * ends[:, 1:] for t in np.linspace(0, 1, 21)])
    brute = np.linalg.norm(dots - elbow, axis=-1).min() - 0.2 - 0.05
    assert 0.02 <= near.region_distance <= brute + 1e-12
    assert near.region_distances.shape == (20,) and near.region_distances.min() >= near.region_distance
    two = rm2.Arm("planar:1,1", link_radius=[0.05, 0.04])
    both = [rm2.Sphere((0.7, 0.7), 0.1), rm2.Sphere((0.7, -0.7), 0.1)]
    with pytest.warns(RuntimeWarning, match="nearer than they may"):
        two.track([[1.4, 0.0]], "R2", obstacles=both)
    folded = rm2.Arm("planar:1,1,1", link_radius=0.1).clearance([[0, np.pi / 2, np.pi / 2]])
    assert folded.self_distance == pytest.approx(0.8, abs=1e-8) and set(folded.self_links) == {"link1", "link3"}
    with pytest.raises(ValueError):
        rm2.Arm("planar:1,1", link_radius=[1, 2, 3])


def test_velocities():
    arm = rm2.Arm([[0, 0, 0, 0, -3, 3, 1], [1, 0, 0, 0, 0, 0, 1]])
    time = np.linspace(0, 1, 101)
    v, stretch = arm.velocities(np.sin(time)[:, None], time)
    np.testing.assert_allclose(v[1:-1, 0], np.cos(time[1:-1]), atol=1e-3)
    assert v[0, 0] == v[-1, 0] == 0 and 1.3 < stretch < 1.4  # from rest to full speed in one step
    with pytest.raises(ValueError):
        arm.velocities(np.zeros((3, 1)), [0, 1, 1])


def test_causes_of_misses():
    arm = rm2.Arm([[0, 0, 0, 0, -1, 1, 1], [1, 0, 0, 0, -1, 1, 1], [1, 0, 0, 0, 0, 0, 1]])
    assert arm.joint_names == ["joint1", "joint2"]
    with pytest.warns(RuntimeWarning, match="1 of 2 points were missed, target 2 most: by 3; the nearest configurations were "
                                            "taken; at target 2 it is beyond the arm's reach; move or shrink the path"):
        arm.track([[1.7, 0.5], [5.0, 0.0]], "R2")
    with pytest.warns(RuntimeWarning):
        found = arm.track([[5.0, 0.0]], "R2")
    assert (found.cause, found.cause_target, found.cause_joint) == ("reach", 0, None)
    with pytest.warns(RuntimeWarning, match=r"joint \d \(joint\d\) is at its limit -?1, only postures beyond"):
        found = arm.track([[-1.0, 0.2]], "R2")
    assert found.cause == "limit" and abs(found.cause_limit) == 1 and found.cause_joint in (0, 1)
    assert arm.track([[1.7, 0.5]], "R2").cause is None


URDF = """<robot name="two"><link name="base"/><link name="upper"/><link name="tip"/>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" velocity="1.5"/></joint>
<joint name="slide" type="prismatic"><parent link="upper"/><child link="tip"/><axis xyz="1 0 0"/>
<limit lower="0.5" upper="1"/></joint></robot>"""


@pytest.mark.skipif(not hasattr(rm2._core, "arm_from_urdf"), reason="built without expat")
def test_urdf(tmp_path):
    path = tmp_path / "two.urdf"
    path.write_text(URDF)
    arm = rm2.Arm(path)
    assert arm.joint_names == ["shoulder", "slide"]
    np.testing.assert_array_equal(arm.upper, [2, 1])
    np.testing.assert_array_equal(arm.speed, [1.5, np.inf])
    np.testing.assert_allclose(arm.pose([0.3, 0.8])[:3], [0.8 * np.cos(0.3), 0.8 * np.sin(0.3), 0], atol=1e-15)
    assert rm2.Arm(path, base="upper").joints == 1
    with pytest.raises(ValueError, match='tip "hand" is not a link'):
        rm2.Arm(path, tip="hand")
    with pytest.raises(ValueError, match="base and tip"):
        rm2.Arm("panda", tip="hand")


def test_unknown_arms_are_told_the_nearest():
    with pytest.raises(ValueError, match=r'unknown arm "panada" \(did you mean panda\?\); .*URDF files'):
        rm2.Arm("panada")
