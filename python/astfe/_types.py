"""Types of values and semirings, as the C API names them."""

import numpy as np

# AstfeValueType of ASTFE-c/Support.h, by the names of NumPy's types.
VALUE_TYPES = {"float16": 16, "float32": 32, "float64": 64, "bfloat16": 0x110,
                "int8": 0x208, "int16": 0x210, "int32": 0x220, "int64": 0x240,
                "complex64": 0x340, "complex128": 0x380}
# AstfeSemiring, in order.
_SEMIRINGS = ("plus-times", "min-plus", "max-plus", "max-times", "or-and")


def native(dtype):
    """The type in this machine's order of bytes; one object for each, as comparing
    those is fast."""
    dtype = np.dtype(dtype)
    own = np.dtype(dtype.type)
    return own if own.itemsize == dtype.itemsize else dtype  # "U5" has a length


class Arithmetic:
    """What a product is computed with: the type of its operands (`dtype`), that
    of its results, and a semiring."""

    def __init__(self, dtype, semiring):
        if semiring not in _SEMIRINGS:
            raise ValueError(f"semiring: expected {', '.join(_SEMIRINGS)} but "
                             f"got '{semiring}'")
        self.semiring = _SEMIRINGS.index(semiring)
        self.dtype = native(dtype)
        # Truth values are bytes of 0 and 1.
        self.stored = (np.dtype(np.int8) if self.dtype == np.bool_
                       and semiring == "or-and" else self.dtype)
        self.code = VALUE_TYPES.get(self.stored.name)
        if self.code is None:
            raise TypeError(f"dtype: expected {', '.join(VALUE_TYPES)} but got "
                            f"{self.dtype}")
        self.result = (np.dtype(np.int32) if self.dtype == np.int8
                       and semiring == "plus-times" else self.dtype)


def is_half(dtype):
    """Whether sums of it are kept in float32."""
    return dtype.name in ("float16", "bfloat16")


def value_dtype(values, dtype):
    """The type that values are packed in: `dtype`, else their own, where that is
    a float or complex type of the C API, else float64 or complex128."""
    if dtype is not None:
        return native(dtype)
    own = native(values.dtype)
    if own.kind in "fc" or own.name == "bfloat16":
        if own.name in VALUE_TYPES:
            return own
    return np.dtype(np.complex128 if own.kind == "c" else np.float64)


def common_dtype(*arrays):
    """The type that holds the values of all arrays, as NumPy's own functions
    find it; what the C API lacks becomes float64 or complex128."""
    common = native(np.result_type(*(array.dtype for array in arrays)))
    if common.name in VALUE_TYPES:
        return common
    return np.dtype(np.complex128 if common.kind == "c" else np.float64)
