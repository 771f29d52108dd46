"""What arrays are taken, in the place of which others are refused."""

import unittest

import astfe
import numpy as np
from astfe._arrays import row_major

POSITIONS, COORDINATES = np.array([0, 2, 2, 3]), np.array([0, 3, 1])
SHAPE = (3, 4)


def csr(values=(1.0, 2.0, 3.0)):
    return POSITIONS, COORDINATES, np.asanyarray(values), SHAPE


class Refused(unittest.TestCase):
    def test_masked_arrays(self):
        # What is masked must not take part, and there is no telling how.
        def masked(*shape):
            return np.ma.masked_less(np.ones(shape), 2)

        tensor = astfe.Tensor(np.array([[0, 1], [2, 3]]), np.ones(2), SHAPE)
        matrix, samples = astfe.Matrix(csr()), astfe.Matrix(csr(), samples=True)
        calls = (
            lambda: matrix @ masked(4),
            lambda: matrix @ masked(4, 2),
            lambda: matrix.multiply(np.ones((4, 2)), out=masked(3, 2)),
            lambda: matrix.set_values(masked(3)),
            lambda: samples.sample(masked(3, 2), np.ones((4, 2))),
            lambda: astfe.Matrix(csr(masked(3))),
            lambda: astfe.Matrix((np.ma.array(POSITIONS),) + csr()[1:]),
            lambda: astfe.Spmm(csr(masked(3))),
            lambda: astfe.Spmm(csr()).forward(masked(4, 2)),
            lambda: astfe.Tensor(np.ma.array([[0, 1]]), np.ones(1), SHAPE),
            lambda: astfe.Tensor(np.array([[0, 1]]), masked(1), SHAPE),
            lambda: tensor.einsum("ij,jk->ik", masked(4, 2)),
            lambda: astfe.spmm(csr(), masked(4, 2)),
            lambda: astfe.spmm(csr(), masked(4, 2), activation="relu"),
            lambda: astfe.sddmm(csr(), np.ones((3, 2)), masked(4, 2)),
            lambda: astfe.einsum("ij,jk->ik", csr(), masked(4, 2)),
            lambda: astfe.attention(csr(), masked(3, 1, 2), np.ones((4, 1, 2)),
                                    np.ones((4, 1, 2))))
        for call in calls:
            with self.assertRaisesRegex(TypeError, "numpy.ma.filled|MaskedArray"):
                call()

    def test_a_dense_left_operand(self):
        matrix = astfe.Matrix(csr())
        for dense in (np.ones((2, 3)), np.ones(3), np.float64(2)):
            with self.assertRaisesRegex(TypeError, "matrix on the left of @"):
                dense @ matrix
        with self.assertRaises(TypeError):
            np.ones(3) * matrix

    def test_null_characters(self):
        # C would read what is before them.
        with self.assertRaisesRegex(ValueError, "device: expected no null"):
            astfe.Matrix(csr(), device="cuda\0x")
        with self.assertRaisesRegex(ValueError, "pipeline: expected no null"):
            astfe.Program("module {}", pipeline="canonicalize\0x")

    def test_texts_say_what_was_given(self):
        pattern = (POSITIONS, COORDINATES, SHAPE)
        with self.assertRaisesRegex(astfe.Error, r"expected 1\.\.\d+ but got -1"):
            astfe.partition(pattern, dense_columns=-1)
        with self.assertRaisesRegex(
                ValueError, "positions: expected the last to be at least 0 but got -1"):
            astfe.Matrix((np.array([0, 0, 0, -1]),) + csr()[1:])
        for make in (astfe.Matrix, astfe.Spmm):
            with self.assertRaisesRegex(TypeError, "<U5"):
                make(csr(), dtype="U5")


class Strides(unittest.TestCase):
    def test_the_column_stride_of_one_column(self):
        matrix = astfe.Matrix(csr())
        expected = matrix @ np.ones((4, 1))
        memory = np.zeros((3, 4))
        for out in (memory[:, 0][:, None], memory[:, 3:],
                    np.lib.stride_tricks.as_strided(memory, (3, 1), (32, 24))):
            self.assertIs(matrix.multiply(np.ones((4, 1)), out=out), out)
            np.testing.assert_array_equal(out, expected)
        np.testing.assert_array_equal(memory[:, 1:3], 0)

    def test_the_row_stride_of_one_row(self):
        memory = np.zeros((3, 4))
        for strides in ((-32, 8), (0, 8), (5, 8)):
            row = np.lib.stride_tricks.as_strided(memory, (1, 4), strides)
            same, leading = row_major(row, np.float64, "row")
            self.assertIs(same, row)
            self.assertEqual(leading, 4)


if __name__ == "__main__":
    unittest.main()
