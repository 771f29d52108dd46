"""Sparse attention over the stored entries of a matrix, and its gradients."""

import ctypes

import numpy as np

from ._arrays import CsrArrays, as_array
from ._blocks import matrix_values, operand, output
from ._device import current_stream, device_operand
from ._handles import Handle
from ._library import check, check_pointer, device_name, integer, library
from ._types import VALUE_TYPES, is_half, native

_MASKS = ("pattern", "multiply", "add")
_DTYPES = ("float16", "bfloat16", "float32", "float64")


class Attention(Handle):
    """O = softmax(mask(Q K^T / sqrt(dim))) V over the stored entries of a
    matrix, for each head, as one kernel.

    `matrix`: scipy.sparse, or (positions, coordinates[, values], shape) of its
    CSR form. `mask` says what its values do to scores: "pattern" nothing,
    "multiply" and "add" what they say, where an added -inf masks an entry.
    `dtype`: float16, bfloat16, float32 or float64, of all operands (None: that of
    the values, or float32 where there are none). Halves are summed up in float32,
    which lse is then; SciPy has no matrices of them, so that values of other types
    are rounded.

    Operands are arrays (row, head, dim): q, o and their gradients have the
    matrix's rows, k, v and theirs its columns; lse, the logarithm of the sum of
    exponentials of a row's scores, is (row, head). Rows without entries get o = 0
    and lse = -inf. The same operands give the same bits. Any number of threads
    may call.

    `device`: "cuda", the first GPU, where `forward_into` and `backward_into`
    compute (None: the host, for the other functions).
    """

    _destroy = "astfeAttentionDestroy"

    def __init__(self, matrix, heads, dim, mask="pattern", dtype=None,
                 device=None):
        if mask not in _MASKS:
            raise ValueError("mask: expected 'pattern', 'multiply' or 'add' but "
                             f"got {mask!r}")
        csr = CsrArrays(matrix)
        if csr.values is None and mask != "pattern":
            raise ValueError(f"expected values, which mask={mask!r} reads")
        reads = mask != "pattern"
        values = matrix_values(csr) if reads else None
        if dtype is None:
            own = values.dtype if reads else getattr(csr.values, "dtype", None)
            dtype = own if getattr(own, "name", None) in _DTYPES else np.float32
        self.dtype = native(dtype)
        if self.dtype.name not in _DTYPES:
            raise TypeError(f"dtype: expected {', '.join(_DTYPES)} but got "
                            f"{self.dtype}")
        # Of lse: halves are summed up in floats.
        self.sums = np.dtype(np.float64 if self.dtype == np.float64
                             else np.float32)
        # Halves widen without loss.
        if reads and (is_half(self.dtype) or is_half(values.dtype)):
            values = values.astype(self.dtype)
        if reads and values.dtype != self.dtype:
            raise TypeError(f"values: expected {self.dtype} but got "
                            f"{values.dtype}")
        self.shape, self.nnz = (csr.rows, csr.columns), int(csr.positions[-1])
        self.heads, self.dim = integer(heads, "heads"), integer(dim, "dim")
        self.mask = mask
        data = values.ctypes.data if reads else None
        self._handle = check_pointer(library().astfeAttentionCreateOnDevice(
            ctypes.byref(csr.c_struct()), data, VALUE_TYPES[self.dtype.name],
            _MASKS.index(mask), self.heads, self.dim, device_name(device)))
        self.device = device

    def __repr__(self):
        return (f"<astfe.Attention {self.shape[0]}x{self.shape[1]}, {self.nnz} "
                f"nonzeros, {self.heads} heads of {self.dim}, {self.dtype}>")

    def set_values(self, values):
        """Other values of the mask, in the order of the nonzeros, which
        mask="pattern" does not read."""
        values = operand(values, self.dtype, (self.nnz,), "values")
        check(library().astfeAttentionSetValues(self._handle,
                                                values.ctypes.data))

    def _shape(self, by_row):
        return (self.shape[0 if by_row else 1], self.heads, self.dim)

    def _operands(self, q, k, v):
        return (operand(q, self.dtype, self._shape(True), "q"),
                operand(k, self.dtype, self._shape(False), "k"),
                operand(v, self.dtype, self._shape(False), "v"))

    def forward(self, q, k, v, out=None):
        """(o, lse)."""
        inputs = self._operands(q, k, v)
        o = output(out, self.dtype, self._shape(True), inputs)
        lse = np.empty((self.shape[0], self.heads), self.sums)
        check(library().astfeAttentionForward(
            self._handle, *(a.ctypes.data for a in inputs + (o, lse))))
        return o, lse

    def backward(self, q, k, v, grad, lse):
        """(dq, dk, dv) for `grad`, the gradient of o, and the lse that forward
        returned for the same operands."""
        inputs = self._operands(q, k, v) + (
            operand(grad, self.dtype, self._shape(True), "grad"),
            operand(lse, self.sums, (self.shape[0], self.heads), "lse"))
        gradients = tuple(np.empty(self._shape(by_row), self.dtype)
                          for by_row in (True, False, False))
        check(library().astfeAttentionBackward(
            self._handle, *(a.ctypes.data for a in inputs + gradients)))
        return gradients

    def forward_into(self, q, k, v, out, lse, stream=None):
        """Writes `out` and `lse` on the GPU of the attention.

        Arrays and `stream` are as those of Matrix.multiply_into, contiguous, of
        the shapes of the host's. Returns (out, lse).
        """
        if stream is None:
            stream = current_stream(out, lse, q, k, v)
        operands = (self._on_device(q, True, "q", stream),
                    self._on_device(k, False, "k", stream),
                    self._on_device(v, False, "v", stream),
                    self._on_device(out, True, "out", stream, written=True),
                    self._sums_on_device(lse, stream, written=True))
        check(library().astfeAttentionForwardOnStream(
            self._handle, *(a.address for a in operands), stream))
        return out, lse

    def backward_into(self, q, k, v, grad, lse, dq, dk, dv, stream=None):
        """Writes the gradients `dq`, `dk` and `dv`, as forward_into does, for the
        lse that it wrote. Returns them."""
        if stream is None:
            stream = current_stream(dq, dk, dv, q, k, v, grad, lse)
        operands = (self._on_device(q, True, "q", stream),
                    self._on_device(k, False, "k", stream),
                    self._on_device(v, False, "v", stream),
                    self._on_device(grad, True, "grad", stream),
                    self._sums_on_device(lse, stream),
                    self._on_device(dq, True, "dq", stream, written=True),
                    self._on_device(dk, False, "dk", stream, written=True),
                    self._on_device(dv, False, "dv", stream, written=True))
        check(library().astfeAttentionBackwardOnStream(
            self._handle, *(a.address for a in operands), stream))
        return dq, dk, dv

    def _on_device(self, array, by_row, name, stream, written=False):
        return device_operand(array, self.dtype, self._shape(by_row), name,
                              stream, written)

    def _sums_on_device(self, array, stream, written=False):
        return device_operand(array, self.sums, (self.shape[0], self.heads),
                              "lse", stream, written)


def attention(matrix, q, k, v, mask="pattern"):
    """The output alone, for operands of shape (row, head, dim). An Attention that
    is used again saves copying the pattern, and has gradients."""
    q = as_array(q, "q")
    if q.ndim != 3:
        raise ValueError(f"q: expected (row, head, dim) but got shape {q.shape}")
    return Attention(matrix, q.shape[1], q.shape[2], mask,
                     q.dtype).forward(q, k, v)[0]
