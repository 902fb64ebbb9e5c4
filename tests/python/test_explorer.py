"""The explorer, started from Python."""

import subprocess
import urllib.error
import urllib.request

import numpy as np
import pytest
import riemann2 as rm2

from test_robot import URDF


@pytest.fixture(scope="module")
def explorer_program(program):
    said = subprocess.run([program, "explore", "no-such-model.npz"], capture_output=True, text=True, timeout=60).stderr
    if "built without" in said:
        pytest.skip(said.strip())
    return program


def test_page_is_served_until_it_is_closed(model, explorer_program):
    with model.explore(program=explorer_program) as shown:
        assert shown.address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(shown.address, timeout=30) as answer:
            assert answer.status == 200 and b"<html" in answer.read()
        assert shown.address.replace("&", "&amp;") in shown._repr_html_() and "127.0.0.1" in repr(shown)
    assert repr(shown) == "Explorer(closed)"
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(shown.address, timeout=5)
    shown.close()


def test_failures_have_a_reason(model, explorer_program, tmp_path):
    with pytest.raises(RuntimeError, match="no-such-arm"):
        model.explore(program=explorer_program, arm="no-such-arm")
    with pytest.raises(RuntimeError, match="--base and --tip name links of a URDF file"):
        model.explore(program=explorer_program, arm="panda", tip="hand")
    with pytest.raises(FileNotFoundError, match="riemann2"):
        model.explore(program=tmp_path / "missing-riemann2")
    with pytest.raises(Exception, match="not fitted"):
        rm2.WGPLVM("R2").explore()


@pytest.mark.skipif(not hasattr(rm2._core, "arm_from_urdf"), reason="built without expat")
def test_arms_from_urdf_files_have_base_and_tip(explorer_program, tmp_path):
    model = rm2.WGPLVM("R2", recipe="robust").fit(rm2.Data(0.1 + 0.1 * np.random.default_rng(0).random((12, 2)), "R2"))
    path = tmp_path / "two.urdf"
    path.write_text(URDF)
    with pytest.raises(RuntimeError, match='tip "hand" is not a link'):
        model.explore(program=explorer_program, arm=path, tip="hand")
    with model.explore(program=explorer_program, arm=path, base="base", tip="tip") as shown:
        assert shown.address.startswith("http://127.0.0.1:")
