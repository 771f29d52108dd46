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
#define ASTFE_RT_ABI_VERSION 3

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

/// Flags of pack. ASTFE_FOR_GPU: workers are warps of a GPU, and the bits from
/// ASTFE_SEGMENT_COST_SHIFT on say what a row costs beside its nonzeros. For a
/// host the bits from ASTFE_WINDOW_SHIFT to ASTFE_DENSE_SHIFT are the columns
/// of a window, 0 takes the default; those from there on are the bytes of a row
/// of the dense operands, 0 is unknown.
enum AstfePackFlags {
  ASTFE_DETERMINISTIC = 1,
  ASTFE_ASSUME_FINITE = 2,
  ASTFE_FOR_GPU = 4,
  ASTFE_SEGMENT_COST_SHIFT = 8,
  ASTFE_WINDOW_SHIFT = 8,
  ASTFE_DENSE_SHIFT = 32
};

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
  ASTFE_TABLE_COUNT = 17
};

/* Profiles and graphs. A threshold of NaN is "auto"; orders are the values of
   astfe::core::OrderKind. The options are those of Core, one by one. */

void *_mlir_ciface_astfe_rt_profile_p32c32(AstfeMemRef1D *positions,
                                           AstfeMemRef1D *coordinates,
                                           int64_t rows, int64_t columns,
                                           int64_t format, int64_t order,
                                           int64_t panel, int64_t min);
void *_mlir_ciface_astfe_rt_profile_p32c64(AstfeMemRef1D *, AstfeMemRef1D *,
                                           int64_t, int64_t, int64_t, int64_t,
                                           int64_t, int64_t);
void *_mlir_ciface_astfe_rt_profile_p64c32(AstfeMemRef1D *, AstfeMemRef1D *,
                                           int64_t, int64_t, int64_t, int64_t,
                                           int64_t, int64_t);
void *_mlir_ciface_astfe_rt_profile_p64c64(AstfeMemRef1D *, AstfeMemRef1D *,
                                           int64_t, int64_t, int64_t, int64_t,
                                           int64_t, int64_t);

/* The same after a reordering (a value of astfe::core::ReorderKind) with at
   most `hubs` hubs per mode (-1: auto). */

void *_mlir_ciface_astfe_rt_reordered_profile_p32c32(
    AstfeMemRef1D *positions, AstfeMemRef1D *coordinates, int64_t rows,
    int64_t columns, int64_t format, int64_t order, int64_t panel, int64_t min,
    int64_t reorder, int64_t hubs);
void *_mlir_ciface_astfe_rt_reordered_profile_p32c64(AstfeMemRef1D *,
                                                     AstfeMemRef1D *, int64_t,
                                                     int64_t, int64_t, int64_t,
                                                     int64_t, int64_t, int64_t,
                                                     int64_t);
void *_mlir_ciface_astfe_rt_reordered_profile_p64c32(AstfeMemRef1D *,
                                                     AstfeMemRef1D *, int64_t,
                                                     int64_t, int64_t, int64_t,
                                                     int64_t, int64_t, int64_t,
                                                     int64_t);
void *_mlir_ciface_astfe_rt_reordered_profile_p64c64(AstfeMemRef1D *,
                                                     AstfeMemRef1D *, int64_t,
                                                     int64_t, int64_t, int64_t,
                                                     int64_t, int64_t, int64_t,
                                                     int64_t);

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

/* Patterns. `workers` 0 asks for astfe_rt_workers(); a null graph that stands
   for no graph at all is a bug of the caller: views are never packed. */

void *_mlir_ciface_astfe_rt_pack_p32c32(AstfeMemRef1D *positions,
                                        AstfeMemRef1D *coordinates,
                                        int64_t rows, int64_t columns,
                                        int64_t format, void *graph,
                                        int64_t columnBits, int64_t classes,
                                        int64_t flags, int64_t workers);
void *_mlir_ciface_astfe_rt_pack_p32c64(AstfeMemRef1D *, AstfeMemRef1D *,
                                        int64_t, int64_t, int64_t, void *,
                                        int64_t, int64_t, int64_t, int64_t);
void *_mlir_ciface_astfe_rt_pack_p64c32(AstfeMemRef1D *, AstfeMemRef1D *,
                                        int64_t, int64_t, int64_t, void *,
                                        int64_t, int64_t, int64_t, int64_t);
void *_mlir_ciface_astfe_rt_pack_p64c64(AstfeMemRef1D *, AstfeMemRef1D *,
                                        int64_t, int64_t, int64_t, void *,
                                        int64_t, int64_t, int64_t, int64_t);

/// Sizes of a pattern; 0 for a null handle.
int64_t _mlir_ciface_astfe_rt_slots(void *pattern);
int64_t _mlir_ciface_astfe_rt_pattern_workers(void *pattern);
int64_t _mlir_ciface_astfe_rt_partial_rows(void *pattern);
/// Bytes of a row of the dense operands that a host kernel works on at a time
/// (Core/Pack/Packed.h); 0: all.
int64_t _mlir_ciface_astfe_rt_panel_bytes(void *pattern);
/// Rows (mode 0) or columns (mode 1); an error for other modes.
int64_t _mlir_ciface_astfe_rt_extent(void *pattern, int64_t mode);

/// Whether a kernel for columns of `columnBits` and these classes can run the
/// pattern: it stores such columns and holds no other class. 0 is an error, but
/// not for a null pattern. Kernels ask before they read a table.
int64_t _mlir_ciface_astfe_rt_fits(void *pattern, int64_t columnBits,
                                   int64_t classes);

/// result[slot] = source[nonzero]; no effect for a null pattern or sizes that
/// do not fit (an error). `unpack` is the inverse.
void _mlir_ciface_astfe_rt_values_f32(void *pattern, AstfeMemRef1D *source,
                                      AstfeMemRef1D *result);
void _mlir_ciface_astfe_rt_values_f64(void *pattern, AstfeMemRef1D *source,
                                      AstfeMemRef1D *result);
void _mlir_ciface_astfe_rt_unpack_f32(void *pattern, AstfeMemRef1D *source,
                                      AstfeMemRef1D *result);
void _mlir_ciface_astfe_rt_unpack_f64(void *pattern, AstfeMemRef1D *source,
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

/* Handles. Null is accepted and does nothing. */

void _mlir_ciface_astfe_rt_retain(void *handle);
void _mlir_ciface_astfe_rt_release(void *handle);

/* Errors and settings. */

/// Generated code reports what it cannot continue from, e.g. extents that
/// differ between operands. `json`-free text: memref<?xi8>.
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
void astfe_rt_set_workers(int64_t workers);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // ASTFE_RUNTIME_ABI_H
