"""Reports on paths: the program, C and Python report the same numbers and rely on the same paths."""

import json
import os
import subprocess
import warnings

import numpy as np
import pytest

import riemann2 as rm2


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A model of smooth strokes, and its file."""
    model = rm2.WGPLVM("R2 x S2").fit(rm2.generate("toy", trajectories=3, points=40))
    path = tmp_path_factory.mktemp("report") / "toy.npz"
    model.save(path)
    return model, str(path)


def in_python(model, start, end, limit, settings):
    options = dict(settings)
    avoid = options.pop("avoid", None)
    obstacles = [] if avoid is None else [rm2.Sphere(avoid[:2], avoid[2])]
    Z = model.latents_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        path = model.geodesic(Z[start], Z[end], obstacles=obstacles, **options)
    return path.report(spread_limit=limit)


def numbers_of(values):
    return np.array(values, float)


CASES = {
    "good": (0, 39, 1.5, {}),
    "good, few nodes": (0, 39, 1.5, {"nodes": 11}),
    "not converged": (0, 39, 1.5, {"max_iterations": 0, "tolerance": 1e-12}),
    "outside": (0, 39, 1e-3, {}),
    "outside and not converged": (0, 39, 1e-3, {"max_iterations": 0, "tolerance": 1e-12}),
    "another metric": (0, 39, 1.5, {"metric": "density"}),
    "blocked": (0, 39, 1.5, {"clearance": 50.0, "avoid": (0.0, 0.0, 0.1)}),
    "around": (0, 39, 100.0, {"clearance": 0.01, "avoid": (0.0, -1.0, 0.05)}),
}


@pytest.mark.parametrize("name", CASES)
def test_three_front_ends(files, program, name):
    model, file = files
    start, end, limit, settings = CASES[name]
    report = in_python(model, start, end, limit, settings)
    options = {"max_iterations": "--max-iterations"}
    words = []
    for key, value in settings.items():
        if key == "avoid":
            words.append("--avoid=sphere," + ",".join(map(repr, value)))
        else:
            words.append(f"{options.get(key, '--' + key)}={value}")
    done = subprocess.run(
        [program, "geodesic", file, "--from", str(start), "--to", str(end), f"--spread-limit={limit!r}", "--json", *words],
        capture_output=True, text=True, timeout=300,
    )
    [shell] = json.loads(done.stdout)["curves"]
    helper = os.path.join(os.path.dirname(program), "tests", "path_report")
    given = [f"{k}={','.join(map(repr, v)) if k == 'avoid' else v}" for k, v in settings.items()]
    lines = subprocess.run([helper, file, str(start), str(end), repr(limit), *given], capture_output=True, text=True,
                           timeout=300, check=True).stdout.splitlines()

    # who relies on it, and why not
    reliable, *reasons = lines[0].split("|")[:-1]
    assert (reliable == "1") == report.reliable == shell["reliable"] == (done.returncode == 0)
    assert done.returncode == (0 if report.reliable else 4)
    assert shell["reasons"] == list(report.reasons) == [r.split(": ")[0] for r in reasons]
    assert [f"{k}: {v}" for k, v in report.reasons.items()] == reasons
    complaints = [line for line in done.stderr.splitlines() if line.startswith("riemann2 geodesic: ")]
    for sentence in report.reasons.values():
        start_of = sentence.split("settings.")[0]
        assert any(start_of in line for line in complaints), (sentence, complaints)

    # the numbers: the program prints 17 digits
    nodes, *c = map(float, lines[1].split())
    same = ("nodes", "length", "energy", "straight_length", "error", "clearance", "over_spread", "spread")
    smooth = [s for pair in zip(*report.smoothness, *report.demonstrated) for s in pair]
    python = numbers_of([*(getattr(report, key) for key in same), *smooth])
    np.testing.assert_allclose(python, [nodes, *c], rtol=1e-12)
    for part, values in zip(("positions", "rest"), (smooth[:4], smooth[4:])):
        printed = shell["smoothness"][part]
        want = dict(zip(("turning", "jerk", "demonstrated_turning", "demonstrated_jerk"), values))
        assert (printed is None) == np.isnan(values[0])
        for key in printed or ():
            np.testing.assert_allclose(printed[key], want[key], rtol=1e-12, err_msg=key)
    for key, value in zip(same[:-1], python):
        if key in shell:
            printed = np.nan if shell[key] is None else shell[key]
            np.testing.assert_allclose(printed, value if np.isfinite(value) else np.nan, rtol=1e-12, err_msg=key)


def test_what_the_cases_are(files):
    model, _ = files
    found = {name: list(in_python(model, *case).reasons) for name, case in CASES.items()}
    assert found == {
        "good": [], "good, few nodes": [], "not converged": ["not converged"], "outside": ["outside"],
        "outside and not converged": ["not converged", "outside"], "another metric": found["another metric"],
        "blocked": ["blocked"], "around": [],
    }


def test_warnings_are_the_sentences(files):
    model, _ = files
    Z = model.latents_
    with pytest.warns(RuntimeWarning, match="^the geodesic did not converge"):
        path = model.geodesic(Z[0], Z[39], max_iterations=0, tolerance=1e-12)
    assert path.report().reasons["not converged"].startswith("the geodesic did not converge (")
    assert not path.outside and path.report(spread_limit=1e-9).over_spread == path.over_spread.max()


def test_without_a_model():
    space = rm2.Space.from_metric("half_plane", 2)
    report = space.geodesic([0, 1], [1, 1]).report()
    # d = arcosh(1 + |x - y|^2 / (2 y1 y2)); the tolerance of the velocity is 1e-4, that of the length its square
    assert np.isclose(report.length, np.arccosh(1.5), rtol=1e-8)
    assert report.reliable and np.isnan(report.spread) and report.farthest is None and report.clearance_node is None


@pytest.mark.parametrize("limit", [0, -1, float("nan"), float("inf")])
def test_limits(files, limit):
    model, _ = files
    path = model.geodesic(model.latents_[0], model.latents_[5])
    with pytest.raises(ValueError, match="spread_limit"):
        path.report(spread_limit=limit)
