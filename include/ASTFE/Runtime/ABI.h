//===- ABI.h - the C functions that generated code calls ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles, graphs and patterns are reference-counted handles. A function that
// makes one returns it with one reference, or null after an error; null handles
// pass through (null in, null out) and keep the first error's text, so that
// generated code tests once. Texts stay in astfe_rt_last_error() of the calling
// thread until astfe_rt_clear_error(). Handles may be used from any thread.
//
// Memrefs are passed as MLIR's C interface does: pointers to descriptors, which
// is why the symbols begin with `_mlir_ciface_`. The suffix p<w>c<w> is the
// width in bits of positions and coordinates. Shapes are in elements, indices
// 0-based.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_RUNTIME_ABI_H
#define ASTFE_RUNTIME_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Changes when a signature or the meaning of a table does.
#define ASTFE_RT_ABI_VERSION 10

/// A one-dimensional memref descriptor.
typedef struct {
  void *allocated;
  void *aligned;
  int64_t offset;
  int64_t size;
  int64_t stride;
} AstfeMemRef1D;

/// How the caller stores the matrix; values of astfe::core::SparseFormat.
enum AstfeFormat { ASTFE_COO = 0, ASTFE_CSR = 1, ASTFE_CSC = 2 };

/// The tables of a packed pattern (Core/Pack/Packed.h); the comment is the
/// element.
enum AstfeTable {
  ASTFE_WORKER_SPAN = 0,      /* i64, workers + 1 */
  ASTFE_SPAN_SLOT = 1,        /* i64, spans + 1 */
  ASTFE_SPAN_SEGMENT = 2,     /* i64, spans + 1 */
  ASTFE_SPAN_COLUMN = 3,      /* i64, spans */
  ASTFE_SPAN_CLASS = 4,       /* i32, spans */
  ASTFE_SPAN_WIDTH = 5,       /* i32, spans */
  ASTFE_SEGMENT_ROW = 6,      /* i32, segments; ~row if shared */
  ASTFE_SEGMENT_TARGET = 7,   /* i32, segments; ~partial if shared */
  ASTFE_SEGMENT_END = 8,      /* i32, segments */
  ASTFE_COLUMNS = 9,          /* i8, i16 or i32 by the layout, slots */
  ASTFE_COMBINE_ROW = 10,     /* i32, shared rows */
  ASTFE_COMBINE_BEGIN = 11,   /* i64, shared rows + 1 */
  ASTFE_COMBINE_PARTIAL = 12, /* i32, partial rows */
  ASTFE_SEGMENT_FIRST = 13,   /* i8, segments, or none: all are first */
  ASTFE_WORKER_GAP = 14,      /* i64, workers + 1 */
  ASTFE_GAP_BEGIN = 15,       /* i32, gaps */
  ASTFE_GAP_END = 16,         /* i32, gaps */
  /* Of kernels whose sums are wider than the output's elements
     (Core/Pack/SumTargets.h), in place of 7, 10, 11 and 12. */
  ASTFE_SUM_TARGET = 17,
  ASTFE_SUM_ROW = 18,
  ASTFE_SUM_BEGIN = 19,
  ASTFE_SUM_PARTIAL = 20,
  /* The same where they add nonzero after nonzero to rows of slices. */
  ASTFE_SLOT_SUM_TARGET = 21,
  ASTFE_SLOT_SUM_ROW = 22,
  ASTFE_SLOT_SUM_BEGIN = 23,
  ASTFE_SLOT_SUM_PARTIAL = 24,
  /* The nonzero that each slot holds, -1 without one, as i32 or as i64: one of
     the two has slots entries, the other none. Neither has any where slots are
     in the order of the nonzeros (in_order). */
  ASTFE_SLOT_NONZERO = 25,
  ASTFE_WIDE_SLOT_NONZERO = 26,
  ASTFE_TABLE_COUNT = 27
};

/* Profiles and graphs. A threshold of NaN is "auto"; orders are the values of
   astfe::core::OrderKind. The options are those of Core, one by one. */

#define ASTFE_FOR_WIDTHS(NAME, ...)                                            \
  void *_mlir_ciface_astfe_rt_##NAME##_p32c32(                                 \
      AstfeMemRef1D *positions, AstfeMemRef1D *coordinates, __VA_ARGS__);      \
  void *_mlir_ciface_astfe_rt_##NAME##_p32c64(                                 \
      AstfeMemRef1D *positions, AstfeMemRef1D *coordinates, __VA_ARGS__);      \
  void *_mlir_ciface_astfe_rt_##NAME##_p64c32(                                 \
      AstfeMemRef1D *positions, AstfeMemRef1D *coordinates, __VA_ARGS__);      \
  void *_mlir_ciface_astfe_rt_##NAME##_p64c64(                                 \
      AstfeMemRef1D *positions, AstfeMemRef1D *coordinates, __VA_ARGS__);

ASTFE_FOR_WIDTHS(profile, int64_t rows, int64_t columns, int64_t format,
                 int64_t order, int64_t panel, int64_t min)

/* The same after a reordering (a value of astfe::core::ReorderKind) with at
   most `hubs` hubs per mode (-1: auto). */

ASTFE_FOR_WIDTHS(reordered_profile, int64_t rows, int64_t columns,
                 int64_t format, int64_t order, int64_t panel, int64_t min,
                 int64_t reorder, int64_t hubs)

/* The same, chosen for products of a matrix (core::choose): of `columns`
   columns, or rows so long, of elements of so many bytes, within so many runs.
   `search` is a set of AstfeSearch. `order` and `reorder` are what is taken
   where others are not compared. */
enum AstfeSearch {
  ASTFE_SEARCH_ORDERS = 1,
  ASTFE_SEARCH_REORDERINGS = 2,
  ASTFE_SEARCH_SAMPLES = 4, /* S = A .* (X Y^T) */
  ASTFE_SEARCH_GPU = 8,
  ASTFE_SEARCH_WHOLE = 16 /* rows that are chosen, not given, stay one block */
};

ASTFE_FOR_WIDTHS(searched_profile, int64_t rows, int64_t columns,
                 int64_t format, int64_t order, int64_t panel, int64_t min,
                 int64_t reorder, int64_t hubs, int64_t denseColumns,
                 int64_t elementBytes, int64_t runs, int64_t search)
/// Of a matrix in any format; the first two are its levels and extents.
void *_mlir_ciface_astfe_rt_searched_profile_levels(
    AstfeMemRef1D *levels, AstfeMemRef1D *extents, int64_t order, int64_t panel,
    int64_t min, int64_t reorder, int64_t hubs, int64_t denseColumns,
    int64_t elementBytes, int64_t runs, int64_t search);

void *_mlir_ciface_astfe_rt_partition(void *profile, int64_t leaf,
                                      int64_t workers);
void *_mlir_ciface_astfe_rt_refine(void *graph, void *profile, double threshold,
                                   int64_t workers, int64_t waves, int64_t min,
                                   int64_t steps);
void *_mlir_ciface_astfe_rt_fuse(void *graph, void *profile, double threshold,
                                 int64_t workers, int64_t waves, int64_t cache,
                                 int64_t columns, int64_t elementBytes);
/// A constant graph from the text of a graph file (memref<?xi8>).
void *_mlir_ciface_astfe_rt_graph(AstfeMemRef1D *json);
/// A known profile from the text of a profile file (memref<?xi8>).
void *_mlir_ciface_astfe_rt_known_profile(AstfeMemRef1D *json);

/* Patterns. `layout` is the text of Core/Kernel/LayoutFile.h (memref<?xi8>),
   all that pack is told beside the workers. `workers` 0 asks for
   astfe_rt_workers(); of a GPU they are the warps that it holds, and `tiles`
   are those of the columns of dense operands, at least 1 (core::cutForGPU). A
   null graph that stands for no graph at all is a bug of the caller: views are
   never packed. */

ASTFE_FOR_WIDTHS(pack, int64_t rows, int64_t columns, int64_t format,
                 void *graph, AstfeMemRef1D *layout, int64_t workers,
                 int64_t tiles)

/* The same unless the matrix is at least as fast where it is stored, in products
   on a host with so many columns of elements of so many bytes, each part of
   complex numbers a column, or sums without any (core::HostProducts). The
   pattern is empty then, and so are its values; `is_stored` is 1 of it, and 0 of
   all others. */

ASTFE_FOR_WIDTHS(pack_unless_stored, int64_t rows, int64_t columns,
                 int64_t format, void *graph, AstfeMemRef1D *layout,
                 int64_t workers, int64_t tiles, int64_t denseColumns,
                 int64_t elementBytes)
#undef ASTFE_FOR_WIDTHS
int64_t _mlir_ciface_astfe_rt_is_stored(void *pattern);

/// Sizes of a pattern; 0 for a null handle.
int64_t _mlir_ciface_astfe_rt_slots(void *pattern);
int64_t _mlir_ciface_astfe_rt_nonzeros(void *pattern);
int64_t _mlir_ciface_astfe_rt_pattern_workers(void *pattern);
int64_t _mlir_ciface_astfe_rt_partial_rows(void *pattern);
/// Tiles of columns that a GPU works on at the same time; 0: all.
int64_t _mlir_ciface_astfe_rt_tiles_together(void *pattern);
/// Bytes of a row of the dense operands that a host kernel works on at a time
/// (Core/Pack/Packed.h); 0: all.
int64_t _mlir_ciface_astfe_rt_strip_bytes(void *pattern);
/// The extent of a mode (rows, columns, ...); an error for other modes.
int64_t _mlir_ciface_astfe_rt_extent(void *pattern, int64_t mode);

/// Whether a kernel for columns of `columnBits` and these classes can run the
/// pattern: it stores such columns and holds no other class. 0 is an error, but
/// not for a null pattern. Kernels ask before they read a table.
int64_t _mlir_ciface_astfe_rt_fits(void *pattern, int64_t columnBits,
                                   int64_t classes);

/// Whether slot n is that of nonzero n; for a null pattern they are, of which
/// there are none. Of bricks `key` says in which arrangement.
int64_t _mlir_ciface_astfe_rt_in_order(void *pattern, int64_t key);

/// result[slot] = source[nonzero]; no effect for a null pattern or sizes that
/// do not fit (an error). `unpack` is the inverse. Elements are moved as bits,
/// by the function of their width: halves by i16, integers of 32 bits by f32,
/// complex numbers of two f32 by f64, and those of two f64 by c64.
void _mlir_ciface_astfe_rt_values_i8(void *pattern, AstfeMemRef1D *source,
                                     AstfeMemRef1D *result);
void _mlir_ciface_astfe_rt_values_i16(void *pattern, AstfeMemRef1D *source,
                                      AstfeMemRef1D *result);
void _mlir_ciface_astfe_rt_values_f32(void *pattern, AstfeMemRef1D *source,
                                      AstfeMemRef1D *result);
void _mlir_ciface_astfe_rt_values_f64(void *pattern, AstfeMemRef1D *source,
                                      AstfeMemRef1D *result);
void _mlir_ciface_astfe_rt_values_c64(void *pattern, AstfeMemRef1D *source,
                                      AstfeMemRef1D *result);
void _mlir_ciface_astfe_rt_unpack_i8(void *pattern, AstfeMemRef1D *source,
                                     AstfeMemRef1D *result);
void _mlir_ciface_astfe_rt_unpack_i16(void *pattern, AstfeMemRef1D *source,
                                      AstfeMemRef1D *result);
void _mlir_ciface_astfe_rt_unpack_f32(void *pattern, AstfeMemRef1D *source,
                                      AstfeMemRef1D *result);
void _mlir_ciface_astfe_rt_unpack_f64(void *pattern, AstfeMemRef1D *source,
                                      AstfeMemRef1D *result);
void _mlir_ciface_astfe_rt_unpack_c64(void *pattern, AstfeMemRef1D *source,
                                      AstfeMemRef1D *result);

/// A table (enum AstfeTable), borrowed from the pattern: valid while it lives.
/// Empty for a null pattern; an error if the width is not the table's.
void _mlir_ciface_astfe_rt_table_i8(AstfeMemRef1D *result, void *pattern,
                                    int64_t table);
void _mlir_ciface_astfe_rt_table_i16(AstfeMemRef1D *result, void *pattern,
                                     int64_t table);
void _mlir_ciface_astfe_rt_table_i32(AstfeMemRef1D *result, void *pattern,
                                     int64_t table);
void _mlir_ciface_astfe_rt_table_i64(AstfeMemRef1D *result, void *pattern,
                                     int64_t table);
/// The same in the memory of the current device: copied once, kept and freed
/// with the pattern.
void _mlir_ciface_astfe_rt_device_table_i8(AstfeMemRef1D *result, void *pattern,
                                           int64_t table);
void _mlir_ciface_astfe_rt_device_table_i16(AstfeMemRef1D *result,
                                            void *pattern, int64_t table);
void _mlir_ciface_astfe_rt_device_table_i32(AstfeMemRef1D *result,
                                            void *pattern, int64_t table);
void _mlir_ciface_astfe_rt_device_table_i64(AstfeMemRef1D *result,
                                            void *pattern, int64_t table);

/* Tensors of any rank. They come as a list of levels (Core/Tensor/LevelView.h):
   a memref<?xi64> with ASTFE_LEVEL_FIELDS numbers a level, outermost first, and
   the extents of the modes, a memref<?xi64>. Buffers are borrowed. */

enum AstfeLevelKind {
  ASTFE_DENSE = 0,
  ASTFE_COMPRESSED = 1,
  ASTFE_LOOSE = 2,
  ASTFE_SINGLETON = 3,
  ASTFE_N_OUT_OF_M = 4
};

/// The numbers of a level. Addresses are those of the first entry, strides
/// count entries, and of 8, 16, 32 and 64 bits the first three are unsigned.
/// What a kind does not have is 0.
enum AstfeLevelField {
  ASTFE_LEVEL_KIND = 0,
  ASTFE_LEVEL_MODE = 1,
  ASTFE_LEVEL_SIZE = 2,
  ASTFE_LEVEL_SCALE = 3,  /* what a coordinate counts in its mode */
  ASTFE_LEVEL_STORED = 4, /* n of n:m */
  ASTFE_LEVEL_POSITIONS = 5,
  ASTFE_LEVEL_POSITION_COUNT = 6,
  ASTFE_LEVEL_POSITION_BITS = 7,
  ASTFE_LEVEL_COORDINATES = 8,
  ASTFE_LEVEL_COORDINATE_COUNT = 9,
  ASTFE_LEVEL_COORDINATE_STRIDE = 10,
  ASTFE_LEVEL_COORDINATE_BITS = 11,
  ASTFE_LEVEL_FIELDS = 12
};

/// A profile; partition, refine and fuse are those of matrices.
void *_mlir_ciface_astfe_rt_profile_levels(AstfeMemRef1D *levels,
                                           AstfeMemRef1D *extents,
                                           int64_t order, int64_t panel,
                                           int64_t min);
void *_mlir_ciface_astfe_rt_reordered_profile_levels(
    AstfeMemRef1D *levels, AstfeMemRef1D *extents, int64_t order, int64_t panel,
    int64_t min, int64_t reorder, int64_t hubs);
/// A pattern, of a matrix in any format.
void *_mlir_ciface_astfe_rt_pack_matrix(AstfeMemRef1D *levels,
                                        AstfeMemRef1D *extents, void *graph,
                                        AstfeMemRef1D *layout, int64_t workers,
                                        int64_t tiles);
/// Bricks (Core/Bricks/Bricks.h), one for all modes: a handle of its own kind.
/// A mode whose products gain nothing by those walks others, by its rows.
/// What arranges them by a mode is made when the mode is first asked for, once,
/// by whichever thread comes first.
void *_mlir_ciface_astfe_rt_pack_levels(AstfeMemRef1D *levels,
                                        AstfeMemRef1D *extents, void *graph);
/// Kernels of a GPU walk the bricks: those of all modes are by rows, where
/// memory has room for them.
void _mlir_ciface_astfe_rt_bricks_expect_gpu(void *bricks);

/// Whether a kernel for patterns of `rank` modes can sum into rows of mode
/// `key`; arranges the bricks by it. 0 is an error, but not for null bricks.
/// Kernels ask before they read a table.
int64_t _mlir_ciface_astfe_rt_bricks_fit(void *bricks, int64_t rank,
                                         int64_t key);
/// The same for a kernel that goes slice by slice where memory has no room for
/// what arranges the bricks by `key` (Core/Bricks/BrickSlices.h): how many
/// slices there are, 1 where they are arranged as a whole. A slice has
/// `value_bytes` of values for each slot.
int64_t _mlir_ciface_astfe_rt_brick_slices(void *bricks, int64_t rank,
                                           int64_t key, int64_t value_bytes);
/// Slice `number` of so many: bricks that are arranged by `key`, of which the
/// caller has a reference. The bricks themselves where they are arranged as a
/// whole.
void *_mlir_ciface_astfe_rt_brick_slice(void *bricks, int64_t key,
                                        int64_t number, int64_t slices);
/// The values of a slice, memref<?xi8>, which live as long as it does. At
/// `address` are those of all, in the order that brick_values left them in:
/// number n at (offset + n stride) x bytes; those of the slice lie so, too.
/// Empty for a null slice and (an error) where there is no memory.
void _mlir_ciface_astfe_rt_brick_slice_values(AstfeMemRef1D *result,
                                              void *slice, int64_t key,
                                              int64_t address, int64_t bytes,
                                              int64_t offset, int64_t stride);
/// How many parts mode `key` falls into for so many warps of a GPU, and how
/// many of them are parts of rows that several warps share
/// (Core/Bricks/BrickParts.h). 0 for a null handle.
int64_t _mlir_ciface_astfe_rt_brick_parts(void *bricks, int64_t key,
                                          int64_t workers);
int64_t _mlir_ciface_astfe_rt_brick_row_parts(void *bricks, int64_t key,
                                              int64_t workers);
/// Whether the rows of mode `key` ascend through all bricks: 1 or 0. Each comes
/// once then, so that what a kernel sums up for it is the whole of it.
int64_t _mlir_ciface_astfe_rt_brick_rows_ascend(void *bricks, int64_t key,
                                                int64_t ranges);
/// The bricks that products into rows of mode `key` walk; 0 for a null handle.
int64_t _mlir_ciface_astfe_rt_brick_count(void *bricks, int64_t key);
/// The coordinates of `mode` from the first to the last that a brick has, added
/// up for all bricks as they were packed; 0 for a null handle and where there is
/// no such mode. O(bricks).
int64_t _mlir_ciface_astfe_rt_brick_reach(void *bricks, int64_t mode);
/// Bits of a local coordinate in those, of all modes: 16 or 32.
int64_t _mlir_ciface_astfe_rt_brick_bits(void *bricks, int64_t key);
/// The mode of the fibers by which mode `key` is arranged; -1: there are none.
int64_t _mlir_ciface_astfe_rt_brick_fiber_mode(void *bricks, int64_t key);

/// The tables of bricks arranged by a mode; the comment is the element.
enum AstfeBrickTable {
  ASTFE_BRICK_SLOT = 0,         /* i64, bricks + 1 */
  ASTFE_BRICK_ORIGIN = 1,       /* i64, bricks x rank */
  ASTFE_RANGE_ROW = 2,          /* i64, ranges + 1 */
  ASTFE_RANGE_SEGMENT = 3,      /* i64, bricks x (ranges + 1) */
  ASTFE_RANGE_SLOT = 4,         /* i64, the same: their first slots */
  ASTFE_RANGE_FIBER = 5,        /* i64, the same: their first fibers */
  ASTFE_BRICK_FIBER = 6,        /* i64, bricks + 1, or none without fibers */
  ASTFE_BRICK_SEGMENT_LAST = 7, /* i16, segments: the last slot, in the brick */
  ASTFE_BRICK_SEGMENT_FIBER = 8, /* i16, segments: the last fiber, likewise */
  ASTFE_FIBER_LAST = 9,          /* i16, fibers: the last slot */
  /// i16 or i32 (brick_bits): local coordinates of mode k, by segment where k
  /// is the key, by fiber where it is the fibers' mode, else by slot.
  ASTFE_BRICK_COORDINATE = 10,
  /// Of parts, of which there are those that brick_parts says for so many
  /// warps, given as `ranges`.
  ASTFE_PART_ROW = 18,     /* i64, parts + 1 */
  ASTFE_PART_LEFT = 19,    /* i64, parts */
  ASTFE_PART_SEGMENT = 20, /* i64, bricks x (parts + 1) */
  ASTFE_PART_SLOT = 21,    /* i64, the same */
  /// As ASTFE_BRICK_COORDINATE, but of the fibers' mode by slot, too; on a
  /// device that is so.
  ASTFE_SLOT_COORDINATE = 22,
  ASTFE_PART_BRICK = 30, /* i64, 2 x parts: bricks that have slots of it */
  ASTFE_BRICK_TABLE_COUNT = 31
};
/// Coordinates go on for so many entries that mean nothing, so that kernels can
/// look ahead without asking where the end is.
enum { ASTFE_BRICK_AHEAD = 16 };

/// A table, borrowed from the bricks; `ranges` is how many ranges there are,
/// which share the rows of the key. Empty for null bricks; an error if the
/// width is not the table's.
void _mlir_ciface_astfe_rt_brick_table_i16(AstfeMemRef1D *result, void *bricks,
                                           int64_t key, int64_t ranges,
                                           int64_t table);
void _mlir_ciface_astfe_rt_brick_table_i32(AstfeMemRef1D *result, void *bricks,
                                           int64_t key, int64_t ranges,
                                           int64_t table);
void _mlir_ciface_astfe_rt_brick_table_i64(AstfeMemRef1D *result, void *bricks,
                                           int64_t key, int64_t ranges,
                                           int64_t table);

/// The same in the memory of the current device, with a coordinate for each
/// slot of the fibers' mode too; it lives as long as the bricks do.
void _mlir_ciface_astfe_rt_brick_device_table_i16(AstfeMemRef1D *result,
                                                  void *bricks, int64_t key,
                                                  int64_t ranges,
                                                  int64_t table);
void _mlir_ciface_astfe_rt_brick_device_table_i32(AstfeMemRef1D *result,
                                                  void *bricks, int64_t key,
                                                  int64_t ranges,
                                                  int64_t table);
void _mlir_ciface_astfe_rt_brick_device_table_i64(AstfeMemRef1D *result,
                                                  void *bricks, int64_t key,
                                                  int64_t ranges,
                                                  int64_t table);

/// As values and unpack: the slots are those of the arrangement by mode `key`.
/// Where that goes slice by slice, values stay in the order of the source.
/// astfe_rt_slots and astfe_rt_extent take bricks too.
void _mlir_ciface_astfe_rt_brick_values_i8(void *bricks, int64_t key,
                                           AstfeMemRef1D *source,
                                           AstfeMemRef1D *result);
void _mlir_ciface_astfe_rt_brick_values_i16(void *bricks, int64_t key,
                                            AstfeMemRef1D *source,
                                            AstfeMemRef1D *result);
void _mlir_ciface_astfe_rt_brick_values_f32(void *bricks, int64_t key,
                                            AstfeMemRef1D *source,
                                            AstfeMemRef1D *result);
void _mlir_ciface_astfe_rt_brick_values_f64(void *bricks, int64_t key,
                                            AstfeMemRef1D *source,
                                            AstfeMemRef1D *result);
void _mlir_ciface_astfe_rt_brick_values_c64(void *bricks, int64_t key,
                                            AstfeMemRef1D *source,
                                            AstfeMemRef1D *result);
void _mlir_ciface_astfe_rt_brick_unpack_i8(void *bricks, int64_t key,
                                           AstfeMemRef1D *source,
                                           AstfeMemRef1D *result);
void _mlir_ciface_astfe_rt_brick_unpack_i16(void *bricks, int64_t key,
                                            AstfeMemRef1D *source,
                                            AstfeMemRef1D *result);
void _mlir_ciface_astfe_rt_brick_unpack_f32(void *bricks, int64_t key,
                                            AstfeMemRef1D *source,
                                            AstfeMemRef1D *result);
void _mlir_ciface_astfe_rt_brick_unpack_f64(void *bricks, int64_t key,
                                            AstfeMemRef1D *source,
                                            AstfeMemRef1D *result);
void _mlir_ciface_astfe_rt_brick_unpack_c64(void *bricks, int64_t key,
                                            AstfeMemRef1D *source,
                                            AstfeMemRef1D *result);

/// Memory that belongs to a pattern or bricks, aligned to a cache line, for the
/// length of a call: memref<?xi8>. What is taken back, by its address, is lent
/// again, so that code that is called again allocates nothing. Empty for no
/// bytes, a null handle, and (an error) where there is no memory. The handle
/// lives until the memory is taken back; address 0 is nothing.
void _mlir_ciface_astfe_rt_lend(AstfeMemRef1D *result, void *pattern,
                                int64_t bytes);
void _mlir_ciface_astfe_rt_take_back(int64_t address);
/// The same for what goes without, too: no error where there is no memory.
void _mlir_ciface_astfe_rt_lend_spare(AstfeMemRef1D *result, void *pattern,
                                      int64_t bytes);
/// The same of the current device, for a call that has waited for what it
/// launched before it takes the memory back. Memory of no bytes has an address
/// too.
void _mlir_ciface_astfe_rt_device_lend(AstfeMemRef1D *result, void *pattern,
                                       int64_t bytes);
void _mlir_ciface_astfe_rt_device_take_back(void *pattern, int64_t address);

/* Handles. Null is accepted and does nothing. */

void _mlir_ciface_astfe_rt_retain(void *handle);
void _mlir_ciface_astfe_rt_release(void *handle);

/* Errors and settings. */

/// Generated code reports an error that it cannot continue from, such as
/// extents that differ between operands. The text is a memref<?xi8>.
void _mlir_ciface_astfe_rt_report(AstfeMemRef1D *text);
/// The thread's error text, or null when all went well.
const char *astfe_rt_last_error(void);
void astfe_rt_clear_error(void);

/// The one thread setting: workers of host kernels, threads of Core and of the
/// OpenMP runtime. 0 restores the machine's number. At most 4096.
void astfe_rt_set_threads(int64_t threads);
int64_t _mlir_ciface_astfe_rt_threads(void);
/// Workers that pack cuts for: the threads on the host, the resident warps of
/// the current device (or what astfe_rt_set_workers said).
int64_t _mlir_ciface_astfe_rt_workers(void);
int64_t _mlir_ciface_astfe_rt_device_workers(void);
/// log2 of the teams of a GPU that share a row of a view, each of so many lanes
/// (core::teamsOfRow).
int64_t _mlir_ciface_astfe_rt_row_teams(int64_t rows, int64_t nonzeros,
                                        int64_t lanes, int64_t warps);
/// An extent (0: x, 1: y, 2: z) of the grid of so many blocks of rows for each
/// tile of columns, `together` (0: all) at the same time, on the current
/// device, or on one with core's kGPUMultiprocessors where there is none
/// (core::gpuGrid).
int64_t _mlir_ciface_astfe_rt_grid(int64_t blocks, int64_t tiles,
                                   int64_t together, int64_t axis);
void astfe_rt_set_workers(int64_t workers);
/// The most bytes of a tensor's tables up to which copies by other modes than
/// the one that it is packed by are added; modes without a copy go slice by
/// slice, and stay so for that tensor. 0: as many as there are.
void astfe_rt_set_memory(int64_t bytes);

/* Operands that are on the current device. 1, or 0 and an error about the
   operand of that name (a memref<?xi8>); any address will do for no bytes. */

/// Kernels reach all of the memory, whose address the alignment divides.
int64_t _mlir_ciface_astfe_rt_reachable(AstfeMemRef1D *name, int64_t address,
                                        int64_t bytes, int64_t alignment);
/// It does not overlap that of an output.
int64_t _mlir_ciface_astfe_rt_apart(AstfeMemRef1D *name, int64_t address,
                                    int64_t bytes, int64_t output,
                                    int64_t outputBytes);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // ASTFE_RUNTIME_ABI_H
