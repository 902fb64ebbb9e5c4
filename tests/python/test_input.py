"""Bad input: a clear exception each, never a crash; arrays of every kind that can be read."""

import inspect
import os
import pathlib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import riemann2 as rm2

try:
    import pandas
except ImportError:
    pandas = None

M = rm2.Manifold("R2 x S2")
P = M.random(4)


# ---- arrays that are the same points -------------------------------------------------------------


def kinds_of(x):
    """The same numbers in other containers and layouts."""
    wide = np.zeros((len(x), 2 * x.shape[1]))
    wide[:, ::2] = x
    locked = x.copy()
    locked.flags.writeable = False
    return {
        "list": x.tolist(),
        "Fortran": np.asfortranarray(x),
        "strided": wide[:, ::2],
        "reversed": x[::-1][::-1],
        "read-only": locked,
        "object": x.astype(object),
        "frame": pandas.DataFrame(x) if pandas else x,
        "masked": np.ma.array(x),
        "swapped bytes": x.astype(">f8"),
        "memory": memoryview(x.copy()),
    }


@pytest.mark.parametrize("kind", list(kinds_of(P)))
def test_arrays_of_every_kind(kind, model):
    same = kinds_of(P)[kind]
    np.testing.assert_array_equal(M.dist(same, P[::-1].copy()), M.dist(P, P[::-1].copy()))
    np.testing.assert_array_equal(rm2.Data(same, M).points, rm2.Data(P, M).points)
    Z = kinds_of(model.latents_[:4].copy())[kind]
    np.testing.assert_array_equal(model.inverse_transform(Z), model.inverse_transform(model.latents_[:4]))


def test_integers_and_small_floats():
    R = rm2.Manifold("R3")
    for dtype in (np.int8, np.uint64, np.float32, np.float16, bool):
        x = np.eye(3).astype(dtype)
        np.testing.assert_array_equal(R.dist(x, x[::-1].copy()), R.dist(np.eye(3), np.eye(3)[::-1].copy()))


def test_arrays_are_used_in_place():
    """No copy of what is already in the right form."""
    from riemann2._arrays import as_doubles

    x = np.ones((3, 2))
    assert as_doubles(x, "x") is x
    assert np.shares_memory(as_doubles(memoryview(x), "x"), x)


def test_input_is_not_changed(model, toy):
    x = toy.points.copy()
    x[:, 2:] *= -1
    before = x.copy()
    rm2.Data(x, "R2 x S2", groups=toy.groups)
    model.transform(x[:3])
    rm2.calibration(model, model.latents_, x)
    np.testing.assert_array_equal(x, before)


# ---- what is refused -----------------------------------------------------------------------------

BAD_ARRAYS = {
    "text": "points",
    "texts": [["a", "b", "c", "d", "e"]],
    "ragged": [[1.0, 2], [1.0]],
    "complex": np.ones((2, 5), complex),
    "dates": np.array(["2020-01-01"] * 5, dtype="datetime64[D]"),
    "masked": np.ma.array(P, mask=P > 0),
    "objects": [[object()] * 5],
    "dict": {"a": 1},
    "none": None,
    "set": {1, 2},
    "scalar": 3.0,
    "empty": np.zeros((0, 5)),
    "narrow": np.zeros((3, 4)),
    "wide": np.zeros((3, 6)),
    "deep": np.zeros((2, 3, 4, 5, 5)),
    "NaN": np.full((3, 5), np.nan),
    "infinite": np.full((3, 5), np.inf),
    "zero": np.zeros((3, 5)),
    "sparse": pytest.importorskip("scipy.sparse").csr_matrix(np.eye(5)),
}


@pytest.mark.parametrize("kind", list(BAD_ARRAYS))
def test_bad_points(kind, model):
    bad = BAD_ARRAYS[kind]
    with pytest.raises((ValueError, TypeError)):
        rm2.Data(bad, M)
    with pytest.raises((ValueError, TypeError)):
        rm2.WGPLVM("R2 x S2").fit(bad)
    if kind != "NaN":  # missing entries
        with pytest.raises((ValueError, TypeError)):
            model.transform(bad)
    if kind not in ("empty", "infinite", "NaN", "zero", "deep"):
        with pytest.raises((ValueError, TypeError)):
            M.log(P[0], bad)


def test_messages_say_what_is_wrong():
    x = P.copy()
    x[2, 4] = np.nan
    with pytest.raises(ValueError, match="point 2"):
        rm2.Data(x, M)
    with pytest.raises(ValueError, match=r"shape \(5,\) on R2 x S2, got an array of shape \(3,\)"):
        M.exp(P[0], np.zeros(3))
    with pytest.raises(ValueError, match="masked"):
        M.dist(P, np.ma.array(P, mask=True))
    with pytest.raises(TypeError, match="sparse"):
        M.dist(P, BAD_ARRAYS["sparse"])


def test_files_that_are_not_models(tmp_path, model):
    for name, content in (("empty.npz", b""), ("text.npz", b"hello\n" * 100), ("cut.npz", model.to_bytes()[:5000])):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises((ValueError, OSError), match=name):
            rm2.load(path)
    with pytest.raises(OSError, match="gone.npz"):
        rm2.load(tmp_path / "gone.npz")
    with pytest.raises((ValueError, OSError)):
        rm2.load(tmp_path)
    with pytest.raises(OSError):
        model.save(tmp_path / "no" / "such" / "folder.npz")


def arrays_of(model, path):
    model.save(path)
    with np.load(path) as arrays:
        return dict(arrays)


def test_model_of_a_newer_version(tmp_path, model):
    path = tmp_path / "newer.npz"
    arrays = arrays_of(model, path)
    arrays["version"] = arrays["version"] + 1
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match="newer.npz has format version 2; this program reads version 1"):
        rm2.load(path)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_models_through_numpy(tmp_path, model, save):
    """NumPy reads all arrays without pickle; a file that it wrote, with arrays of its own, is the same model."""
    path = tmp_path / "model.npz"
    arrays = arrays_of(model, path)
    assert str(arrays["format"]) == "riemann2 model"
    assert np.array_equal(arrays["parameters/latents"], model.latents_)
    assert "latent_dim=%d" % model.latents_.shape[1] in list(arrays["settings"])
    save(path, mine=np.arange(3), pickled=np.array([{}], dtype=object), **arrays)
    assert np.array_equal(rm2.load(path).latents_, model.latents_)
    arrays = {name: x.astype(">f8") if x.dtype == "f8" else x for name, x in arrays.items()}
    save(path, **{name: np.asfortranarray(x) if x.ndim == 2 else x for name, x in arrays.items()})
    assert np.array_equal(rm2.load(path).latents_, model.latents_)
    assert rm2.load(path).to_bytes() == model.to_bytes()


VARIANTS = [dict(), dict(recipe="paper", linear="learned 0.1"), dict(recipe="points"), dict(gpdm_weight=1, noise="per-output"),
            dict(back_constraint=True), dict(inference="inducing", inducing=2), dict(inference="inducing", inducing=2, inducing_free=True)]


@pytest.mark.parametrize("settings", VARIANTS)
def test_every_array_is_documented(tmp_path, settings):
    page = (pathlib.Path(__file__).parents[2] / "docs" / "model-file.md").read_text()
    path, state = tmp_path / "model.npz", tmp_path / "state.npz"
    data = rm2.generate("toy", trajectories=3, points=40)
    checkpoint = {} if settings.get("recipe") == "points" else {"checkpoint": state}
    rm2.WGPLVM("R2 x S2", max_iterations=2, **settings).fit(data, **checkpoint).save(path)
    for file in (path, state):
        if file.exists():
            with np.load(file) as arrays:
                missing = [name for name in arrays.files if f"`{name}`" not in page]
            assert not missing and len(arrays.files) >= 8


def test_broken_pickles(model):
    state = model.__getstate__()
    state["model"] = state["model"][:1000]
    with pytest.raises((ValueError, OSError), match="pickled model"):
        rm2.WGPLVM.__new__(rm2.WGPLVM).__setstate__(state)


def test_deleted_models(toy):
    model = rm2.WGPLVM("R2 x S2", max_iterations=2).fit(toy)
    Z = model.latents_
    data, path = model.data_, model.geodesic(Z[0], Z[1], stage="path")
    del model
    assert len(data.points) == 60 and np.isfinite(Z).all()
    assert path.points.shape == (200, 5)  # a path keeps its model


# ---- generated input -----------------------------------------------------------------------------

shapes = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6)
dtypes = st.sampled_from([np.dtype(t) for t in ("f8", ">f8", "f4", "i4", "u1", "?", "c16", "U3")])


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(x=hnp.arrays(dtypes, shapes), y=hnp.arrays("f8", shapes), transpose=st.booleans())
def test_any_arrays(x, y, transpose):
    """Whatever comes in, the result has the broadcast shape, or it is a ValueError or TypeError."""
    m = rm2.Manifold("R3")
    x = x.T if transpose else x
    try:
        d = m.dist(x, y)
    except (ValueError, TypeError):
        return
    assert np.shape(d) == np.broadcast_shapes(x.shape[:-1], y.shape[:-1])
    expected = np.linalg.norm(x.astype(float) - y, axis=-1)
    finite = np.isfinite(expected)
    np.testing.assert_allclose(np.asarray(d)[finite], expected[finite], rtol=1e-12)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 50), st.sampled_from(["R3", "S2", "SPD2", "H2", "R2 x S2"]), st.integers(0, 2**64 - 1))
def test_any_number_of_points(n, spec, seed):
    m = rm2.Manifold(spec)
    x = m.random(n, seed=seed)
    assert x.shape == (n,) + m.point_shape and m.belongs(x).all()
    assert m.dist(x, x).shape == (n,)
    assert m.log(x, x).shape == x.shape


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(Z=hnp.arrays("f8", st.tuples(st.integers(0, 5), st.integers(0, 3)), elements=st.floats(allow_nan=True)))
def test_any_latents(Z):
    model = _small_model()
    for call in (model.inverse_transform, model.metric, model.magnification):
        try:
            result = call(Z)
        except (ValueError, rm2.NumericalError):
            continue
        assert len(result) == len(Z)


_models = []


def _small_model():
    if not _models:
        _models.append(rm2.WGPLVM("R2 x S2", max_iterations=3).fit(rm2.generate("toy", trajectories=2, points=8)))
    return _models[0]


# ---- every public function with arguments of the wrong kind --------------------------------------

JUNK = [None, True, -1, 0, 3, 2**70, -(2**70), 1e300, float("nan"), "", "R3", "\0", "x" * 5000, b"R3", [], [1], {}, (),
        object(), np.zeros(0), np.zeros(3), np.zeros((2, 2)), np.array("a"), lambda: 1, rm2.Manifold("S2"), Ellipsis,
        [[1.0, 2.0], [3.0]], np.inf]
ALLOWED = (TypeError, ValueError, OSError, OverflowError, MemoryError, rm2.NumericalError, NotImplementedError)
SKIP = {"show_config", "set_threads", "set_progress", "set_logger", "set_blas_threads"}


def public_calls():
    """Every function, class and method of the package, with the objects to call them on."""
    model = _small_model()
    Z = model.latents_
    objects = [M, model, model.data_, model.space(), model.space().planner(), model.geodesic(Z[0], Z[1], stage="path"), rm2.Arm("planar:1,1"),
               rm2.Figure(), rm2.Figure().panel(), rm2.WGPLVM("R2")]
    calls = [(name, getattr(rm2, name)) for name in rm2.__all__ if callable(getattr(rm2, name))]
    for thing in objects:
        for name, method in inspect.getmembers(thing, callable):
            if not name.startswith("_"):
                calls.append((f"{type(thing).__name__}.{name}", method))
    return [(name, call) for name, call in calls if name.split(".")[-1] not in SKIP]


@pytest.mark.filterwarnings("ignore")
def test_wrong_types_everywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some junk is a valid name of a file
    rng = np.random.default_rng(int(os.environ.get("RM2_FUZZ_SEED", "0")))
    rounds = int(os.environ.get("RM2_FUZZ_ROUNDS", "25"))
    calls = public_calls()
    assert len(calls) > 100
    for name, call in calls:
        for _ in range(rounds):
            arguments = [JUNK[k] for k in rng.integers(len(JUNK), size=rng.integers(0, 4))]
            try:
                call(*arguments)
            except ALLOWED:
                pass
            except Exception as error:
                raise AssertionError(f"{name}{tuple(map(repr, arguments))} raised {error!r}") from error


@pytest.mark.filterwarnings("ignore")
def test_wrong_keywords_everywhere(tmp_path, monkeypatch):
    """Right positional arguments, one keyword with junk."""
    monkeypatch.chdir(tmp_path)
    model = _small_model()
    Z, Y = model.latents_, model.data_.points
    calls = [
        (model.transform, (Y[:2],)), (model.inverse_transform, (Z[:2],)), (model.sample, (Z[:2],)),
        (model.geodesic, (Z[0], Z[1])), (model.geodesics, (Z[:1], Z[1:2])), (model.distances, (Z[:2],)),
        (model.mean, (Z[:2],)), (model.exp, (Z[0], Z[0] * 0)), (model.log, (Z[0], Z[1])), (model.metric, (Z[:1],)),
        (M.mean, (P,)), (M.kernel, (P,)), (M.random, (2,)), (rm2.dtw, (Y, Y)), (rm2.generate, ("toy",)),
        (rm2.Data, (P, M)), (rm2.WGPLVM("R2 x S2", max_iterations=0).fit, (Y,)), (model.plot, ()),
        (rm2.covariances, (np.eye(5)[None].repeat(2, 0),)), (M.distances, (P,)),
        (rm2.permutation_test, (M, P, [0, 0, 1, 1])), (rm2.classify, (M, P, [0, 0, 1, 1])),
        (rm2.Arm("planar:1,1").track, (np.zeros((2, 2)), "R2")), (rm2.Figure().panel, ()),
    ]
    for call, arguments in calls:
        names = [p.name for p in inspect.signature(call).parameters.values() if p.kind == p.KEYWORD_ONLY] + ["nonsense"]
        for name in names:
            for junk in JUNK:
                try:
                    call(*arguments, **{name: junk})
                except (*ALLOWED, KeyboardInterrupt):
                    pass
