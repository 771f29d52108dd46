"""Products of one sparse operand: einsum, types of values and semirings."""

import unittest

import astfe
import numpy as np
from scipy import sparse

INTEGERS = (np.int8, np.int16, np.int32, np.int64)


def random_matrix(rows, columns, dtype=np.float64, seed=0, density=0.2):
    """A CSR matrix of small whole numbers, which every type holds exactly."""
    rng = np.random.default_rng(seed)
    mask = rng.random((rows, columns)) < density
    values = np.where(mask, rng.integers(-4, 5, (rows, columns)), 0)
    matrix = sparse.csr_matrix(values)
    return sparse.csr_matrix((matrix.data.astype(dtype), matrix.indices,
                              matrix.indptr), shape=matrix.shape)


def whole(shape, dtype, seed):
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)


class Types(unittest.TestCase):
    def test_products_of_every_type(self):
        for dtype in INTEGERS + (np.float16, np.float32, np.float64):
            a = random_matrix(40, 30)
            dense = a.toarray()
            values = a.data.astype(dtype)
            matrix = astfe.Matrix((a.indptr, a.indices, values, a.shape),
                                  dtype=dtype)
            result = np.dtype(np.int32 if dtype == np.int8 else dtype)
            for shape in ((30,), (30, 1), (30, 7), (30, 33)):
                b = whole(shape, dtype, 1)
                c = matrix @ b
                self.assertEqual(c.dtype, result)
                np.testing.assert_array_equal(c, dense @ b.astype(float))
            matrix.set_values(2 * values)
            np.testing.assert_array_equal(matrix @ b,
                                          2 * dense @ b.astype(float))

    def test_integers_wrap_around(self):
        a = sparse.csr_matrix(np.array([[100, 100]], np.int16))
        a.data[:] = 30000
        c = astfe.Matrix(a, dtype=np.int16) @ np.array([1, 1], np.int16)
        self.assertEqual(c.tolist(), [60000 - 65536])
        bytes_ = astfe.Matrix(sparse.csr_matrix(np.full((1, 300), 127, np.int8)),
                              dtype=np.int8) @ np.full(300, 127, np.int8)
        self.assertEqual(bytes_.tolist(), [300 * 127 * 127])

    def test_bfloat16(self):
        try:
            import ml_dtypes
        except ImportError:
            self.skipTest("no ml_dtypes")
        a = random_matrix(40, 30, np.float32)
        b = whole((30, 7), np.float32, 1)
        values = a.data.astype(ml_dtypes.bfloat16)
        matrix = astfe.Matrix((a.indptr, a.indices, values, a.shape))
        c = matrix @ b.astype(ml_dtypes.bfloat16)
        np.testing.assert_array_equal(c.astype(np.float32), a @ b)

    def test_tensors_of_every_type(self):
        rng = np.random.default_rng(3)
        coordinates = np.unique(rng.integers(0, 9, (200, 3)), axis=0)
        for dtype in INTEGERS + (np.float16, np.float32):
            values = whole(len(coordinates), dtype, 4)
            dense = np.zeros((9, 9, 9))
            dense[tuple(coordinates.T)] = values
            tensor = astfe.Tensor(coordinates, values, (9, 9, 9), dtype=dtype)
            b, c = whole((9, 5), dtype, 5), whole((9, 5), dtype, 6)
            m = tensor.einsum("ijk,jr,kr->ir", b, c)
            self.assertEqual(m.dtype, np.int32 if dtype == np.int8 else dtype)
            np.testing.assert_array_equal(
                m, np.einsum("ijk,jr,kr->ir", dense, b.astype(float),
                             c.astype(float)))

    def test_wrong_types(self):
        a = random_matrix(4, 4)
        with self.assertRaisesRegex(TypeError, "dtype: expected float16, .* but "
                                    "got uint8"):
            astfe.Matrix(a, dtype=np.uint8)
        with self.assertRaisesRegex(TypeError, "expected int8 but got float64"):
            astfe.Matrix(a, dtype=np.int8)
        matrix = astfe.Matrix(a.astype(np.int8), dtype=np.int8)
        with self.assertRaisesRegex(TypeError, "expected int8 but got int64"):
            matrix @ np.ones(4, np.int64)
        with self.assertRaises(ValueError):
            matrix.multiply(np.ones(4, np.int8), out=np.ones(4, np.int8))


class Complex(unittest.TestCase):
    """complex64 and complex128 of small whole numbers, so that results are exact."""

    def numbers(self, shape, dtype, seed):
        return (whole(shape, float, seed)
                + 1j * whole(shape, float, seed + 1)).astype(dtype)

    def matrix(self, rows, columns, dtype):
        a = random_matrix(rows, columns, np.float64)
        return sparse.csr_matrix((self.numbers(a.nnz, dtype, 20), a.indices, a.indptr),
                                 shape=a.shape)

    def test_products(self):
        for dtype in (np.complex64, np.complex128):
            a = self.matrix(40, 30, dtype)
            dense = a.toarray().astype(complex)
            matrix = astfe.Matrix(a)
            self.assertEqual(matrix.dtype, dtype)
            for shape in ((30,), (30, 1), (30, 7), (30, 33)):
                b = self.numbers(shape, dtype, 30)
                c = matrix @ b
                self.assertEqual(c.dtype, dtype)
                np.testing.assert_array_equal(c, dense @ b)
                matrix.multiply(b, out=c, accumulate=True)
                np.testing.assert_array_equal(c, 2 * (dense @ b))
            matrix.set_values(1j * a.data)
            np.testing.assert_array_equal(matrix @ b, 1j * (dense @ b))
            b = self.numbers((40, 5), dtype, 31)
            np.testing.assert_array_equal(astfe.spmm(a, b, transpose=True), dense.T @ b)
            x, y = self.numbers((40, 6), dtype, 32), self.numbers((30, 6), dtype, 33)
            samples = astfe.einsum("ij,ik,jk->ij", a, x, y)
            self.assertEqual(samples.dtype, dtype)
            np.testing.assert_array_equal(samples.toarray(), dense * (x @ y.T))
            w = self.numbers(40, dtype, 34)
            np.testing.assert_array_equal(astfe.einsum("ij,i,jk->ik", a, w, y),
                                          w[:, None] * (dense @ y))

    def test_beside_real_numbers(self):
        a, x = random_matrix(9, 8, np.float32), self.numbers(8, np.complex64, 40)
        y = astfe.spmm(a, x)
        self.assertEqual(y.dtype, np.complex64)
        np.testing.assert_array_equal(y, a.toarray() @ x)
        c = self.matrix(9, 8, np.complex64)
        y = astfe.Matrix(c) @ np.ones(8, np.float32)
        np.testing.assert_array_equal(y, c.toarray().sum(axis=1))
        with self.assertRaisesRegex(TypeError, "expected complex64 but got complex128"):
            astfe.Matrix(c) @ x.astype(complex)
        with self.assertRaisesRegex(TypeError, "real numbers but got complex64"):
            astfe.Matrix(a) @ x

    def test_tensors(self):
        rng = np.random.default_rng(3)
        coordinates = np.unique(rng.integers(0, 9, (200, 3)), axis=0)
        for dtype in (np.complex64, np.complex128):
            values = self.numbers(len(coordinates), dtype, 50)
            dense = np.zeros((9, 9, 9), complex)
            dense[tuple(coordinates.T)] = values
            b, c = self.numbers((9, 5), dtype, 51), self.numbers((9, 5), dtype, 52)
            tensor = astfe.Tensor(coordinates, values, (9, 9, 9))
            m = tensor.mttkrp([None, b, c], 0)
            self.assertEqual(m.dtype, dtype)
            np.testing.assert_array_equal(m, np.einsum("ijk,jr,kr->ir", dense, b, c))

    def test_what_has_none(self):
        a = self.matrix(6, 6, np.complex64)
        with self.assertRaisesRegex(astfe.Error, "expected real numbers for min-plus "
                                    "but got c64"):
            astfe.Matrix(a, semiring="min-plus")
        with self.assertRaisesRegex((TypeError, astfe.Error), "float"):
            astfe.Spmm(a)
        with self.assertRaisesRegex(TypeError, "expected float"):
            astfe.Attention(a, heads=1, dim=4, dtype=np.complex64)


class Semirings(unittest.TestCase):
    TIMES = {"min-plus": np.add, "max-plus": np.add, "max-times": np.multiply,
             "or-and": np.bitwise_and}
    PLUS = {"min-plus": np.minimum, "max-plus": np.maximum,
            "max-times": np.maximum, "or-and": np.bitwise_or}

    def reference(self, a, b, semiring, start):
        c = np.full((a.shape[0], b.shape[1]), start, b.dtype)
        for i in range(a.shape[0]):
            for n in range(a.indptr[i], a.indptr[i + 1]):
                c[i] = self.PLUS[semiring](
                    c[i], self.TIMES[semiring](a.data[n], b[a.indices[n]]))
        return c

    def test_products(self):
        for dtype in (np.float32, np.float64, np.int32, np.int64):
            if np.issubdtype(dtype, np.floating):
                least, most = -np.inf, np.inf
            else:
                least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
            a = random_matrix(40, 30, dtype, density=0.05)
            b = whole((30, 20), dtype, 7)
            for semiring in self.PLUS:
                if semiring == "or-and" and np.issubdtype(dtype, np.floating):
                    continue
                start = {"min-plus": most, "or-and": 0}.get(semiring, least)
                c = astfe.spmm(a, b, semiring=semiring)
                np.testing.assert_array_equal(
                    c, self.reference(a, b, semiring, start))
                t = astfe.spmm(a, whole((40, 20), dtype, 8), semiring=semiring,
                               transpose=True)
                np.testing.assert_array_equal(t, self.reference(
                    a.T.tocsr(), whole((40, 20), dtype, 8), semiring, start))

    def test_truth_values(self):
        a = sparse.csr_matrix(np.eye(5, 6, 1, dtype=bool))
        x = np.array([0, 1, 0, 0, 1, 1], bool)
        y = astfe.Matrix(a, dtype=bool, semiring="or-and") @ x
        self.assertEqual(y.dtype, np.bool_)
        self.assertEqual(y.tolist(), x[1:].tolist())
        y = astfe.spmm(a, x, semiring="or-and")
        self.assertEqual(y.tolist(), x[1:].tolist())
        y = astfe.einsum("ij,j->i", a, x, semiring="or-and")
        self.assertEqual(y.tolist(), x[1:].tolist())

    def test_formats_of_scipy(self):
        a = random_matrix(6, 5)
        b = np.ones((5, 3), a.dtype)
        wanted = astfe.spmm(a, b)
        for other in (a.tolil(), a.todok(), a.tocoo()):
            got = astfe.spmm(other, b)
            self.assertEqual(got.dtype, wanted.dtype)
            self.assertLess(np.abs(got - wanted).max(), 1e-6)
            got = astfe.spmm(other, b, activation="relu")
            self.assertLess(np.abs(got - np.maximum(wanted, 0)).max(), 1e-6)
        with self.assertRaisesRegex(ValueError, "but got 3 parts"):
            astfe.spmm((a.indptr, a.indices, a.shape), b)
        with self.assertRaisesRegex(TypeError, "but got ndarray"):
            astfe.spmm(a.toarray(), b)

    def test_tensor(self):
        tensor = astfe.Tensor([[0, 1, 1], [0, 0, 1], [2, 1, 0]],
                              np.float32([1, 2, 3]), (3, 2, 2),
                              semiring="min-plus")
        x = np.float32([5, 1])
        y = tensor.einsum("ijk,j->i", x)
        self.assertEqual(y.tolist(), [2, np.inf, 4])

    def test_wrong_semirings(self):
        a = random_matrix(4, 4)
        with self.assertRaisesRegex(ValueError, "expected plus-times, .*or-and "
                                    "but got 'plus'"):
            astfe.Matrix(a, semiring="plus")
        with self.assertRaisesRegex(astfe.Error, "expected integers for or-and "
                                    "but got f64"):
            astfe.Matrix(a, semiring="or-and")


class Einsum(unittest.TestCase):
    def test_against_numpy(self):
        a = random_matrix(25, 35, np.float32)
        dense = a.toarray()
        b, x, y = (whole(shape, np.float32, seed) for seed, shape in
                   enumerate(((35, 6), (25, 6), (35, 6))))
        d = whole((25, 35), np.float32, 9)
        for subscripts, operands in (
                ("ij,jk->ik", [b]), ("ij,kj->ik", [b.T]), ("ij,jk->ki", [b]),
                ("ij,ik->jk", [x]), ("ij,ik->kj", [x]), ("ij,j->i", [b[:, 0]]),
                ("ij,i->j", [x[:, 0]]), ("ij->i", []), ("ij->j", []),
                ("ij,ij->i", [d]), ("ij,ji->j", [d.T]),
                ("ij,ik,jk->k" + "i", [x, b]), ("ij,i,j->i", [x[:, 0], b[:, 0]]),
                ("ij,jk,jl->ikl", [b, y])):
            c = astfe.einsum(subscripts, a, *operands)
            np.testing.assert_array_equal(
                c, np.einsum(subscripts, dense, *operands), err_msg=subscripts)

    def test_outputs_without_an_index_of_the_sparse_operand(self):
        rng = np.random.default_rng(5)
        coordinates = np.unique(rng.integers(0, 9, (200, 3)), axis=0)
        for dtype in INTEGERS + (np.float16, np.float32, np.float64, np.complex128):
            a = random_matrix(25, 35)
            matrix = (a.indptr, a.indices, a.data.astype(dtype), a.shape)
            values = whole(len(coordinates), dtype, 4)
            t = astfe.Tensor(coordinates, values, (9, 10, 11), dtype=dtype)
            exact = np.complex128 if dtype == np.complex128 else np.float64
            dense = np.zeros((9, 10, 11), exact)
            dense[tuple(coordinates.T)] = values
            for sparse_, array, cases in (
                    (matrix, a.toarray(), (("ij->", []), ("ij,i,j->", [25, 35]),
                                           ("ij,jk->k", [(35, 4)]),
                                           ("ij,ik,jk->k", [(25, 4), (35, 4)]))),
                    (t, dense, (("ijk->", []), ("ijk,jr,kr->r", [(10, 5), (11, 5)]),
                                ("ijk,ir,js->sr", [(9, 2), (10, 3)])))):
                for subscripts, shapes in cases:
                    operands = [rng.integers(0, 2, shape).astype(dtype)
                                for shape in shapes]
                    s = astfe.einsum(subscripts, sparse_, *operands)
                    want = np.einsum(subscripts, array,
                                     *(x.astype(exact) for x in operands))
                    self.assertEqual(
                        s.dtype, np.int32 if dtype == np.int8 else dtype)
                    np.testing.assert_array_equal(s, want.astype(s.dtype),
                                                  err_msg=f"{subscripts} {dtype}")
        out = np.ones(5)
        astfe.einsum("ijk,jr,kr->r", astfe.Tensor(coordinates, np.ones(len(coordinates)),
                                                  (9, 10, 11)),
                     np.ones((10, 5)), np.ones((11, 5)), out=out, accumulate=True)
        np.testing.assert_array_equal(out, np.full(5, 1.0 + len(coordinates)))

    def test_least_of_all(self):
        for semiring, least in (("min-plus", 4), ("max-plus", 9), ("max-times", 14)):
            for dtype in (np.float32, np.int16):
                t = astfe.Tensor([[0, 0, 0], [1, 0, 0]], np.array([2, 7], dtype),
                                 (3, 1, 1), dtype=dtype, semiring=semiring)
                s = t.einsum("ijk,k->", np.array([2], dtype))
                self.assertEqual(s, least)
        none = astfe.Tensor(np.zeros((0, 3), int), np.zeros(0, np.float32), (3, 1, 1),
                            semiring="min-plus")
        self.assertEqual(none.einsum("ijk->"), np.inf)

    def test_mttkrp(self):
        coordinates = np.array([[0, 1, 2], [1, 0, 0], [1, 1, 3]])
        t = astfe.Tensor(coordinates, np.array([2.0, 3, 4]), (2, 2, 4))
        factors = [whole((n, 5), np.float64, n) for n in (2, 2, 4)]
        for mode in range(3):
            np.testing.assert_array_equal(astfe.mttkrp(t, factors, mode),
                                          t.mttkrp(factors, mode))
        a = random_matrix(25, 35)
        x = whole((35, 6), np.float64, 1)
        np.testing.assert_array_equal(astfe.mttkrp(a, [None, x], 0), a.toarray() @ x)
        x = whole((25, 6), np.float64, 1)
        out = np.empty((35, 6))
        np.testing.assert_array_equal(astfe.mttkrp(a, [x, None], 1, out=out),
                                      a.toarray().T @ x)
        with self.assertRaisesRegex(ValueError, "expected 3 but got 2"):
            astfe.mttkrp(t, factors[:2], 0)
        for mode in (-1, 2):
            with self.assertRaisesRegex(ValueError,
                                        rf"mode: expected 0\.\.1 but got {mode}"):
                astfe.mttkrp(a, [x, x], mode)
        with self.assertRaisesRegex(ValueError, "expected it of the tensor"):
            astfe.mttkrp(t, factors, 0, semiring="min-plus")

    def test_far_columns(self):
        far = 5_000_000_000
        a = (np.array([0, 1, 1, 3]), np.array([far // 2, 0, far - 1]),
             np.array([2, 3, 4], np.float32), (3, far))
        x = np.zeros(far, np.float32)  # which takes memory where it is written
        x[[0, far // 2, far - 1]] = [1, 2, 3]
        for y in (astfe.Matrix(a) @ x, astfe.einsum("ij,j->i", a, x),
                  astfe.spmm(a, x)):
            np.testing.assert_array_equal(y, [4, 0, 15])
        np.testing.assert_array_equal(astfe.einsum("ij->i", a), [2, 0, 7])
        y = np.zeros(far, np.float32)
        astfe.spmm(a, np.ones(3, np.float32), transpose=True, out=y, accumulate=True)
        np.testing.assert_array_equal(y[[0, 1, far // 2, far - 1]], [3, 0, 2, 4])
        with self.assertRaisesRegex(astfe.Error, "nonzeros but got samples"):
            astfe.sddmm(a, np.ones((3, 1), np.float32), x[:, None])

    def test_samples(self):
        a = random_matrix(25, 35, np.float64)
        x, y = whole((25, 6), np.float64, 1), whole((35, 6), np.float64, 2)
        want = a.toarray() * (x @ y.T)
        for s in (astfe.einsum("ij,ik,jk->ij", a, x, y),
                  astfe.einsum("ij,kj,ik->ij", a, y.T, x), astfe.sddmm(a, x, y)):
            np.testing.assert_array_equal(s.indices, a.indices)
            np.testing.assert_array_equal(s.toarray(), want)
        arrays = (a.indptr, a.indices, a.data, a.shape)
        np.testing.assert_array_equal(astfe.sddmm(arrays, x, y), s.data)
        empty = astfe.sddmm(sparse.csr_matrix((3, 4)), np.ones((3, 2)),
                            np.ones((4, 2)))
        self.assertEqual(empty.nnz, 0)

    def test_samples_of_integers(self):
        for dtype in INTEGERS:
            a = random_matrix(25, 35, dtype)
            x, y = whole((25, 6), dtype, 1), whole((35, 6), dtype, 2)
            s = astfe.sddmm(a, x, y)
            self.assertEqual(s.dtype, np.int32 if dtype == np.int8 else dtype)
            np.testing.assert_array_equal(
                s.toarray(), a.toarray() * (x.astype(np.int64) @ y.T))
            np.testing.assert_array_equal(
                astfe.einsum("ij,ik,jk->ij", a, x, y).toarray(), s.toarray())

    def test_samples_of_a_curve_are_in_order(self):
        for dtype in INTEGERS + (np.float16, np.float32, np.float64):
            a = random_matrix(25, 35, dtype)
            graph = astfe.partition((a.indptr, a.indices, a.shape),
                                    order="hilbert", reorder="none", leaf=16,
                                    min=1)
            matrix = astfe.Matrix((a.indptr, a.indices, a.data, a.shape),
                                  graph=graph, dtype=dtype, samples=True)
            rows = np.repeat(np.arange(25), np.diff(a.indptr))
            for n in (1, 6, 40):
                x, y = whole((25, n), dtype, 1), whole((35, n), dtype, 2)
                products = x.astype(np.int64) @ y.astype(np.int64).T
                np.testing.assert_array_equal(
                    matrix.sample(x, y),
                    a.data.astype(np.int64) * products[rows, a.indices])

    def test_types_meet(self):
        a = random_matrix(5, 6, np.int8)
        c = astfe.einsum("ij,jk->ik", a, np.ones((6, 2), np.int16))
        self.assertEqual(c.dtype, np.int16)
        c = astfe.einsum("ij,jk->ik", a, np.ones((6, 2), np.float32))
        self.assertEqual(c.dtype, np.float32)

    def test_out(self):
        a = random_matrix(5, 6, np.float32)
        b, out = whole((6, 3), np.float32, 1), np.ones((5, 3), np.float32)
        astfe.einsum("ij,jk->ik", a, b, out=out, accumulate=True)
        np.testing.assert_array_equal(out, a.toarray() @ b + 1)

    def test_wrong_subscripts(self):
        a, b = random_matrix(5, 6), np.ones((6, 2))
        for subscripts, operands, text in (
                ("ij,jk", [b], "expected letters as in .* but got 'ij,jk'"),
                ("ijk,jk->ik", [b], "expected 2 indices .* but got 'ijk'"),
                ("ij,jk->il", [b], "but got 'l'"),
                ("ii,ik->k", [b], "different indices of an operand but got 'ii'"),
                ("ij,jj->i", [b], "different indices of an operand but got 'jj'"),
                ("ij,jk->ik", [b, b], "expected 3 operands but got 2"),
                ("ij,ik->jk", [b], "expected 5 (rows|along 'i') but got 6")):
            with self.assertRaisesRegex(ValueError, text):
                astfe.einsum(subscripts, a, *operands)
        with self.assertRaisesRegex(TypeError,
                                    "subscripts: expected a string but got int"):
            astfe.einsum(3, a, b)


if __name__ == "__main__":
    unittest.main()
