"""Estimators: settings, training, encoding, decoding, files."""

import copy
import inspect
import io
import pickle

import numpy as np
import pytest

import riemann2 as rm2


def test_every_setting_is_a_keyword():
    names = {s.name for s in rm2.settings("fit")} - {"model", "seed"}
    parameters = inspect.signature(rm2.WGPLVM).parameters
    assert names | {"manifold", "random_state"} == set(parameters)
    for name in names:
        assert f"    {name} : " in rm2.WGPLVM.__doc__, name
        assert name in rm2.WGPLVM("R2").get_params()


def test_every_setting_reaches_the_library(toy):
    """Each one is set to something that is not its default, one at a time, and read back from the model."""
    other = {"number": 0.37, "count": 3}
    for s in rm2.settings("fit"):
        if s.name in ("model", "seed", "recipe", "latent_dim") or s.name in ("init", "base"):
            continue
        default = s.value(s.defaults[0])
        if s.words:
            value = next(w for w in s.words if w != default)
        elif isinstance(default, bool):
            value = not default
        elif "hyperparameter" in s.expected:
            value = "0.37"
        else:
            value = other["count"] if "whole" in s.expected else other["number"]
        try:
            fitted = rm2.WGPLVM("R2 x S2", max_iterations=1, **({s.name: value} if s.name != "max_iterations" else {}))
            if s.name == "max_iterations":
                fitted.max_iterations = 2
                value = 2
            fitted.fit(toy)
        except ValueError as error:  # settings that need another one say so
            assert s.name in str(error) or "needs" in str(error) or "settings." in str(error), (s.name, error)
            continue
        read = fitted.info_["settings"][s.name]
        assert str(value) in read or s.value(read) == value or s.text(value) == read, (s.name, value, read)


def test_settings_are_checked(toy):
    with pytest.raises(TypeError, match="did you mean 'kernel'"):
        rm2.WGPLVM("R2", kernle="se")
    with pytest.raises(ValueError, match="matern32"):
        rm2.WGPLVM("R2 x S2", kernel="linear-ish").fit(toy)
    with pytest.raises(ValueError, match="latent_dim"):
        rm2.WGPLVM("R2 x S2", latent_dim=0).fit(toy)
    with pytest.raises(TypeError, match="latent_dim"):
        rm2.WGPLVM("R2 x S2", latent_dim=[2]).fit(toy)
    with pytest.raises(TypeError, match="decided"):
        rm2.WGPLVM("R2", seed=3)
    with pytest.raises(ValueError, match="invalid parameter"):
        rm2.WGPLVM("R2").set_params(nothing=3)


def test_fit_from_arrays_is_fit_from_data(toy, model):
    again = rm2.WGPLVM("R2 x S2", max_iterations=0).fit(toy.points, groups=toy.groups)
    start = rm2.WGPLVM("R2 x S2", max_iterations=0).fit(toy)
    np.testing.assert_allclose(again.latents_, start.latents_, atol=1e-8)  # points are scaled once more: rounding


def test_fitted_attributes(model, toy):
    assert model.latents_.shape == (60, 2) and model.n_features_in_ == 5 and model.n_iter_ > 0
    assert model.manifold_ == rm2.Manifold("R2 x S2") and len(model.data_) == 60
    info = model.info_
    assert info["log_likelihood_lower"] <= info["log_likelihood"] <= info["log_likelihood_upper"]
    trace = model.array("trace")
    assert len(trace) == model.n_iter_ + 1 and trace[-1] >= trace[0]
    np.testing.assert_allclose(trace[-1], info["objective"], rtol=1e-12)
    K = model.array("task_covariance")
    assert K.shape == (4, 4) and np.linalg.eigvalsh(K).min() > 0
    assert model.manifold_.belongs(model.array("base"))
    with pytest.raises(ValueError, match="lengthscale"):
        model.array("nothing")


def test_decode(model):
    Z = model.latents_
    points, std, cov, tangent = model.inverse_transform(Z, return_std=True, return_cov=True, return_tangent=True)
    assert model.manifold_.belongs(points).all()
    np.testing.assert_allclose(std, np.sqrt(np.trace(cov, axis1=1, axis2=2) / 4), rtol=1e-10)  # its definition
    assert tangent.shape == (60, 4)
    np.testing.assert_allclose(model.inverse_transform(Z[3]), points[3], rtol=1e-12)
    assert model.inverse_transform(Z.reshape(3, 20, 2)).shape == (3, 20, 5)
    far = model.inverse_transform(Z[:1] + 100, return_std=True)[1]
    assert far > 3 * std[0]  # uncertain far from the data
    ambient, outputs = model.reconstruction()
    assert 0 < ambient < 0.2 and 0 < outputs < 0.2


def test_fidelity(model, toy):
    f = model.fidelity()
    F = model.coordinates(toy.points, "tangent")
    F = F - F.mean(axis=0)
    np.testing.assert_allclose(f.mean, np.sqrt((F**2).sum(axis=1).mean()), rtol=1e-9)
    left = np.linalg.svd(F, compute_uv=False)[2:]
    np.testing.assert_allclose(f.components, np.sqrt((left**2).sum() / len(F)), rtol=1e-6)
    assert f.residual < f.components and not f.worse and 0 < f.explained_components < f.explained < 1


def test_a_model_worse_than_principal_components_warns(rng):
    Y = rng.normal(size=(40, 5)) * [5, 4, 0.1, 0.1, 0.1]
    with pytest.warns(RuntimeWarning, match="principal components reconstruct"):
        model = rm2.WGPLVM("R5", recipe="robust", max_iterations=0, init="random").fit(Y)
    assert model.fidelity().worse


def test_held_out(toy, rng):
    noise = rm2.WGPLVM("R12").fit(rng.normal(size=(40, 12))).held_out()
    assert not noise.structure and noise.points == 40 and noise.folds == 5
    assert noise.explained == pytest.approx(1 - (noise.residual / noise.mean) ** 2)
    x = rng.normal(size=(40, 1))
    surface = rm2.WGPLVM("R12", latent_dim=1).fit(x * np.ones(12) + 0.1 * rng.normal(size=(40, 12))).held_out()
    assert surface.structure and surface.explained > 0.9
    with pytest.raises(ValueError, match="whole trajectories"):
        rm2.WGPLVM("R2 x S2", max_iterations=2).fit(toy).held_out()


def test_start_report(toy):
    estimator = rm2.WGPLVM("R2 x S2", max_iterations=2)
    points = np.concatenate([toy.points[:40], toy.points[:39:-1]])  # the last demonstration backwards
    found = estimator.inspect(points, groups=toy.groups)
    assert [d.reversed for d in found.demonstrations] == [False, False, True]
    assert [f.demonstrations for f in found.families] == [3] and not found.labelled
    assert estimator.fit(points, groups=toy.groups).start_report_ == found
    assert estimator.inspect(toy.points) is None  # no trajectories


def test_choice_of_latent_dimensions(rng):
    Y = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 6)) + 0.05 * rng.normal(size=(60, 6))
    rows = rm2.WGPLVM("R6").choose_latent(Y, largest=3)
    assert [r.latent_dim for r in rows] == list(range(1, len(rows) + 1))
    assert [r.latent_dim for r in rows if r.chosen] == [2]  # a plane with noise
    assert rows[1].residual < rows[0].residual
    with pytest.raises(ValueError, match="largest"):
        rm2.WGPLVM("R6").choose_latent(Y, largest=0)


def test_encode(model, toy):
    Z, cov, info = model.transform(toy.points, return_cov=True, return_info=True)
    assert Z.shape == (60, 2) and cov.shape == (60, 2, 2)
    assert np.linalg.eigvalsh(cov).min() > 0
    # encoded points decode to what was encoded, up to the noise of the model
    error = model.manifold_.dist(model.inverse_transform(Z), toy.points)
    assert np.median(error) < 0.2
    np.testing.assert_allclose(model.score(toy.points), info["log_density"].mean(), rtol=1e-12)
    np.testing.assert_array_equal(model.transform(toy), model.transform(toy.points, groups=toy.groups))


def test_encode_missing_entries(model, toy):
    y = toy.points[:2].copy()
    y[0, 2:] = np.nan  # the whole sphere factor
    Z = model.transform(y)
    assert np.isfinite(Z).all()
    y[1, 3] = np.nan  # a part of it
    with pytest.raises(ValueError, match="point 1"):
        model.transform(y)


def test_encode_quaternions_of_either_sign(pose_model, poses):
    y = poses.points[5:8].copy()
    turned = y.copy()
    turned[:, 3:] *= -1
    np.testing.assert_allclose(pose_model.transform(turned), pose_model.transform(y), atol=1e-8)


def test_sample(model):
    draws = model.sample(model.latents_[:4], 200, seed=3)
    assert draws.shape == (200, 4, 5) and model.manifold_.belongs(draws).all()
    np.testing.assert_array_equal(draws, model.sample(model.latents_[:4], 200, seed=3))
    # their mean is the decoded point, up to the error of 200 draws
    mean, std = model.inverse_transform(model.latents_[0], return_std=True)
    error = model.manifold_.dist(model.manifold_.mean(draws[:, 0]), mean)
    assert error < 5 * 2 * std / np.sqrt(200) + 1e-3
    noisy = model.sample(model.latents_[:4], 200, noise=True, seed=3)
    assert noisy[:, 0, 0].std() > draws[:, 0, 0].std()


def test_coordinates(model, toy):
    rows = model.coordinates(toy.points)
    assert rows.shape == (60, 4)
    assert model.coordinates(toy.points, "ambient").shape == (60, 5)
    with pytest.raises(ValueError, match="tangent"):
        model.coordinates(toy.points, "other")


def test_sizes_from_the_data(rng):
    X = rng.standard_normal((12, 3))
    assert rm2.WGPLVM("R").fit(X).manifold_.spec == "R3"
    S = rm2.Manifold("SPD3").random(12)
    model = rm2.WGPLVM("SPD").fit(S)
    assert model.manifold_.spec == "SPD3"
    assert model.inverse_transform(model.latents_).shape == (12, 3, 3)
    assert model.transform(S[:2]).shape == (2, 2)
    with pytest.raises(ValueError, match="3D array"):
        rm2.WGPLVM("SPD").fit(X)


def test_euclidean_counterpart(toy):
    model = rm2.GPLVM("R2 x S2").fit(toy)
    assert model.info_["settings"]["model"] == "gplvm"
    assert not model.manifold_.belongs(model.inverse_transform(model.latents_)).all()


def test_given_start_and_base(toy, rng):
    start = rng.standard_normal((60, 2))
    base = toy.points[0].copy()
    model = rm2.WGPLVM("R2 x S2", max_iterations=0).fit(toy, init=start, base_point=base)
    np.testing.assert_array_equal(model.latents_, start)
    np.testing.assert_allclose(model.array("base"), base, atol=1e-12)
    with pytest.raises(ValueError, match="init"):
        rm2.WGPLVM("R2 x S2").fit(toy, init=start[:5])


def test_inducing_points(toy):
    model = rm2.WGPLVM("R2 x S2", max_iterations=2).fit(toy, inducing_points=range(0, 60, 4))
    assert model.info_["inducing"] == 15
    with pytest.raises(ValueError):
        rm2.WGPLVM("R2 x S2", max_iterations=2).fit(toy, inducing_points=[1, 1])


def test_back_constraint(toy):
    kernels = [("heat", 0.5), ("matern52", 0.7)]
    model = rm2.WGPLVM("R2 x S2", back_constraint=True, max_iterations=2).fit(toy, back_kernels=kernels)
    other = rm2.WGPLVM("R2 x S2", back_constraint=True, max_iterations=2).fit(toy)
    assert not np.array_equal(model.latents_, other.latents_)
    for bad in ([("heat", 0.5)], [("none", 1), ("heat", 1)], [("heat", -1), ("heat", 1)]):
        with pytest.raises(ValueError):
            rm2.WGPLVM("R2 x S2", back_constraint=True).fit(toy, back_kernels=bad)


def test_arrays_of_a_model(toy):
    model = rm2.WGPLVM("R2 x S2", recipe="map", max_iterations=2, inference="inducing", inducing=10).fit(toy)
    assert (model.array("gpdm") > 0).all() and model.array("inducing_inputs").shape == (10, 2)
    with pytest.raises(ValueError, match="task_noise"):
        model.array("task_noise")


def test_checkpoint(toy, tmp_path):
    path = tmp_path / "state.npz"
    slow = {"recipe": "map", "max_iterations": 30}
    whole = rm2.WGPLVM("R2 x S2", **slow).fit(toy)
    with pytest.warns(RuntimeWarning, match="interrupted"):
        rm2.WGPLVM("R2 x S2", **slow).fit(toy, checkpoint=path, callback=lambda p: p.done < 10)
    resumed = rm2.WGPLVM("R2 x S2", **slow).fit(toy, checkpoint=path, resume=True)
    np.testing.assert_array_equal(resumed.latents_, whole.latents_)


def test_callback(toy):
    seen = []
    rm2.WGPLVM("R2 x S2", max_iterations=5).fit(toy, callback=seen.append)
    rows = [p for p in seen if p.objective is not None]
    assert rows[-1].activity == "fit" and rows[-1].done <= 5 and rows[-1].seconds >= 0
    calls = []
    with pytest.warns(RuntimeWarning, match="interrupted"):
        stopped = rm2.WGPLVM("R2 x S2", recipe="map").fit(toy, callback=lambda p: calls.append(p) or len(calls) < 20)
    assert len(calls) == 20 and stopped.info_["stop"] == "interrupted"  # not called again once it has said stop
    with pytest.raises(ZeroDivisionError):
        rm2.WGPLVM("R2 x S2").fit(toy, callback=lambda p: 1 / 0)
    with pytest.raises(TypeError, match="callback"):
        rm2.WGPLVM("R2 x S2").fit(toy, callback=3)


def same(a, b, recipe="auto"):
    np.testing.assert_array_equal(a.latents_, b.latents_)
    Z = a.latents_ + 0.01
    np.testing.assert_array_equal(a.inverse_transform(Z), b.inverse_transform(Z))
    assert b.recipe == recipe
    assert a.get_params() == {**b.get_params(), "manifold": a.manifold, "recipe": a.recipe}


def test_recipe_follows_the_data(toy):
    scattered = np.random.default_rng(1).normal(size=(30, 4)) * [3, 2, 1, 0.5]

    def recipe_of(model, data):
        return model.fit(data).info_["settings"]["recipe"]

    assert recipe_of(rm2.WGPLVM("R"), scattered) == "points"
    assert recipe_of(rm2.WGPLVM("R", latent_dim=4), scattered) == "robust"  # points needs fewer latents than outputs
    assert recipe_of(rm2.WGPLVM("R", recipe="robust"), scattered) == "robust"
    assert recipe_of(rm2.WGPLVM("R2 x S2"), toy) == "robust"
    chosen = rm2.WGPLVM("R", latent_dim="auto").fit(scattered)
    assert chosen.latents_.shape[1] == chosen.info_["latent_dim"] >= 1


def test_files_and_pickle(model, tmp_path):
    path = tmp_path / "model.npz"
    model.save(path)
    same(model, rm2.load(path), "robust")  # the file has the recipe that was used
    same(model, rm2.load(str(path)), "robust")
    same(model, pickle.loads(pickle.dumps(model)))
    same(model, copy.deepcopy(model))
    assert path.read_bytes() == model.to_bytes()
    with pytest.raises(OSError, match="exists"):
        model.save(path)
    import joblib

    stream = io.BytesIO()
    joblib.dump(model, stream)
    stream.seek(0)
    same(model, joblib.load(stream))
    unfitted = pickle.loads(pickle.dumps(rm2.WGPLVM("R2", latent_dim=3)))
    assert unfitted.latent_dim == 3 and not hasattr(unfitted, "latents_")


def test_compact_files(toy, model, tmp_path):
    made = rm2.WGPLVM("R2 x S2", inference="inducing", inducing=10, max_iterations=3).fit(toy)
    made.save(tmp_path / "compact.npz", compact=True)
    again = rm2.load(tmp_path / "compact.npz")
    latents = made.latents_[::7]
    np.testing.assert_array_equal(again.inverse_transform(latents), made.inverse_transform(latents))
    assert again.info_["trained"] == len(made.latents_)
    with pytest.raises(ValueError, match="exact inference needs all of its points"):
        model.save(tmp_path / "whole.npz", compact=True)
    assert not (tmp_path / "whole.npz").exists()


def test_load_keeps_settings(toy, tmp_path):
    made = rm2.WGPLVM("R2 x S2", latent_dim=1, kernel="matern52", max_iterations=3, random_state=4, recipe="map")
    made.fit(toy).save(tmp_path / "m.npz")
    again = rm2.load(tmp_path / "m.npz")
    assert again.get_params() == made.get_params()
    rm2.GPLVM("R2 x S2", max_iterations=1).fit(toy).save(tmp_path / "g.npz")
    assert type(rm2.load(tmp_path / "g.npz")) is rm2.GPLVM


def test_repr(model):
    assert repr(model) == "WGPLVM('R2 x S2', latent_dim=2)"
    assert repr(rm2.GPLVM("R", kernel="se", recipe="map")) == "GPLVM('R', latent_dim=2, recipe='map', kernel='se')"
    assert "manifold" in model._repr_html_() and "<svg" in model._repr_html_()
    assert "WGPLVM" in rm2.WGPLVM("R")._repr_html_()


def test_not_fitted(toy):
    new = rm2.WGPLVM("R2 x S2")
    calls = [lambda: new.transform(toy), lambda: new.inverse_transform([0, 0]), lambda: new.save("x.npz"),
             lambda: new.geodesic([0, 0], [1, 1]), lambda: new.metric([0, 0]), lambda: new.sample([[0, 0]]),
             lambda: new.plot(), lambda: new.score(toy), lambda: new.array("mean")]
    for call in calls:
        with pytest.raises(ValueError, match="not fitted"):
            call()


def test_trajectories_are_encoded_together(rng):
    t = np.linspace(0, 1, 40)

    def eight():
        a, b, phase = 1 + 0.05 * rng.standard_normal(3)
        clean = np.stack([a * np.sin(2 * np.pi * t + 0.1 * phase), b * np.sin(4 * np.pi * t + 0.2 * phase)], axis=1)
        return clean + 0.01 * rng.standard_normal(clean.shape)

    model = rm2.WGPLVM("R2").fit(np.concatenate([eight() for _ in range(4)]), groups=np.repeat(range(4), 40))
    new = np.concatenate([eight(), eight()])
    groups = np.repeat([0, 1], 40)
    together, found = model.transform(new, groups=groups, return_info=True)
    alone = model.transform(new)
    step = [np.abs(np.diff(np.split(z, 2), axis=1)).max() for z in (together, alone)]
    training = np.abs(np.diff(np.split(model.latents_, 4), axis=1)).max()
    assert step[0] < 2 * training < step[1]  # the figure crosses itself: alone, points jump there
    assert np.sqrt(np.mean(found["residual"] ** 2)) < 0.05
    with pytest.raises(ValueError, match="expected 80 ids"):
        model.transform(new, groups=[1, 2])
    with pytest.raises(ValueError, match="next to each other"):
        model.transform(new, groups=np.tile([0, 1], 40))


def test_add(toy):
    first = rm2.Data(toy.points[:40], "R2 x S2", groups=toy.groups[:40])
    model = rm2.WGPLVM("R2 x S2", max_iterations=10).fit(first)
    new = rm2.Data(toy.points[40:], "R2 x S2", groups=["new"] * 20, scale="none")
    more, added = model.add(new)
    assert len(model.latents_) == 40 and len(more.latents_) == 60 and more.data_.ids[-1] == "new"
    np.testing.assert_allclose(more.data_.points, toy.points, atol=1e-12)
    assert added[0].points == 20 and added[0].known and added[0].after < added[0].before
    with pytest.raises(TypeError, match="Data"):
        model.add(toy.points)
    with pytest.raises(ValueError, match="trajectories"):
        model.add(rm2.Data(toy.points[40:], "R2 x S2", scale="none"))
    far = toy.points[40:].copy()
    far[:, 0] += 1.5 * np.std(toy.points[:, 0])
    with pytest.warns(RuntimeWarning, match="does not know"):
        model.add(rm2.Data(far, "R2 x S2", groups=["far"] * 20, scale="none"))
