"""Arrays that lie in a GPU's memory, of whatever library: nothing is copied.

What an array says of itself is read through `__cuda_array_interface__` (CuPy,
Numba, PyTorch), else through DLPack (`__dlpack__`: JAX and all others).
"""

import ctypes
import functools
import sys

import numpy as np

_CUDA = 2  # kDLCUDA
# What streams are called where 0 would be ambiguous: the default stream of all
# threads, and each thread's own, which is the driver's number for it, too.
_LEGACY_DEFAULT = 1
# By DLPack's type codes: names of NumPy's types, but for the bits.
_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex"}
_BOOL = 6


class _DLTensor(ctypes.Structure):
    """DLTensor of dlpack.h, which a capsule's struct begins with."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


def _pointer_of_capsule(capsule):
    function = ctypes.pythonapi.PyCapsule_GetPointer
    function.restype = ctypes.c_void_p
    function.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return function(capsule, b"dltensor")


# NumPy finds a type and its name anew each time, in a tenth of a small product's
# time.
@functools.lru_cache(maxsize=64)
def _element_of(typestr):
    """Name, kind and bytes of what an interface calls its type."""
    dtype = np.dtype(typestr)
    return dtype.name, dtype.kind, dtype.itemsize


@functools.lru_cache(maxsize=64)
def _name_of(dtype):
    return dtype.name


class _Located:
    """Where an array lies: address, shape, and strides in elements or None.
    `stream`: what its library's work is to come before."""

    def __init__(self, array, dtype, name, stream, written=False):
        interface = getattr(array, "__cuda_array_interface__", None)
        # bfloat16 has no name there.
        is_void = interface and _element_of(interface["typestr"])[1] == "V"
        if interface and not (is_void and hasattr(array, "__dlpack__")):
            found, self.strides = self._from_interface(interface)
            if written and interface["data"][1]:
                raise ValueError(f"{name}: expected a writeable array")
        elif hasattr(array, "__dlpack__"):
            found, self.strides = self._from_dlpack(array, name, stream)
        else:
            raise TypeError(f"{name}: expected an array in a GPU's memory but got "
                            f"{type(array).__name__}")
        if found != (_name_of(dtype) if isinstance(dtype, np.dtype)
                     else dtype.name):
            raise TypeError(f"{name}: expected {dtype} but got {found}")

    def _from_interface(self, interface):
        self.address = interface["data"][0]
        self.shape = tuple(interface["shape"])
        name, _, item_bytes = _element_of(interface["typestr"])
        strides = interface.get("strides")
        if strides is not None:
            strides = tuple(s // item_bytes for s in strides)
        return name, strides

    def _from_dlpack(self, array, name, stream):
        device, _ = array.__dlpack_device__()
        if device != _CUDA:
            raise TypeError(f"{name}: expected an array in a GPU's memory but got "
                            f"one of DLPack's device {int(device)}")
        # The library makes the stream wait for what its own still do.
        self._capsule = array.__dlpack__(stream=stream or _LEGACY_DEFAULT)
        tensor = _DLTensor.from_address(_pointer_of_capsule(self._capsule))
        self.address = (tensor.data or 0) + tensor.byte_offset
        self.shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
        if tensor.lanes != 1 or tensor.code not in (*_KINDS, _BOOL):
            raise TypeError(f"{name}: expected numbers but got DLPack's type "
                            f"{tensor.code} of {tensor.bits} bits in "
                            f"{tensor.lanes} lanes")
        found = ("bool" if tensor.code == _BOOL
                 else f"{_KINDS[tensor.code]}{tensor.bits}")
        strides = None
        if tensor.strides:
            strides = tuple(tensor.strides[i] for i in range(tensor.ndim))
        return found, strides


class DeviceArray(_Located):
    """One of one or two dimensions, and the elements from a row to the next."""

    def __init__(self, array, dtype, name, stream, written=False):
        super().__init__(array, dtype, name, stream, written)
        if len(self.shape) not in (1, 2):
            raise ValueError(f"{name}: expected one or two dimensions but got "
                             f"{len(self.shape)}")
        columns = self.shape[1] if len(self.shape) == 2 else 1
        self.leading = columns
        if self.strides is None:  # rows follow each other
            return
        elements = self.shape[0] * self.shape[-1]
        if elements > 1 and self.shape[-1] > 1 and self.strides[-1] != 1:
            raise ValueError(f"{name}: expected unit column stride")
        if len(self.shape) == 2 and self.shape[0] > 1:
            self.leading = max(self.strides[0], 0)


class ContiguousDeviceArray(_Located):
    """One of any number of dimensions, row by row without gaps."""

    def __init__(self, array, dtype, name, stream, written=False):
        super().__init__(array, dtype, name, stream, written)
        step = 1
        for extent, stride in zip(reversed(self.shape),
                                  reversed(self.strides or ())):
            if extent > 1 and stride != step and 0 not in self.shape:
                raise ValueError(f"{name}: expected a contiguous array")
            step *= extent


def device_operand(array, dtype, shape, name, stream, written=False):
    """Where a contiguous array of that shape lies; None in `shape` is any
    extent."""
    found = ContiguousDeviceArray(array, dtype, name, stream, written)
    if len(found.shape) != len(shape) or any(
            wanted not in (None, extent)
            for wanted, extent in zip(shape, found.shape)):
        wanted = ", ".join("any" if s is None else str(s) for s in shape)
        raise ValueError(f"{name}: expected shape ({wanted}) but got "
                         f"{found.shape}")
    return found


def _stream_of(array):
    """The stream, as a number, on which the work before lies: the current one of
    the array's library, or what the array says; None where neither does."""
    library = type(array).__module__.split(".")[0]
    module = sys.modules.get(library)
    if library == "torch":
        # What PyTorch's own generated code calls; the public way makes an object,
        # which takes as long as a small product.
        raw = getattr(getattr(module, "_C", None), "_cuda_getCurrentRawStream",
                      None)
        if raw:
            return raw(array.get_device())
        return module.cuda.current_stream(array.device).cuda_stream
    if library == "cupy":
        return module.cuda.get_current_stream().ptr
    stream = getattr(array, "__cuda_array_interface__", {}).get("stream")
    return 0 if stream == _LEGACY_DEFAULT else stream


def current_stream(*arrays):
    """The stream that a product of these arrays is put on: the one of all that have
    one, else 0, the default stream."""
    said = {_stream_of(array) for array in arrays} - {None}
    if len(said) > 1:
        raise ValueError("expected operands of one stream but got "
                         f"{' and '.join(map(str, sorted(said)))}; `stream` says "
                         "which waits for the other")
    return said.pop() if said else 0
