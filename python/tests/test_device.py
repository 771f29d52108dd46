"""Products on operands of a GPU, whose driver is the stand-in of
unittests/Runtime/Cuda: kernels are loaded and launched there but do nothing, so
that what is tested is what arrives at the driver."""

import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import types
import unittest
import unittest.mock

import numpy as np
from astfe import _device

_BUILD = pathlib.Path(os.environ.get("ASTFE_LIBRARY", "/nowhere/lib/x")).parent.parent
_DRIVER = _BUILD / "unittests" / "libASTFEFakeCuda.so"

_PROLOGUE = """
import ctypes, sys
import numpy as np
import astfe

driver = ctypes.CDLL({driver!r})
driver.fakeCudaOtherStream.restype = ctypes.c_void_p
context = ctypes.c_void_p()
driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 7)
driver.cuCtxSetCurrent(context)


class Array:
    def __init__(self, shape, typestr="<f4", offset=0, base=None):
        item = np.dtype(typestr).itemsize
        if base is None:
            address = ctypes.c_ulonglong()
            size = int(np.prod(shape)) * item
            assert driver.cuMemAlloc_v2(ctypes.byref(address),
                                        ctypes.c_size_t(size)) == 0
            base = address.value
        self.address = base
        self.__cuda_array_interface__ = dict(
            data=(base + offset, False), shape=shape, typestr=typestr, version=3)


def log():
    with open({log!r}) as file:
        lines = file.read().split("\\n")
    open({log!r}, "w").close()
    return lines


positions = np.array([0, 2, 2, 3], np.int32)
coordinates = np.array([0, 1, 1], np.int32)
values = np.array([1, 2, 3], np.float32)
a = astfe.Matrix((positions, coordinates, values, (3, 2)), device="cuda",
                 columns=8)
b, c = Array((2, 8)), Array((3, 8))
"""


class Capsule:
    """What a library that speaks DLPack only hands over of a GPU's array."""

    def __init__(self, address, shape, byte_offset, code=2, bits=32):
        self._shape = (ctypes.c_int64 * len(shape))(*shape)
        self._tensor = _device._DLTensor(
            data=address, device_type=2, device_id=0, ndim=len(shape), code=code,
            bits=bits, lanes=1, shape=self._shape, strides=None,
            byte_offset=byte_offset)
        self.asked = None

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, stream=None):
        self.asked = stream
        make = ctypes.pythonapi.PyCapsule_New
        make.restype = ctypes.py_object
        make.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self._tensor), b"dltensor", None)


def interface(**more):
    return types.SimpleNamespace(__cuda_array_interface__=dict(
        data=(4096, False), shape=(3, 8), typestr="<f4", version=3, **more))


class ArrayTest(unittest.TestCase):
    def test_the_stream_that_waits_for_a_librarys_work(self):
        # 0 is ambiguous in DLPack: 1 is the default stream, 2 a thread's own.
        for stream, asked in ((0, 1), (2, 2), (4096, 4096)):
            capsule = Capsule(4096, (3, 8), 0)
            _device.DeviceArray(capsule, np.dtype(np.float32), "x", stream)
            self.assertEqual(capsule.asked, asked)

    def test_the_stream_that_arrays_are_of(self):
        self.assertEqual(_device.current_stream(Capsule(4096, (3, 8), 0)), 0)
        self.assertEqual(_device.current_stream(interface()), 0)
        self.assertEqual(_device.current_stream(interface(stream=None)), 0)
        self.assertEqual(_device.current_stream(interface(stream=1)), 0)
        self.assertEqual(_device.current_stream(interface(),
                                                interface(stream=64)), 64)
        with self.assertRaisesRegex(ValueError, "of one stream but got 2 and 64"):
            _device.current_stream(interface(stream=64), interface(stream=2))

    def test_a_librarys_current_stream_is_compared_with_what_others_say(self):
        stream = types.SimpleNamespace(cuda_stream=7)
        torch = types.SimpleNamespace(cuda=types.SimpleNamespace(
            current_stream=lambda device: stream))
        tensor = type("Tensor", (), {"__module__": "torch", "device": 0})()
        with unittest.mock.patch.dict(sys.modules, torch=torch):
            self.assertEqual(_device.current_stream(tensor, interface()), 7)
            with self.assertRaisesRegex(ValueError, "of one stream but got 2 and 7"):
                _device.current_stream(tensor, interface(stream=2))
        # Where PyTorch has the number alone, that is asked for.
        torch._C = types.SimpleNamespace(
            _cuda_getCurrentRawStream=lambda device: 9 + device)
        tensor.get_device = lambda: 1
        with unittest.mock.patch.dict(sys.modules, torch=torch):
            self.assertEqual(_device.current_stream(tensor, interface()), 10)

    def test_types_of_dlpack(self):
        for code, bits, name in ((0, 8, "int8"), (1, 8, "uint8"),
                                 (2, 16, "float16"), (4, 16, "bfloat16"),
                                 (6, 8, "bool")):
            dtype = types.SimpleNamespace(name=name)
            capsule = Capsule(4096, (3, 8), 0, code, bits)
            self.assertEqual(
                _device.DeviceArray(capsule, dtype, "x", 0).shape, (3, 8))
        # Arrays that have both say bfloat16 in DLPack only.
        capsule = Capsule(4096, (3, 8), 0, 4, 16)
        capsule.__cuda_array_interface__ = dict(
            data=(64, False), shape=(3, 8), typestr="<V2", version=3)
        array = _device.DeviceArray(
            capsule, types.SimpleNamespace(name="bfloat16"), "x", 0)
        self.assertEqual(array.address, 4096)
        with self.assertRaisesRegex(TypeError, "DLPack's type 3 of 64 bits"):
            _device.DeviceArray(Capsule(4096, (3, 8), 0, 3, 64),
                                np.dtype(np.float32), "x", 0)

    def test_dlpack_begins_behind_its_offset(self):
        array = _device.DeviceArray(Capsule(4096, (3, 8), 64),
                                    np.dtype(np.float32), "x", 0)
        self.assertEqual(array.address, 4160)
        self.assertEqual(array.shape, (3, 8))
        self.assertEqual(array.leading, 8)

    def test_dlpack_says_what_numbers_are_complex(self):
        # kDLComplex is 5, and bits are those of both parts.
        for bits, dtype in ((64, np.complex64), (128, np.complex128)):
            array = _device.DeviceArray(
                Capsule(4096, (3, 8), 0, code=5, bits=bits), np.dtype(dtype),
                "x", 0)
            self.assertEqual(array.address, 4096)
            self.assertEqual(array.shape, (3, 8))
        with self.assertRaisesRegex(TypeError,
                                    "x: expected complex64 but got float32"):
            _device.DeviceArray(Capsule(4096, (3, 8), 0),
                                np.dtype(np.complex64), "x", 0)
        with self.assertRaisesRegex(TypeError,
                                    "x: expected numbers but got "
                                    "DLPack's type 3 of 64 bits in 1 lanes"):
            _device.DeviceArray(Capsule(4096, (3, 8), 0, code=3, bits=64),
                                np.dtype(np.complex64), "x", 0)


@unittest.skipUnless(_DRIVER.exists(), "no stand-in of the driver was built")
class DeviceTest(unittest.TestCase):
    def run_program(self, text, machine=""):
        """The output of a process of its own, whose driver is the stand-in."""
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            program = _PROLOGUE.format(driver=str(_DRIVER), log=log)
            done = subprocess.run(
                [sys.executable, "-c", program + textwrap.dedent(text)],
                env=dict(os.environ, ASTFE_LIBCUDA=str(_DRIVER),
                         ASTFE_FAKE_CUDA=machine,
                         ASTFE_FAKE_CUDA_LOG=log, ASTFE_KERNEL_CACHE="off"),
                capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def error(self, call):
        return self.run_program(f"""
            try:
                {call}
                print("no error")
            except (astfe.Error, TypeError, ValueError) as error:
                print(error)
            log()
            a.multiply_into(Array((2, 8)), Array((3, 8)))
            print(sum(line.startswith("launch tile") for line in log()))
            """).split("\n")

    def check_errors(self, setup, calls, right, launch, count):
        """Each of `calls` fails with its text, and none of them launches anything;
        `right`, before and after, launches so many times what begins so."""
        program = setup + right + "\nlog()\n"
        for call in calls:
            program += textwrap.dedent(f"""
                try:
                    {call}
                    print("no error")
                except (astfe.Error, TypeError, ValueError) as error:
                    print(error)
                """)
        program += textwrap.dedent(f"""
            print(sum(line.startswith("launch") for line in log()))
            {right}
            print(sum(line.startswith("{launch}") for line in log()))
            """)
        lines = self.run_program(program).strip().split("\n")
        self.assertEqual(len(lines), len(calls) + 2, lines)
        for line, expected in zip(lines, calls.values()):
            self.assertRegex(line, expected)
        self.assertEqual(lines[-2:], ["0", str(count)])

    def test_products_launch_and_copy_nothing(self):
        output = self.run_program("""
            assert a.multiply_into(b, c) is c
            log()
            a.multiply_into(b, c)
            a.multiply_into(b, c, accumulate=False)
            for line in log():
                print(line)
            """)
        lines = output.split()
        self.assertEqual(lines.count("launch"), output.count("launch"))
        self.assertEqual(output.count("launch tile8"), 2, output)
        for word in ("copy", "allocate", "fill", "load"):
            self.assertNotIn(word, output)

    def test_products_of_bytes_are_int32(self):
        output = self.run_program("""
            a = astfe.Matrix((positions, coordinates, values.astype(np.int8),
                              (3, 2)), device="cuda", columns=8, dtype=np.int8)
            b = Array((2, 8), "|i1")
            a.multiply_into(b, Array((3, 8), "<i4"))
            print(sum(line.startswith("launch tile") for line in log()))
            try:
                a.multiply_into(b, Array((3, 8), "|i1"))
            except TypeError as error:
                print(error)
            """).split("\n")
        self.assertEqual(output[:2], ["1", "out: expected int32 but got int8"])

    def test_complex_arrays_of_dlpack_are_multiplied_where_they_lie(self):
        output = self.run_program("""
            sys.path.insert(0, {tests!r})
            from test_device import Capsule

            def array(shape):
                address = Array(shape, "<c8").address
                return Capsule(address, shape, 0, code=5, bits=64)

            a = astfe.Matrix((positions, coordinates,
                              values.astype(np.complex64), (3, 2)),
                             device="cuda", columns=8)
            b, c = array((2, 8)), array((3, 8))
            assert a.multiply_into(b, c) is c
            log()
            a.multiply_into(b, c)
            print([line.split()[0] for line in log() if line])
            try:
                a.multiply_into(b, Array((3, 8)))
            except TypeError as error:
                print(error)
            """.replace("{tests!r}", repr(str(pathlib.Path(__file__).parent))))
        self.assertEqual(output.split("\n")[:2], [
            "['launch']", "out: expected complex64 but got float32"])

    def test_few_columns_and_even_rows_are_a_view(self):
        output = self.run_program("""
            def launched(n=8, **options):
                a = astfe.Matrix((positions, coordinates, values, (3, 2)),
                                 device="cuda", **options)
                b, c = Array((2, n)), Array((3, n))
                a.multiply_into(b, c)
                log()
                a.multiply_into(b, c)
                return [line.split()[1] for line in log() if "launch" in line]

            print(launched(columns=8))
            print(launched(columns=8, storage="packed"))
            # Each row has a warp.
            print(launched(columns=64))
            print(launched(n=64, columns=64, storage="view"))
            print(launched(columns=8, workers=2))
            long = [np.array([0, 4000, 4000, 4000], np.int32),
                    np.zeros(4000, np.int32), np.ones(4000, np.float32)]
            positions, coordinates, values = long
            print(launched(columns=8))
            print(launched(columns=8, storage="view"))
            for wrong in (dict(storage="csr"),
                          dict(storage="view", device="cuda", workers=1)):
                try:
                    astfe.Matrix((positions, coordinates, values, (3, 2)),
                                 **wrong)
                except (astfe.Error, ValueError) as error:
                    print(error)
            """).split("\n")
        self.assertEqual(output[:9], [
            "['tile8_rows']", "['start', 'tile8']", "['tile8_rows']",
            "['tile64']", "['start', 'tile8']", "['start', 'tile8']",
            "['tile8_rows_cut', 'combine_rows']",
            "storage: expected auto, packed, view but got 'csr'",
            "expected no graph, workers or samples of a view but got workers"])

    def test_wrong_operands_are_errors_and_the_next_product_runs(self):
        cases = {
            "a.multiply_into(Array((2, 8), base=values.ctypes.data), c)":
                "B: expected memory of 'cuda:0 Fake' but got host memory",
            "a.multiply_into(b, Array((3, 8), base=b.address))":
                "C: expected 96 bytes of memory but got 64",
            "a.multiply_into(Array((2, 8), base=c.address), c)":
                "expected B and C apart but got memory that overlaps",
            "a.multiply_into(Array((2, 7), offset=2, base=b.address),"
            " Array((3, 7)))":
                "B: expected an address divisible by 4 but got one that ends in 2",
            "a.multiply_into(b, c, stream=driver.fakeCudaOtherStream())":
                "expected a stream of 'cuda:0 Fake' but got one of another "
                "context",
            "a.multiply_into(Array((2, 8), '<f8'), c)":
                "dense: expected float32 but got float64",
            "a.multiply_into(np.zeros((2, 8), np.float32), c)":
                "dense: expected an array in a GPU's memory but got one of "
                "DLPack's device 1",
            "a.multiply_into(Array((3, 8)), c)":
                "expected operands of shapes (2, n) and (3, n) but got (3, 8) "
                "and (3, 8)",
            "c.__cuda_array_interface__['data'] = (c.address, True);"
            " a.multiply_into(b, c)":
                "out: expected a writeable array",
            "b.__cuda_array_interface__['stream'] = driver.fakeCudaOtherStream();"
            " a.multiply_into(b, c)":
                "expected a stream of 'cuda:0 Fake' but got one of another "
                "context",
            "a.sample(c, b)":
                "x: expected an array in the host's memory but got one in a "
                "GPU's",
            "a @ np.zeros((2, 8), np.float32)":
                "expected a matrix of the host but got one on a device; see "
                "astfeMatrixMultiplyOnStream",
            "astfe.Matrix((positions, coordinates, values, (3, 2)),"
            " device='gpu')":
                "expected the device 'cuda' but got 'gpu'",
        }
        for call, text in cases.items():
            with self.subTest(call):
                self.assertEqual(self.error(call)[:2], [text, "1"])

    TENSOR = """
        t = astfe.Tensor(np.array([[0, 1, 0], [2, 0, 1], [2, 1, 1]]),
                         np.array([1, 2, 3], np.float32), (3, 2, 2),
                         device="cuda")
        u, v, m = Array((2, 8)), Array((2, 8)), Array((3, 8))
        """

    def run_on_tensor(self, text):
        return self.run_program(textwrap.dedent(self.TENSOR) +
                                textwrap.dedent(text))

    def test_products_of_tensors_launch_and_copy_nothing(self):
        output = self.run_on_tensor("""
            assert t.device == "cuda"
            assert t.mttkrp_into([None, u, v], 0, m) is m
            t.einsum_into("ijk,kr->ijr", v, out=Array((3, 2, 8)))
            t.einsum_into("ijk,j->ik", Array((2,)), out=Array((3, 2)))
            log()
            t.mttkrp_into([None, u, v], 0, m)
            t.einsum_into("ijk,jr,kr->ir", u, v, out=m)
            t.einsum_into("ijk,kr->ijr", v, out=Array((3, 2, 8)))
            t.einsum_into("ijk,j->ik", Array((2,)), out=Array((3, 2)))
            for line in log():
                if not line.startswith("allocate"):  # those of the test's arrays
                    print(line)
            """)
        self.assertEqual(output.count("launch bricks16_tile8_by4"), 2, output)
        self.assertEqual(output.count("launch"), 4, output)
        for word in ("copy", "fill", "load"):
            self.assertNotIn(word, output)

    def test_products_of_tensors_take_the_stream(self):
        output = self.run_on_tensor("""
            t.mttkrp_into([None, u, v], 0, m)
            log()
            try:
                t.mttkrp_into([None, u, v], 0, m,
                              stream=driver.fakeCudaOtherStream())
            except astfe.Error as error:
                print(error)
            print(len(log()))
            """)
        self.assertIn("stream", output.split("\n")[0])
        self.assertEqual(output.split("\n")[1], "1", output)

    def test_wrong_operands_of_tensors_are_errors(self):
        calls = {
            "t.mttkrp_into([None, np.zeros((2, 8), np.float32), v], 0, m)":
                "operand 0: expected an array in a GPU's memory but got one of "
                "DLPack's device 1",
            "t.mttkrp_into([None, u, v], 0, Array((2, 8)))":
                r"out: expected shape \(3, 8\) but got \(2, 8\)",
            "t.mttkrp_into([None, u, Array((3, 8))], 0, m)":
                "operand 1: expected 2 along 'c' but got 3",
            "t.mttkrp_into([None, u, Array((2, 8), '<f8')], 0, m)":
                "operand 1: expected float32 but got float64",
            "t.mttkrp_into([None, u, v], 0, Array((3, 8), base=u.address))":
                "output: expected 96 bytes of memory but got 64",
            "t.mttkrp_into([None, u, Array((2, 8), base=m.address)], 0, m)":
                "input 1: expected memory apart from output's",
            "t.mttkrp_into([None, u, Array((2, 8), offset=2)], 0, m)":
                "input 1: expected an address divisible by 4",
            "t.einsum_into('ijk,jr->r', u, out=Array((8,)))":
                "expected an output that is indexed by a mode of the tensor",
            "t.mttkrp([None] + [np.zeros((2, 8), np.float32)] * 2, 0)":
                "expected a tensor of the host but got one on a device",
            "astfe.Tensor(np.zeros((1, 3), int), np.ones(1, np.float32), (3, 2, 2))"
            ".mttkrp_into([None, u, v], 0, m)":
                "expected a tensor on a device but got one of the host",
            "astfe.Tensor(np.zeros((1, 3), int), np.ones(1, np.float32), "
            "(3, 2, 2), device='gpu')":
                "expected the device 'cuda' but got 'gpu'",
        }
        self.check_errors(textwrap.dedent(self.TENSOR), calls,
                          "t.mttkrp_into([None, u, v], 0, m)",
                          "launch bricks16", 1)

    def test_two_contexts(self):
        """A caller works in a context of its own, with memory of it."""
        output = self.run_program("""
            other = ctypes.c_int()
            driver.cuCtxSetCurrent(ctypes.byref(other))
            foreign = Array((2, 8))
            a.multiply_into(b, c)
            current = ctypes.c_void_p()
            driver.cuCtxGetCurrent(ctypes.byref(current))
            print(current.value == ctypes.addressof(other))
            try:
                a.multiply_into(foreign, c)
            except astfe.Error as error:
                print(error)
            """)
        self.assertEqual(output.split("\n")[:2], [
            "True", "B: expected memory of 'cuda:0 Fake' but got memory of "
            "another context"])

    def test_a_device_that_is_lost_leaves_the_host_at_work(self):
        output = self.run_program("""
            host = astfe.Matrix((positions, coordinates, values, (3, 2)))
            for _ in range(9):
                try:
                    a.multiply_into(b, c)
                except astfe.Error as error:
                    print(error)
                    break
            try:
                a.multiply_into(b, c)
            except astfe.Error as error:
                print(error)
            del a
            print((host @ np.ones((2, 2), np.float32)).tolist())
            """, machine="lost-after=3").split("\n")
        for line in output[:2]:
            self.assertIn("CUDA_ERROR_UNKNOWN (what the driver says)", line)
        self.assertEqual(output[2], "[[3.0, 3.0], [0.0, 0.0], [3.0, 3.0]]")

    def test_a_device_of_too_little_memory(self):
        output = self.run_program("""
            try:
                a.multiply_into(b, c)
            except astfe.Error as error:
                print(error)
            host = astfe.Matrix((positions, coordinates, values, (3, 2)))
            print((host @ np.ones((2, 2), np.float32)).tolist())
            """, machine="bytes=200").split("\n")
        self.assertIn("CUDA_ERROR_OUT_OF_MEMORY", output[0])
        self.assertEqual(output[1], "[[3.0, 3.0], [0.0, 0.0], [3.0, 3.0]]")


if __name__ == "__main__":
    unittest.main()
