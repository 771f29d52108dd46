"""Operands of chains over a pattern: contiguous arrays, checked."""

import numpy as np

from ._arrays import as_array, check_output, real_array
from ._types import native, value_dtype


def matrix_values(csr, name="values"):
    """Values as a contiguous array of floats, one for each nonzero."""
    values = as_array(csr.values, name)
    if values.dtype.kind == "c":
        raise TypeError(f"{name}: expected floats but got {values.dtype}")
    values = np.ascontiguousarray(
        real_array(values, value_dtype(values, None), name))
    count = int(csr.positions[-1])
    if values.shape != (count,):
        raise ValueError(f"{name}: expected {count} but got shape "
                         f"{values.shape}")
    return values


def operand(array, dtype, shape, name):
    """`array` as contiguous numbers of that shape, copied only to convert. A
    type other than the computation's is refused, as it would be rounded."""
    if isinstance(array, np.ndarray) and native(array.dtype) != dtype:
        raise TypeError(f"{name}: expected {dtype} but got {array.dtype}")
    array = np.require(real_array(array, dtype, name), requirements=("C", "A"))
    if array.shape != shape:
        raise ValueError(f"{name}: expected shape {shape} but got "
                         f"{array.shape}")
    return array


def output(out, dtype, shape, inputs):
    """`out`, if it can be written in place; None: new memory."""
    if out is None:
        return np.empty(shape, dtype)
    check_output(out, dtype, shape)
    if not (out.flags.c_contiguous and out.flags.aligned
            and out.flags.writeable):
        raise ValueError("out: expected a contiguous, writeable array")
    if any(np.may_share_memory(out, array) for array in inputs):
        raise ValueError("out: expected memory apart from the operands'")
    return out
