"""Build of the Python package: the extension module comes from the project's CMake."""

import os
import re
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
FOLDER = Path("build", "wheel")  # of everything that is made on the way, next to the other builds


class CMakeBuild(build_ext):
    """Configure and build the target riemann2_python, and take its module."""

    def build_extension(self, ext):
        build = ROOT / FOLDER / "cmake"
        flags = f"-ffile-prefix-map={ROOT}=."  # no paths of the machine that builds
        settings = ["-DCMAKE_BUILD_TYPE=Release", "-DRM2_TESTS=OFF", "-DRM2_PYTHON_PACKAGE=ON",
                    f"-DRM2_PYTHON={sys.executable}", f"-DCMAKE_C_FLAGS={flags}", "-DCMAKE_MODULE_LINKER_FLAGS=-s"]
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
        subprocess.run(["cmake", "-S", ROOT, "-B", build, *settings], check=True)
        subprocess.run(["cmake", "--build", build, "-j", jobs, "--target", "riemann2_python"], check=True)
        target = Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(build / "python" / "riemann2" / "_core.abi3.so"), str(target))


def version():
    """The version of the project, from its header."""
    return ".".join(re.findall(r"#define RM2_VERSION_\w+ (\d+)", (ROOT / "include/riemann2/base.h").read_text()))


(ROOT / FOLDER).mkdir(parents=True, exist_ok=True)
setup(
    version=version(),
    ext_modules=[Extension("riemann2._core", sources=[], py_limited_api=True)],
    cmdclass={"build_ext": CMakeBuild},
    options={
        "bdist_wheel": {"py_limited_api": "cp311"},
        "build": {"build_base": str(FOLDER)},
        "egg_info": {"egg_base": str(FOLDER)},
    },
)
