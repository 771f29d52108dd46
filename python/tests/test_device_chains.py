"""Attention, and products with bias and activation, on operands of a GPU, whose
driver is the stand-in of test_device: what arrives at the driver is tested.
unittests/Product/Device has the numbers."""

import textwrap
import unittest

import test_device

_SETUP = """
at = astfe.Attention((positions, coordinates, values, (3, 2)), 2, 32,
                     device="cuda")
q, k, v, o = (Array((rows, 2, 32)) for rows in (3, 2, 2, 3))
lse, go, dq, dk, dv = (Array((3, 2)), *(Array((rows, 2, 32))
                                        for rows in (3, 3, 2, 2)))
sp = astfe.Spmm((positions, coordinates, values, (3, 2)), device="cuda")
bias, x, y, g = Array((8,)), Array((2, 8)), Array((3, 8)), Array((3, 8))
dx, da = Array((2, 8)), Array((3,))
"""


@unittest.skipUnless(test_device._DRIVER.exists(), "needs the driver's stand-in")
class ChainsOnDeviceTest(unittest.TestCase):
    run_program = test_device.DeviceTest.run_program
    check_errors = test_device.DeviceTest.check_errors

    def test_chains_launch_and_copy_nothing(self):
        output = self.run_program(_SETUP + textwrap.dedent("""
            def run():
                assert at.forward_into(q, k, v, o, lse) == (o, lse)
                assert (at.backward_into(q, k, v, go, lse, dq, dk, dv)
                        == (dq, dk, dv))
                assert sp.forward_into(x, y, bias, "relu") is y
                sp.forward_into(x, y)
                assert sp.backward_into(x, g, da, dx) == (da, dx)
                sp.backward_into(x, g, None, dx)
            assert at.device == sp.device == "cuda"
            run()
            at.set_values(values)
            sp.set_values(values)
            log()
            run()
            print("\\n".join(log()))
            """))
        # Two heads at once, forward and both of backward; then the products.
        self.assertEqual(output.count("chain grid 2 "), 3, output)
        self.assertEqual(output.count("chain grid"), 3 + 1, output)
        self.assertEqual(output.count("launch"), 3 + 5, output)
        for word in ("copy", "fill", "load", "allocate"):
            self.assertNotIn(word, output)

    def test_wrong_operands_are_errors(self):
        other_stream = "stream=driver.fakeCudaOtherStream()"
        host = "np.zeros((3, 2, 32), np.float32)"
        calls = {
            f"at.forward_into({host}, k, v, o, lse)":
                "q: expected an array in a GPU's memory but got one of DLPack's "
                "device 1",
            "at.forward_into(q, q, v, o, lse)":
                r"k: expected shape \(2, 2, 32\) but got \(3, 2, 32\)",
            "at.forward_into(q, k, v, o, Array((3, 2), '<f8'))":
                "lse: expected float32 but got float64",
            "at.forward_into(q, k, v, Array((3, 2, 32), base=q.address), lse)":
                "q: expected memory apart from o's but got some that overlaps",
            "at.forward_into(q, k, v, Array((3, 2, 32), base=k.address), lse)":
                "o: expected 768 bytes of memory but got 512",
            f"at.forward_into(q, k, v, o, lse, {other_stream})":
                "expected a stream of 'cuda:0 Fake' but got one of another "
                "context",
            f"at.backward_into(q, k, v, go, lse, dq, dk, dv, {other_stream})":
                "expected a stream of 'cuda:0 Fake' but got one of another "
                "context",
            f"at.forward({host}, {host}[:2], {host}[:2])":
                "expected an attention of the host but got one on a device",
            "sp.forward_into(x, Array((3, 7)))":
                r"out: expected shape \(3, 8\) but got \(3, 7\)",
            "sp.forward_into(bias, y)":
                r"dense: expected shape \(2, any\) but got \(8,\)",
            "sp.forward_into(x, y, activation='gelu')":
                "activation: expected None, 'relu', 'tanh' or 'sigmoid' but got "
                "'gelu'",
            "sp.forward_into(Array((2, 8), base=y.address), y)":
                "B: expected memory apart from C's but got some that overlaps",
            f"sp.backward_into(x, g, da, dx, {other_stream})":
                "expected a stream of 'cuda:0 Fake' but got one of another "
                "context",
            "sp.forward(np.zeros((2, 8), np.float32))":
                "expected a product of the host but got one on a device",
            "astfe.Spmm((positions, coordinates, values, (3, 2)))"
            ".forward_into(x, y)":
                "expected a product on a device but got one of the host",
            "astfe.Attention((positions, coordinates, values, (3, 2)), 2, 32)"
            ".forward_into(q, k, v, o, lse)":
                "expected an attention on a device but got one of the host",
            "astfe.Attention((positions, coordinates, values, (3, 2)), 1, 8,"
            " device='gpu')":
                "expected the device 'cuda' but got 'gpu'",
        }
        self.check_errors(_SETUP, calls, "at.forward_into(q, k, v, o, lse)",
                          "launch chain", 1)
