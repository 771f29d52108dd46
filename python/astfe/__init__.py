"""Sparse matrices partitioned along a curve and multiplied by compiled kernels.

>>> import astfe, numpy, scipy.sparse
>>> a = scipy.sparse.random(1000, 1000, 0.01, format="csr", dtype="float32")
>>> m = astfe.Matrix(a)
>>> c = m.multiply(numpy.ones((1000, 8), "float32"))
>>> t = astfe.Tensor(coordinates, values, (300, 300, 1000))
>>> m = t.einsum("ijk,jr,kr->ir", b, c)
>>> d = astfe.spmm(a, b, semiring="min-plus")
>>> s = astfe.einsum("ij,ik,jk->ij", a, x, y)   # one sparse operand
>>> o, lse = astfe.Attention(a, heads=8, dim=64).forward(q, k, v)
>>> h = astfe.spmm(a, x, bias=bias, activation="relu")
>>> graph = astfe.partition(a)   # blocks and groups as NumPy arrays

The package is a thin layer over the C API of libASTFE.so (ctypes and NumPy): no
copies of index arrays, operands or results are made where their types and
strides permit. Failures raise astfe.Error with the library's text. Masked arrays are
refused (TypeError).

os.fork() waits for the calls of other threads. The child may use every object that is not
on a GPU.
"""

from ._library import Error, set_memory, set_threads, threads, version
from .attention import Attention, attention
from .fused import Spmm
from .graph import Graph, partition
from .matrix import Matrix
from .products import einsum, mttkrp, sddmm, spmm
from .program import Program
from .tensor import Tensor

__all__ = ["Attention", "Error", "Graph", "Matrix", "Program", "Spmm", "Tensor",
           "attention", "einsum", "mttkrp", "partition", "sddmm", "set_memory",
           "set_threads", "spmm", "threads", "version"]
