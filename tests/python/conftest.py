"""What the tests of the Python package share: small models, trained once."""

import os
import sys

sys.path.insert(0, os.path.dirname(__file__))

import numpy as np  # noqa: E402
import pytest  # noqa: E402

from hypothesis import settings  # noqa: E402

import riemann2 as rm2  # noqa: E402

# The same examples in every run; HYPOTHESIS_PROFILE=default looks for new ones.
settings.register_profile("repeatable", derandomize=True, database=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


@pytest.fixture(scope="session")
def toy():
    """Three trajectories on R2 x S2."""
    return rm2.generate("toy", trajectories=3, points=20)


@pytest.fixture(scope="session")
def model(toy):
    """A model of them; tests do not change it."""
    return rm2.WGPLVM("R2 x S2").fit(toy)


@pytest.fixture(scope="session")
def poses():
    """Robot poses on R3 x S3."""
    return rm2.generate("robot", trajectories=3, points=25)


@pytest.fixture(scope="session")
def pose_model(poses):
    return rm2.WGPLVM("R3 x S3").fit(poses)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture(scope="session")
def program():
    """The program of the same build, from the environment."""
    path = os.environ.get("RM2_PROGRAM")
    if not path:
        pytest.skip("RM2_PROGRAM is not set")
    return path
