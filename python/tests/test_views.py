"""Matrices that are multiplied as they are stored."""

import unittest

import astfe
import numpy as np
from test_matrix import random_csr


class Views(unittest.TestCase):
    def test_views_have_the_products_of_packed_matrices(self):
        rng = np.random.default_rng(5)
        csr, dense = random_csr(23, 31, 0.2, np.float64, 4)
        positions, coordinates, values, _ = csr
        cases = [(dtype, semiring) for dtype in ("float16", "float32", "float64",
                                                 "int8", "int16", "int32", "int64")
                 for semiring in ("plus-times", "min-plus")]
        cases += [("complex64", "plus-times"), ("complex128", "plus-times"),
                  ("int32", "or-and"), ("float32", "max-times")]
        for dtype, semiring in cases:
            stored = np.round(values * 3).astype(dtype)
            for transpose in (False, True):
                packed, view = (
                    astfe.Matrix((positions, coordinates, stored, (23, 31)),
                                 dtype=dtype, semiring=semiring,
                                 transpose=transpose, storage=storage)
                    for storage in ("packed", "view"))
                for shape in ((), (1,), (6,), (40,)):
                    operand = rng.integers(-3, 4, (packed.shape[1],) + shape)
                    operand = operand.astype(dtype)
                    # Sums of small integers are exact in any order.
                    np.testing.assert_array_equal(view @ operand,
                                                  packed @ operand)
                view.set_values(stored + stored)
                packed.set_values(stored + stored)
                out = [np.ones((packed.shape[0], 6), (packed @ operand).dtype)
                       for _ in range(2)]
                operand = operand[:, :6]  # Strided.
                view.multiply(operand, out=out[0], accumulate=True)
                packed.multiply(operand, out=out[1], accumulate=True)
                np.testing.assert_array_equal(*out)

    def test_transposed_views_have_the_same_bits_of_strided_operands(self):
        # Eight pieces of rows, whose sums are combined.
        rng = np.random.default_rng(8)
        csr, dense = random_csr(2000, 60, 0.2, np.float32, 9)
        matrix = astfe.Matrix(csr, transpose=True, storage="view")
        wide = rng.uniform(-1, 1, (2000, 50)).astype(np.float32)
        for columns in (1, 6, 33):
            operand = wide[:, :columns]
            sums = matrix @ np.ascontiguousarray(operand)
            np.testing.assert_allclose(sums, dense.T @ operand, rtol=1e-3,
                                       atol=1e-3)
            np.testing.assert_array_equal(matrix @ operand, sums)
            out = np.ones((60, 40), np.float32)
            matrix.multiply(operand, out=out[:, :columns])
            np.testing.assert_array_equal(out[:, :columns], sums)
            self.assertTrue((out[:, columns:] == 1).all())
            matrix.multiply(operand, out=out[:, :columns], accumulate=True)
            twice = matrix.multiply(np.ascontiguousarray(operand),
                                    out=sums.copy(), accumulate=True)
            np.testing.assert_array_equal(out[:, :columns], twice)


if __name__ == "__main__":
    unittest.main()
