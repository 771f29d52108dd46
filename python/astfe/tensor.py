"""Packed tensors of any rank and their products."""

import ctypes
import functools

import numpy as np

from ._arrays import (address, as_array, check_output, empty_output, is_plain,
                      real_array)
from ._device import ContiguousDeviceArray, current_stream
from ._handles import Handle
from ._library import (Dense, Level, TensorStruct, check, check_pointer,
                       device_name, integer, library)
from ._types import Arithmetic, value_dtype

# A tensor keeps so many calls, one for each product and shapes of its operands;
# then it forgets them all, as a program with more shapes than that has new ones
# all the time.
_MOST_CALLS = 32

# AstfeLevelFormat of ASTFE-c/Tensor.h.
_COMPRESSED, _SINGLETON = 1, 3


def split_subscripts(subscripts, rank, count):
    """The indices of the sparse operand, of that rank, and of `count` dense ones;
    and those of the output."""
    if not isinstance(subscripts, str):
        raise TypeError("subscripts: expected a string but got "
                        f"{type(subscripts).__name__}")
    left, arrow, output = subscripts.replace(" ", "").partition("->")
    inputs = left.split(",")
    if not arrow or not (left + output).replace(",", "").isalpha():
        raise ValueError("subscripts: expected letters as in 'ijk,jr,kr->ir' "
                         f"but got '{subscripts}'")
    if len(inputs) != count + 1:
        raise ValueError(f"subscripts: expected {count + 1} operands but "
                         f"got {len(inputs)}")
    if len(inputs[0]) != rank:
        raise ValueError(f"subscripts: expected {rank} indices of the sparse "
                         f"operand but got '{inputs[0]}'")
    for names in inputs + [output]:
        if len(set(names)) != len(names):
            raise ValueError("subscripts: expected different indices of an "
                             f"operand but got '{names}'")
    for name in output:
        if name not in left:
            raise ValueError("subscripts: expected an output of the operands' "
                             f"indices but got '{name}'")
    return inputs, output


@functools.lru_cache(maxsize=None)
def mttkrp_subscripts(rank, mode):
    """The subscripts of MTTKRP of a mode, and the modes whose factors it reads."""
    names = "abcdefgh"[:rank]
    others = tuple(m for m in range(rank) if m != mode)
    subscripts = ",".join([names] + [names[m] + "r" for m in others])
    return f"{subscripts}->{names[mode]}r", others


class _Call:
    """What C is told of a product, but for the addresses of its arrays.
    `names`: the indices of each input; `letters`: those of all, in order."""

    def __init__(self, names, output, letters, extents):
        self.shape = tuple(extents[name] for name in output)
        self._kept = []  # what the structures point to
        describe = functools.partial(self._describe, letters, extents)
        self.inputs = (Dense * max(len(names), 1))(*map(describe, names))
        self._operands = list(self.inputs)[:len(names)]  # the same memory
        self.target = describe(output)

    def _describe(self, letters, extents, names):
        rank = len(names)
        shape = (ctypes.c_int64 * max(rank, 1))(*(extents[n] for n in names))
        dimensions = (ctypes.c_int32 * max(rank, 1))(*map(letters.index, names))
        self._kept.append((shape, dimensions))
        return Dense(None, rank, shape, dimensions)

    def _arguments(self, handle, sources, target, accumulate):
        for operand, source in zip(self._operands, sources):
            operand.data = source
        self.target.data = target
        return (handle, len(sources), self.inputs, ctypes.byref(self.target),
                int(bool(accumulate)))

    def run(self, *arguments):
        check(library().astfeTensorProduct(*self._arguments(*arguments)))

    def put_on(self, stream, *arguments):
        check(library().astfeTensorProductOnStream(
            *self._arguments(*arguments), stream))


def checked_mode(mode, rank):
    mode = integer(mode, "mode")
    if not 0 <= mode < rank:
        raise ValueError(f"mode: expected 0..{rank - 1} but got {mode}")
    return mode


class Tensor(Handle):
    """A sparse tensor of rank 1 to 8, packed once for all modes. A matrix that is
    multiplied by dense rows is faster as an astfe.Matrix.

    `coordinates`: integers of shape (nonzeros, rank), or a tuple of an array for
    each mode.
    `values`: one for each nonzero, in the types of astfe.Matrix. Nonzeros of
    equal coordinates are added up by products.
    `shape`: the extents.
    `dtype`, `semiring`: as of astfe.Matrix.
    `device`: "cuda", the first GPU, where `einsum_into` and `mttkrp_into` compute
    (None: the host, where `einsum` and `mttkrp` do).

    The first product that sums into rows of a mode arranges the pattern by it.
    Any number of threads may compute products of one tensor.
    """

    _destroy = "astfeTensorDestroy"

    def __init__(self, coordinates, values, shape, dtype=None,
                 semiring="plus-times", device=None):
        self.shape = tuple(integer(extent, "shape") for extent in shape)
        rank = len(self.shape)
        values = as_array(values, "values")
        self._arithmetic = Arithmetic(value_dtype(values, dtype), semiring)
        self.dtype = self._arithmetic.dtype
        values = np.ascontiguousarray(real_array(values, self.dtype, "values"))
        values = values.view(self._arithmetic.stored)
        if values.ndim != 1:
            raise ValueError(f"values: expected one dimension but got "
                             f"{values.ndim}")
        self.nnz = len(values)
        self._calls = {}
        modes = self._modes(coordinates, rank)
        self._handle = check_pointer(
            self._create(modes, values, device_name(device)))
        self.device = device

    def _modes(self, coordinates, rank):
        """An int64 array of coordinates for each mode."""
        if isinstance(coordinates, tuple):
            modes = [as_array(mode, "coordinates") for mode in coordinates]
        else:
            table = as_array(coordinates, "coordinates")
            if not table.size and not self.nnz:  # an empty list
                table = table.reshape(0, rank)
            if table.ndim != 2 or table.shape[1] != rank:
                raise ValueError(f"coordinates: expected shape ({self.nnz}, "
                                 f"{rank}) but got {table.shape}")
            modes = list(table.T)
        if len(modes) != rank:
            raise ValueError(f"coordinates: expected {rank} arrays but got "
                             f"{len(modes)}")
        for k, mode in enumerate(modes):
            if mode.shape != (self.nnz,):
                raise ValueError(f"coordinates of mode {k}: expected {self.nnz} "
                                 f"but got shape {mode.shape}")
            if mode.size and mode.dtype.kind not in "iu":
                raise TypeError(f"coordinates of mode {k}: expected integers "
                                f"but got {mode.dtype}")
            if mode.size and mode.dtype == np.uint64:
                integer(mode.max(), f"coordinates of mode {k}")
        return [np.ascontiguousarray(mode, dtype=np.int64) for mode in modes]

    def _create(self, modes, values, device):
        rank = len(modes)
        end = np.array([0, self.nnz], np.int64)
        levels = (Level * max(rank, 1))()
        for k, mode in enumerate(modes):
            levels[k] = Level(_SINGLETON if k else _COMPRESSED, k, None, 0,
                              mode.ctypes.data, self.nnz, 1, 0, 64)
        if rank:
            levels[0].positions = end.ctypes.data
            levels[0].position_count = 2
            levels[0].position_bits = 64
        extents = (ctypes.c_int64 * max(rank, 1))(*self.shape)
        struct = TensorStruct(rank, extents, rank, levels,
                              self._arithmetic.code, self._arithmetic.semiring)
        return library().astfeTensorCreateOnDevice(
            ctypes.byref(struct), values.ctypes.data, device)

    def __repr__(self):
        extents = "x".join(map(str, self.shape))
        return f"<astfe.Tensor {extents}, {self.nnz} nonzeros, {self.dtype}>"

    def einsum(self, subscripts, *operands, out=None, accumulate=False):
        """numpy.einsum(subscripts, self, *operands): the first operand is this
        tensor, the others are dense.

        >>> m = t.einsum("ijk,jr,kr->ir", b, c)   # MTTKRP of mode 0

        With `out`, the result is written there, or added with `accumulate`; it
        must be contiguous and apart from the operands.
        """
        result = self._einsum_plain(subscripts, operands, out, accumulate)
        if result is not None:
            return result
        names = split_subscripts(subscripts, len(self.shape), len(operands))
        arrays = [np.require(real_array(operand, self.dtype, f"operand {i}"),
                             requirements=("C", "A"))
                  for i, operand in enumerate(operands)]
        call = self._call(*names, [array.shape for array in arrays])
        result = self._output(out, call.shape, arrays)
        call.run(self._handle, [array.ctypes.data for array in arrays],
                 result.ctypes.data, accumulate and out is not None)
        self._keep((subscripts, *(array.shape for array in arrays)), call)
        return result

    def einsum_into(self, subscripts, *operands, out, accumulate=False,
                    stream=None):
        """out = numpy.einsum(subscripts, self, *operands), or out += that, on the
        GPU of the tensor.

        Arrays and `stream` are as those of Matrix.multiply_into, contiguous and of
        any number of dimensions; `out` is apart from the operands, and has an index
        of the tensor. Returns `out`.
        """
        if stream is None:
            stream = current_stream(out, *operands)
        names = split_subscripts(subscripts, len(self.shape), len(operands))
        sources = [ContiguousDeviceArray(operand, self.dtype, f"operand {i}",
                                         stream)
                   for i, operand in enumerate(operands)]
        target = ContiguousDeviceArray(out, self._arithmetic.result, "out", stream,
                                       written=True)
        key = (subscripts, *(source.shape for source in sources))
        # Taken out meanwhile, as in _einsum_plain.
        call = self._calls.pop(key, None) or self._call(
            *names, [source.shape for source in sources])
        if target.shape != call.shape:
            raise ValueError(f"out: expected shape {call.shape} but got "
                             f"{target.shape}")
        call.put_on(stream, self._handle, [source.address for source in sources],
                    target.address, accumulate)
        self._keep(key, call)
        return out

    def _call(self, inputs, output, shapes):
        """A product by its indices, of dense operands of these shapes."""
        letters = inputs[0] + "".join(sorted(
            set("".join(inputs[1:]) + output) - set(inputs[0])))
        extents = dict(zip(inputs[0], self.shape))
        for i, (names, shape) in enumerate(zip(inputs[1:], shapes)):
            if len(shape) != len(names):
                raise ValueError(f"operand {i}: expected {len(names)} "
                                 f"dimensions but got {len(shape)}")
            for name, extent in zip(names, shape):
                if extents.setdefault(name, extent) != extent:
                    raise ValueError(f"operand {i}: expected {extents[name]} "
                                     f"along '{name}' but got {extent}")
        return _Call(inputs[1:], output, letters, extents)

    def _einsum_plain(self, subscripts, operands, out, accumulate):
        """The product of arrays that C can take as they are, if there was one with
        the same subscripts and shapes before; else None."""
        if type(subscripts) is not str:
            return None
        sources = []
        key = [subscripts]
        for operand in operands:
            if not is_plain(operand, self.dtype):
                return None
            sources.append(address(operand))
            key.append(operand.shape)
        key = tuple(key)
        # Taken out meanwhile: another thread, whose arrays are elsewhere, makes
        # its own.
        call = self._calls.pop(key, None)
        if call is None:
            return None
        if out is None:
            out = empty_output(call.shape, self._arithmetic.result)
            accumulate = False
            target = (address(out) if is_plain(out, self._arithmetic.result)
                      else out.ctypes.data)
        else:
            if (not is_plain(out, self._arithmetic.result)
                    or out.shape != call.shape):
                return None
            target = address(out)
            end = target + out.nbytes
            for operand, source in zip(operands, sources):
                if source < end and target < source + operand.nbytes:
                    return None
        call.run(self._handle, sources, target, accumulate)
        self._keep(key, call)
        return out

    def _keep(self, key, call):
        if len(self._calls) >= _MOST_CALLS:
            self._calls.clear()
        self._calls[key] = call

    def _output(self, out, shape, operands):
        if out is None:
            return empty_output(shape, self._arithmetic.result)
        check_output(out, self._arithmetic.result, shape)
        if not (out.flags.c_contiguous and out.flags.aligned
                and out.flags.writeable):
            raise ValueError("out: expected a contiguous, writeable array")
        if any(np.may_share_memory(out, operand) for operand in operands):
            raise ValueError("out: expected memory apart from the operands'")
        return out

    def mttkrp(self, factors, mode, out=None):
        """The matricized tensor times the Khatri-Rao product of `factors`, one
        of shape (extent, columns) for each mode, of which that of `mode` is not
        read (and may be None)."""
        subscripts, read = self._mttkrp_operands(factors, mode)
        return self.einsum(subscripts, *read, out=out)

    def mttkrp_into(self, factors, mode, out, accumulate=False, stream=None):
        """The same on the GPU of the tensor, as einsum_into does."""
        subscripts, read = self._mttkrp_operands(factors, mode)
        return self.einsum_into(subscripts, *read, out=out, accumulate=accumulate,
                                stream=stream)

    def _mttkrp_operands(self, factors, mode):
        rank = len(self.shape)
        if len(factors) != rank:
            raise ValueError(f"factors: expected {rank} but got {len(factors)}")
        mode = checked_mode(mode, rank)
        if rank == 1:
            raise ValueError("mttkrp: expected a tensor of 2 modes or more")
        subscripts, others = mttkrp_subscripts(rank, mode)
        return subscripts, [factors[m] for m in others]
