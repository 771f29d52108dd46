"""Puts ASTFE's libraries into the package where they have been built.

libASTFE.so is ASTFE_LIBRARY, or what the source tree built beside this folder;
the compiler, which it opens, and the runtime lie beside it. Without libASTFE.so
the package is installed alone and looks for the library where the system does.
"""

import os
import pathlib
import shutil

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

NAME = "libASTFE.so"
BESIDE = ("libastfe_runtime.so.0", "libASTFECompiler.so")


def library():
    """The library's path, or None."""
    named = os.environ.get("ASTFE_LIBRARY")
    if named:
        if not pathlib.Path(named).is_file():
            raise SystemExit(f"ASTFE_LIBRARY: no such file: {named}")
        return pathlib.Path(named)
    here = pathlib.Path(__file__).resolve().parent
    built = here.parent / "build" / "lib" / NAME
    return built if built.is_file() else None


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        source = library()
        # An editable package finds the build by itself.
        if source is None or getattr(self, "editable_mode", False):
            return
        target = pathlib.Path(self.build_lib) / "astfe"
        target.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target / NAME)
        folder = source.resolve().parent
        for name in BESIDE:
            if not (folder / name).is_file():
                raise SystemExit(f"{folder}: expected {name} beside {NAME}")
            shutil.copyfile(folder / name, target / name)


class WithLibrary(Distribution):
    def has_ext_modules(self):
        """Whether the package is for one platform only."""
        return library() is not None


setup(cmdclass={"build_py": BuildWithLibrary}, distclass=WithLibrary)
