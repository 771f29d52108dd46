"""Finds libASTFE.so and declares its functions for ctypes."""

import atexit
import ctypes
import operator
import os
import pathlib

_NAME = "libASTFE.so"


class Error(RuntimeError):
    """What the library could not do, in its own words."""


class Csr(ctypes.Structure):
    """AstfeCsr of ASTFE-c/Graph.h."""
    _fields_ = [("rows", ctypes.c_int64), ("columns", ctypes.c_int64),
                ("positions", ctypes.c_void_p),
                ("coordinates", ctypes.c_void_p),
                ("position_bits", ctypes.c_int32),
                ("coordinate_bits", ctypes.c_int32)]


class MatrixOptions(ctypes.Structure):
    """AstfeMatrixOptions of ASTFE-c/Matrix.h."""
    _fields_ = [("size", ctypes.c_size_t), ("expected_columns", ctypes.c_int64),
                ("expected_runs", ctypes.c_int64), ("workers", ctypes.c_int64),
                ("device", ctypes.c_char_p), ("semiring", ctypes.c_int32),
                ("transposed", ctypes.c_int32), ("samples", ctypes.c_int32),
                ("storage", ctypes.c_int64)]


class Level(ctypes.Structure):
    """AstfeLevel of ASTFE-c/Tensor.h."""
    _fields_ = [("format", ctypes.c_int32), ("mode", ctypes.c_int32),
                ("positions", ctypes.c_void_p),
                ("position_count", ctypes.c_int64),
                ("coordinates", ctypes.c_void_p),
                ("coordinate_count", ctypes.c_int64),
                ("coordinate_stride", ctypes.c_int64),
                ("position_bits", ctypes.c_int32),
                ("coordinate_bits", ctypes.c_int32)]


class TensorStruct(ctypes.Structure):
    """AstfeTensor of ASTFE-c/Tensor.h."""
    _fields_ = [("rank", ctypes.c_int32),
                ("extents", ctypes.POINTER(ctypes.c_int64)),
                ("level_count", ctypes.c_int32),
                ("levels", ctypes.POINTER(Level)),
                ("value_type", ctypes.c_int32), ("semiring", ctypes.c_int32)]


class Dense(ctypes.Structure):
    """AstfeDense of ASTFE-c/Tensor.h."""
    _fields_ = [("data", ctypes.c_void_p), ("rank", ctypes.c_int32),
                ("extents", ctypes.POINTER(ctypes.c_int64)),
                ("dimensions", ctypes.POINTER(ctypes.c_int32))]


class PartitionOptions(ctypes.Structure):
    """AstfePartitionOptions of ASTFE-c/Graph.h."""
    _fields_ = [("order", ctypes.c_int32), ("panel", ctypes.c_int64),
                ("min", ctypes.c_int64), ("leaf", ctypes.c_int64),
                ("threshold", ctypes.c_double), ("workers", ctypes.c_int64),
                ("waves", ctypes.c_int64), ("cache", ctypes.c_int64),
                ("dense_columns", ctypes.c_int64),
                ("element_bytes", ctypes.c_int64),
                ("reorder", ctypes.c_int32), ("hubs", ctypes.c_int64),
                ("expected_runs", ctypes.c_int64)]


_pointer, _int, _long = ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64
_FUNCTIONS = {
    "astfeLastError": (ctypes.c_char_p, []),
    "astfeVersion": (ctypes.c_char_p, []),
    "astfeSetMemory": (ctypes.c_int, [_long]),
    "astfeSetThreads": (ctypes.c_int, [_long]),
    "astfeThreads": (_long, []),
    "astfeFinish": (None, []),
    "astfeDefaultPartitionOptions": (PartitionOptions, []),
    "astfePartition": (_pointer, [ctypes.POINTER(Csr),
                                  ctypes.POINTER(PartitionOptions)]),
    "astfeGraphDestroy": (None, [_pointer]),
    "astfeGraphOrder": (_int, [_pointer]),
    "astfeGraphLimit": (_long, [_pointer]),
    "astfeGraphBlocks": (_long, [_pointer]),
    "astfeGraphGroups": (_long, [_pointer]),
    "astfeGraphCopyBlocks": (None, [_pointer] * 6),
    "astfeGraphCopyGroups": (None, [_pointer] * 2),
    "astfeGraphExtent": (_long, [_pointer, _int]),
    "astfeGraphCopyPermutation": (_int, [_pointer, _int, _pointer]),
    "astfeGraphJson": (ctypes.c_char_p, [_pointer]),
    "astfeGraphFromJson": (_pointer, [ctypes.c_char_p, ctypes.c_size_t]),
    "astfeMatrixCreate": (_pointer, [ctypes.POINTER(Csr), _pointer, _int,
                                     _pointer,
                                     ctypes.POINTER(MatrixOptions)]),
    "astfeDefaultMatrixOptions": (MatrixOptions, []),
    "astfeMatrixDestroy": (None, [_pointer]),
    "astfeMatrixSetValues": (ctypes.c_int, [_pointer, _pointer]),
    "astfeMatrixMultiply": (ctypes.c_int, [_pointer, _long, _pointer, _long,
                                           _pointer, _long]),
    "astfeMatrixMultiplyAccumulate": (ctypes.c_int,
                                      [_pointer, _long, _pointer, _long,
                                       _pointer, _long]),
    "astfeMatrixMultiplyOnStream": (ctypes.c_int,
                                    [_pointer, _long, _pointer, _long, _pointer,
                                     _long, _int, _pointer]),
    "astfeMatrixSample": (ctypes.c_int, [_pointer, _long, _pointer, _pointer,
                                         _pointer]),
    "astfeTensorCreateOnDevice": (_pointer, [ctypes.POINTER(TensorStruct),
                                             _pointer, ctypes.c_char_p]),
    "astfeTensorDestroy": (None, [_pointer]),
    "astfeTensorProduct": (ctypes.c_int, [_pointer, _int, ctypes.POINTER(Dense),
                                          ctypes.POINTER(Dense), _int]),
    "astfeTensorProductOnStream": (ctypes.c_int, [
        _pointer, _int, ctypes.POINTER(Dense), ctypes.POINTER(Dense), _int,
        _pointer]),
    "astfeTensorMttkrp": (ctypes.c_int, [_pointer, _int, _long,
                                         ctypes.POINTER(_pointer), _pointer]),
    "astfeAttentionCreate": (_pointer, [ctypes.POINTER(Csr), _pointer, _int,
                                        _int, _long, _long]),
    "astfeAttentionCreateOnDevice": (_pointer, [
        ctypes.POINTER(Csr), _pointer, _int, _int, _long, _long, ctypes.c_char_p]),
    "astfeAttentionDestroy": (None, [_pointer]),
    "astfeAttentionSetValues": (ctypes.c_int, [_pointer, _pointer]),
    "astfeAttentionForward": (ctypes.c_int, [_pointer] * 6),
    "astfeAttentionForwardOnStream": (ctypes.c_int, [_pointer] * 7),
    "astfeAttentionBackward": (ctypes.c_int, [_pointer] * 9),
    "astfeAttentionBackwardOnStream": (ctypes.c_int, [_pointer] * 10),
    "astfeSpmmCreate": (_pointer, [ctypes.POINTER(Csr), _pointer, _int]),
    "astfeSpmmCreateOnDevice": (_pointer, [ctypes.POINTER(Csr), _pointer, _int,
                                           ctypes.c_char_p]),
    "astfeSpmmDestroy": (None, [_pointer]),
    "astfeSpmmSetValues": (ctypes.c_int, [_pointer, _pointer]),
    "astfeSpmmForward": (ctypes.c_int, [_pointer, _long, _pointer, _pointer,
                                        _int, _pointer]),
    "astfeSpmmForwardOnStream": (ctypes.c_int, [
        _pointer, _long, _pointer, _pointer, _int, _pointer, _pointer]),
    "astfeSpmmBackward": (ctypes.c_int, [_pointer, _long, _pointer, _pointer,
                                         _pointer, _pointer]),
    "astfeSpmmBackwardOnStream": (ctypes.c_int, [
        _pointer, _long, _pointer, _pointer, _pointer, _pointer, _pointer]),
    "astfeCompile": (_pointer, [ctypes.c_char_p, ctypes.c_size_t,
                                ctypes.c_char_p]),
    "astfeProgramDestroy": (None, [_pointer]),
    "astfeProgramLookup": (_pointer, [_pointer, ctypes.c_char_p]),
    "astfeProgramInvoke": (ctypes.c_int, [_pointer, ctypes.c_char_p,
                                          ctypes.POINTER(_pointer)]),
}


def _candidates():
    """ASTFE_LIBRARY, else in the package (pip puts it there), else in the build
    of the source tree that the package lies in, else in the prefix that both
    were installed to, else where the system looks."""
    named = os.environ.get("ASTFE_LIBRARY")
    if named:
        return [named]
    here = pathlib.Path(__file__).resolve().parent
    paths = [str(here / _NAME)]
    if (here.parent / "pyproject.toml").exists():
        paths.append(str(here.parent.parent / "build" / "lib" / _NAME))
    installed = here.parents[2] / _NAME  # lib/python3/dist-packages/astfe
    if here.parts[-3:-1] == ("python3", "dist-packages"):
        paths.append(str(installed))
    return paths + [_NAME]


def _declare(handle):
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(handle, name)
        function.restype, function.argtypes = result, arguments


def _load():
    reasons = []
    for path in _candidates():
        try:
            handle = ctypes.CDLL(path)
            _declare(handle)
        except (OSError, AttributeError) as error:
            reasons.append(str(error))
            continue
        return handle
    raise Error(f"could not load {_NAME} (set ASTFE_LIBRARY to its path): "
                + "; ".join(reasons))


_handle = None


def library():
    """The loaded library; loading happens on first use."""
    global _handle
    if _handle is None:
        _handle = _load()
        # Daemon threads may compile until the interpreter ends.
        atexit.register(_handle.astfeFinish)
    return _handle


def last_error():
    return Error(library().astfeLastError().decode())


def check(status):
    """Raises the library's error unless `status` is 0."""
    if status != 0:
        raise last_error()


def check_pointer(pointer):
    """Raises the library's error if `pointer` is null."""
    if not pointer:
        raise last_error()
    return pointer


def integer(value, name, bits=64):
    """`value` as an integer that the library takes: ctypes cuts others."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: expected an integer but got {value!r}") from None
    if not -(1 << bits - 1) <= number < 1 << bits - 1:
        raise ValueError(f"{name}: expected an integer of {bits} bits but got "
                         f"{number}")
    return number


def device_name(device):
    """What C calls a device: None is the host."""
    if not (device is None or isinstance(device, str)):
        raise TypeError(f"device: expected 'cuda' or None but got {device!r}")
    return c_text(device, "device") if device is not None else None


def c_text(text, name):
    """`text` as the library takes it: for C a null character would end it."""
    if "\0" in text:
        raise ValueError(f"{name}: expected no null character but got {text!r}")
    return text.encode()


def version():
    """The library's version, e.g. "0.1.0"."""
    return library().astfeVersion().decode()


def set_threads(count):
    """Threads for partitioning, packing and kernels; 0: the machine's."""
    check(library().astfeSetThreads(integer(count, "count")))


def set_memory(bytes):
    """The most bytes of a packed tensor's tables up to which copies by other modes
    than the one that it is packed by are added; 0: any.

    Products into modes that have no room go piece by piece, on the host, and stay
    so for that tensor.
    """
    check(library().astfeSetMemory(integer(bytes, "bytes")))


def threads():
    """The number of threads in use."""
    return library().astfeThreads()
