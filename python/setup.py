"""Puts libASTFE.so into the package where it has been built.

The library is ASTFE_LIBRARY, or what the source tree built beside this folder.
Without either the package is installed alone and looks for the library where
the system does.
"""

import os
import pathlib
import shutil

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

NAME = "libASTFE.so"


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
        target = pathlib.Path(self.build_lib) / "astfe" / NAME
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


class WithLibrary(Distribution):
    def has_ext_modules(self):
        """Whether the package is for one platform only."""
        return library() is not None


setup(cmdclass={"build_py": BuildWithLibrary}, distclass=WithLibrary)
