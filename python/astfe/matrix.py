"""Sparse matrices and their products."""

import ctypes

import numpy as np

from ._arrays import (CsrArrays, address, as_array, check_output, empty_output,
                      is_plain, real_array, row_major)
from ._device import DeviceArray, current_stream
from ._handles import Handle
from ._library import check, check_pointer, device_name, integer, library
from ._types import Arithmetic, value_dtype
from .graph import Graph


# AstfeStorage of ASTFE-c/Matrix.h, in order.
_STORAGES = ("auto", "packed", "view")


class Matrix(Handle):
    """A sparse matrix, stored once, packed or as it is, and multiplied often.

    `matrix`: scipy.sparse, or (positions, coordinates, values, shape) of its CSR
    form. float16, float32, float64, bfloat16, complex64 and complex128 values
    keep their type; others become float64, unless `dtype` says which of these, or
    int8, int16, int32, int64, they are packed in. Products of int8 are int32; sums
    of the halves are kept in float32 and rounded once. Complex numbers are of
    plus-times.
    `columns`: of the dense operands to come, where that is known. The pattern
    is stored for this width, and right for all.
    `expected_runs`: products that the choice of an order has to pay for itself
    in (None: 100).
    `graph`: from astfe.partition, of the matrix that multiplies, which is the
    transpose with `transpose` (None: the order and the reordering with the
    least predicted time for the two numbers above).
    `workers`: runs that the work is cut into, up to 2^24 (0: the number of threads).
    `semiring`: "plus-times", "min-plus", "max-plus", "max-times" or, for integers
    and truth values, "or-and". Entries that are not stored take no part.
    `transpose`: multiplies by the transpose, from the same arrays.
    `samples`: made for `sample`, not for products.
    `device`: "cuda", the first GPU, where `multiply_into` computes (None: the
    host, where `multiply` does).
    `storage`: "packed"; "view", as it is (on the host coordinates of each row
    ascend, for a transpose); or "auto": as it is where packing brings nothing,
    or makes products slower, else packed. With `graph`, `workers` or `samples` a
    matrix is packed. On the host products of a few microseconds, short rows that
    packing left where they were, and a transpose of far more rows than columns
    (with known `columns`, if products are predicted to be faster) are taken as
    they are; on a GPU even rows with few `columns`, and rows no more than the
    GPU's warps, none so long that several warps share it.

    A matrix of 2^31 rows, columns or nonzeros and more has products on the host,
    without `graph`, `workers`, `samples` and views, of operands without gaps.

    Any number of threads may multiply by one matrix at the same time.
    """

    _destroy = "astfeMatrixDestroy"

    def __init__(self, matrix, graph=None, workers=0, columns=None,
                 expected_runs=None, device=None, dtype=None,
                 semiring="plus-times", transpose=False, samples=False,
                 storage="auto"):
        csr = CsrArrays(matrix)
        if csr.values is None:
            raise ValueError("expected values: (positions, coordinates, values, "
                             "shape)")
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError("graph: expected an astfe.Graph but got "
                            f"{type(graph).__name__}")
        values = as_array(csr.values, "values")
        self._arithmetic = Arithmetic(value_dtype(values, dtype), semiring)
        self.dtype = self._arithmetic.dtype
        self.shape = ((csr.columns, csr.rows) if transpose
                      else (csr.rows, csr.columns))
        self.nnz = int(csr.positions[-1])
        values = self._stored(values)
        self._result = self._arithmetic.result
        options = library().astfeDefaultMatrixOptions()
        options.semiring = self._arithmetic.semiring
        options.transposed, options.samples = int(transpose), int(samples)
        options.workers = integer(workers, "workers")
        if storage not in _STORAGES:
            raise ValueError(f"storage: expected {', '.join(_STORAGES)} but got "
                             f"'{storage}'")
        options.storage = _STORAGES.index(storage)
        options.device = device_name(device)
        self.device = device
        if columns is not None:
            options.expected_columns = integer(columns, "columns")
        if expected_runs is not None:
            options.expected_runs = integer(expected_runs, "expected_runs")
        self._handle = check_pointer(library().astfeMatrixCreate(
            ctypes.byref(csr.c_struct()), values.ctypes.data,
            self._arithmetic.code, graph._handle if graph is not None else None,
            ctypes.byref(options)))

    def __repr__(self):
        return (f"<astfe.Matrix {self.shape[0]}x{self.shape[1]}, {self.nnz} "
                f"nonzeros, {self.dtype}>")

    def _stored(self, values):
        """Values as the library takes them."""
        values = np.ascontiguousarray(real_array(values, self.dtype, "values"))
        if values.shape != (self.nnz,):
            raise ValueError(f"values: expected {self.nnz} but got shape "
                             f"{values.shape}")
        return values.view(self._arithmetic.stored)

    def set_values(self, values):
        """New values for the same pattern, in its original order. Waits for
        products that run."""
        values = self._stored(values)
        check(library().astfeMatrixSetValues(self._handle, values.ctypes.data))

    def _output(self, out, shape, operand):
        """`out` if the product can be written there; else new memory."""
        if out is None:
            return empty_output(shape, self._result)
        check_output(out, self._result, shape)
        if not out.flags.writeable:
            raise ValueError("out: expected a writeable array")
        # The first looks at bounds only; views of disjoint columns share those.
        if np.may_share_memory(operand, out) and np.shares_memory(operand, out):
            raise ValueError("out: expected memory apart from the operand's")
        return out

    def multiply(self, dense, out=None, accumulate=False):
        """A @ dense, for `dense` of shape (columns,) or (columns, n).

        With `out`, which must not overlap `dense`, the result is written there,
        or added with `accumulate`; out needs unit column stride where it has
        several columns, a vector has to be contiguous. An array of a wider floating type than the matrix's is
        refused (TypeError). The same matrix and operand give the same bits.
        """
        result = self._multiply_plain(dense, out, accumulate)
        if result is not None:
            return result
        if np.ndim(dense) == 1:
            return self._multiply_vector(dense, out, accumulate)
        dense, leading = row_major(dense, self.dtype, "dense")
        if dense.shape[0] != self.shape[1]:
            raise ValueError(f"dense: expected {self.shape[1]} rows but got "
                             f"{dense.shape[0]}")
        n = dense.shape[1]
        result = self._output(out, (self.shape[0], n), dense)
        target, target_leading = row_major(result, self._result, "out")
        if target.ctypes.data != result.ctypes.data:
            raise ValueError("out: expected unit column stride")
        self._call(accumulate and out is not None, n, dense, leading, target,
                   target_leading)
        return result

    def _multiply_plain(self, dense, out, accumulate):
        """The product where nothing has to be converted or refused, which small
        matrices spend most of their time to find out; else None."""
        if not is_plain(dense, self.dtype):
            return None
        rows, columns = self.shape
        n = 1 if dense.ndim == 1 else dense.shape[1] if dense.ndim == 2 else 0
        if n == 0 or rows == 0 or dense.shape[0] != columns:
            return None
        shape = (rows,) if dense.ndim == 1 else (rows, n)
        source = address(dense)
        if out is None:
            out, accumulate = empty_output(shape, self._result), False
            target = address(out)
        else:
            if not is_plain(out, self._result) or out.shape != shape:
                return None
            target = address(out)
            if source < target + out.nbytes and target < source + dense.nbytes:
                return None
        lib = library()
        function = (lib.astfeMatrixMultiplyAccumulate if accumulate
                    else lib.astfeMatrixMultiply)
        if function(self._handle, n, source, n, target, n):
            check(1)
        return out

    def _multiply_vector(self, x, out, accumulate):
        x = real_array(x, self.dtype, "dense")
        if x.shape != (self.shape[1],):
            raise ValueError(f"dense: expected {self.shape[1]} elements but got "
                             f"shape {x.shape}")
        x = np.require(x, requirements=("C", "A"))
        result = self._output(out, (self.shape[0],), x)
        if not (result.flags.c_contiguous and result.flags.aligned):
            raise ValueError("out: expected a contiguous vector")
        self._call(accumulate and out is not None, 1, x, 1, result, 1)
        return result

    def _call(self, accumulate, n, dense, leading, target, target_leading):
        lib = library()
        function = (lib.astfeMatrixMultiplyAccumulate if accumulate
                    else lib.astfeMatrixMultiply)
        check(function(self._handle, n, dense.ctypes.data, leading,
                       target.ctypes.data, target_leading))

    def sample(self, x, y):
        """values * (x @ y.T) where the matrix stores something, in the order of
        its values: x of shape (rows, n), y of (columns, n). The matrix was made
        with samples=True."""
        operands = []
        for name, operand, rows in (("x", x, self.shape[0]),
                                    ("y", y, self.shape[1])):
            operand = real_array(operand, self.dtype, name)
            if operand.ndim != 2 or operand.shape[0] != rows:
                raise ValueError(f"{name}: expected shape ({rows}, n) but got "
                                 f"{operand.shape}")
            operands.append(np.require(operand, requirements=("C", "A")))
        x, y = operands
        if x.shape[1] != y.shape[1]:
            raise ValueError(f"y: expected {x.shape[1]} columns, as x has, but "
                             f"got {y.shape[1]}")
        samples = np.empty(self.nnz, self._result)
        check(library().astfeMatrixSample(self._handle, x.shape[1],
                                          x.ctypes.data, y.ctypes.data,
                                          samples.ctypes.data))
        return samples

    def multiply_into(self, dense, out, accumulate=False, stream=None):
        """out = A @ dense, or out += A @ dense, on the GPU of the matrix.

        `dense` and `out` are arrays in its memory, of any library that has
        `__cuda_array_interface__` or DLPack, and stay where they are. The product
        is put on `stream`, a number as the library gives it, and is not waited for.
        None: the library's current stream (CuPy, PyTorch), or the one that the
        arrays say they are of, or the default one. A library that DLPack asks makes
        the stream wait for its own work; of the others the caller orders a stream
        that is given. Returns `out`.
        """
        if stream is None:
            stream = current_stream(out, dense)
        source = DeviceArray(dense, self.dtype, "dense", stream)
        target = DeviceArray(out, self._result, "out", stream, written=True)
        rows, columns = self.shape
        if source.shape[0] != columns or target.shape != (
                rows,) + source.shape[1:]:
            raise ValueError(f"expected operands of shapes ({columns}, n) and "
                             f"({rows}, n) but got {source.shape} and "
                             f"{target.shape}")
        n = source.shape[1] if len(source.shape) == 2 else 1
        check(library().astfeMatrixMultiplyOnStream(
            self._handle, n, source.address, source.leading, target.address,
            target.leading, int(accumulate), stream))
        return out

    # NumPy would take the matrix for one number.
    __array_ufunc__ = None

    def __matmul__(self, dense):
        return self.multiply(dense)

    def __rmatmul__(self, dense):
        raise TypeError("expected the matrix on the left of @: with transpose=True, "
                        "(matrix @ dense.T).T is the product of dense and what is "
                        "transposed")
