"""Threads, fork, exit, and what is loaded when."""

import os
import pathlib
import subprocess
import sys
import threading
import unittest

import astfe
import numpy as np
from astfe import _library

SOURCE = pathlib.Path(__file__).resolve().parent.parent

# A diagonal matrix of `rows` rows, and the product with a vector.
DIAGONAL = """
import os, sys, threading
import numpy as np
import astfe

def diagonal(rows, dtype="float32", **options):
    return astfe.Matrix((np.arange(rows + 1), np.arange(rows),
                         np.arange(1, rows + 1).astype(dtype), (rows, rows)),
                        **options)

def right(matrix, columns=1):
    rows = matrix.shape[0]
    ones = np.ones((rows, columns), matrix.dtype)
    return (matrix.multiply(ones)[:, 0] == np.arange(1, rows + 1)).all()

def loaded(name):
    with open("/proc/self/maps") as maps:
        return name in maps.read()
"""


def run(code, **variables):
    """Runs the code in a process of its own, in at most two minutes."""
    environment = dict(os.environ, PYTHONPATH=str(SOURCE),
                       ASTFE_LIBRARY=_library.library()._name, **variables)
    return subprocess.run([sys.executable, "-c", DIAGONAL + code],
                          env=environment, capture_output=True, text=True,
                          timeout=120)


class Threads(unittest.TestCase):
    def check(self, code, **variables):
        result = run(code, **variables)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_llvm_is_loaded_by_the_first_compilation(self):
        self.check("""
assert not loaded("libASTFE"), "import loads nothing"
astfe.version()
astfe.partition((np.arange(5), np.arange(4), (4, 4)))
matrix = diagonal(5)
assert loaded("libastfe_runtime") and not loaded("libLLVM")
assert right(matrix) and loaded("libLLVM")
assert not loaded("libomp") and not loaded("libgomp")
""", ASTFE_KERNEL_CACHE="off")

    def test_a_library_without_its_compiler(self):
        # A copy, beside which there is no compiler.
        folder = pathlib.Path(_library.library()._name).resolve().parent
        self.check(f"""
import ctypes, shutil, tempfile
folder = tempfile.mkdtemp()
for name in ("libASTFE.so", "libastfe_runtime.so.0"):
    shutil.copyfile({str(folder)!r} + "/" + name, folder + "/" + name)
os.environ["ASTFE_LIBRARY"] = folder + "/libASTFE.so"
try:
    right(diagonal(3))
    assert False, "expected an error"
except astfe.Error as error:
    assert "libASTFECompiler.so" in str(error), error
shutil.rmtree(folder)
""")

    def test_counts(self):
        before = astfe.threads()
        for count in (0, 1, 4096):
            self.check(f"""
astfe.set_threads({count})
assert right(diagonal(40000)) and right(diagonal(5000), 8)
""")
        for count in (-1, 4097):
            with self.assertRaisesRegex(astfe.Error, "threads but got"):
                astfe.set_threads(count)
        self.assertEqual(astfe.threads(), before)

    def test_products_of_one_matrix_in_many_threads(self):
        self.check("""
matrix, wrong = diagonal(60000), []
def work():
    for i in range(40):
        if not right(matrix, 1 + i % 3):
            wrong.append(i)
threads = [threading.Thread(target=work) for _ in range(5)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert not wrong, wrong
""")

    def test_a_matrix_destroyed_while_threads_multiply(self):
        self.check("""
from astfe import _library
texts = []
for round in range(20):
    matrix = diagonal(30000)
    right(matrix)
    started = threading.Event()
    def work():
        try:
            while True:
                assert right(matrix)
                started.set()
        except astfe.Error as error:
            texts.append(str(error))
    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads: thread.start()
    started.wait()
    _library.library().astfeMatrixDestroy(matrix._handle)
    for thread in threads: thread.join()
    matrix._handle = None
assert len(texts) == 60 and all("destroyed" in t for t in texts), texts
""")

    def test_fork_after_use(self):
        self.check("""
import signal
matrix = diagonal(200000)
assert right(matrix)
for _ in range(5):
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if right(matrix) and right(matrix, 3) else 1)
    assert os.waitpid(child, 0)[1] == 0
assert right(matrix)
""")

    def test_fork_beside_threads(self):
        # Locks that the child's only thread does not hold would never open.
        for work in ("right(matrix)", "matrix.set_values(values)",
                     "product.forward(np.ones((2000, 4), 'float32'))",
                     "compile(next(columns))"):
            self.check(f"""
import itertools, signal, time
columns = itertools.count(2)
values = np.arange(1, 2001).astype("float32")
matrix = diagonal(2000)
product = astfe.Spmm((np.arange(2001), np.arange(2000), values, (2000, 2000)))
def compile(columns):
    assert right(diagonal(9, columns=columns), columns)
compile(next(columns))
over = False
def work():
    while not over:
        {work}
thread = threading.Thread(target=work, daemon=True)
thread.start()
for _ in range(4):
    time.sleep(0.01)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        matrix.set_values(values)
        product.set_values(values)
        assert right(matrix)
        compile(3)
        sys.exit(0)
    status = os.waitpid(child, 0)[1]
    assert status == 0, status
over = True
thread.join()
""", ASTFE_KERNEL_CACHE="off")

    def test_fork_before_import_of_a_parent_that_used_libgomp(self):
        # A region of libgomp would never end in the child.
        self.check("""
import ctypes, signal
gomp = ctypes.CDLL("libgomp.so.1", ctypes.RTLD_GLOBAL)
threads = set()
@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def work(_):
    threads.add(threading.get_ident())
gomp.GOMP_parallel(work, None, 2, 0)
assert len(threads) == 2, threads
assert not loaded("libASTFE")
child = os.fork()
if child == 0:
    signal.alarm(60)
    astfe.set_threads(2)
    os._exit(0 if right(diagonal(200000)) else 1)
status = os.waitpid(child, 0)[1]
assert status == 0, status
astfe.set_threads(2)
assert right(diagonal(200000))
""")

    def test_exit_while_kernels_compile(self):
        for after in (0, 0.05, 0.2):
            self.check(f"""
import time
def work():
    for columns in range(2, 50):
        right(diagonal(9, columns=columns), columns)
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep({after})
""", ASTFE_KERNEL_CACHE="off")


class PlainArrays(unittest.TestCase):
    """What needs no conversion takes a shorter way; it gives the same."""

    def test_the_same_as_converted_arrays(self):
        rng = np.random.default_rng(3)
        dense = np.where(rng.random((20, 30)) < 0.3, 1.5, 0).astype("float32")
        positions = np.concatenate([[0], np.cumsum((dense != 0).sum(1))])
        matrix = astfe.Matrix((positions, np.nonzero(dense)[1],
                               dense[dense != 0], dense.shape))
        for shape in ((30,), (30, 1), (30, 7)):
            operand = rng.random(shape).astype("float32")
            fixed = operand.copy()
            fixed.flags.writeable = False
            expected = matrix.multiply(fixed)
            for out in (None, np.full_like(expected, 7)):
                result = matrix.multiply(operand, out=out)
                np.testing.assert_array_equal(result, expected)
                self.assertTrue(out is None or result is out)
            out = np.ones_like(expected)
            matrix.multiply(operand, out=out, accumulate=True)
            np.testing.assert_allclose(out, expected + 1, rtol=1e-5)

    def test_what_it_does_not_take_is_refused_as_before(self):
        matrix = astfe.Matrix((np.arange(5), np.arange(4),
                               np.ones(4, "float32"), (4, 4)))
        both = np.ones(8, "float32")
        with self.assertRaisesRegex(ValueError, "apart from"):
            matrix.multiply(both[:4], out=both[3:7])
        with self.assertRaisesRegex(ValueError, "expected 4 elements"):
            matrix.multiply(both)
        with self.assertRaisesRegex(ValueError, "expected 4 rows"):
            matrix.multiply(np.ones((5, 2), "float32"))
        with self.assertRaisesRegex(ValueError, "out: expected float32"):
            matrix.multiply(both[:4], out=np.ones(5, "float32"))


if __name__ == "__main__":
    unittest.main()
