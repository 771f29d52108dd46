"""Sparse attention and products with bias and activation, and their gradients,
against NumPy in float64 and by finite differences."""

import unittest

import astfe
import numpy as np
import scipy.sparse


def make_mask(rows=23, columns=19, dtype=np.float32, seed=0):
    """With rows and columns without entries, and a full row."""
    rng = np.random.default_rng(seed)
    dense = rng.uniform(-1, 1, (rows, columns))
    dense[rng.random(dense.shape) > 0.2] = 0
    dense[4] = 0
    dense[:, 7] = 0
    dense[9] = 0.5
    return scipy.sparse.csr_matrix(dense.astype(dtype))


def operands(mask, heads, dim, dtype, seed=1):
    rng = np.random.default_rng(seed)
    rows, columns = mask.shape
    return [rng.uniform(-1, 1, (n, heads, dim)).astype(dtype)
            for n in (rows, columns, columns, rows)]


def reference(mask, kind, q, k, v):
    """O and lse in float64, by a dense matrix of scores."""
    q, k, v = (np.asarray(a, np.float64) for a in (q, k, v))
    scores = np.einsum("ihd,jhd->hij", q, k) / np.sqrt(q.shape[2])
    wide = mask.toarray().astype(np.float64)
    if kind == "multiply":
        scores = scores * wide
    elif kind == "add":
        scores = scores + wide
    stored = np.zeros(mask.shape, bool)
    coo = mask.tocoo()
    stored[coo.row, coo.col] = True
    scores = np.where(stored, scores, -np.inf)
    top = scores.max(axis=2, keepdims=True)
    weights = np.exp(scores - np.where(np.isinf(top), 0, top))
    sums = weights.sum(axis=2, keepdims=True)
    with np.errstate(divide="ignore"):
        lse = (top + np.log(sums))[..., 0].T
    weights /= np.where(sums == 0, 1, sums)
    return np.einsum("hij,jhd->ihd", weights, v), lse


class Forward(unittest.TestCase):
    def test_against_a_dense_matrix_of_scores(self):
        for dtype, bound in ((np.float32, 2e-6), (np.float64, 1e-14)):
            mask = make_mask(dtype=dtype)
            for kind in ("pattern", "multiply", "add"):
                for heads, dim in ((1, 16), (3, 5)):
                    q, k, v, _ = operands(mask, heads, dim, dtype)
                    o, lse = astfe.Attention(mask, heads, dim, kind,
                                             dtype).forward(q, k, v)
                    wanted, sums = reference(mask, kind, q, k, v)
                    self.assertEqual(o.dtype, dtype)
                    self.assertLess(np.abs(o - wanted).max(), bound)
                    finite = np.isfinite(sums)
                    self.assertLess(np.abs(lse[finite] - sums[finite]).max(), 4 * bound)
                    self.assertTrue((lse[~finite] == -np.inf).all())
                    self.assertTrue((o[4] == 0).all())

    def test_arrays_that_begin_within_a_line(self):
        """Their rows are copied where each is read 64 times: the same bits."""
        mask = scipy.sparse.csr_matrix(np.ones((128, 32), np.float32))
        q, k, v, go = operands(mask, 1, 16, np.float32)

        def behind(array, offset):
            room = np.empty(array.nbytes + 128, np.uint8)
            begin = -room.ctypes.data % 64 + offset
            moved = room[begin:begin + array.nbytes].view(array.dtype)
            moved = moved.reshape(array.shape)
            moved[...] = array
            return moved

        attention = astfe.Attention(mask, 1, 16, "pattern", np.float32)
        results = []
        for offset in (0, 16, 4):
            moved = [behind(a, offset) for a in (q, k, v, go)]
            o, lse = attention.forward(*moved[:3])
            results.append([o, lse, *attention.backward(*moved[:3], moved[3], lse)])
        for other in results[1:]:
            for left, right in zip(results[0], other):
                np.testing.assert_array_equal(left, right)

    def test_numbers_of_the_other_order_of_bytes(self):
        mask = make_mask()
        swapped = mask.astype(np.float32)
        swapped.data = swapped.data.astype(">f4")
        q, k, v, _ = operands(mask, 1, 8, np.float32)
        for kind in ("pattern", "multiply"):
            wanted = reference(mask, kind, q, k, v)[0]
            attention = astfe.Attention(swapped, 1, 8, kind, dtype=">f4")
            for other in ("<f4", ">f4"):
                o = attention.forward(*(a.astype(other) for a in (q, k, v)))[0]
                self.assertEqual(o.dtype, np.float32)
                self.assertLess(np.abs(o - wanted).max(), 1e-5)
            o = astfe.attention(mask, *(a.astype(">f4") for a in (q, k, v)))
            self.assertLess(np.abs(o - reference(mask, "pattern", q, k, v)[0]).max(),
                            1e-5)

    def test_masks_of_integers(self):
        mask = make_mask()
        for dtype in (np.bool_, np.int8, np.int16, np.int32):
            own = mask.astype(dtype)
            own.data[:] = 1
            for kind in ("multiply", "add"):
                attention = astfe.Attention(own, 1, 8, kind)
                self.assertEqual(attention.dtype, np.float64)

    def test_halves(self):
        for kind in ("pattern", "multiply", "add"):
            mask = make_mask()
            attention = astfe.Attention(mask, 2, 16, kind, dtype=np.float16)
            q, k, v, g = operands(mask, 2, 16, np.float16)
            o, lse = attention.forward(q, k, v)
            self.assertEqual((o.dtype, lse.dtype), (np.float16, np.float32))
            halves = mask.copy()
            halves.data = mask.data.astype(np.float16).astype(np.float32)
            want, sums = reference(halves, kind, q, k, v)
            np.testing.assert_allclose(o, want, atol=2e-3)
            np.testing.assert_allclose(lse, sums, rtol=1e-5)
            wide = astfe.Attention(halves, 2, 16, kind).backward(
                *(a.astype(np.float32) for a in (q, k, v, g)), lse)
            for got, expected in zip(attention.backward(q, k, v, g, lse), wide):
                self.assertEqual(got.dtype, np.float16)
                np.testing.assert_allclose(got, expected, atol=5e-3)

    def test_probabilities_of_a_row_sum_to_one(self):
        mask = make_mask(300, 200)
        q, k, v, _ = operands(mask, 2, 16, np.float32)
        o = astfe.attention(mask, q, k, np.ones_like(v))
        filled = np.diff(mask.indptr) > 0
        self.assertLess(np.abs(o[filled] - 1).max(), 1e-6)

    def test_large_scores(self):
        mask = make_mask()
        mask.data[:] = np.where(np.arange(mask.nnz) % 2, 1e4, -1e4)
        q, k, v, _ = operands(mask, 2, 16, np.float32)
        for kind in ("multiply", "add"):
            o = astfe.attention(mask, q, k, v, mask=kind)
            self.assertTrue(np.isfinite(o).all())
            wanted, _ = reference(mask, kind, q, k, v)
            self.assertLess(np.abs(o - wanted).max(), 2e-2)
            self.assertGreater(np.abs(o).max(), 0.1)

    def test_truth_values_are_a_pattern(self):
        mask = make_mask()
        q, k, v, _ = operands(mask, 2, 16, np.float32)
        o = astfe.attention(mask.astype(bool), q, k, v)
        self.assertEqual(o.dtype, np.float32)
        self.assertLess(np.abs(o - astfe.attention(mask.astype(np.float32), q, k,
                                                   v)).max(), 1e-6)

    def test_masked_rows(self):
        mask = make_mask()
        mask.data[mask.indptr[9]:mask.indptr[10]] = -np.inf
        mask.data[mask.indptr[11]] = -np.inf
        q, k, v, g = operands(mask, 2, 16, np.float32)
        both = astfe.Attention(mask, 2, 16, "add")
        o, lse = both.forward(q, k, v)
        wanted, _ = reference(mask, "add", q, k, v)
        self.assertTrue((o[9] == 0).all() and (lse[9] == -np.inf).all())
        self.assertLess(np.abs(o - wanted).max(), 2e-6)
        gradients = both.backward(q, k, v, g, lse)
        self.assertTrue(all(np.isfinite(d).all() for d in gradients))
        self.assertTrue((gradients[0][9] == 0).all())

    def test_nan_reaches_its_own_row(self):
        mask = make_mask()
        q, k, v, _ = operands(mask, 1, 8, np.float32)
        clean = astfe.attention(mask, q, k, v)
        q[9, 0, 3] = np.nan
        o = astfe.attention(mask, q, k, v)
        self.assertTrue(np.isnan(o[9]).all())
        np.testing.assert_array_equal(np.delete(o, 9, 0),
                                      np.delete(clean, 9, 0))

    def test_other_values_and_the_same_bits(self):
        mask = make_mask()
        q, k, v, g = operands(mask, 2, 8, np.float32)
        one = astfe.Attention(mask, 2, 8, "multiply")
        first, lse = one.forward(q, k, v)
        gradients = one.backward(q, k, v, g, lse)
        one.set_values(2 * mask.data)
        self.assertTrue((one.forward(q, k, v)[0] != first).any())
        one.set_values(mask.data)
        np.testing.assert_array_equal(one.forward(q, k, v)[0], first)
        before = astfe.threads()
        try:
            astfe.set_threads(1)
            again = one.backward(q, k, v, g, lse)
        finally:
            astfe.set_threads(before)
        for a, b in zip(again, gradients):
            np.testing.assert_array_equal(a, b)


class LongRows(unittest.TestCase):
    """Rows that are a large part of a mask are cut between threads."""

    def setUp(self):
        rng = np.random.default_rng(3)
        columns = 40000
        rows = [rng.choice(columns, 30), np.arange(columns),
                np.zeros(0, np.int64), rng.choice(columns, 20000, replace=False)]
        rows = [np.sort(row) for row in rows]
        count = sum(map(len, rows))
        values = rng.uniform(-1, 1, count).astype(np.float32)
        values[100:5000] = -np.inf
        self.mask = scipy.sparse.csr_matrix(
            (values, np.concatenate(rows),
             np.cumsum([0] + [len(row) for row in rows])),
            shape=(len(rows), columns))
        self.operands = operands(self.mask, 1, 8, np.float32)

    def test_against_a_dense_matrix_of_scores(self):
        q, k, v, _ = self.operands
        attention = astfe.Attention(self.mask, 1, 8, mask="add")
        o, lse = attention.forward(q, k, v)
        want, sums = reference(self.mask, "add", q, k, v)
        np.testing.assert_allclose(o, want, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(lse, sums, rtol=1e-6)

    def test_the_same_bits_with_any_number_of_threads(self):
        q, k, v, g = self.operands
        attention = astfe.Attention(self.mask, 1, 8, mask="add")
        before = astfe.threads()
        results = []
        try:
            for threads in (1, 2, 3):
                astfe.set_threads(threads)
                o, lse = attention.forward(q, k, v)
                results.append((o, lse, *attention.backward(q, k, v, g, lse)))
        finally:
            astfe.set_threads(before)
        for other in results[1:]:
            for one, two in zip(results[0], other):
                np.testing.assert_array_equal(one, two)


def difference(function, array, direction, step=1e-5):
    """The derivative of a function of `array` along `direction`."""
    return (function(array + step * direction)
            - function(array - step * direction)) / (2 * step)


class Gradients(unittest.TestCase):
    def test_attention_by_finite_differences(self):
        rng = np.random.default_rng(3)
        mask = make_mask(dtype=np.float64)
        for kind in ("pattern", "multiply", "add"):
            one = astfe.Attention(mask, 2, 6, kind)
            q, k, v, g = operands(mask, 2, 6, np.float64)
            _, lse = one.forward(q, k, v)
            gradients = one.backward(q, k, v, g, lse)
            arrays = [q, k, v]
            for at, gradient in enumerate(gradients):
                direction = rng.uniform(-1, 1, gradient.shape)

                def loss(array):
                    changed = list(arrays)
                    changed[at] = array
                    return float((one.forward(*changed)[0] * g).sum())

                wanted = difference(loss, arrays[at], direction)
                got = float((gradient * direction).sum())
                self.assertLess(abs(got - wanted), 1e-6 * max(1, abs(wanted)))

    def test_product_by_finite_differences(self):
        rng = np.random.default_rng(4)
        matrix = make_mask(dtype=np.float64)
        product = astfe.Spmm(matrix)
        b = rng.uniform(-1, 1, (matrix.shape[1], 5))
        g = rng.uniform(-1, 1, (matrix.shape[0], 5))
        of_values, of_dense = product.backward(b, g)
        along = rng.uniform(-1, 1, b.shape)
        wanted = difference(lambda x: float((product.forward(x) * g).sum()), b,
                            along)
        self.assertLess(abs((of_dense * along).sum() - wanted), 1e-6)
        along = rng.uniform(-1, 1, matrix.nnz)

        def loss(values):
            product.set_values(values)
            return float((product.forward(b) * g).sum())

        wanted = difference(loss, matrix.data, along)
        self.assertLess(abs((of_values * along).sum() - wanted), 1e-6)


class Products(unittest.TestCase):
    def test_numbers_of_the_other_order_of_bytes(self):
        matrix = make_mask()
        b = np.random.default_rng(6).uniform(-1, 1, (matrix.shape[1], 5))
        wanted = matrix.toarray().astype(np.float64) @ b
        swapped = matrix.copy()
        swapped.data = swapped.data.astype(">f4")
        for order in ("<f4", ">f4"):
            dense = b.astype(order)
            for c in (astfe.Spmm(swapped).forward(dense),
                      astfe.spmm(swapped, dense, np.zeros(5, order)),
                      astfe.spmm(swapped, dense)):
                self.assertEqual(c.dtype, np.float32)
                self.assertLess(np.abs(c - wanted).max(), 1e-5)

    def test_bias_and_activation(self):
        functions = {None: lambda x: x, "relu": lambda x: np.maximum(x, 0),
                     "tanh": np.tanh, "sigmoid": lambda x: 1 / (1 + np.exp(-x))}
        rng = np.random.default_rng(5)
        for dtype, bound in ((np.float32, 3e-6), (np.float64, 1e-14)):
            matrix = make_mask(dtype=dtype)
            b = rng.uniform(-1, 1, (matrix.shape[1], 33)).astype(dtype)
            bias = rng.uniform(-1, 1, 33).astype(dtype)
            wide = matrix.toarray().astype(np.float64) @ b.astype(np.float64)
            for activation, function in functions.items():
                for added in (None, bias):
                    c = astfe.spmm(matrix, b, added, activation)
                    wanted = function(wide + (0 if added is None else added))
                    self.assertLess(np.abs(c - wanted).max(), bound)

    def test_halves(self):
        functions = {None: lambda x: x, "relu": lambda x: np.maximum(x, 0),
                     "tanh": np.tanh, "sigmoid": lambda x: 1 / (1 + np.exp(-x))}
        rng = np.random.default_rng(6)
        matrix = make_mask()
        # A row of many ones: sums in halves would end at 2048.
        long = np.ones((1, 4000), np.float16)
        one = astfe.Spmm((np.int32([0, 4000]), np.arange(4000), long[0],
                          (1, 4000)))
        self.assertEqual(one.dtype, np.float16)
        self.assertEqual(one.forward(long.T)[0, 0], 4000)
        self.assertEqual(one.forward(long.T, np.float16([-3998]), "relu")[0, 0], 2)
        halves = matrix.data.astype(np.float16)
        arrays = (matrix.indptr, matrix.indices, halves, matrix.shape)
        rounded = matrix.astype(np.float64)
        rounded.data = halves.astype(np.float64)
        # Wider operands widen the values.
        ones = np.ones((matrix.shape[1], 3))
        wide = astfe.spmm(arrays, ones, np.ones(3), "relu")
        self.assertEqual(wide.dtype, np.float64)
        np.testing.assert_allclose(wide, np.maximum(rounded @ ones + 1, 0))
        b = rng.uniform(-1, 1, (matrix.shape[1], 33)).astype(np.float16)
        g = rng.uniform(-1, 1, (matrix.shape[0], 33)).astype(np.float16)
        bias = rng.uniform(-1, 1, 33).astype(np.float16)
        sums = rounded.toarray() @ b.astype(np.float64)
        for activation, function in functions.items():
            for added in (None, bias):
                wanted = function(sums + (0 if added is None else added))
                for a in (astfe.Spmm(arrays), astfe.Spmm(matrix, np.float16)):
                    c = a.forward(b, added, activation)
                    self.assertEqual(c.dtype, np.float16)
                    # Two roundings, of which the first is of a sum below 4.
                    np.testing.assert_allclose(c, wanted, rtol=2e-3, atol=2e-3)
        np.testing.assert_array_equal(
            astfe.spmm(matrix, b, bias, "relu"),
            astfe.Spmm(arrays).forward(b, bias, "relu"))
        of_values, of_dense = astfe.Spmm(arrays).backward(b, g)
        wide = g.astype(np.float64)
        rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        np.testing.assert_allclose(
            of_values, (wide[rows] * b.astype(np.float64)[matrix.indices]).sum(1),
            rtol=6e-4, atol=1e-5)
        np.testing.assert_allclose(of_dense, rounded.toarray().T @ wide, rtol=6e-4,
                                   atol=1e-5)

    def test_nothing_to_do(self):
        matrix = scipy.sparse.csr_matrix((3, 4), dtype=np.float32)
        self.assertEqual(astfe.spmm(matrix, np.ones((4, 0), "float32")).shape,
                         (3, 0))
        c = astfe.spmm(matrix, np.ones((4, 2), "float32"),
                       np.float32([-1, 2]), "relu")
        np.testing.assert_array_equal(c, np.float32([[0, 2]] * 3))
        q = np.ones((3, 1, 4), "float32")
        k = np.ones((4, 1, 4), "float32")
        np.testing.assert_array_equal(astfe.attention(matrix, q, k, k), 0)


class WrongInput(unittest.TestCase):
    def fails(self, text, kind, function, *arguments, **named):
        with self.assertRaises(kind) as caught:
            function(*arguments, **named)
        self.assertIn(text, str(caught.exception))

    def test_of_attention(self):
        mask = make_mask()
        q, k, v, g = operands(mask, 2, 8, np.float32)
        one = astfe.Attention(mask, 2, 8)
        self.fails("expected 1..1048576 heads but got 0", astfe.Error,
                   astfe.Attention, mask, 0, 8)
        self.fails("expected 1..1048576 dimensions of a head but got 0",
                   astfe.Error, astfe.Attention, mask, 2, 0)
        self.fails("mask: expected 'pattern'", ValueError, astfe.Attention, mask,
                   2, 8, "divide")
        self.fails("dtype: expected float16, bfloat16, float32, float64", TypeError,
                   astfe.Attention, mask, 2, 8, dtype=np.int32)
        self.fails("values: expected float64 but got float32", TypeError,
                   astfe.Attention, mask, 2, 8, "add", np.float64)
        self.fails("q: expected shape (23, 2, 8) but got (19, 2, 8)", ValueError,
                   one.forward, k, k, v)
        self.fails("k: expected float32 but got float64", TypeError, one.forward,
                   q, k.astype(np.float64), v)
        self.fails("lse: expected shape (23, 2) but got (23, 1)", ValueError,
                   one.backward, q, k, v, g, np.zeros((23, 1), "float32"))
        self.fails("out: expected memory apart", ValueError, one.forward, q, k, v,
                   out=q)
        self.fails("q: expected (row, head, dim)", ValueError, astfe.attention,
                   mask, q[0], k, v)
        for value in (np.nan, np.inf):
            wrong = mask.copy()
            wrong.data[3] = value
            for kind in ("multiply", "add"):
                self.fails("mask: expected finite values", astfe.Error,
                           astfe.Attention, wrong, 2, 8, kind)
        self.fails("at nonzero 2", astfe.Error,
                   astfe.Attention(mask, 2, 8, "multiply").set_values,
                   np.where(np.arange(mask.nnz) == 2, np.nan, mask.data))

    def test_of_products(self):
        matrix = make_mask()
        product = astfe.Spmm(matrix)
        b = np.ones((19, 3), "float32")
        self.fails("values: expected float64 but got float32", TypeError,
                   astfe.Spmm, matrix, np.float64)
        self.fails("dense: expected shape (19, 3) but got (18, 3)", ValueError,
                   product.forward, b[1:])
        self.fails("dense: expected two dimensions but got 1", ValueError,
                   product.forward, b[:, 0])
        self.fails("dense: expected float32 but got float64", TypeError,
                   product.forward, b.astype(np.float64))
        self.fails("bias: expected shape (3,) but got (2,)", ValueError,
                   product.forward, b, np.ones(2, "float32"))
        self.fails("activation: expected None", ValueError, product.forward, b,
                   activation="gelu")
        self.fails("grad: expected shape (23, 3) but got (19, 3)", ValueError,
                   product.backward, b, b)


if __name__ == "__main__":
    unittest.main()
