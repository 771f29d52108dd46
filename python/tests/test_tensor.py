"""Products of tensors of any rank, against NumPy's einsum in float64."""

import concurrent.futures
import unittest
from unittest import mock

import astfe
import numpy as np
from astfe import tensor as tensor_module


def random_tensor(shape, count, dtype=np.float32, seed=0):
    """Coordinates, values, and the dense equivalents of these and of their
    magnitudes; some coordinates recur."""
    rng = np.random.default_rng(seed)
    coordinates = np.stack([rng.integers(0, extent, count) for extent in shape],
                           axis=1)
    values = rng.uniform(-1, 1, count).astype(dtype)
    dense = np.zeros((2,) + tuple(shape), np.float64)
    for table, wide in zip(dense, (values, np.abs(values))):
        np.add.at(table, tuple(coordinates.T), wide.astype(np.float64))
    return coordinates, values, dense


class Tensors(unittest.TestCase):
    def check(self, result, subscripts, dense, *operands):
        wide = [np.asarray(operand, np.float64) for operand in operands]
        reference = np.einsum(subscripts, dense[0], *wide)
        magnitude = np.einsum(subscripts, dense[1], *map(np.abs, wide))
        unit = np.finfo(result.dtype).eps
        self.assertEqual(result.shape, reference.shape)
        self.assertTrue((np.abs(result - reference)
                         <= 60 * unit * magnitude + 1e-300).all())

    def test_products_of_every_kind(self):
        for dtype in (np.float32, np.float64):
            shape = (20, 15, 30)
            coordinates, values, dense = random_tensor(shape, 2000, dtype)
            tensor = astfe.Tensor(coordinates, values, shape)
            rng = np.random.default_rng(1)
            factors = [rng.uniform(-1, 1, (extent, 7)).astype(dtype)
                       for extent in shape]
            vector = factors[2][:, 0].copy()
            for mode, subscripts in enumerate(("ijk,jr,kr->ir", "ijk,ir,kr->jr",
                                               "ijk,ir,jr->kr")):
                others = [f for m, f in enumerate(factors) if m != mode]
                self.check(tensor.mttkrp(factors, mode), subscripts, dense,
                           *others)
                self.check(tensor.einsum(subscripts, *others), subscripts,
                           dense, *others)
            for subscripts, operands in (("ijk,k->ij", [vector]),
                                         ("ijk,kr->ijr", [factors[2]]),
                                         ("ijk,jr,ks->irs", factors[1:]),
                                         ("ijk->j", []),
                                         ("ijk->kj", []),
                                         ("ijk,ri->rk",
                                          [factors[0].T.copy()])):
                self.check(tensor.einsum(subscripts, *operands), subscripts,
                           dense, *operands)

    def test_modes_without_memory_go_piece_by_piece(self):
        shape = (20, 15, 30)
        coordinates, values, dense = random_tensor(shape, 2000)
        rng = np.random.default_rng(1)
        factors = [rng.uniform(-1, 1, (extent, 7)).astype(np.float32)
                   for extent in shape]
        whole = astfe.Tensor(coordinates, values, shape)
        results = [whole.mttkrp(factors, mode) for mode in range(3)]
        astfe.set_memory(1)
        try:
            tensor = astfe.Tensor(coordinates, values, shape)
            for mode, result in enumerate(results):
                np.testing.assert_array_equal(tensor.mttkrp(factors, mode),
                                              result)
            with self.assertRaisesRegex(astfe.Error, "bytes >= 0 but got -5"):
                astfe.set_memory(-5)
        finally:
            astfe.set_memory(0)

    def test_ranks_and_arrays_by_mode(self):
        for rank in (1, 2, 3, 4, 8):
            shape = (5, 3, 4, 6, 2, 3, 4, 5)[:rank]
            coordinates, values, dense = random_tensor(shape, 300, np.float64)
            tensor = astfe.Tensor(tuple(coordinates.T), values, shape)
            names = "abcdefgh"[:rank]
            last = names[-1]
            weights = np.arange(shape[0] * 3.0).reshape(shape[0], 3)
            self.check(tensor.einsum(f"{names}->{last}"), f"{names}->{last}",
                       dense)
            if rank > 1:
                self.check(tensor.einsum(f"{names},ar->{last}r", weights),
                           f"{names},ar->{last}r", dense, weights)

    def test_out_and_accumulate(self):
        coordinates, values, dense = random_tensor((6, 7, 8), 50, np.float64)
        tensor = astfe.Tensor(coordinates, values, (6, 7, 8))
        vector = np.arange(8.0)
        out = np.full((6, 7), np.nan)
        self.assertIs(tensor.einsum("ijk,k->ij", vector, out=out), out)
        self.check(out, "ijk,k->ij", dense, vector)
        twice = tensor.einsum("ijk,k->ij", vector, out=out, accumulate=True)
        np.testing.assert_allclose(twice, 2 * np.einsum("ijk,k->ij", dense[0],
                                                        vector), atol=1e-12)

    def test_output_over_an_operand(self):
        coordinates, values, _ = random_tensor((6, 7, 8), 50, np.float64)
        tensor = astfe.Tensor(coordinates, values, (6, 7, 8))
        both = np.ones((8, 2))
        # The second of both is a product that went through before.
        for _ in range(2):
            with self.assertRaisesRegex(ValueError, "apart from the operands'"):
                tensor.einsum("ijk,jr->ir", both[:7], out=both[2:])
            np.testing.assert_array_equal(both, np.ones((8, 2)))
            tensor.einsum("ijk,jr->ir", both[:7])

    def test_a_product_again_of_other_arrays(self):
        coordinates, values, dense = random_tensor((6, 7, 8), 50)
        tensor = astfe.Tensor(coordinates, values, (6, 7, 8))
        subscripts = "ijk,jr,kr->ir"
        rng = np.random.default_rng(1)
        for columns in (2, 2, 3, 2):
            operands = [rng.uniform(-1, 1, (extent, columns)).astype(np.float32)
                        for extent in (7, 8)]
            out = np.full((6, columns), np.nan, np.float32)
            self.check(tensor.einsum(subscripts, *operands, out=out), subscripts,
                       dense, *operands)
            twice = tensor.einsum(subscripts, *operands, out=out,
                                  accumulate=True)
            self.assertIs(twice, out)
            self.check(out / 2, subscripts, dense, *operands)
            # Arrays that cannot be handed over as they are.
            apart = [np.asfortranarray(operand) for operand in operands]
            self.check(tensor.einsum(subscripts, *apart), subscripts, dense,
                       *operands)
            with self.assertRaisesRegex(TypeError, "expected float32 but got"):
                tensor.einsum(subscripts, operands[0].astype(np.float64),
                              operands[1])
            with self.assertRaisesRegex(ValueError, "out: expected float32 of"):
                tensor.einsum(subscripts, *operands,
                              out=np.empty((7, columns), np.float32))
            out.flags.writeable = False
            with self.assertRaisesRegex(ValueError, "writeable array"):
                tensor.einsum(subscripts, *operands, out=out)
        with self.assertRaisesRegex(TypeError, "subscripts: expected a string"):
            tensor.einsum(["ijk->i"])

    def test_plain_arrays_are_handed_over_as_those_before(self):
        coordinates, values, _ = random_tensor((6, 7, 8), 50)
        tensor = astfe.Tensor(coordinates, values, (6, 7, 8))
        x = np.ones((8, 3), np.float32)
        first = tensor.einsum("ijk,kr->ir", x)
        with mock.patch.object(tensor_module, "_Call") as made:
            for accumulate in (False, True, "yes"):
                out = first.copy()
                tensor.einsum("ijk,kr->ir", x, out=out, accumulate=accumulate)
                np.testing.assert_array_equal(
                    out, 2 * first if accumulate else first)
            np.testing.assert_array_equal(tensor.einsum("ijk,kr->ir", x), first)
            made.assert_not_called()

    def test_sums_of_bfloat16_again(self):
        try:
            import ml_dtypes
        except ImportError:
            self.skipTest("no ml_dtypes")
        values = np.array([1, 2], ml_dtypes.bfloat16)
        tensor = astfe.Tensor([[0, 1, 2], [1, 2, 3]], values, (2, 3, 4))
        for _ in range(2):
            self.assertEqual(tensor.einsum("ijk->i").astype(float).tolist(),
                             [1, 2])
            self.assertEqual(float(tensor.einsum("ijk->")), 3)

    def test_the_same_product_from_several_threads(self):
        coordinates, values, _ = random_tensor((6, 7, 8), 50)
        tensor = astfe.Tensor(coordinates, values, (6, 7, 8))
        ones = np.ones((8, 64), np.float32)
        sums = tensor.einsum("ijk,kr->ir", ones)

        def multiply(factor):
            for _ in range(500):
                # Powers of two scale sums exactly.
                scaled = tensor.einsum("ijk,kr->ir", factor * ones)
                np.testing.assert_array_equal(scaled, factor * sums)

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for done in [pool.submit(multiply, np.float32(2 ** k))
                         for k in range(4)]:
                done.result()

    def test_products_of_more_shapes_than_are_kept(self):
        coordinates, values, dense = random_tensor((6, 7, 8), 50)
        tensor = astfe.Tensor(coordinates, values, (6, 7, 8))
        for columns in range(1, 40):
            x = np.ones((8, columns), np.float32)
            for _ in range(2):
                self.check(tensor.einsum("ijk,kr->ir", x), "ijk,kr->ir", dense,
                           x)
        self.assertLessEqual(len(tensor._calls), 32)

    def test_mode_of_another_type(self):
        tensor = astfe.Tensor([[0, 1, 2]], [1.0], (2, 3, 4))
        with self.assertRaisesRegex(TypeError, "mode: expected an integer but got 1.0"):
            tensor.mttkrp([np.ones((n, 2)) for n in (2, 3, 4)], 1.0)

    def test_empty(self):
        tensor = astfe.Tensor(np.empty((0, 3), np.int64), np.empty(0), (2, 3, 4))
        self.assertTrue((tensor.einsum("ijk->i") == 0).all())

    def test_wrong_input(self):
        coordinates, values, _ = random_tensor((6, 7, 8), 50)
        tensor = astfe.Tensor(coordinates, values, (6, 7, 8))
        factor = np.ones((7, 2), np.float32)
        for subscripts, operands in (("ijk,jr", [factor]), ("ij,jr->ir", [factor]),
                                     ("iik,jr->ir", [factor]), ("ijk->i", [factor]),
                                     ("ijk,j->i", [factor]), ("ijk->x", []),
                                     ("ijk,j!->i", [factor])):
            with self.assertRaises(ValueError, msg=subscripts):
                tensor.einsum(subscripts, *operands)
        with self.assertRaisesRegex(ValueError, "operand 0: expected 8 along "
                                    "'k' but got 7"):
            tensor.einsum("ijk,kr->ir", factor)
        with self.assertRaisesRegex(ValueError, "operands' indices but got 's'"):
            tensor.einsum("ijk,jr->s", factor)
        with self.assertRaises(TypeError):
            tensor.einsum("ijk,jr->ir", factor.astype(np.float64))
        with self.assertRaises(ValueError):
            tensor.mttkrp([factor] * 2, 0)
        with self.assertRaises(ValueError):
            tensor.mttkrp([factor] * 3, 3)
        with self.assertRaises(ValueError):
            astfe.Tensor(coordinates, values[:-1], (6, 7, 8))
        with self.assertRaises(TypeError):
            astfe.Tensor(coordinates.astype(float), values, (6, 7, 8))
        with self.assertRaises(astfe.Error):
            astfe.Tensor(coordinates, values, (6, 7, 7))


if __name__ == "__main__":
    unittest.main()
