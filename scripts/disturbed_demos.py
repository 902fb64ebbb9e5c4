"""Demonstrations with the faults and forms of real recordings, made from letters and robot tasks with fixed seeds.

`disturbed(data, folder)` yields recordings. A recording is fitted from `file`; its paths run from the first point of one
demonstration to the last point of another, and are compared with demonstrations of `clean`, the recording without its fault.
"""

import os
from dataclasses import dataclass

import numpy as np

LETTERS, TASKS = "CGJLNSUWZ", ("pouring", "openbox", "bottle2shelf")
HELD = 2  # demonstration that is held out; faults are put into others


@dataclass
class Recording:
    kind: str
    name: str
    manifold: str
    file: str
    clean: str
    paths: list  # (first, last, demonstrations to compare with, or None for all)
    held: str = str(HELD)
    options: tuple = ()
    layout: tuple = ()


# ---- demonstrations ----------------------------------------------------------------------------------------------------

def letter(data, name, demos=7, points=100):
    y = np.load(f"{data}/letters/{name}.npy")[:demos]
    return [d[np.round(np.linspace(0, len(d) - 1, points)).astype(int)] for d in y]


def task(data, name, points=100):
    y = np.load(f"{data}/robotasks/{name}.npy")
    return [unit(d[np.round(np.linspace(0, len(d) - 1, points)).astype(int)]) for d in y]


def unit(y):
    """Rows with their quaternions, the last four of every seven numbers, of length one."""
    y = np.array(y)
    for k in range(3, y.shape[1], 7):
        y[:, k:k + 4] /= np.linalg.norm(y[:, k:k + 4], axis=1, keepdims=True)
    return y


def extent(demos):
    """Diagonal of the box around all points, per column group: positions together, quaternions by themselves."""
    y = np.concatenate(demos)
    size = np.ptp(y, axis=0)
    whole = np.full(y.shape[1], np.linalg.norm(size[:3] if y.shape[1] >= 7 else size))
    for k in range(3, y.shape[1], 7):
        whole[k:k + 4] = np.linalg.norm(size[k:k + 4])
    return whole


def at_places(y, places):
    """Rows at fractional places, by linear interpolation."""
    i = np.clip(places.astype(int), 0, len(y) - 2)
    t = (places - i)[:, None]
    return (1 - t) * y[i] + t * y[i + 1]


def write(path, demos):
    with open(path, "w", encoding="utf-8") as out:
        print("demo," + ",".join(f"x{k}" for k in range(demos[0].shape[1])), file=out)
        for d, y in enumerate(demos):
            for row in y:
                print(d, *(repr(float(x)) for x in row), sep=",", file=out)
    return path


# ---- faults: each changes a copy of the demonstrations --------------------------------------------------------------------

def displaced(rng, y, rows, size, least=0.3, most=1.0):
    """Rows moved by a part of the extent in random directions."""
    push = rng.normal(size=(len(rows), y.shape[1]))
    push /= np.linalg.norm(push, axis=1, keepdims=True)
    y[rows] += push * size * rng.uniform(least, most, (len(rows), 1))


def outliers(count):
    def change(rng, demos, size):
        for d in rng.choice([k for k in range(len(demos)) if k != HELD], count, replace=False):
            displaced(rng, demos[d], rng.choice(len(demos[d]), len(demos[d]) // 20, replace=False), size)
    return change


def noise(part, spikes=False):
    def change(rng, demos, size):
        for y in demos:
            y += rng.normal(size=y.shape) * size * part
            if spikes:
                displaced(rng, y, rng.choice(len(y), max(len(y) // 50, 1), replace=False), size)
    return change


def dropped(bursts):
    def change(rng, demos, size):
        for d, y in enumerate(demos):
            keep = rng.uniform(size=len(y)) > (0 if bursts else 0.3)
            for _ in range(2 if bursts else 0):
                start = rng.integers(1, len(y) - len(y) // 8 - 1)
                keep[start:start + len(y) // 8] = False
            keep[[0, -1]] = True
            demos[d] = y[keep]
    return change


def bad_first(which):
    def change(rng, demos, size):
        displaced(rng, demos[which], [0], size, 0.5, 1.0)
    return change


def spread_ends(rng, demos, size):
    for y in demos:
        t = np.linspace(0, 1, len(y))[:, None]
        for part in (t, 1 - t):
            push = rng.normal(size=y.shape[1]) * size / np.sqrt(len(size))
            push[3:] *= 0.3 * (len(push) >= 7)  # orientations less: they would pass the cut locus
            y += 0.3 * part * push


def fast_then_rest(which):
    def change(rng, demos, size):
        y = demos[which]
        n = len(y) - 1
        fast = len(y) // 10
        places = np.concatenate([np.linspace(0, 0.9 * n, fast, endpoint=False), np.linspace(0.9 * n, n, len(y) - fast)])
        demos[which] = at_places(y, places)
    return change


FAULTS = (
    ("outliers in one", outliers(1)), ("outliers in three", outliers(3)),
    ("noise of 1 %", noise(0.01)), ("noise of 3 %", noise(0.03)), ("noise of 10 %", noise(0.1)),
    ("noise of 3 %, spikes", noise(0.03, True)), ("noise of 10 %, spikes", noise(0.1, True)),
    ("rows dropped", dropped(False)), ("bursts dropped", dropped(True)),
    ("bad first sample", bad_first(3)), ("bad first sample, path's", bad_first(0)),
    ("fast, then rest", fast_then_rest(3)),
)


def faulty(data, folder, letters, tasks):
    for number, (kind, change) in enumerate(FAULTS):
        for name in (*letters, *tasks):
            clean = task(data, name) if name in TASKS else letter(data, name)
            rng = np.random.default_rng([number, *name.encode()])
            demos = [np.array(d) for d in clean]
            change(rng, demos, extent(clean))
            if name in TASKS:
                demos = [unit(d) for d in demos]
            stem = os.path.join(folder, f"{number}-{name}")
            yield Recording(kind, name, "R3 x S3" if name in TASKS else "R2", write(stem + ".csv", demos),
                            write(stem + "-clean.csv", clean), [(0, len(clean) - 1, None)])


# ---- other forms -----------------------------------------------------------------------------------------------------------

def whole(kind, name, manifold, folder, demos, layout=()):
    file = write(os.path.join(folder, f"{kind}-{name}.csv".replace(" ", "_")), demos)
    return Recording(kind, name, manifold, file, file, [(0, len(demos) - 1, None)], layout=layout)


def families(data, folder, triples):
    """Five demonstrations of each of three letters and one of a fourth."""
    for names in triples:
        demos = [d for n in names[:3] for d in letter(data, n, 5)]
        odd = letter(data, names[3])
        file = write(os.path.join(folder, f"families-{names}.csv"), [*demos, odd[0]])
        yield Recording("three families", names, "R2", file, file,
                        [(5 * f, 5 * f + 4, ",".join(str(5 * f + k) for k in range(5))) for f in range(3)], options=("--thin", "50"))
        clean = write(os.path.join(folder, f"odd-{names}.csv"), odd)
        yield Recording("odd one of three families", names, "R2", file, clean, [(15, 15, None)], options=("--thin", "50"))


def single(data, folder, letters, tasks):
    for name in (*letters, *tasks):
        demos = task(data, name, 50) if name in TASKS else letter(data, name, points=50)
        clean = write(os.path.join(folder, f"one-{name}-all.csv"), demos)
        for d in (0, 3, 6):
            file = write(os.path.join(folder, f"one-{name}-{d}.csv"), [demos[d]])
            yield Recording("one of 50 points", f"{name} {d}", "R3 x S3" if name in TASKS else "R2", file, clean, [(0, 0, None)],
                            held="")


def spread(data, folder, letters, tasks):
    for name in (*letters, *tasks):
        demos = task(data, name) if name in TASKS else letter(data, name)
        spread_ends(np.random.default_rng([99, *name.encode()]), demos, extent(demos))
        demos = [unit(d) for d in demos] if name in TASKS else demos
        yield whole("ends spread by 30 %", name, "R3 x S3" if name in TASKS else "R2", folder, demos)


def joint_angles(demos):
    """Seven angles within a radian of zero or so: smooth functions of the poses, none of them constant."""
    y = np.concatenate(demos)
    mean, size = y.mean(axis=0), extent(demos)
    turn = np.linalg.qr(np.random.default_rng(7).normal(size=(7, 7)))[0]
    return [2 * np.sin((d - mean) / size @ turn) for d in demos]


def forms(data, folder):
    demos = {name: task(data, name) for name in TASKS}
    for name, other in zip(TASKS, TASKS[1:] + TASKS[:1]):
        yield whole("two arms", name, "R3 x S3 x R3 x S3", folder, [np.hstack(p) for p in zip(demos[name], demos[other])])
        yield whole("seven joint angles", name, "T7", folder, joint_angles(demos[name]), ("--angles",))
        yield whole("orientations alone", name, "S3", folder, [d[:, 3:] for d in demos[name]])


def disturbed(data, folder, every=1):
    """All recordings, or every k-th letter of each kind."""
    letters = LETTERS[::every]
    tasks = TASKS[:max(1, len(TASKS) // every)]
    yield from faulty(data, folder, letters, tasks)
    yield from families(data, folder, ("CLZS", "GSNJ", "UWCL", "JZGN", "SLUW")[:max(2, 5 // every)])
    yield from single(data, folder, letters, tasks)
    yield from spread(data, folder, letters, tasks)
    yield from forms(data, folder)
