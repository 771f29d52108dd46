"""Partition graphs as NumPy arrays."""

import ctypes

import numpy as np

from ._arrays import CsrArrays
from ._handles import Handle
from ._library import check_pointer, integer, last_error, library

ORDERS = ("rows", "morton", "hilbert", "panels", "auto")
REORDERS = ("none", "labels", "rcm", "twins", "auto")
HUBS = {"none": 0, "auto": -1}


class Graph(Handle):
    """A partition graph: blocks along a curve, and groups of them.

    Attributes (arrays have one entry per block unless said otherwise):
      prefixes   uint64, left-aligned     lengths   uint8, bits of the prefix
      nonzeros   int64                    lower     int64 (blocks, 2), corner
      log2       int64 (blocks, 2), sides
      groups     int64 (groups + 1), offsets into the blocks
      order      "rows", "morton", "hilbert" or "panels"
      limit      T, the work above which a block is split
    Where the graph renumbers rows and columns (see permutation()), corners are
    in the new numbers; operands and results of products never are.
    """

    _destroy = "astfeGraphDestroy"

    def __init__(self, handle):
        self._handle = check_pointer(handle)
        lib = library()
        blocks = lib.astfeGraphBlocks(self._handle)
        self.prefixes = np.empty(blocks, np.uint64)
        self.lengths = np.empty(blocks, np.uint8)
        self.nonzeros = np.empty(blocks, np.int64)
        self.lower = np.empty((blocks, 2), np.int64)
        self.log2 = np.empty((blocks, 2), np.int64)
        lib.astfeGraphCopyBlocks(
            self._handle, *(a.ctypes.data for a in (
                self.prefixes, self.lengths, self.nonzeros, self.lower,
                self.log2)))
        self.groups = np.empty(lib.astfeGraphGroups(self._handle) + 1, np.int64)
        lib.astfeGraphCopyGroups(self._handle, self.groups.ctypes.data)
        self.order = ORDERS[lib.astfeGraphOrder(self._handle)]
        self.limit = lib.astfeGraphLimit(self._handle)

    def permutation(self, mode):
        """The new number of each row (mode 0) or column (1) as an int64 array,
        or None where the graph keeps their own."""
        lib, mode = library(), integer(mode, "mode", 32)
        extent = lib.astfeGraphExtent(self._handle, mode)
        if extent < 0:
            raise last_error()
        if not lib.astfeGraphCopyPermutation(self._handle, mode, None):
            return None
        numbers = np.empty(extent, np.int64)
        lib.astfeGraphCopyPermutation(self._handle, mode, numbers.ctypes.data)
        return numbers

    def __len__(self):
        return len(self.prefixes)

    def __repr__(self):
        return (f"<astfe.Graph {self.order}: {len(self)} blocks, "
                f"{len(self.groups) - 1} groups, "
                f"{int(self.nonzeros.sum())} nonzeros>")

    def to_json(self):
        """The text of a graph file."""
        text = library().astfeGraphJson(self._handle)
        return check_pointer(text).decode()

    @classmethod
    def from_json(cls, text):
        """A graph from the text of a graph file."""
        data = text.encode()
        return cls(library().astfeGraphFromJson(data, len(data)))


def partition(matrix, order="auto", leaf=None, min=None, threshold=None,
              workers=None, waves=None, panel=None, cache=None,
              dense_columns=None, reorder="auto", hubs=None,
              expected_runs=None):
    """Partitions a matrix: profile, G(0), refine to the fixpoint, fuse.

    `matrix`: scipy.sparse, or (positions, coordinates, shape) of its CSR form.
    `order`: "rows", "morton", "hilbert", "panels" or "auto" (least predicted
    time). `reorder`: "none", "labels" (label propagation), "rcm" (reverse
    Cuthill-McKee), "twins" (rows that are alike side by side, and columns) or
    "auto" (chosen with the order where that is "auto", else
    none): renumbers rows and columns inside of the graph. `hubs`: "none", "auto"
    (rows and columns that touch everything are set apart, where they are
    renumbered) or at most how many of each. `expected_runs` (default 100):
    what auto looks at has to pay for itself in so many runs. The others: None is the library's
    default, which for `leaf` and `threshold` means auto. The result does not
    depend on the number of threads.
    Raises astfe.Error for indices out of range.
    """
    if order not in ORDERS:
        raise ValueError(f"order: expected one of {', '.join(ORDERS)} but got "
                         f"{order!r}")
    if reorder not in REORDERS:
        raise ValueError(f"reorder: expected one of {', '.join(REORDERS)} but "
                         f"got {reorder!r}")
    if isinstance(hubs, str):
        if hubs not in HUBS:
            raise ValueError("hubs: expected none, auto or a number but got "
                             f"{hubs!r}")
        hubs = HUBS[hubs]
    csr = CsrArrays(matrix)
    options = library().astfeDefaultPartitionOptions()
    options.order = ORDERS.index(order)
    options.reorder = REORDERS.index(reorder)
    given = {"leaf": leaf, "min": min, "threshold": threshold,
             "workers": workers, "waves": waves, "panel": panel,
             "cache": cache, "dense_columns": dense_columns, "hubs": hubs,
             "expected_runs": expected_runs}
    for name, value in given.items():
        if value is not None:
            setattr(options, name, value if name == "threshold"
                    else integer(value, name))
    return Graph(library().astfePartition(ctypes.byref(csr.c_struct()),
                                          ctypes.byref(options)))
