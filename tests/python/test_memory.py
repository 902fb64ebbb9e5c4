"""Memory stays flat. RM2_LEAK_FITS and RM2_LEAK_CALLS make it the long test: 1000 fits and 10^6 calls."""

import gc
import os

import numpy as np
import pytest

import riemann2 as rm2

FITS = int(os.environ.get("RM2_LEAK_FITS", "30"))
CALLS = int(os.environ.get("RM2_LEAK_CALLS", "20000"))


def resident():
    """Resident memory in bytes."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def growth(work, count):
    """Growth of memory in bytes over the second half of `count` calls; the first half fills pools and caches."""
    half = max(count // 2, 1)
    for _ in range(half):
        work()
    gc.collect()
    before = resident()
    for _ in range(half):
        work()
    gc.collect()
    return resident() - before, half


# One leaked array of 60 x 2 doubles per fit is 1 kB, one leaked object per call at least 16 bytes; the allocator's
# own noise is some hundred kB whatever the number of calls.
NOISE = 600_000

if not os.path.exists("/proc/self/statm") or "libasan" in os.environ.get("LD_PRELOAD", ""):
    pytest.skip("needs /proc, and an allocator that does not keep what is freed", allow_module_level=True)


def test_fits(toy):
    def work():
        model = rm2.WGPLVM("R2 x S2", max_iterations=1).fit(toy)
        Z = model.latents_
        model.transform(toy.points[:1])
        rm2.WGPLVM.__new__(rm2.WGPLVM).__setstate__(model.__getstate__())
        model.geodesic(Z[0], Z[1], stage="path", roadmap="line", nodes=5).points
        rm2.Data(toy.points, "R2 x S2", groups=toy.groups)

    grown, fits = growth(work, FITS)
    assert grown < NOISE + 500 * fits


def test_calls(model):
    m, p = rm2.Manifold("S3"), rm2.Manifold("S3").random(2)
    Z = model.latents_[:2].copy()

    def work():
        m.exp(p[0], m.log(p[0], p[1]))
        model.inverse_transform(Z[0])

    grown, calls = growth(work, CALLS)
    assert grown < NOISE + 4 * calls


@pytest.mark.filterwarnings("ignore")
def test_failing_calls(model, toy, tmp_path):
    m = rm2.Manifold("S2")
    bad = toy.points.copy()
    bad[3, 4] = np.nan
    attempts = [
        lambda: m.log([1.0, 0, 0], [-1.0, 0, 0]),
        lambda: rm2.Data(bad, "R2 x S2", groups=toy.groups),
        lambda: rm2.load(tmp_path / "none.npz"),
        lambda: rm2.WGPLVM("R2 x S2", latent_dim=0).fit(toy),
        lambda: rm2.WGPLVM("R2 x S2", max_iterations=2).fit(toy, callback=lambda p: 1 / 0),
        lambda: rm2.Space(model, cost=lambda y: 1 / 0, grid_points=4),
        lambda: model.distances(model.latents_[:3], grid_points=4, callback=lambda p: False),
    ]

    def work():
        for attempt in attempts:
            try:
                attempt()
            except (Exception, KeyboardInterrupt):
                continue
            raise AssertionError("did not fail")

    grown, rounds = growth(work, max(FITS // 2, 10))
    assert grown < NOISE + 1000 * rounds
