"""Figures: every item, every format; wrong input."""

import numpy as np
import pytest

import riemann2 as rm2

if not hasattr(rm2._core, "figure"):
    pytest.skip("built without figures", allow_module_level=True)


def test_items(rng):
    figure = rm2.Figure(200, 120, rows=2, columns=3, title="all")
    x = np.linspace(0, 1, 10)
    plane = figure.panel(x={"label": "time [s]", "min": 0, "max": 2}, y="distance", title="plane")
    plane.heat(rng.random((5, 6)), (0, 1), (0, 1), label="value", contours=3)
    plane.curve(np.stack([x, x], 1), label="curve", colour="blue", dash="dashed", width=1, halo=True)
    plane.points(rng.random((4, 2)), marker="star", colour="#ff0000", size=3, opacity=0.5)
    plane.groups(rng.random((4, 2)), [0, 1, 1, 0], ["a", "b"])
    plane.band(x, x - 0.1, x + 0.1)
    plane.regions([rm2.Sphere((0.5, 0.5), 0.2), "box 0 0 0.1 0.1"], label="obstacle")
    plane.ellipses(rng.random((3, 2)), rm2.Manifold("SPD2").random(3))
    space = figure.panel(0, 1, kind="space", azimuth=10, elevation=20)
    space.frames(rm2.Manifold("S3").random(3), rng.random((3, 3)))
    space.arm(rm2.Arm("panda").skeleton(np.zeros((2, 7))))
    figure.panel(0, 2, kind="sphere").curve(rm2.Manifold("S2").random(4))
    figure.panel(1, 0, kind="cone").points(rm2.Manifold("SPD2").random(4))
    named = figure.panel(1, 1, kind="matrices", names=["Fp1", "Cz", "O1"])
    named.matrices(rm2.Manifold("SPD3").random(2), correlation=True, name="row")
    m = rm2.Manifold("R2 x S2")
    figure.panel(1, 2, manifold=m, factor=1).factor(m.random(5), m, 1, label="S2")
    for format, head in (("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
        assert figure.to_bytes(format, dpi=80).startswith(head)
    assert figure._repr_svg_().count("<svg") == 1


def test_models(model, toy, tmp_path):
    path = model.geodesic(model.latents_[0], model.latents_[-1])
    model.plot(path, title="latent space").savefig(tmp_path / "latent.svg")
    model.plot(path).savefig(tmp_path / "latent.svg")
    assert (tmp_path / "latent.svg").stat().st_size > 10000
    with pytest.raises(OSError, match="exists"):
        model.plot().save(tmp_path / "latent.svg")
    without = model.plot_decoded(path).to_bytes("svg")
    within = model.plot_decoded(path, obstacles=rm2.Sphere((0, 0), 0.3)).to_bytes("svg")
    assert b"obstacle" in within and b"obstacle" not in without
    with pytest.raises(ValueError, match="sphere"):
        model.plot_decoded(path, obstacles="sphere 1")
    for Q in (1, 3, 4):
        other = rm2.WGPLVM("R2 x S2", latent_dim=Q, max_iterations=1).fit(toy)
        assert other.plot().to_bytes("svg")
    with pytest.raises(TypeError, match="Path"):
        model.plot(3)


def test_matplotlib(model):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots()
    path = model.geodesic(model.latents_[0], model.latents_[-1])
    assert model.plot(path, ax=ax) is ax and len(ax.lines) == 1
    plt.close(fig)


def test_wrong_input(rng):
    figure = rm2.Figure()
    panel = figure.panel()
    bad = [
        lambda: panel.curve(rng.random((3, 3))),
        lambda: panel.points(3.0),
        lambda: panel.curve([[0, 0]], colour="pinkish"),
        lambda: panel.curve([[0, 0]], dash="wavy"),
        lambda: panel.groups([[0, 0]], [0, 1]),
        lambda: panel.band([0, 1], [0], [1]),
        lambda: panel.ellipses([[0, 0]], np.zeros((2, 2, 2))),
        lambda: panel.heat([1, 2], (0, 1), (0, 1)),
        lambda: panel.matrices(np.zeros((1, 2, 3))),
        lambda: panel.matrices(np.zeros((1, 2, 2))),
        lambda: panel.factor([[1.0, 0, 0]], "S2", 3),
        lambda: figure.panel(0, 7),
        lambda: figure.panel(kind="cube"),
        lambda: figure.panel(0, 1, kind="matrices", names=["a"]).matrices(np.eye(2)[None]),
        lambda: rm2.Figure(width=-3),
        lambda: figure.to_bytes("gif"),
        lambda: figure.panel(manifold="R2", factor=4),
    ]
    for k, call in enumerate(bad):
        with pytest.raises(ValueError):
            call()
            pytest.fail(f"call {k} did not raise")
    with pytest.raises(TypeError):
        panel.curve([[0, 0]], color="blue")
    with pytest.raises(ValueError):
        rm2.Figure().panel(kind="matrices").curve([[0, 0], [1, 1]])


def test_new_points(model):
    Z = np.vstack([model.latents_[:3], model.latents_[:1]])  # the first and the last coincide
    svg = model.plot(points=Z, labels=["a", "b", "b", "a"]).to_bytes("svg").decode()
    assert svg.count(">a, new</text>") == 1 and svg.count(">b, new</text>") == 1 and svg.count(">×2</text>") == 1
    assert ">new data</text>" in model.plot(points=Z).to_bytes("svg").decode()
    with pytest.raises(ValueError, match="labels: expected one per point, 4, got 1"):
        model.plot(points=Z, labels=["a"])
    with pytest.raises(ValueError, match="labels: they belong to points"):
        model.plot(labels=["a"])
    with pytest.raises(ValueError, match=r"points: expected an array of shape \(n, 2\)"):
        model.plot(points=[[1.0, 2.0, 3.0]])


def test_one_legend_and_loose_points():
    figure = rm2.Figure(160, 70, columns=2, legend=True)
    for k in range(2):
        panel = figure.panel(0, k, manifold="R2", factor=0)
        panel.factor(np.array([[0.0, 0.0], [1.0, 1.0]]), "R2", ordered=False, label="loose", colour="new")
    svg = figure.to_bytes("svg").decode()
    assert svg.count(">loose</text>") == 1
