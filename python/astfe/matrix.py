"""Packed matrices and their products."""

import ctypes

import numpy as np

from ._arrays import CsrArrays, real_array, row_major
from ._library import check, check_pointer, library
from .graph import Graph


class Matrix:
    """A sparse matrix, packed once by a partition graph.

    `matrix`: scipy.sparse, or (positions, coordinates, values, shape) of its CSR
    form. float32 and float64 values keep their type; others become float64.
    `graph`: from astfe.partition (None: partitioned with default options).
    `workers`: runs the work is cut into (0: the number of threads).
    """

    def __init__(self, matrix, graph=None, workers=0):
        csr = CsrArrays(matrix)
        if csr.values is None:
            raise ValueError("expected values: (positions, coordinates, values, "
                             "shape)")
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError("graph: expected an astfe.Graph but got "
                            f"{type(graph).__name__}")
        values = np.asarray(csr.values)
        wanted = np.float32 if values.dtype == np.float32 else np.float64
        values = np.ascontiguousarray(real_array(values, wanted, "values"))
        self.shape = (csr.rows, csr.columns)
        self.nnz = int(csr.positions[-1])
        self.dtype = values.dtype
        self._require_values(values)
        self._handle = check_pointer(library().astfeMatrixCreate(
            ctypes.byref(csr.c_struct()), values.ctypes.data,
            8 * values.itemsize, graph._handle if graph is not None else None,
            workers))

    def __del__(self):
        if getattr(self, "_handle", None):
            library().astfeMatrixDestroy(self._handle)
            self._handle = None

    def __repr__(self):
        return (f"<astfe.Matrix {self.shape[0]}x{self.shape[1]}, {self.nnz} "
                f"nonzeros, {self.dtype}>")

    def _require_values(self, values):
        if values.shape != (self.nnz,):
            raise ValueError(f"values: expected {self.nnz} but got shape "
                             f"{values.shape}")

    def set_values(self, values):
        """New values for the same pattern, in its original order."""
        values = np.ascontiguousarray(
            real_array(values, self.dtype, "values"))
        self._require_values(values)
        check(library().astfeMatrixSetValues(self._handle, values.ctypes.data))

    def _output(self, out, shape, operand):
        """`out` if the product can be written there; else new memory, which the
        library clears."""
        if out is None:
            return np.empty(shape, self.dtype)
        if not isinstance(out, np.ndarray):
            raise TypeError("out: expected a NumPy array but got "
                            f"{type(out).__name__}")
        if out.dtype != self.dtype or out.shape != shape:
            raise ValueError(f"out: expected {self.dtype} of shape {shape} but "
                             f"got {out.dtype} of shape {out.shape}")
        if not out.flags.writeable:
            raise ValueError("out: expected a writeable array")
        # The first looks at bounds only; views of disjoint columns share those.
        if np.may_share_memory(operand, out) and np.shares_memory(operand, out):
            raise ValueError("out: expected memory apart from the operand's")
        return out

    def spmm(self, dense, out=None, accumulate=False):
        """A @ dense, for `dense` of shape (columns, n). With `out` the result is
        written there (added with `accumulate`); out needs unit column stride and
        must not overlap `dense`. An array of a wider floating type than the
        matrix's is refused (TypeError)."""
        dense, leading = row_major(dense, self.dtype, "dense")
        if dense.shape[0] != self.shape[1]:
            raise ValueError(f"dense: expected {self.shape[1]} rows but got "
                             f"{dense.shape[0]}")
        n = dense.shape[1]
        result = self._output(out, (self.shape[0], n), dense)
        target, target_leading = row_major(result, self.dtype, "out")
        if target.ctypes.data != result.ctypes.data:
            raise ValueError("out: expected unit column stride")
        check(library().astfeMatrixSpMM(
            self._handle, n, dense.ctypes.data, leading, target.ctypes.data,
            target_leading, int(accumulate and out is not None)))
        return result

    def spmv(self, x, out=None, accumulate=False):
        """A @ x for a vector x; `out`, `accumulate` and types as in spmm."""
        x = real_array(x, self.dtype, "x")
        if x.shape != (self.shape[1],):
            raise ValueError(f"x: expected {self.shape[1]} elements but got "
                             f"shape {x.shape}")
        x = np.require(x, requirements=("C", "A"))
        result = self._output(out, (self.shape[0],), x)
        if not (result.flags.c_contiguous and result.flags.aligned):
            raise ValueError("out: expected a contiguous vector")
        check(library().astfeMatrixSpMV(
            self._handle, x.ctypes.data, result.ctypes.data,
            int(accumulate and out is not None)))
        return result

    def __matmul__(self, dense):
        return self.spmv(dense) if np.ndim(dense) == 1 else self.spmm(dense)
