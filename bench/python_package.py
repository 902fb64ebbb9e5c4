"""Cost of the Python package next to the C library: import, calls, large arrays.

Usage: PYTHONPATH=BUILD/python python3 bench/python_package.py BUILD/bench/bench_manifold
Every time is the least of several rounds, by turns with C where that is compared.
"""

import subprocess
import sys
import time

import numpy as np

import riemann2 as rm2


def least(work, rounds, calls=1):
    """Least time of a call in seconds."""
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(calls):
            work()
        best = min(best, (time.perf_counter() - begin) / calls)
    return best


def import_time():
    """Milliseconds of `import riemann2` in a new interpreter, with and without NumPy in it."""
    code = "import time{}; t = time.perf_counter(); import riemann2; print(time.perf_counter() - t)"

    def once(more):
        return float(subprocess.run([sys.executable, "-c", code.format(more)], capture_output=True).stdout)

    return [1e3 * min(once(more) for _ in range(9)) for more in ("", ", numpy")]


def large_arrays(program, n, rounds):
    """Nanoseconds per point of log + exp on S3: Python, then C."""
    m = rm2.Manifold("S3")
    p = m.default_point()
    x = m.exp_coords(p, np.random.default_rng(0).standard_normal((n, 3)) / np.sqrt(3))  # as bench_manifold
    v, y = np.empty_like(x), np.empty_like(x)

    def round_trip():
        m.exp(p, m.log(p, x, out=v), out=y)

    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(sorted(least(round_trip, 1) for _ in range(5))[2] / n * 1e9)  # median of 5, as there
        theirs.append(float(subprocess.run([program, "S3", str(n), "1"], capture_output=True).stdout))
    return min(ours), min(theirs)


def main():
    rm2.set_threads(1)
    fresh, after_numpy = import_time()
    print(f"import riemann2                        {fresh:8.1f} ms")
    print(f"import riemann2 after numpy            {after_numpy:8.1f} ms")
    m = rm2.Manifold("S3")
    p, q = m.random(2)
    out = np.empty(4)
    whole = least(lambda: m.dist(p, q), 20, 2000)
    inner = least(lambda: rm2._core.manifold_apply(m._handle, "log", p, q, None, out), 20, 2000)
    print(f"Manifold('S3').dist of one pair        {whole * 1e6:8.2f} us")
    print(f"  the call of the extension alone      {inner * 1e6:8.2f} us")
    model = rm2.WGPLVM("R3 x S3").fit(rm2.generate("robot", trajectories=3, points=30))
    z = model.latents_[0].copy()
    print(f"inverse_transform of one point (N=90)  {least(lambda: model.inverse_transform(z), 20, 500) * 1e6:8.2f} us")
    for n, rounds in ((10**4, 100), (10**6, 15)):
        ours, theirs = large_arrays(sys.argv[1], n, rounds)
        print(f"log + exp, {n:7d} points of S3        {ours:8.2f} ns per point; C {theirs:.2f}, ratio {ours / theirs:.3f}")


if __name__ == "__main__":
    main()
