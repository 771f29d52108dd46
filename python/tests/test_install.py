"""The package that pip installs brings its library along."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from astfe import _library

SOURCE = pathlib.Path(__file__).resolve().parent.parent
NEEDED = ("pip", "setuptools", "wheel")
MISSING = [name for name in NEEDED if not importlib.util.find_spec(name)]

CHECK = """
import pathlib, astfe, numpy as np
from astfe import _library
home = pathlib.Path(astfe.__file__).resolve().parent
assert pathlib.Path(_library.library()._name).parent == home, \\
    _library.library()._name
m = astfe.Matrix((np.array([0, 1]), np.array([1]), np.array([3.0]), (1, 2)))
assert m.multiply([1, 5]).tolist() == [15]
print(home)
"""


def environment(**changes):
    """This process's, without what would lead to the source tree."""
    kept = {name: value for name, value in os.environ.items()
            if name not in ("PYTHONPATH", "ASTFE_LIBRARY")}
    return dict(kept, **changes)


@unittest.skipIf(MISSING, f"not installed: {', '.join(MISSING)}")
class Install(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()

    def install(self, source, **variables):
        target = self.folder / "target"
        result = subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet",
             "--disable-pip-version-check", "--no-build-isolation", "--no-deps",
             "--no-index", "--no-cache-dir", "--target", str(target),
             str(source)],
            cwd=self.folder, env=environment(**variables),
            capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return target

    def use(self, target):
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        result = subprocess.run(
            [sys.executable, "-c", CHECK], cwd=elsewhere,
            env=environment(PYTHONPATH=str(target)), capture_output=True,
            text=True)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(result.stdout.strip(), str(target / "astfe"))

    def copy(self, parent):
        """The sources elsewhere, so that pip leaves nothing in the tree."""
        return shutil.copytree(SOURCE, parent / "python",
                               ignore=shutil.ignore_patterns(
                                   "build", "*.egg-info", "__pycache__"))

    def library(self):
        path = pathlib.Path(_library.library()._name)
        if not path.is_file():
            self.skipTest("the library in use is the system's")
        return path

    def test_named_library(self):
        library = self.library()
        self.use(self.install(self.copy(self.folder),
                              ASTFE_LIBRARY=str(library)))

    def test_library_of_the_source_tree(self):
        built = self.folder / "tree" / "build" / "lib"
        built.mkdir(parents=True)
        (built / "libASTFE.so").symlink_to(self.library())
        self.use(self.install(self.copy(self.folder / "tree")))


if __name__ == "__main__":
    unittest.main()
