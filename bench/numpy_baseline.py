"""The round trip of bench_manifold.c written with NumPy, as one would without a library:
numpy_baseline.py SPEC POINTS prints nanoseconds a point, the median of several runs."""
import sys
import time

import numpy as np


def sphere_log(p, q):
    c = np.clip(q @ p, -1, 1)
    theta = np.arccos(c)
    u = q - c[:, None] * p
    return u * (theta / np.linalg.norm(u, axis=1))[:, None]


def sphere_exp(p, v):
    r = np.linalg.norm(v, axis=1)[:, None]
    return np.cos(r) * p + np.sinc(r / np.pi) * v


def spectral(matrices, function):
    w, u = np.linalg.eigh(matrices)
    return (u * function(w)[:, None, :]) @ u.transpose(0, 2, 1)


def spd_log(l, inverse, q):
    return l @ spectral(inverse @ q @ inverse.T, np.log) @ l.T


def spd_exp(l, inverse, v):
    return l @ spectral(inverse @ v @ inverse.T, np.exp) @ l.T


def median_time(run, n):
    times = []
    for _ in range(3):
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) / n * 1e9)
    return sorted(times)[1]


def main():
    spec, n = sys.argv[1], int(sys.argv[2])
    rng = np.random.default_rng(0)
    if spec.startswith("SPD"):
        k = int(spec[3:])
        s = rng.standard_normal((n, k, k)) / k
        l = np.linalg.cholesky(np.eye(k) + 0.1 * np.ones((k, k)))
        inverse = np.linalg.inv(l)
        q = l @ spectral((s + s.transpose(0, 2, 1)) / 2, np.exp) @ l.T
        run = lambda: spd_exp(l, inverse, spd_log(l, inverse, q))
    else:
        k = int(spec[1:]) + 1
        p = np.ones(k) / np.sqrt(k)
        q = p + 0.5 * rng.standard_normal((n, k))
        q /= np.linalg.norm(q, axis=1)[:, None]
        run = lambda: sphere_exp(p, sphere_log(p, q))
    print(f"{median_time(run, n):.1f}")


main()
