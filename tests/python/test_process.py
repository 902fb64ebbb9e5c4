"""Threads, processes, signals, logging, progress."""

import concurrent.futures
import multiprocessing
import os
import pickle
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import riemann2 as rm2


def run(code, timeout=120, **environment):
    """Run a program in a new interpreter; returns its output."""
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(code)], capture_output=True, text=True,
        timeout=timeout, env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# ---- threads -------------------------------------------------------------------------------------


def test_four_threads_share_a_model(model, toy):
    Z = model.latents_
    space = model.space()
    expected = (model.inverse_transform(Z), model.transform(toy.points[:5]), space.geodesic(Z[0], Z[-1]).latent,
                model.metric(Z), space.distances(Z[:3]))

    def work(k):
        return (model.inverse_transform(Z), model.transform(toy.points[:5]), space.geodesic(Z[0], Z[-1]).latent,
                model.metric(Z), space.distances(Z[:3]))

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for found in pool.map(work, range(12)):
            for a, b in zip(found, expected):
                np.testing.assert_array_equal(a, b)


def test_four_threads_train(toy):
    def work(seed):
        return rm2.WGPLVM("R2 x S2", max_iterations=10, init="random", random_state=seed).fit(toy).latents_

    alone = [work(k) for k in range(4)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for a, b in zip(pool.map(work, range(4)), alone):
            np.testing.assert_array_equal(a, b)


def test_the_lock_is_released(model, toy):
    """Another thread runs while the library computes."""
    import threading

    ticks, stop = [], threading.Event()

    def count():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    begin = time.perf_counter()
    for _ in range(3):
        model.space().distances(model.latents_[::6])
    end = time.perf_counter()
    stop.set()
    thread.join()
    # at least one tick in the middle half of the computation
    assert any(begin + 0.25 * (end - begin) < t < begin + 0.75 * (end - begin) for t in ticks)


def test_threads_setting():
    before = rm2.get_threads()
    try:
        rm2.set_threads(2)
        assert rm2.get_threads() == 2
        for bad in (-1, 10**6):
            with pytest.raises(ValueError, match="threads"):
                rm2.set_threads(bad)
        with pytest.raises(TypeError):
            rm2.set_threads("two")
    finally:
        rm2.set_threads(before)


# ---- processes -----------------------------------------------------------------------------------


def child(bytes_):
    """Decode, train and search in another process."""
    model = pickle.loads(bytes_)
    Z = model.latents_
    again = type(model)(**model.get_params()).set_params(max_iterations=3).fit(model.data_)
    return model.inverse_transform(Z), model.geodesic(Z[0], Z[-1]).length, again.info_["iterations"], rm2.get_threads()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_multiprocessing(method, model):
    """After the parent has used its threads, which do not survive a fork: the child starts its own."""
    expected = model.inverse_transform(model.latents_)
    big = rm2.Manifold("SPD15")
    X = big.random(64)
    big.dist(X, X[::-1].copy())
    with multiprocessing.get_context(method).Pool(2) as pool:
        results = pool.map_async(child, [pickle.dumps(model)] * 2).get(timeout=120)
    for points, length, iterations, threads in results:
        np.testing.assert_allclose(points, expected, rtol=1e-12)
        assert length > 0 and iterations == 3
        assert threads == 0


# ---- Ctrl-C --------------------------------------------------------------------------------------

INTERRUPT = """
    import os, signal, threading, time, warnings
    import numpy as np, riemann2 as rm2
    data = rm2.generate("robot", trajectories=6, points=60)
    begin = time.perf_counter()
    def soon(seconds):
        threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
"""


def test_interrupt_of_training_keeps_the_best_state():
    out = run(INTERRUPT + """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        soon(0.8)
        m = rm2.WGPLVM("R3 x S3", recipe="paper", max_iterations=10**6, gradient=0.0).fit(data)
    assert m.info_["stop"] == "interrupted" and m.info_["iterations"] > 0, m.info_
    assert time.perf_counter() - begin < 20
    print([str(w.message) for w in caught if issubclass(w.category, RuntimeWarning)])
    """)
    assert "interrupted" in out


@pytest.mark.parametrize("call", [
    "m.distances(np.repeat(m.latents_, 3, axis=0))",
    "m.geodesic(m.latents_[0], m.latents_[-1], nodes=3000, tolerance=1e-9, grid_points=300)",
    "m.transform(np.repeat(data.points, 50, axis=0))",
    "m.space(grid_points=3000)",
])
def test_interrupt_of_other_calls(call):
    out = run(INTERRUPT + f"""
    m = rm2.WGPLVM("R3 x S3", max_iterations=5).fit(data)
    begin = time.perf_counter()
    soon(0.5)
    try:
        warnings.simplefilter("ignore")
        while True:  # one call is long enough on the machines of today
            {call}
    except KeyboardInterrupt:
        print("stopped")
    assert time.perf_counter() - begin < 20
    print(m.inverse_transform(m.latents_[0]).shape)  # the model is still usable
    """)
    assert out.split() == ["stopped", "(7,)"]


# ---- progress and log ----------------------------------------------------------------------------


def test_callback_of_other_calls(model):
    seen = []
    model.space(grid_points=30, nodes=50)  # made before
    model.distances(model.latents_[::5], grid_points=30, nodes=50, callback=seen.append)
    assert {p.activity for p in seen} <= {"distances", "roadmap", "geodesic", "geodesics"} and seen
    assert all(p.objective is None for p in seen)
    with pytest.raises(KeyboardInterrupt):
        model.distances(model.latents_, callback=lambda p: False)
    with pytest.raises(ZeroDivisionError):
        model.distances(model.latents_, callback=lambda p: 1 / 0)


def test_bar_of_a_terminal(monkeypatch, capsys, toy):
    from riemann2 import _progress

    monkeypatch.setattr(_progress, "_AFTER", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    rm2.WGPLVM("R2 x S2", max_iterations=3).fit(toy)
    assert "fit: " in capsys.readouterr().err
    rm2.set_progress(False)
    try:
        rm2.WGPLVM("R2 x S2", max_iterations=3).fit(toy)
        assert capsys.readouterr().err == ""
    finally:
        rm2.set_progress(True)


def test_config(capsys):
    rm2.show_config()
    assert "OpenBLAS" in capsys.readouterr().out


def test_nothing_heavy_is_imported():
    out = run("""
    import sys, riemann2
    print(sorted({"matplotlib", "sklearn", "scipy", "pandas", "tqdm", "ctypes.util"} & set(sys.modules)))
    """)
    assert out.strip() == "[]"


def test_kernels_are_chosen_before_openblas_is_loaded(tmp_path):
    """A processor that OpenBLAS does not know is told by a variable of the environment, unless one is set."""
    out = run("""
    import importlib.util, os, sys, types
    spec = importlib.util.find_spec("riemann2")
    source = open(os.path.join(os.path.dirname(spec.origin), "_start.py")).read()
    source = source.split("_choose_kernels()\\n\\nfrom")[0]
    space = {"__file__": spec.origin}
    exec(source, space)
    space["_core_of"] = lambda openblas: "Prescott"
    space["_read"] = lambda path: "flags : avx2 fma" if path == "/proc/cpuinfo" else ""
    os.environ.pop("OPENBLAS_CORETYPE", None)
    space["_choose_kernels"]()
    print(os.environ.get("OPENBLAS_CORETYPE"))
    os.environ["OPENBLAS_CORETYPE"] = "Zen"
    space["_choose_kernels"]()
    print(os.environ["OPENBLAS_CORETYPE"])
    """)
    assert out.split() == ["Haswell", "Zen"]
