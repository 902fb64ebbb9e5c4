"""Tables of settings: the program and Python accept and refuse the same values of every row."""

import math
import subprocess

import numpy as np
import pytest

import riemann2 as rm2

ARM = rm2.Arm("planar:1,1")
TABLES = ("fit", "data", "encode", "space", "report", "generate", "dtw", "track", "placement", "planner", "mean",
          "figure", "cross", "test", "classify", "covariance")


@pytest.fixture(scope="module")
def path(model):
    return model.space(grid_points=10).geodesic(model.latents_[0], model.latents_[3])


# What a keyword goes to. Without the table's names a call does something small.
CALLS = {
    "generate": lambda path, **s: rm2.generate("toy", **{"trajectories": 1, "points": 4, **s}),
    "dtw": lambda path, **s: rm2.dtw(np.zeros((2, 2)), np.ones((2, 2)), **s),
    "track": lambda path, **s: ARM.solve([1.0, 1.0], "R2", **s),
    "placement": lambda path, **s: ARM.place([[1.0, 1.0]], "R2", rm2.Placement(**s)),
    "planner": lambda path, **s: path.space.planner(**s),
    "mean": lambda path, **s: rm2.Manifold("R2").mean([[0.0, 0.0], [1.0, 1.0]], **s),
    "figure": lambda path, **s: rm2.Figure(**s),
    "report": lambda path, **s: path.report(**s),
}
# Commands that read their options before a file that is missing.
COMMANDS = {
    "generate": ["generate", "no-such-example", "-o", "-"],
    "dtw": ["eval", "no-such-model.npz"],
    "track": ["robot", "track", "no-such-file.csv", "--arm", "planar:1,1"],
    "placement": ["robot", "track", "no-such-file.csv", "--arm", "planar:1,1"],
    "report": ["geodesic", "no-such-model.npz", "--from", "0", "--to", "1"],
}


def rows_of(program, name):
    import json

    done = subprocess.run([program, "settings", name, "--json"], capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stdout)[name]["settings"]


def values_of(row):
    """Texts of values at and just beyond the ends of a range, and of what is no value."""
    if row["type"] == "choice":
        return [*row["words"], "no-such-word"]
    if row["type"] not in ("count", "number"):
        return []
    low = -math.inf if row["lower"] is None else row["lower"]
    high = math.inf if row["upper"] is None else row["upper"]
    if row["type"] == "count":
        values = [f"{v:d}" for v in (int(low), int(low) + 1)]
        values += [f"{int(low) - 1:d}"] if low > (1 if row["zero"] else 0) else ["-1"]
        values += [f"{int(high):d}", f"{int(high) + 1:d}"] if high < 1e3 else []
        return [*values, "1.5", "", "x", *([row["zero"]] if row["zero"] else [])]
    values = ["nan", "inf", "1e400", "", "x", *([row["zero"]] if row["zero"] else [])]
    for end in (low, high):
        if math.isfinite(end):
            values += [repr(end), repr(math.nextafter(end, -math.inf)), repr(math.nextafter(end, math.inf))]
    return values


def python_accepts(call, path, name, text):
    try:
        call(path, **{name: text})
    except (ValueError, TypeError) as error:
        assert f"settings.{name} is " in str(error) or f"{name}: expected" in str(error) or "placement" in str(error), error
        return False
    except rm2.Error as error:  # the value was taken
        assert f"settings.{name} is " not in str(error)
    return True


def in_range(row, text):
    if text == row["zero"]:
        return True
    if row["type"] == "choice":
        return text in row["words"]
    try:
        value = int(text) if row["type"] == "count" else float(text)
    except ValueError:
        return False
    if not math.isfinite(value) or (row["zero"] and value == 0):
        return False
    low = -math.inf if row["lower"] is None else row["lower"]
    high = math.inf if row["upper"] is None else row["upper"]
    return (value > low if row["lower_open"] else value >= low) and (value < high if row["upper_open"] else value <= high)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore")
def test_ranges(program, path, name):
    for row in rows_of(program, name):
        for text in values_of(row):
            expected = in_range(row, text)
            if name == "placement":  # numbers alone
                try:
                    value = float(text)
                except ValueError:
                    continue
                assert python_accepts(CALLS[name], path, row["name"], value) == expected, (row["name"], text)
            else:
                field = {"stage": "last"}.get(row["name"], row["name"])
                assert python_accepts(CALLS[name], path, field, text) == expected, (row["name"], text)
            if name in COMMANDS and row["option"]:
                option = row["option"].split()[0].replace("[no-]", "").split("[")[0]
                done = subprocess.run([program, *COMMANDS[name], f"{option}={text}"], capture_output=True, text=True,
                                      timeout=60)
                refused = done.returncode == 2 and f"{option} {text}: expected" in done.stderr
                assert refused != expected, (option, text, done.stderr)


@pytest.mark.parametrize("name", TABLES)
def test_tables(program, name):
    shell = rows_of(program, name)
    assert [(s.name, s.defaults, s.zero, s.help) for s in rm2.settings(name)] == [
        (r["name"], r["defaults"], r["zero"], r["help"]) for r in shell
    ]


def test_unknown_names(path):
    for name, call in CALLS.items():
        with pytest.raises(TypeError):
            call(path, no_such_setting=1)
    with pytest.raises(ValueError, match="unknown table of settings"):
        rm2.settings("none")


def test_defaults_are_those_of_the_table():
    assert rm2.Placement().scale == 1 and rm2.Placement().ellipsoid_scale == 1
    targets = [[0.5, 0.5], [0.6, 0.5]]
    same = {s.name: s.default for s in rm2.settings("track")}
    np.testing.assert_array_equal(ARM.track(targets, "R2").q, ARM.track(targets, "R2", **same).q)


def test_misspelt_keywords_name_the_nearest_of_the_call(model):
    z, arm = model.latents_[0], rm2.Arm("planar:1,1")
    calls = {
        "obstacles": lambda: model.geodesic(z, z, obstacle=[rm2.Sphere([0, 0], 1)]),
        "discourage": lambda: model.space(discourag=[]),
        "contrast": lambda: model.geodesic(z, z, contrst=3),
        "start_pose": lambda: model.geodesic(z, z, start_pos=[0, 0]),
        "goal_pose": lambda: model.geodesic(start_pose=[0], goalpose=[0]),
        "stretch_limit": lambda: model.geodesic(start_pose=[0], stretch_limt=1),
        "cover": lambda: rm2.Space(model, covers=[z]),
        "points": lambda: rm2.Space.from_metric("bump", 2, point=[]),
        "self_clearance": lambda: arm.track([[1.0, 0.5]], "R2", self_clearanc=1),
        "seed": lambda: arm.solve([1.0, 0.5], "R2", sead=1),
        "random_state": lambda: rm2.WGPLVM("R2", random_stat=1),
    }
    for name, call in calls.items():
        with pytest.raises(TypeError, match=f"did you mean '{name}'"):
            call()
