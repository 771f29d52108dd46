"""Products and partitions through the package, against NumPy in float64."""

import concurrent.futures
import copy
import ctypes
import pickle
import unittest

import astfe
import numpy as np
from astfe._arrays import row_major

try:
    import scipy.sparse as sparse
except ImportError:
    sparse = None


def random_csr(rows, columns, density, dtype=np.float32, seed=0,
               index=np.int32):
    """(positions, coordinates, values, shape) and the dense equivalent."""
    rng = np.random.default_rng(seed)
    mask = rng.random((rows, columns)) < density
    dense = np.where(mask, rng.standard_normal((rows, columns)), 0)
    dense = dense.astype(dtype)
    positions = np.concatenate([[0], np.cumsum(mask.sum(1))]).astype(index)
    coordinates = np.nonzero(mask)[1].astype(index)
    return (positions, coordinates, dense[mask], (rows, columns)), dense


class Products(unittest.TestCase):
    def check(self, result, dense, operand):
        wide = dense.astype(np.float64)
        reference = wide @ operand.astype(np.float64)
        magnitude = np.abs(wide) @ np.abs(operand.astype(np.float64))
        unit = np.finfo(result.dtype).eps / 2
        bound = ((dense != 0).sum(1) + 2) * unit
        bound = bound.reshape((-1,) + (1,) * (result.ndim - 1))
        self.assertTrue((np.abs(result - reference)
                         <= bound * magnitude).all())

    def test_expected_columns_are_a_hint(self):
        csr, dense = random_csr(300, 200, 0.1, np.float32)
        for expected in (1, 16, 128):
            matrix = astfe.Matrix(csr, columns=expected, expected_runs=10)
            for columns in (1, 3, 16, 100, 128, 7, 9, 11, 130):
                operand = np.arange(200 * columns, dtype=np.float32).reshape(
                    200, columns) / 1000
                self.check(matrix @ operand, dense, operand)
            self.check(matrix @ operand[:, 0], dense, operand[:, 0])
        for wrong in ({"columns": -1}, {"columns": 2 ** 60}, {"expected_runs": 0}, {"workers": -1}):
            with self.assertRaises(astfe.Error):
                astfe.Matrix(csr, **wrong)
        with self.assertRaisesRegex(astfe.Error,
                                    r"expected 0\.\.16777216 workers but got 10+$"):
            astfe.Matrix(csr, workers=10 ** 12)

    def test_integers_that_64_bits_do_not_hold(self):
        csr, _ = random_csr(10, 12, 0.3)
        pattern, large = csr[:2] + csr[3:], 2 ** 64 + 3
        text = f"expected an integer of 64 bits but got {large}$"
        for name, call in (
                ("bytes", lambda: astfe.set_memory(large)),
                ("count", lambda: astfe.set_threads(large)),
                ("workers", lambda: astfe.Matrix(csr, workers=large)),
                ("columns", lambda: astfe.Matrix(csr, columns=large)),
                ("leaf", lambda: astfe.partition(pattern, leaf=large)),
                ("shape", lambda: astfe.Matrix(csr[:3] + ((10, large),))),
                ("shape", lambda: astfe.Tensor([[1, 1, 1]], [5.0],
                                               (large, 4, 2))),
                ("heads", lambda: astfe.Attention(csr, large, 8))):
            with self.assertRaisesRegex(ValueError, f"^{name}: {text}"):
                call()
        for indices in (lambda a: astfe.Matrix(([0, 1], a, [1.0], (1, 2))),
                        lambda a: astfe.Tensor((a, a), [1.0], (1, 2))):
            with self.assertRaisesRegex(ValueError, "coordinates.* got 9223372036"
                                        "854775809$"):
                indices(np.array([2 ** 63 + 1], np.uint64))
        with self.assertRaisesRegex(ValueError, "32 bits but got 4294967296"):
            astfe.partition(pattern).permutation(2 ** 32)
        for wrong in (2.5, "a"):
            with self.assertRaisesRegex(TypeError, "^count: expected an integer "
                                        f"but got {wrong!r}$"):
                astfe.set_threads(wrong)

    def test_large_results_begin_at_a_line(self):
        # Rows of 37 MB of results go past the caches.
        count = 72000
        positions = np.arange(0, 2 * count + 1, 2)
        rows = np.arange(count)
        # A column beside the diagonal: B's rows are near.
        beside = np.where(rows % 2 == 0, rows + 1, rows - 1)
        coordinates = np.sort(np.stack([rows, beside], 1), 1).ravel()
        values = np.ones(2 * count, np.float32)
        operand = np.arange(count * 128, dtype=np.float32).reshape(
            count, 128) % 1000
        csr = (positions, coordinates, values, (count, count))
        result = astfe.Matrix(csr, columns=128) @ operand
        self.assertEqual(result.ctypes.data % 64, 0)
        expected = operand[rows] + operand[beside]
        self.assertTrue((result == expected).all())

    def test_products_on_many_threads(self):
        csr, dense = random_csr(300, 200, 0.1, np.float64)
        matrix = astfe.Matrix(csr)
        operands = [np.full((200, n), n, np.float64) for n in range(1, 9)]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for operand, result in zip(operands, pool.map(
                    matrix.multiply, operands)):
                self.check(result, dense, operand)

    def test_spmm_of_every_column_count(self):
        csr, dense = random_csr(70, 45, 0.2)
        matrix = astfe.Matrix(csr)
        rng = np.random.default_rng(1)
        for n in (1, 3, 8, 16, 17, 64, 100, 130):
            operand = rng.standard_normal((45, n)).astype(np.float32)
            self.check(matrix.multiply(operand), dense, operand)

    def test_types_and_index_widths(self):
        for dtype in (np.float32, np.float64):
            for index in (np.int32, np.int64):
                csr, dense = random_csr(33, 65, 0.1, dtype, 2, index)
                operand = np.linspace(-1, 1, 65 * 5).reshape(65, 5)
                operand = operand.astype(dtype)
                self.check(astfe.Matrix(csr).multiply(operand), dense, operand)

    def test_spmv_and_operator(self):
        csr, dense = random_csr(50, 50, 0.3, np.float64, 3)
        matrix, x = astfe.Matrix(csr), np.linspace(0, 1, 50)
        self.check(matrix.multiply(x), dense, x)
        self.check(matrix @ x, dense, x)

    def test_strided_operands_are_not_copied(self):
        csr, dense = random_csr(40, 30, 0.2, seed=4)
        wide = np.random.default_rng(5).standard_normal((30, 24))
        wide = wide.astype(np.float32)
        out = np.full((40, 20), np.nan, np.float32)
        view = out[:, 3:11]
        for operand, leading in ((wide[:, 5:13], 24), (view, 20)):
            same, stride = row_major(operand, np.float32, "operand")
            self.assertIs(same, operand)
            self.assertEqual(stride, leading)
        result = astfe.Matrix(csr).multiply(wide[:, 5:13], out=view)
        self.assertIs(result, view)
        self.check(view, dense, wide[:, 5:13])
        self.assertTrue(np.isnan(out[:, :3]).all())
        self.assertTrue(np.isnan(out[:, 11:]).all())

    def test_accumulate(self):
        csr, dense = random_csr(20, 20, 0.3, np.float64, 6)
        out = np.ones((20, 4))
        astfe.Matrix(csr).multiply(np.ones((20, 4)), out=out, accumulate=True)
        np.testing.assert_allclose(out, 1 + dense @ np.ones((20, 4)),
                                   rtol=1e-12)

    def test_other_strides_are_copied(self):
        csr, dense = random_csr(40, 30, 0.2, np.float64, 4)
        wide = np.random.default_rng(5).standard_normal((8, 30))
        for operand in (wide.T, wide.T[::-1], np.asfortranarray(wide.T)):
            same, stride = row_major(operand, np.float64, "operand")
            self.assertIsNot(same, operand)
            self.assertEqual(stride, 8)
            self.check(astfe.Matrix(csr).multiply(operand), dense, operand)

    def test_rows_that_lie_over_each_other_are_copied(self):
        csr, dense = random_csr(40, 30, 0.2, np.float64, 4)
        row = np.arange(9.0)
        for operand in (np.broadcast_to(row, (30, 9)),
                        np.lib.stride_tricks.sliding_window_view(
                            np.arange(38.0), 9)):
            same, stride = row_major(operand, np.float64, "operand")
            self.assertIsNot(same, operand)
            self.assertEqual(stride, 9)
            self.check(astfe.Matrix(csr).multiply(operand), dense, operand)

    def test_new_results_do_not_depend_on_old_memory(self):
        csr, dense = random_csr(60, 60, 0.05, np.float64, 12)
        matrix, operand = astfe.Matrix(csr), np.ones((60, 9))
        for accumulate in (False, True):
            for _ in range(4):
                waste = np.full((60, 9), np.nan)
                del waste
                result = matrix.multiply(operand, accumulate=accumulate)
                self.check(result, dense, operand)
                result = matrix.multiply(operand[:, 0], accumulate=accumulate)
                self.check(result, dense, operand[:, 0])

    def test_disjoint_columns_of_one_array(self):
        csr, dense = random_csr(30, 30, 0.2, np.float64, 13)
        both = np.ones((30, 8))
        astfe.Matrix(csr).multiply(both[:, :4], out=both[:, 4:])
        self.check(both[:, 4:], dense, both[:, :4])

    def test_integers_and_lists(self):
        for dtype in (np.float32, np.float64):
            csr, dense = random_csr(5, 3, 0.9, dtype, 14)
            matrix, operand = astfe.Matrix(csr), np.arange(6).reshape(3, 2)
            self.check(matrix.multiply(operand), dense, operand)
            self.check(matrix.multiply(operand.tolist()), dense, operand)
            self.check(matrix.multiply([0.5, 1, 2]), dense,
                       np.array([0.5, 1, 2]))
        counts = (csr[0], csr[1], np.ones(len(csr[1]), np.int64), csr[3])
        self.assertEqual(astfe.Matrix(counts).dtype, np.float64)

    def test_new_values_without_repacking(self):
        csr, dense = random_csr(30, 30, 0.3, np.float64, 7)
        matrix = astfe.Matrix(csr)
        matrix.set_values(2 * csr[2])
        x = np.linspace(-1, 1, 30)
        self.check(matrix.multiply(x), 2 * dense, x)

    def test_every_order_and_many_workers(self):
        csr, dense = random_csr(64, 48, 0.3, np.float64, 8)
        operand = np.linspace(-1, 1, 48 * 3).reshape(48, 3)
        for order in ("rows", "morton", "hilbert", "panels", "auto"):
            graph = astfe.partition(csr[:2] + csr[3:], order=order, leaf=16,
                                    min=4)
            for workers in (1, 7, 100):
                matrix = astfe.Matrix(csr, graph, workers)
                self.check(matrix.multiply(operand), dense, operand)

    def test_empty(self):
        empty = (np.zeros(4, np.int32), np.zeros(0, np.int32),
                 np.zeros(0, np.float32), (3, 5))
        result = astfe.Matrix(empty).multiply(np.ones((5, 2), np.float32))
        np.testing.assert_array_equal(result, np.zeros((3, 2), np.float32))
        lists = astfe.Matrix(([0, 0, 0], [], [], (2, 2)))
        np.testing.assert_array_equal(lists @ np.ones((2, 1)), np.zeros((2, 1)))
        tensor = astfe.Tensor([], [], (2, 3, 4))
        np.testing.assert_array_equal(tensor.einsum("ijk->i"), np.zeros(2))

    @unittest.skipUnless(sparse, "SciPy is not installed")
    def test_scipy(self):
        a = sparse.random(80, 60, 0.1, format="coo", dtype=np.float64,
                          random_state=9)
        operand = np.ones((60, 7))
        self.check(astfe.Matrix(a).multiply(operand), a.toarray(), operand)


class Graphs(unittest.TestCase):
    def test_arrays_describe_the_matrix(self):
        csr, _ = random_csr(100, 100, 0.2, seed=10)
        graph = astfe.partition(csr[:2] + csr[3:], order="hilbert", leaf=64,
                                min=8)
        self.assertEqual(graph.order, "hilbert")
        self.assertEqual(graph.nonzeros.sum(), csr[0][-1])
        self.assertEqual(graph.groups[0], 0)
        self.assertEqual(graph.groups[-1], len(graph))
        self.assertTrue((np.diff(graph.prefixes.astype(object)) > 0).all())
        inside = np.zeros((128, 128), int)
        for corner, sides in zip(graph.lower, graph.log2):
            rows, columns = corner + (1 << sides)
            inside[corner[0]:rows, corner[1]:columns] += 1
        self.assertLessEqual(inside.max(), 1)

    def test_unset_options_are_the_library_s(self):
        csr, _ = random_csr(300, 300, 0.2, seed=15)
        pattern = csr[:2] + csr[3:]
        options = astfe._library.library().astfeDefaultPartitionOptions()
        default = astfe.partition(pattern).to_json()
        explicit = dict(min=options.min, workers=options.workers,
                        waves=options.waves, panel=options.panel,
                        cache=options.cache, leaf=options.leaf,
                        dense_columns=options.dense_columns)
        self.assertEqual(astfe.partition(pattern, **explicit).to_json(),
                         default)
        self.assertNotEqual(astfe.partition(pattern, min=8, leaf=32,
                                            workers=200).to_json(), default)

    def test_renumbered_graphs_keep_the_callers_numbers(self):
        csr, dense = random_csr(90, 70, 0.1, np.float64, 16)
        pattern = csr[:2] + csr[3:]
        operand = np.linspace(-1, 1, 70 * 3).reshape(70, 3)
        for reorder in ("labels", "rcm"):
            for hubs in (None, "none", "auto", 3):
                graph = astfe.partition(pattern, order="rows", min=8,
                                        reorder=reorder, hubs=hubs)
                for mode, extent in enumerate((90, 70)):
                    numbers = graph.permutation(mode)
                    np.testing.assert_array_equal(np.sort(numbers),
                                                  np.arange(extent))
                np.testing.assert_allclose(
                    astfe.Matrix(csr, graph).multiply(operand), dense @ operand,
                    atol=1e-12)
        plain = astfe.partition(pattern, order="rows", reorder="none")
        self.assertIsNone(plain.permutation(0))

    def test_twins_come_side_by_side(self):
        # Rows 0 and 2 have columns 0 and 3, rows 1 and 4 column 1.
        csr = (np.array([0, 2, 3, 5, 6, 7]), np.array([0, 3, 1, 0, 3, 2, 1]),
               np.arange(1.0, 8.0), (5, 5))
        dense = np.zeros((5, 5))
        dense[np.repeat(np.arange(5), np.diff(csr[0])), csr[1]] = csr[2]
        graph = astfe.partition(csr[:2] + csr[3:], order="rows", min=1,
                                reorder="twins")
        np.testing.assert_array_equal(graph.permutation(0), (0, 2, 1, 4, 3))
        np.testing.assert_array_equal(graph.permutation(1), (0, 2, 3, 1, 4))
        operand = np.linspace(-1, 1, 10).reshape(5, 2)
        np.testing.assert_allclose(
            astfe.Matrix(csr, graph).multiply(operand), dense @ operand)

    def test_json_round_trip(self):
        csr, _ = random_csr(60, 60, 0.2, seed=11)
        graph = astfe.partition(csr[:2] + csr[3:], order="morton", min=8)
        again = astfe.Graph.from_json(graph.to_json())
        np.testing.assert_array_equal(again.prefixes, graph.prefixes)
        np.testing.assert_array_equal(again.groups, graph.groups)
        self.assertEqual(again.to_json(), graph.to_json())


class WrongInput(unittest.TestCase):
    def test_column_out_of_range(self):
        bad = (np.array([0, 1]), np.array([5]), np.ones(1), (1, 3))
        with self.assertRaisesRegex(astfe.Error, "expected .*but got 5"):
            astfe.Matrix(bad)

    def test_partition_options(self):
        csr, _ = random_csr(10, 12, 0.3)
        pattern = csr[:2] + csr[3:]
        with self.assertRaisesRegex(ValueError, "expected one of none, labels.*'x'"):
            astfe.partition(pattern, reorder="x")
        with self.assertRaisesRegex(ValueError, "none, auto or a number.*'x'"):
            astfe.partition(pattern, hubs="x")
        with self.assertRaisesRegex(astfe.Error, "at least -1 but got -7"):
            astfe.partition(pattern, hubs=-7)
        with self.assertRaisesRegex(astfe.Error, "dense columns: expected 1"):
            astfe.partition(pattern, dense_columns=2 ** 62)
        with self.assertRaisesRegex(astfe.Error, "mode 0 or 1 but got 2"):
            astfe.partition(pattern).permutation(2)

    def test_device_of_another_type(self):
        csr, _ = random_csr(10, 12, 0.3)
        with self.assertRaisesRegex(TypeError, "device: expected 'cuda' .* got 3"):
            astfe.Matrix(csr, device=3)

    def test_copies(self):
        csr, dense = random_csr(10, 12, 0.3)
        matrix = astfe.Matrix(csr)
        owners = (matrix, astfe.partition(csr[:2] + csr[3:]), astfe.Spmm(csr),
                  astfe.Attention(csr, 1, 4), astfe.Program("module {}"),
                  astfe.Tensor(np.argwhere(dense), dense[dense != 0],
                               dense.shape))
        for owner in owners:
            for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
                with self.assertRaisesRegex(TypeError, "expected no copy of astfe."):
                    duplicate(owner)
        product = matrix @ np.ones(12, np.float32)
        np.testing.assert_allclose(product, dense.sum(1), rtol=1e-5, atol=1e-6)

    def test_positions_descend(self):
        bad = (np.array([0, 2, 1]), np.array([0, 1]), np.ones(1), (2, 3))
        with self.assertRaises(astfe.Error):
            astfe.partition(bad[:2] + bad[3:])

    def test_positions_beyond_the_coordinates(self):
        with self.assertRaisesRegex(ValueError, "expected 5 entries but got 2"):
            astfe.Matrix((np.array([0, 5]), np.array([0, 1]), np.ones(5), (1, 3)))

    def test_shapes(self):
        csr, _ = random_csr(10, 12, 0.3)
        matrix = astfe.Matrix(csr)
        with self.assertRaisesRegex(ValueError, "expected 12 rows but got 10"):
            matrix.multiply(np.ones((10, 2), int))
        with self.assertRaisesRegex(ValueError, "out"):
            matrix.multiply(np.ones((12, 2), int),
                        out=np.ones((10, 3), np.float32))
        with self.assertRaisesRegex(ValueError, "values"):
            matrix.set_values(np.ones(3, np.float32))
        with self.assertRaisesRegex(ValueError, "shape"):
            astfe.partition((np.zeros(0, int), np.zeros(0, int), (-1, 3)))
        with self.assertRaisesRegex(ValueError, "two extents but got 3"):
            astfe.Matrix((csr[0], csr[1], np.ones(3)))

    def test_overlapping_output(self):
        csr, _ = random_csr(10, 10, 0.5, np.float64)
        matrix, both = astfe.Matrix(csr), np.ones((10, 10))
        with self.assertRaisesRegex(ValueError, "out"):
            matrix.multiply(both, out=both)
        with self.assertRaisesRegex(ValueError, "out"):
            matrix.multiply(both[:, :6], out=both[:, 4:])
        with self.assertRaisesRegex(ValueError, "out"):
            matrix.multiply(both[0], out=both[0])
        np.testing.assert_array_equal(both, np.ones((10, 10)))

    def test_output_is_an_array(self):
        csr, _ = random_csr(3, 3, 0.9, np.float64)
        matrix = astfe.Matrix(csr)
        with self.assertRaisesRegex(TypeError, "out.*but got list"):
            matrix.multiply(np.ones((3, 1)), out=[[0], [0], [0]])
        with self.assertRaisesRegex(TypeError, "out.*but got list"):
            matrix.multiply(np.ones(3), out=[0, 0, 0])
        with self.assertRaisesRegex(ValueError, "unit column stride"):
            matrix.multiply(np.ones((3, 2)), out=np.ones((2, 3)).T)

    def test_types_that_lose_something(self):
        single, double = (astfe.Matrix(random_csr(4, 4, 0.9, dtype)[0])
                          for dtype in (np.float32, np.float64))
        wide = np.full((4, 2), 1e300)
        for call in (lambda: single.multiply(wide), lambda: single.multiply(wide[:, 0]),
                     lambda: single.set_values(np.ones(single.nnz)),
                     lambda: double.multiply(wide.astype(np.longdouble))):
            with self.assertRaisesRegex(TypeError, "expected float"):
                call()
        for other in (complex, object):
            for call in (double.multiply, lambda a: double.multiply(a[:, 0]),
                         lambda a: double.set_values(a.ravel())):
                with self.assertRaisesRegex(TypeError, "real numbers"):
                    call(np.ones((4, 2), other))
        csr = random_csr(4, 4, 0.9)[0]
        with self.assertRaisesRegex(TypeError, "real numbers"):
            astfe.Matrix((csr[0], csr[1], csr[2].astype(object), csr[3]))

    def test_graph_of_another_type(self):
        csr, _ = random_csr(4, 4, 0.9)
        with self.assertRaisesRegex(TypeError, "astfe.Graph"):
            astfe.Matrix(csr, "morton")

    def test_graph_of_another_shape(self):
        small, _ = random_csr(10, 10, 0.3)
        large, _ = random_csr(20, 10, 0.3)
        with self.assertRaises(astfe.Error):
            astfe.Matrix(large, astfe.partition(small[:2] + small[3:]))

    def test_graph_text(self):
        with self.assertRaises(astfe.Error):
            astfe.Graph.from_json("{}")

    def test_threads(self):
        with self.assertRaises(astfe.Error):
            astfe.set_threads(-1)


class Programs(unittest.TestCase):
    def test_invoke_a_function_of_scalars(self):
        program = astfe.Program("""
            func.func @half(%x: f64) -> f64 attributes {llvm.emit_c_interface} {
              %two = arith.constant 2.0 : f64
              %y = arith.divf %x, %two : f64
              return %y : f64
            }""")
        argument, result = ctypes.c_double(21), ctypes.c_double()
        program.invoke("half", argument, result)
        self.assertEqual(result.value, 10.5)
        half = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(
            program.address("_mlir_ciface_half"))
        self.assertEqual(half(5), 2.5)

    def test_diagnostics_are_the_error(self):
        with self.assertRaisesRegex(astfe.Error, "1:"):
            astfe.Program("func.func @f(")

    def test_unknown_pipeline(self):
        with self.assertRaisesRegex(astfe.Error, "no-such-pass"):
            astfe.Program("module {}", "no-such-pass")

    def test_missing_function(self):
        program = astfe.Program("module {}")
        with self.assertRaisesRegex(astfe.Error, "C interface .* got 'nothing'$"):
            program.invoke("nothing")


if __name__ == "__main__":
    unittest.main()
