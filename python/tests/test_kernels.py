"""Compiled kernels that other processes left."""

import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

from astfe import _library

SOURCE = pathlib.Path(__file__).resolve().parent.parent

# A product with a vector and one with three columns, and what was loaded.
PRODUCTS = """
import numpy as np
import astfe

rows = 500
matrix = astfe.Matrix((np.arange(rows + 1), np.arange(rows),
                       np.arange(1, rows + 1).astype("float32"), (rows, rows)))
for columns in (1, 3):
    ones = np.ones((rows, columns), "float32")
    got = matrix.multiply(ones)
    assert (got == np.arange(1, rows + 1)[:, None]).all(), got
with open("/proc/self/maps") as maps:
    print("compiled" if "libLLVM" in maps.read() else "found")
"""


# A product in little more address space than there is, and then without a limit.
LIMITED = """
import resource
import numpy as np
import astfe

matrix = astfe.Matrix((np.arange(501), np.arange(500), np.ones(500, "float32"),
                       (500, 500)), columns=3)
ones = np.ones((500, 3), "float32")
with open("/proc/self/statm") as statm:
    taken = int(statm.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + (32 << 20), resource.RLIM_INFINITY))
try:
    matrix.multiply(ones)
    print("multiplied")
except astfe.Error as error:
    print(error)
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
assert (matrix.multiply(ones) == 1).all()
"""


class KeptKernels(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.kernels = self.folder / "kernels"

    def begin(self, folder=None, program=PRODUCTS, **options):
        environment = dict(os.environ, PYTHONPATH=str(SOURCE),
                           ASTFE_LIBRARY=_library.library()._name,
                           ASTFE_KERNEL_CACHE=str(folder or self.kernels))
        return subprocess.Popen([sys.executable, "-c", program],
                                env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **options)

    def end(self, process):
        out, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, out + errors)
        return out.strip()

    def run_products(self, *arguments, **options):
        return self.end(self.begin(*arguments, **options))

    def entries(self):
        return sorted(path for path in self.kernels.iterdir()
                      if path.name != "llvmcache.timestamp")

    def test_the_second_process_loads_no_llvm(self):
        self.assertEqual(self.run_products(), "compiled")
        self.assertEqual(len(self.entries()), 2)
        self.assertEqual(self.run_products(), "found")
        # For their user alone: they are code.
        self.assertEqual(self.kernels.stat().st_mode & 0o077, 0)

    def test_no_room_to_compile(self):
        self.assertIn("out of memory: expected 512 MiB of free address space",
                      self.run_products(program=LIMITED))

    def test_damaged_entries_are_compiled_anew(self):
        self.run_products()
        whole = {path: path.read_bytes() for path in self.entries()}
        first, other = whole.values()

        def changed(data, at):
            return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]

        for damage in (lambda data: b"", lambda data: data[:-1],
                       lambda data: data[: len(data) // 2],
                       lambda data: b"\0" * len(data),
                       lambda data: changed(data, 100),
                       lambda data: changed(data, len(data) - 20),
                       # What another kernel's file holds is not this one.
                       lambda data: other if data == first else first):
            for path, data in whole.items():
                path.write_bytes(damage(data))
            self.assertEqual(self.run_products(), "compiled")
            self.assertEqual(self.run_products(), "found")
            self.assertEqual(self.entries(), sorted(whole))

    def test_a_folder_that_cannot_be_written(self):
        file = self.folder / "file"
        file.write_text("")
        self.assertEqual(self.run_products(file / "kernels"), "compiled")
        self.assertEqual(self.run_products("/proc/kernels"), "compiled")

    def test_a_full_disk(self):
        def no_space():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        for _ in range(2):
            self.assertEqual(self.run_products(preexec_fn=no_space), "compiled")
        self.assertEqual(
            self.entries() if self.kernels.exists() else [], [])
        self.assertEqual(self.run_products(), "compiled")
        self.assertEqual(self.run_products(), "found")

    def test_the_folder_does_not_grow_for_ever(self):
        self.kernels.mkdir()
        old = self.kernels / "llvmcache-old"
        with open(old, "wb") as file:
            file.truncate(1 << 30)
        self.assertEqual(self.run_products(), "compiled")
        self.assertFalse(old.exists())
        self.assertEqual(self.run_products(), "found")

    def test_processes_at_once(self):
        processes = [self.begin() for _ in range(4)]
        for process in processes:
            self.end(process)
        self.assertEqual(len(self.entries()), 2)
        self.assertEqual(self.run_products(), "found")

    def test_off(self):
        for _ in range(2):
            self.assertEqual(self.run_products("off"), "compiled")
        self.assertFalse(self.kernels.exists())


if __name__ == "__main__":
    unittest.main()
