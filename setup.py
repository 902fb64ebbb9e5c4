"""Build of the Python package: the extension module and the program come from the project's CMake."""

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
FOLDER = Path("build", "wheel")  # of everything that is made on the way, next to the other builds
NEEDS = """riemann2: {}.
Building needs a C compiler, CMake, pkg-config, OpenBLAS (OpenMP build), zlib, Cairo, Python's headers, setuptools and
wheel. On Debian: apt install gcc cmake pkg-config libopenblas-openmp-dev zlib1g-dev libcairo2-dev libexpat1-dev
libmicrohttpd-dev libmatio-dev python3-dev python3-setuptools python3-wheel (or make deps GROUPS="build plot explorer
urdf mat python")."""


class CMakeBuild(build_ext):
    """Configure and build the module and the program, and take both."""

    def build_extension(self, ext):
        if not shutil.which("cmake"):
            sys.exit(NEEDS.format("the program cmake is missing"))
        build = ROOT / FOLDER / "cmake"
        flags = f"-ffile-prefix-map={ROOT}=."  # no paths of the machine that builds
        settings = ["-DCMAKE_BUILD_TYPE=Release", "-DRM2_TESTS=OFF", "-DRM2_MPI=OFF", "-DRM2_PYTHON_PACKAGE=ON",
                    f"-DRM2_PYTHON={sys.executable}", f"-DCMAKE_C_FLAGS={flags}", "-DCMAKE_MODULE_LINKER_FLAGS=-s",
                    "-DCMAKE_EXE_LINKER_FLAGS=-s"]
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
        if subprocess.run(["cmake", "-S", ROOT, "-B", build, *settings]).returncode != 0:
            sys.exit(NEEDS.format("CMake has not found everything, see above"))
        subprocess.run(["cmake", "--build", build, "-j", jobs, "--target", "riemann2_python", "riemann2"], check=True)
        module = Path(self.get_ext_fullpath(ext.name))
        (module.parent / "bin").mkdir(parents=True, exist_ok=True)
        self.copy_file(str(build / "python" / "riemann2" / "_core.abi3.so"), str(module))
        self.copy_file(str(build / "riemann2"), str(module.parent / "bin" / "riemann2"))


def version():
    """The version of the project, from its header."""
    return ".".join(re.findall(r"#define RM2_VERSION_\w+ (\d+)", (ROOT / "include/riemann2/base.h").read_text()))


if not (find_spec("wheel") or find_spec("setuptools.command.bdist_wheel")):
    sys.exit(NEEDS.format("the Python package wheel is missing"))
(ROOT / FOLDER).mkdir(parents=True, exist_ok=True)
setup(
    version=version(),
    ext_modules=[Extension("riemann2._core", sources=[], py_limited_api=True)],
    scripts=["python/bin/riemann2"],
    cmdclass={"build_ext": CMakeBuild},
    options={
        "bdist_wheel": {"py_limited_api": "cp310"},
        "build": {"build_base": str(FOLDER)},
        "egg_info": {"egg_base": str(FOLDER)},
    },
)
