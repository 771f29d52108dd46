"""Products of a sparse operand that is packed for one call."""

import numpy as np

from ._arrays import CsrArrays, as_array
from ._types import common_dtype, is_half, native
from .fused import Spmm
from .matrix import Matrix
from .tensor import Tensor, checked_mode, split_subscripts


def spmm(a, dense, bias=None, activation=None, semiring="plus-times",
         transpose=False, out=None, accumulate=False):
    """activation(a @ dense + bias), or a.T @ dense with `transpose`, over a
    semiring.

    `a`: scipy.sparse, or a tuple as for astfe.Matrix, which is what to make for
    many products; astfe.Spmm for many with `bias`, which has an element for each
    column, or `activation`, "relu", "tanh" or "sigmoid". Those take operands of
    one float type; float16 and bfloat16 are also taken with a matrix of other
    floats, whose values are rounded to it. The result of others has the type that
    holds both operands' values; that of int8 is int32.
    """
    if bias is not None or activation is not None:
        if semiring != "plus-times" or transpose or accumulate:
            raise ValueError("bias, activation: expected neither with a semiring, "
                             "transpose or accumulate")
        own = native(as_array(dense, "dense").dtype)
        values = native(_values(a).dtype)
        if is_half(values) and not is_half(own):
            own = own if own == np.float32 else np.dtype(np.float64)
            return Spmm(a, own).forward(dense, bias, activation, out=out)
        return Spmm(a, own if is_half(own) else None).forward(
            dense, bias, activation, out=out)
    matrix, dense = _packed(a, [as_array(dense, "dense")], semiring, transpose)
    return matrix.multiply(dense[0], out=out, accumulate=accumulate)


def sddmm(a, x, y):
    """a * (x @ y.T) where `a` stores something: its values' order, as an array;
    for a scipy.sparse matrix as one in CSR. Types are those of `spmm`."""
    matrix, (x, y) = _packed(a, [as_array(x, "x"), as_array(y, "y")], "plus-times",
                             samples=True)
    samples = matrix.sample(x, y)
    if isinstance(a, tuple):
        return samples
    result = a.tocsr().astype(samples.dtype, copy=True)
    result.data[...] = samples
    return result


def mttkrp(a, factors, mode, semiring="plus-times", out=None):
    """The matricized `a` times the Khatri-Rao product of `factors`, one of shape
    (extent, columns) for each mode, of which that of `mode` is not read.

    `a`: as of `einsum`. Tensors that are multiplied often are made once, as
    astfe.Tensor, which has the same method.
    """
    if not isinstance(a, Tensor):
        mode = checked_mode(mode, 2)
        others = [as_array(factor, f"factor {m}") for m, factor in enumerate(factors)
                  if m != mode]
        others = _converted(others, a, semiring)
        a = _as_tensor(a, others, semiring)
        factors = others[:mode] + [None] + others[mode:]
    elif semiring != "plus-times":
        raise _semiring_of_tensor(semiring)
    return a.mttkrp(factors, mode, out=out)


def einsum(subscripts, a, *operands, semiring="plus-times", out=None,
           accumulate=False):
    """numpy.einsum(subscripts, a, *operands): the first operand is sparse, the
    others are dense.

    >>> c = astfe.einsum("ij,jk->ik", a, b)        # SpMM; also "ij,ik->jk"
    >>> s = astfe.einsum("ij,ik,jk->ij", a, x, y)  # SDDMM, with a's pattern
    >>> m = astfe.einsum("ijk,jr,kr->ir", t, b, c) # MTTKRP

    `a`: an astfe.Tensor, scipy.sparse, or a tuple as for astfe.Matrix. With
    `out`, the result is written there, or added with `accumulate`.
    """
    if isinstance(a, Tensor):
        if semiring != "plus-times":
            raise _semiring_of_tensor(semiring)
        return a.einsum(subscripts, *operands, out=out, accumulate=accumulate)
    if isinstance(a, Matrix):
        raise TypeError("a: expected arrays or an astfe.Tensor but got an "
                        "astfe.Matrix, which has products of its own")
    inputs, output = split_subscripts(subscripts, 2, len(operands))
    operands = [as_array(operand, f"operand {i}")
                for i, operand in enumerate(operands)]
    if len(operands) == 1 and out is None:
        result = _product(a, inputs, output, operands[0], semiring)
        if result is not None:
            return result
    if (len(operands) == 2 and output == inputs[0] and out is None
            and semiring == "plus-times"):
        result = _samples(a, inputs, operands)
        if result is not None:
            return result
    return _as_tensor(a, operands, semiring).einsum(
        subscripts, *_converted(operands, a, semiring), out=out, accumulate=accumulate)


def _semiring_of_tensor(semiring):
    return ValueError("semiring: expected it of the tensor, "
                      f"astfe.Tensor(..., semiring='{semiring}')")


def _packed(a, operands, semiring, transpose=False, samples=False):
    """The matrix, and the operands in its type."""
    operands = _converted(operands, a, semiring)
    return Matrix(a, dtype=operands[0].dtype, semiring=semiring,
                  transpose=transpose, samples=samples,
                  columns=_columns(operands[0]), expected_runs=1), operands


def _columns(dense):
    return dense.shape[1] if dense.ndim == 2 and dense.shape[1] > 0 else None


def _values(a):
    """What has the type of the stored values."""
    if isinstance(a, tuple):
        if len(a) != 4:
            raise ValueError("a: expected (positions, coordinates, values, shape) "
                             f"but got {len(a)} parts")
        return as_array(a[2], "values")
    if not hasattr(a, "tocsr"):
        raise TypeError("a: expected a scipy.sparse matrix or a tuple but got "
                        f"{type(a).__name__}")
    return a


def _dtype(a, operands, semiring):
    """Truth values stay what they are over the one semiring that has them."""
    arrays = [_values(a), *operands]
    if semiring == "or-and" and all(x.dtype == np.bool_ for x in arrays):
        return np.dtype(np.bool_)
    return common_dtype(*arrays)


def _converted(operands, a, semiring):
    dtype = _dtype(a, operands, semiring)
    return [operand.astype(dtype, copy=False) for operand in operands]


def _turned(operand, names, wanted):
    """The operand with its indices in that order; None if it has others."""
    if sorted(names) != sorted(wanted) or operand.ndim != len(names):
        return None
    return operand if names == wanted else operand.T


def _product(a, inputs, output, operand, semiring):
    """A product with rows of a dense operand; None where it is none."""
    rows, columns = inputs[0]
    dense = set(inputs[1]) - {rows, columns}
    transpose = rows in inputs[1]
    summed, kept = (rows, columns) if transpose else (columns, rows)
    free = "".join(dense)
    operand = _turned(operand, inputs[1], summed + free)
    if len(dense) > 1 or operand is None or sorted(output) != sorted(kept + free):
        return None
    result = spmm(a, operand, semiring=semiring, transpose=transpose)
    return _turned(result, kept + free, output)


def _samples(a, inputs, operands):
    """A product sampled at the stored entries; None where it is none."""
    rows, columns = inputs[0]
    if rows not in inputs[1]:
        inputs, operands = [inputs[0], inputs[2], inputs[1]], operands[::-1]
    free = "".join(set(inputs[1]) - {rows, columns})
    x = _turned(operands[0], inputs[1], rows + free)
    y = _turned(operands[1], inputs[2], columns + free)
    if len(free) != 1 or x is None or y is None:
        return None
    return sddmm(a, x, y)


def _as_tensor(a, operands, semiring):
    csr = CsrArrays(a)
    lengths = np.diff(csr.positions)
    coordinates = (np.repeat(np.arange(csr.rows), lengths), csr.coordinates)
    return Tensor(coordinates, csr.values, (csr.rows, csr.columns),
                  dtype=_dtype(a, operands, semiring),
                  semiring=semiring)
