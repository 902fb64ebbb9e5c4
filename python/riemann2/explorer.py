"""The explorer: a model in the browser, served by the program riemann2."""

from __future__ import annotations

import atexit
import html
import os
import shutil
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .model import WGPLVM

__all__ = ["Explorer"]


def _find_program(program: str | os.PathLike[str] | None) -> str:
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "riemann2")
    default = inside if os.path.exists(inside) else "riemann2"
    name = os.fspath(program) if program is not None else os.environ.get("RIEMANN2_PROGRAM", default)
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(
            f"program '{name}' is not found; install the package riemann2, or pass program="
        )
    return found


class Explorer:
    """A running explorer: `address` opens it in a browser, notebooks show it inline.

    It ends with `close`, at the end of a `with` block, or with Python.
    """

    def __init__(self, model: WGPLVM, program: str | os.PathLike[str] | None = None, arm: str | os.PathLike[str] | None = None,
                 port: int = 0, height: int = 720, base: str | None = None, tip: str | None = None):
        self.height = height
        command = [_find_program(program), "explore", "--no-browser", "--until-eof", "--quiet", "--port", str(int(port))]
        for option, value in (("--arm", arm), ("--base", base), ("--tip", tip)):
            if value is not None:
                command += [option, os.fspath(value)]
        with tempfile.TemporaryDirectory(prefix="riemann2-") as folder:  # the program has read the model once it answers
            path = os.path.join(folder, "model.npz")
            model.save(path)
            self._process = subprocess.Popen(
                [*command, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            atexit.register(self.close)
            assert self._process.stdout is not None
            self.address: str = self._process.stdout.readline().strip()
        if not self.address.startswith("http"):
            raise RuntimeError(self._failure() or "the explorer has not started")

    def _failure(self) -> str:
        self._process.kill()
        _, message = self._process.communicate()
        atexit.unregister(self.close)
        return message.strip()

    def close(self) -> None:
        """End the explorer; closing twice is allowed."""
        process = self._process
        if process.poll() is None:
            try:
                process.communicate(timeout=5)  # closes its input, which ends it
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
        atexit.unregister(self.close)

    def __enter__(self) -> Explorer:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Explorer({self.address!r})" if self._process.poll() is None else "Explorer(closed)"

    def _repr_html_(self) -> str:
        address = html.escape(self.address, quote=True)
        return f'<iframe src="{address}" width="100%" height="{int(self.height)}" style="border:0"></iframe>'
