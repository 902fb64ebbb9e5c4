"""Geometries of one's own, from a shared library."""

import os
import subprocess
import sys

import numpy as np
import pytest

import riemann2 as rm2

LIBRARY = os.environ.get("RM2_GEOMETRY")
pytestmark = pytest.mark.skipif(not LIBRARY, reason="RM2_GEOMETRY is not set")


def test_a_geometry_under_another_name(tmp_path):
    rm2.register_geometry(LIBRARY, "globe")
    rm2.register_geometry(LIBRARY, "globe")  # again
    globe, sphere = rm2.Manifold("R2 x Globe2"), rm2.Manifold("R2 x S2")
    p, q = sphere.random(5, seed=1), sphere.random(5, seed=2)
    np.testing.assert_array_equal(globe.dist(p, q), sphere.dist(p, q))
    toy = rm2.generate("toy", trajectories=2, points=10)
    model = rm2.WGPLVM(globe, max_iterations=5).fit(toy.points, groups=toy.groups)
    model.save(tmp_path / "globe.npz")
    again = rm2.load(tmp_path / "globe.npz")
    np.testing.assert_array_equal(again.latents_, model.latents_)
    script = f"import riemann2 as rm2; rm2.load({str(tmp_path / 'globe.npz')!r})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=100)
    assert done.returncode != 0 and "Globe" in done.stderr  # not registered there


def test_what_is_refused(tmp_path):
    with pytest.raises(ValueError):
        rm2.register_geometry(LIBRARY, "nameless")
    with pytest.raises(ValueError, match="no function 'nothing'"):
        rm2.register_geometry(LIBRARY, "nothing")
    with pytest.raises(OSError):
        rm2.register_geometry(tmp_path / "none.so", "globe")
    with pytest.raises(TypeError):
        rm2.register_geometry(LIBRARY, None)
    assert rm2.Manifold("S2").dim == 2  # all contexts still work
