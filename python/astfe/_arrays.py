"""Arrays in and out without copies where types and strides permit."""

import ctypes
import math

import numpy as np

from ._library import Csr, integer

_LINE = 64  # bytes
_LARGE = 1 << 20  # bytes, where finding a line takes a hundredth of the product

# Bits of ndarray.flags.num: C-contiguous, aligned, writeable.
_ROW_MAJOR, _ALIGNED, _WRITEABLE = 0x1, 0x100, 0x400
_PLAIN = _ROW_MAJOR | _ALIGNED | _WRITEABLE


def is_plain(array, dtype):
    """An array of that very type, not empty, whose elements lie without gaps and
    may be written: nothing of it has to be converted or refused."""
    return (type(array) is np.ndarray and array.dtype is dtype
            and dtype.kind != "V"  # bfloat16: no buffer protocol
            and array.flags.num & _PLAIN == _PLAIN and array.size != 0)


def address(array):
    """Where a plain array's elements are; a quarter of the time that
    array.ctypes.data takes."""
    return ctypes.addressof(ctypes.c_char.from_buffer(array))


def as_array(array, name):
    """`array` as NumPy's, which would drop a mask without a word."""
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{name}: expected an array without a mask; numpy.ma.filled "
                        "says what masked elements are")
    return np.asarray(array)


def index_array(array, name):
    """A contiguous int32 or int64 array (others are converted)."""
    array = np.ascontiguousarray(as_array(array, name))
    if array.ndim != 1:
        raise ValueError(f"{name}: expected one dimension but got {array.ndim}")
    if not array.size:  # an empty list says no type
        return array.astype(np.int64)
    if array.dtype not in (np.int32, np.int64):
        if not np.issubdtype(array.dtype, np.integer):
            raise TypeError(f"{name}: expected integers but got {array.dtype}")
        if array.dtype == np.uint64:
            integer(array.max(), name)
        array = array.astype(np.int64)
    return array


def real_array(array, dtype, name):
    """`array` as numbers of `dtype`, copied only to convert.

    Integers and Python lists are rounded to a floating `dtype`. An array of a
    wider type is refused, because what does not fit would become inf, or wrap
    around; so is what is not a real number, or a complex one where `dtype` is.
    """
    typed = not isinstance(array, (list, tuple))
    if hasattr(array, "__cuda_array_interface__"):
        raise TypeError(f"{name}: expected an array in the host's memory but got "
                        "one in a GPU's")
    array, dtype = as_array(array, name), np.dtype(dtype)
    if array.dtype == dtype:
        return array
    if array.dtype.kind not in ("biufc" if dtype.kind == "c" else "biuf"):
        kind = "" if dtype.kind == "c" else "real "
        raise TypeError(f"{name}: expected {kind}numbers but got {array.dtype}")
    if typed and (array.dtype.kind in "fc" or dtype.kind in "iu"):
        fits = np.can_cast(array.dtype, dtype, "safe")
    else:
        fits = dtype.kind not in "iu" or (array.astype(dtype) == array).all()
    if not fits:
        raise TypeError(f"{name}: expected {dtype} but got {array.dtype}; "
                        f"convert it with astype if {dtype} will do")
    return array.astype(dtype)


def empty_output(shape, dtype):
    """Memory for a result. Large ones begin at a cache line, as NumPy's own do
    not, so that their rows may be written past the caches."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if size < _LARGE:
        return np.empty(shape, dtype)
    memory = np.empty(size + _LINE, np.uint8)
    begin = -memory.ctypes.data % _LINE
    return memory[begin:begin + size].view(dtype).reshape(shape)


def check_output(out, dtype, shape):
    """`out` is an array of that type and shape."""
    if not isinstance(out, np.ndarray) or isinstance(out, np.ma.MaskedArray):
        raise TypeError("out: expected a NumPy array but got "
                        f"{type(out).__name__}")
    if out.dtype != dtype or out.shape != shape:
        raise ValueError(f"out: expected {dtype} of shape {shape} but got "
                         f"{out.dtype} of shape {out.shape}")


class CsrArrays:
    """The arrays of a CSR matrix and their C description.

    `matrix` is a scipy.sparse matrix (converted to CSR if it is in another
    format) or a tuple (positions, coordinates, shape) or (positions,
    coordinates, values, shape). The C library checks the indices.
    """

    def __init__(self, matrix):
        if isinstance(matrix, tuple):
            if len(matrix) not in (3, 4):
                raise ValueError("expected (positions, coordinates[, values], "
                                 f"shape) but got {len(matrix)} items")
            positions, coordinates, *values, shape = matrix
            self.values = values[0] if values else None
        elif hasattr(matrix, "tocsr"):
            matrix = matrix.tocsr()
            positions, coordinates = matrix.indptr, matrix.indices
            self.values, shape = matrix.data, matrix.shape
        else:
            raise TypeError("expected a scipy.sparse matrix or a tuple but got "
                            f"{type(matrix).__name__}")
        if np.shape(shape) != (2,):
            raise ValueError("shape: expected two extents but got "
                             f"{np.size(shape)}")
        self.rows, self.columns = (integer(extent, "shape") for extent in shape)
        if self.rows < 0 or self.columns < 0:
            raise ValueError("shape: expected extents of at least 0 but got "
                             f"{self.rows} x {self.columns}")
        self.positions = index_array(positions, "positions")
        self.coordinates = index_array(coordinates, "coordinates")
        if len(self.positions) != self.rows + 1:
            raise ValueError(f"positions: expected {self.rows + 1} entries but "
                             f"got {len(self.positions)}")
        if self.positions[-1] < 0:
            raise ValueError("positions: expected the last to be at least 0 but "
                             f"got {self.positions[-1]}")
        if int(self.positions[-1]) > len(self.coordinates):
            raise ValueError(f"coordinates: expected {self.positions[-1]} "
                             f"entries but got {len(self.coordinates)}")

    def c_struct(self):
        return Csr(self.rows, self.columns, self.positions.ctypes.data,
                   self.coordinates.ctypes.data,
                   8 * self.positions.itemsize, 8 * self.coordinates.itemsize)


def row_major(array, dtype, name):
    """`array` as 2-D with unit column stride, which one column has whatever it
    says, and its leading dimension."""
    array = real_array(array, dtype, name)
    if array.ndim != 2:
        raise ValueError(f"{name}: expected two dimensions but got {array.ndim}")
    item = array.itemsize
    rows, columns = array.shape
    if array.size and (not array.flags.aligned
                       or columns > 1 and array.strides[1] != item
                       or rows > 1 and (array.strides[0] % item
                                        or array.strides[0] < item * columns)):
        array = np.ascontiguousarray(array)
    return array, array.strides[0] // item if array.size and rows > 1 else columns
