"""The same bits as the program, from the same data and seed."""

import json
import os
import subprocess

import numpy as np
import pytest

import riemann2 as rm2


ROLES = ("--group", "demo", "--time", "time")


def call(program, *arguments):
    """Run the program with the kernels of OpenBLAS that this process has: others round differently."""
    kernels = {**os.environ, "OPENBLAS_CORETYPE": rm2._core.blas()[1]}
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=300, env=kernels)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory, program):
    """Data and a model of the program."""
    folder = tmp_path_factory.mktemp("program")
    call(program, "generate", "robot", "--demos", 3, "--points", 20, "-o", folder / "demos.csv")
    call(program, "fit", folder / "demos.csv", "--manifold", "R3 x S3", *ROLES, "-o", folder / "program.npz")
    return folder


def columns(path, names):
    table = np.genfromtxt(path, delimiter=",", names=True)
    return np.stack([table[n] for n in names], axis=1)


def test_training(folder):
    data = rm2.read(folder / "demos.csv", manifold="R3 x S3", group="demo", time="time")
    model = rm2.WGPLVM("R3 x S3").fit(data)
    theirs = rm2.load(folder / "program.npz")
    np.testing.assert_array_equal(model.latents_, theirs.latents_)
    assert model.info_["objective"] == theirs.info_["objective"]
    np.testing.assert_array_equal(model.array("task_covariance"), theirs.array("task_covariance"))
    assert theirs.get_params() == {**model.get_params(), "recipe": "robust"}


def test_model_files_are_the_same(folder, program):
    data = rm2.read(folder / "demos.csv", manifold="R3 x S3", group="demo", time="time")
    model = rm2.WGPLVM("R3 x S3").fit(data)
    model.save(folder / "python.npz")
    ours, theirs = (json.loads(call(program, "info", folder / f"{n}.npz", "--json")) for n in ("python", "program"))
    for info in (ours, theirs):
        for key in ("seconds", "file", "path", "model", "size", "bytes"):
            info.pop(key, None)
    assert ours == theirs


def test_decode_and_geodesic(folder, program):
    model = rm2.load(folder / "program.npz")
    Z = model.latents_
    call(program, "geodesic", folder / "program.npz", "--from", "0", "--to", "59", "-o", folder / "path.csv",
         "--spread-limit", "1e6")
    path = model.geodesic(Z[0], Z[59])
    header = (folder / "path.csv").read_text().splitlines()[0].split(",")
    latent = columns(folder / "path.csv", [n for n in header if n[0] == "z" and n[1:].isdigit()])
    np.testing.assert_array_equal(path.latent, latent)
    np.testing.assert_array_equal(path.points[:, :3], columns(folder / "path.csv", ["x", "y", "z"]))


def test_encode(folder, program):
    model = rm2.load(folder / "program.npz")
    data = rm2.read(folder / "demos.csv", manifold="R3 x S3", group="demo", time="time", scale="none")  # as the program
    call(program, "encode", folder / "program.npz", folder / "demos.csv", *ROLES, "-o", folder / "encoded.csv")
    np.testing.assert_array_equal(model.transform(data), columns(folder / "encoded.csv", ["z1", "z2"]))
