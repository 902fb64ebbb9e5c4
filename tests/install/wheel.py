"""The installed wheel: what it loads, and that NumPy's OpenBLAS in the same process changes no result, in threads either."""

import importlib.metadata
import importlib.util
import pickle
import re
import sys
import threading
from pathlib import Path

import numpy as np

if "openblas" in sys.argv[1:]:  # a root whose NumPy runs OpenBLAS: it must be the first in the process
    np.linalg.inv(np.eye(300) + 1)
    assert "openblas" in Path("/proc/self/maps").read_text(), "NumPy has not loaded OpenBLAS"

import riemann2 as rm2  # noqa: E402


def libraries():
    """Files of shared libraries in this process."""
    return set(re.findall(r"/\S+\.so[.\d]*$", Path("/proc/self/maps").read_text(), re.M))


def numpy_work(result):
    a = np.random.default_rng(0).standard_normal((400, 400))
    for k in range(20):
        result.append(np.linalg.inv(a @ a.T + np.eye(400)))


def fit(result):
    data = rm2.generate("robot", trajectories=3, points=60)
    model = rm2.WGPLVM("R3 x S3").fit(data.points, groups=data.groups)
    path = model.geodesic(model.latents_[0], model.latents_[-1])
    assert path.converged and model.manifold_.belongs(path.points).all()
    result.append((model, path))


def alone(work):
    result = []
    work(result)
    return result


def together(*works):
    results = [[] for _ in works]
    threads = [threading.Thread(target=work, args=(result,)) for work, result in zip(works, results)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


assert importlib.util.find_spec("sklearn") is None and importlib.util.find_spec("matplotlib") is None
site = Path(rm2.__file__).parents[1]
((model, path),) = alone(fit)
inverses = alone(numpy_work)
ours = {name for name in libraries() if str(site) in name}
assert any("/riemann2.libs/libopenblas-" in name for name in ours), "the wheel's OpenBLAS is not loaded"
foreign = {Path(name).name.split(".so")[0] for name in libraries() - ours}
carried = {re.sub(r"-[0-9a-f]{8}\.so.*", "", Path(name).name) for name in ours}
assert "openblas" in sys.argv[1:] or not foreign & carried - {"libgcc_s", "libgomp", "libgfortran", "libquadmath", "libz", "libexpat", "libopenblas"}, foreign & carried
if "alone" in sys.argv[1:]:  # in a root with nothing else
    assert not {"libcairo", "libfontconfig", "libgomp"} & foreign, foreign

# Next to NumPy's work in other threads, everything has the same bits, here and there.
for _ in range(3):
    (first,), mixed, (second,) = together(fit, numpy_work, fit)
    for found, way in (first, second):
        np.testing.assert_array_equal(found.latents_, model.latents_)
        np.testing.assert_array_equal(way.points, path.points)
    for left, right in zip(mixed, inverses):
        np.testing.assert_allclose(left, right, rtol=0, atol=1e-9 * np.abs(right).max())

model.save("wheel-model.npz")
np.testing.assert_array_equal(rm2.load("wheel-model.npz").latents_, pickle.loads(pickle.dumps(model)).latents_)
assert model.plot(path).to_bytes("png").startswith(b"\x89PNG")
information = importlib.metadata.metadata("riemann2")
assert information["License"] == "MIT" and information["Requires-Python"] and information.get_all("Classifier")
assert any(str(file).endswith("licenses/CARRIED.txt") for file in importlib.metadata.files("riemann2"))
print(f"wheel: {len(ours)} carried libraries in use, NumPy {np.__version__} with {sorted(n for n in foreign if 'blas' in n)}")
