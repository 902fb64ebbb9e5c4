"""What is documented runs: docstrings, the first hour, the tutorials; types are checked."""

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import riemann2 as rm2

ROOT = Path(__file__).resolve().parents[2]
MODULES = [m.name for m in pkgutil.iter_modules(rm2.__path__) if m.name != "_core"]


def python_blocks(path):
    return re.findall(r"```python\n(.*?)```", (ROOT / path).read_text(encoding="utf-8"), re.S)


@pytest.mark.parametrize("name", ["", *MODULES])
def test_docstrings(name):
    module = importlib.import_module(f"riemann2.{name}".rstrip("."))
    assert doctest.testmod(module).failed == 0


def test_everything_public_has_a_docstring():
    for name in rm2.__all__:
        thing = getattr(rm2, name)
        if callable(thing):
            assert thing.__doc__, name
            for key, member in vars(thing).items() if isinstance(thing, type) else ():
                if not key.startswith("_") and callable(member):
                    assert member.__doc__, f"{name}.{key}"


def test_indices_say_that_they_count_from_0():
    """Messages count from 1, so that the pages of the attributes must say what they do."""
    texts = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "python" / "riemann2").glob("*.py"))
    for name in ("clearance_node", "farthest", "pose_nodes", "worst", "margin_joint", "stretch_joint", "cause_target",
                 "cause_joint", "jump_target", "jump_joint", "region", "best", "recommended", "reference"):
        assert re.search(rf"^    {name} ?: [^\n]*(\n {{4,}}[^\n]*)?from 0\b", texts, re.M), name


@pytest.fixture
def demos(tmp_path, monkeypatch):
    """A folder with demos.csv."""
    monkeypatch.chdir(tmp_path)
    made = rm2.generate("robot", trajectories=2, points=6)
    rm2.Data(made.points, "R3 x S3", groups=made.groups).write("demos.csv")  # without time
    return made


@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_the_first_hour(demos):
    """The program of docs/python.md, as written."""
    (program,) = python_blocks("docs/python.md")
    S = rm2.Manifold("SPD15")
    X = S.random(6)
    space = {"Y": demos.points, "demo_ids": demos.groups, "Y_new": demos.points[:3].copy(), "p": X[0], "q": X[1],
             "v": S.log(X[0], X[2]), "X": X}
    exec(compile(program, "docs/python.md", "exec"), space)
    assert space["path"].converged and space["Z2"].shape == (3, 2) and space["Y2"].shape == (3, 7)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["robot", "covariances", "motions"])
def test_tutorials(name, tmp_path, monkeypatch, capsys):
    """Every cell in turn, as in a notebook; figures are drawn."""
    pytest.importorskip("sklearn")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "examples" / "python" / f"{name}.py").read_text(encoding="utf-8")
    cells = [cell for cell in re.split(r"^# %%", text, flags=re.M) if cell.strip()]
    cells = [cell for cell in cells if not cell.startswith(" [markdown]")]
    assert len(cells) > 5
    space = {"np": np}
    for cell in cells:
        exec(compile(cell, f"{name}.py", "exec"), space)
    assert len(list(tmp_path.glob("*.png"))) == 2
    assert capsys.readouterr().out


def test_types(tmp_path):
    """mypy on the package and on a program that uses it, in one run: most of its time is for NumPy's types."""
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(
        "from typing import Any\n"
        "import numpy as np\n"
        "import riemann2 as rm2\n"
        "model: rm2.WGPLVM = rm2.WGPLVM('R2', kernel='se').fit(np.eye(2))\n"
        "path: rm2.Path = model.geodesic([0, 0], [1, 1], via=[[0, 1]], contrast=10)\n"
        "n: int = len(path)\n"
        "motion: rm2.Motion = model.geodesic(start_pose=[0, 0], goal_pose=[1, 1], via_poses=[[0, 1]], approach=True)\n"
        "length: float = path.length\n"
        "where: np.ndarray[Any, np.dtype[Any]] = rm2.Manifold('S2').random(3)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir", tmp_path / "cache",
         ROOT / "python" / "riemann2", program], capture_output=True, text=True, cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout


def test_stubs_name_what_the_extension_has():
    stub = (ROOT / "python" / "riemann2" / "_core.pyi").read_text(encoding="utf-8")
    named = set(re.findall(r"^(?:def|class) (\w+)", stub, re.M)) | {"version"}
    there = {name for name in dir(rm2._core) if not name.startswith("__")}
    if not hasattr(rm2._core, "figure"):
        named -= {"figure", "figure_save", "panel", "plot", "plot_groups", "plot_heat", "plot_matrices",
                  "plot_regions"}
    assert named == there
