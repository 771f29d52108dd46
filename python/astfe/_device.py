"""Arrays that lie in a GPU's memory, of whatever library: nothing is copied.

What an array says of itself is read through `__cuda_array_interface__` (CuPy,
Numba, PyTorch), else through DLPack (`__dlpack__`: JAX and all others).
"""

import ctypes
import sys

import numpy as np

_CUDA = 2  # kDLCUDA


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


def _row_major_strides(shape):
    strides = [1] * len(shape)
    for i in range(len(shape) - 1, 0, -1):
        strides[i - 1] = strides[i] * shape[i]
    return tuple(strides)


class DeviceArray:
    """Where an array of one or two dimensions lies: address, shape, and elements
    from a row to the next."""

    def __init__(self, array, dtype, name):
        if hasattr(array, "__cuda_array_interface__"):
            found, strides = self._from_interface(array)
        elif hasattr(array, "__dlpack__"):
            found, strides = self._from_dlpack(array, name)
        else:
            raise TypeError(f"{name}: expected an array in a GPU's memory but got "
                            f"{type(array).__name__}")
        if found != dtype:
            raise TypeError(f"{name}: expected {dtype} but got {found}")
        if len(self.shape) not in (1, 2):
            raise ValueError(f"{name}: expected one or two dimensions but got "
                             f"{len(self.shape)}")
        if strides is None:
            strides = _row_major_strides(self.shape)
        elements = self.shape[0] * self.shape[-1]
        if elements > 1 and self.shape[-1] > 1 and strides[-1] != 1:
            raise ValueError(f"{name}: expected unit column stride")
        columns = self.shape[1] if len(self.shape) == 2 else 1
        self.leading = columns
        if len(self.shape) == 2 and self.shape[0] > 1:
            self.leading = max(strides[0], 0)

    def _from_interface(self, array):
        interface = array.__cuda_array_interface__
        self.address = interface["data"][0]
        self.shape = tuple(interface["shape"])
        dtype = np.dtype(interface["typestr"])
        strides = interface.get("strides")
        if strides is not None:
            strides = tuple(s // dtype.itemsize for s in strides)
        return dtype, strides

    def _from_dlpack(self, array, name):
        device, _ = array.__dlpack_device__()
        if device != _CUDA:
            raise TypeError(f"{name}: expected an array in a GPU's memory but got "
                            f"one of DLPack's device {int(device)}")
        # -1: the producer does not wait for any stream; the caller orders.
        self._capsule = array.__dlpack__(stream=-1)
        tensor = _DLTensor.from_address(_pointer_of_capsule(self._capsule))
        self.address = (tensor.data or 0) + tensor.byte_offset
        self.shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
        kinds = {0: "i", 1: "u", 2: "f", 5: "c"}
        if tensor.code not in kinds or tensor.bits % 8 or tensor.lanes != 1:
            raise TypeError(f"{name}: expected real or complex numbers but got "
                            f"DLPack's type {tensor.code} of {tensor.bits} bits "
                            f"in {tensor.lanes} lanes")
        dtype = np.dtype(f"{kinds[tensor.code]}{tensor.bits // 8}")
        strides = None
        if tensor.strides:
            strides = tuple(tensor.strides[i] for i in range(tensor.ndim))
        return dtype, strides


def current_stream(*arrays):
    """The current stream of the library that the arrays are of, as a number; 0,
    the default stream, for libraries that have none."""
    for array in arrays:
        library = type(array).__module__.split(".")[0]
        module = sys.modules.get(library)
        if library == "torch":
            return module.cuda.current_stream(array.device).cuda_stream
        if library == "cupy":
            return module.cuda.get_current_stream().ptr
    return 0
