"""A product with bias and activation, and the gradients of the product."""

import ctypes

import numpy as np

from ._arrays import CsrArrays
from ._blocks import matrix_values, operand, output
from ._device import current_stream, device_operand
from ._handles import Handle
from ._library import check, check_pointer, device_name, library
from ._types import VALUE_TYPES, is_half, native

_ACTIVATIONS = (None, "relu", "tanh", "sigmoid")


def _number_of(activation):
    if activation not in _ACTIVATIONS:
        raise ValueError("activation: expected None, 'relu', 'tanh' or "
                         f"'sigmoid' but got {activation!r}")
    return _ACTIVATIONS.index(activation)


class Spmm(Handle):
    """C = activation(A B + bias) as one kernel.

    `matrix`: scipy.sparse, or (positions, coordinates, values, shape) of A in
    CSR form; values of floats keep their type, which all operands have, unless
    `dtype` is float16 or bfloat16, which they are rounded to. Halves are summed up
    in float32 and rounded; what bias and activation make of a sum is rounded again.
    A product without bias and activation that runs often is faster by
    astfe.Matrix, which packs. The same operands give the same bits. Any number of
    threads may call.

    `device`: "cuda", the first GPU, where `forward_into` and `backward_into`
    compute (None: the host, for the other functions).
    """

    _destroy = "astfeSpmmDestroy"

    def __init__(self, matrix, dtype=None, device=None):
        csr = CsrArrays(matrix)
        if csr.values is None:
            raise ValueError("expected values: (positions, coordinates, values, "
                             "shape)")
        values = matrix_values(csr)
        self.shape, self.nnz = (csr.rows, csr.columns), int(csr.positions[-1])
        self.dtype = native(values.dtype if dtype is None else dtype)
        # Halves widen without loss.
        if is_half(self.dtype) or is_half(values.dtype):
            values = values.astype(self.dtype)
        if values.dtype != self.dtype:
            raise TypeError(f"values: expected {self.dtype} but got "
                            f"{values.dtype}")
        self._handle = check_pointer(library().astfeSpmmCreateOnDevice(
            ctypes.byref(csr.c_struct()), values.ctypes.data,
            VALUE_TYPES[self.dtype.name], device_name(device)))
        self.device = device

    def __repr__(self):
        return (f"<astfe.Spmm {self.shape[0]}x{self.shape[1]}, {self.nnz} "
                f"nonzeros, {self.dtype}>")

    def set_values(self, values):
        """Other values of A, in the order of its nonzeros."""
        values = operand(values, self.dtype, (self.nnz,), "values")
        check(library().astfeSpmmSetValues(self._handle, values.ctypes.data))

    def _rows(self, array, rows, name):
        if np.ndim(array) != 2:
            raise ValueError(f"{name}: expected two dimensions but got "
                             f"{np.ndim(array)}")
        return operand(array, self.dtype, (rows, np.shape(array)[1]), name)

    def forward(self, dense, bias=None, activation=None, out=None):
        """activation(A @ dense + bias): `bias` has an element for each column,
        `activation` is None, "relu", "tanh" or "sigmoid"."""
        activation = _number_of(activation)
        dense = self._rows(dense, self.shape[1], "dense")
        n = dense.shape[1]
        inputs = [dense]
        if bias is not None:
            bias = operand(bias, self.dtype, (n,), "bias")
            inputs.append(bias)
        result = output(out, self.dtype, (self.shape[0], n), inputs)
        check(library().astfeSpmmForward(
            self._handle, n, dense.ctypes.data,
            None if bias is None else bias.ctypes.data,
            activation, result.ctypes.data))
        return result

    def backward(self, dense, grad):
        """(values, dense): the gradients of A's stored values and of `dense`, for
        `grad`, that of A @ dense."""
        dense = self._rows(dense, self.shape[1], "dense")
        n = dense.shape[1]
        grad = operand(grad, self.dtype, (self.shape[0], n), "grad")
        values = np.empty(self.nnz, self.dtype)
        result = np.empty_like(dense)
        check(library().astfeSpmmBackward(
            self._handle, n, dense.ctypes.data, grad.ctypes.data,
            values.ctypes.data, result.ctypes.data))
        return values, result

    def forward_into(self, dense, out, bias=None, activation=None, stream=None):
        """Writes activation(A @ dense + bias) into `out` on the GPU of A.

        Arrays and `stream` are as those of Matrix.multiply_into, contiguous.
        Returns `out`.
        """
        activation = _number_of(activation)
        if stream is None:
            stream = current_stream(out, dense,
                                    *(() if bias is None else (bias,)))
        source = device_operand(dense, self.dtype, (self.shape[1], None), "dense",
                                stream)
        n = source.shape[1]
        target = device_operand(out, self.dtype, (self.shape[0], n), "out", stream,
                                written=True)
        added = None
        if bias is not None:
            added = device_operand(bias, self.dtype, (n,), "bias", stream).address
        check(library().astfeSpmmForwardOnStream(
            self._handle, n, source.address, added, activation, target.address,
            stream))
        return out

    def backward_into(self, dense, grad, values, out, stream=None):
        """Writes the gradients of A's stored values into `values`, and of `dense`
        into `out`, as forward_into does; either may be None."""
        given = [array for array in (values, out) if array is not None]
        if stream is None:
            stream = current_stream(*given, dense, grad)
        source = device_operand(dense, self.dtype, (self.shape[1], None), "dense",
                                stream)
        n = source.shape[1]
        gradient = device_operand(grad, self.dtype, (self.shape[0], n), "grad",
                                  stream)
        targets = [None if array is None else
                   device_operand(array, self.dtype, shape, name, stream,
                                  written=True)
                   for array, shape, name in (
                       (values, (self.nnz,), "values"),
                       (out, (self.shape[1], n), "out"))]
        check(library().astfeSpmmBackwardOnStream(
            self._handle, n, source.address, gradient.address,
            *(target and target.address for target in targets), stream))
        return values, out
