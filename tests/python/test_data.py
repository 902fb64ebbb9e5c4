"""Data sets: from arrays, files and the generator."""

import pickle

import numpy as np
import pytest

import riemann2 as rm2


def test_arrays_with_groups_labels_time(rng):
    m = rm2.Manifold("R2 x S2")
    x = m.random(6)
    data = rm2.Data(x, m, groups=["a", "a", "b", "b", "b", "c"], labels=list("uvuvuv"), time=[0, 1, 0, 1, 2, 0])
    assert len(data) == 6 and data.ids == ["a", "b", "c"]
    np.testing.assert_array_equal(data.groups, [0, 0, 1, 1, 1, 2])
    np.testing.assert_array_equal(data.starts, [0, 2, 5, 6])
    np.testing.assert_array_equal(data.labels, [0, 1, 0, 1, 0, 1])
    assert data.label_names == ["u", "v"]
    np.testing.assert_array_equal(data.time, [0, 1, 0, 1, 2, 0])
    np.testing.assert_allclose(data.points, x, rtol=1e-15)
    assert [len(t) for t in data.trajectories] == [2, 3, 1]
    assert "6 points on R2 x S2, 3 trajectories" in repr(data)


def test_integer_groups():
    data = rm2.Data(np.eye(3), "R3", groups=np.array([4, 4, 7]))
    assert data.ids == ["4", "7"]


def test_points_are_read_only():
    data = rm2.generate("toy", trajectories=2, points=5)
    with pytest.raises(ValueError, match="read-only"):
        data.points[0] = 0


@pytest.mark.parametrize("ending", ["csv", "tsv", "npz"])
def test_write_and_read(tmp_path, ending):
    data = rm2.generate("robot", trajectories=2, points=8)
    path = tmp_path / f"demos.{ending}"
    data.write(path)
    again = rm2.read(path, manifold="R3 x S3", group="demo", **({"time": "time"} if data.time is not None else {}))
    # both are divided by their scale and multiplied again: one rounding each
    np.testing.assert_allclose(again.points, data.points, rtol=1e-14)
    assert again.ids == data.ids
    with pytest.raises(OSError, match="exists"):
        data.write(path)
    data.write(path, overwrite=True)


def test_holdout_and_thin():
    x = np.arange(20.0).reshape(10, 2)
    data = rm2.Data(x, "R2", groups=[0] * 5 + [1] * 5, holdout="1", thin=3)
    assert data.ids == ["0"] and data.held_out.ids == ["1"] and len(data) == 3


def test_report():
    m = rm2.Manifold("S2")
    x = m.random(5) * (1 + 1e-8)
    data = rm2.Data(x, m, report=True)
    assert data.report["factors"][0]["projected"] == 5
    assert rm2.Data(x, m).report is None


def test_conventions():
    m = rm2.Manifold("SPD3")
    X = m.random(4)
    upper = X[:, np.triu_indices(3)[0], np.triu_indices(3)[1]]
    data = rm2.Data(upper, m, spd_layout="upper")
    np.testing.assert_allclose(data.points, X, rtol=1e-12)
    turns = rm2.Data([[0.0, 0.0, np.pi / 2]], "SO3", orientation="rotvec")
    np.testing.assert_allclose(turns.points[0], [np.sqrt(0.5), 0, 0, np.sqrt(0.5)], atol=1e-15)


@pytest.mark.parametrize("scale", ["none", "all"])
def test_pickle(scale):
    made = rm2.generate("toy", trajectories=2, points=5)
    data = rm2.Data(made.points, "R2 x S2", groups=made.groups, labels=["x"] * 10, scale=scale)
    again = pickle.loads(pickle.dumps(data))
    np.testing.assert_allclose(again.points, data.points, rtol=1e-14)
    assert again.ids == data.ids and again.label_names == ["x"] and again._scale == scale


def test_align():
    data = rm2.generate("robot", trajectories=2, points=6)
    turned = data.points.copy()
    turned[6:, 3:] *= -1
    other = rm2.Data(turned, "R3 x S3", groups=data.groups, align_signs=False)
    np.testing.assert_allclose(other.align(data).points, data.points, rtol=1e-14)


def test_generate():
    for name in ("toy", "robot", "manipulability", "connectome"):
        data = rm2.generate(name, points=10)
        assert data.manifold.belongs(data.points).all()
    a, b = rm2.generate("toy", seed=1), rm2.generate("toy", seed=2)
    assert not np.array_equal(a.points, b.points)
    with pytest.raises(ValueError, match="toy"):
        rm2.generate("nothing")


def test_messages_name_the_point():
    x = np.array([[1.0, 0, 0], [0, 1.0, 0], [0.5, 0, 0]])
    with pytest.raises(ValueError, match="point 2"):
        rm2.Data(x, "S2")
    with pytest.raises(OSError, match="missing.csv"):
        rm2.read("missing.csv", "R2")
    with pytest.raises(TypeError, match="did you mean 'group'"):
        rm2.read("missing.csv", "R2", gruop="demo")


def test_warnings_are_logged(caplog):
    m = rm2.Manifold("S2")
    with caplog.at_level("WARNING", logger="riemann2"):
        rm2.Data(m.random(3) * (1 + 1e-5), m)
    assert any("1e-05" in r.message or "projected" in r.message for r in caplog.records)


def test_matlab_file(tmp_path):
    scipy_io = pytest.importorskip("scipy.io")
    matrices = np.stack([np.diag([2.0 + k, 3.0, 4.0]) + 0.1 for k in range(5)])
    labels = np.array(["old", "young", "old", "young", "old"], dtype=object)
    for name, points in (("first", matrices), ("last", np.moveaxis(matrices, 0, -1))):
        path = tmp_path / f"{name}.mat"
        scipy_io.savemat(path, {"conn": points, "group": labels, "other": np.zeros((2, 7))},
                         do_compression=name == "last")
        try:
            data = rm2.read(path, "SPD3", label="group")
        except ValueError as error:  # a package that was built without libmatio
            assert "libmatio" in str(error)
            return
        assert np.array_equal(data.points, matrices)
        assert [data.label_names[k] for k in data.labels] == list(labels)
        with pytest.raises(ValueError, match=r"no array \"none\" \(the file has: conn \("):
            rm2.read(path, "SPD3", array="none")


def test_foreign_file(tmp_path):
    with pytest.raises(ValueError, match="import numpy, nibabel"):
        rm2.read(tmp_path / "scan.nii.gz", "R3")
