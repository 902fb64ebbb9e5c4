"""The explorer, started from Python."""

import subprocess
import urllib.error
import urllib.request

import pytest
import riemann2 as rm2


@pytest.fixture(scope="module")
def explorer_program(program):
    said = subprocess.run([program, "explore", "no-such-model.h5"], capture_output=True, text=True, timeout=60).stderr
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
    with pytest.raises(FileNotFoundError, match="riemann2"):
        model.explore(program=tmp_path / "missing-riemann2")
    with pytest.raises(Exception, match="not fitted"):
        rm2.WGPLVM("R2").explore()
