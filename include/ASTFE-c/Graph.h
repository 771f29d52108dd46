/*===- Graph.h - partition graphs ----------------------------------------===*
 *
 * Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Partitioning of a compressed matrix: profile, partition, refine, fuse, as
 * docs/Algorithms describes. Shapes are in elements, indices 0-based.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ASTFE_C_GRAPH_H
#define ASTFE_C_GRAPH_H

#include "ASTFE-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A borrowed matrix in compressed rows. `positions` has rows+1 entries,
 *  `coordinates` positions[rows] entries; widths are 32 or 64 bits. */
typedef struct {
  int64_t rows, columns;
  const void *positions;
  const void *coordinates;
  int32_t positionBits, coordinateBits;
} AstfeCsr;

typedef enum {
  ASTFE_ORDER_ROWS = 0,
  ASTFE_ORDER_MORTON = 1,
  ASTFE_ORDER_HILBERT = 2,
  ASTFE_ORDER_PANELS = 3,
  ASTFE_ORDER_AUTO = 4 /**< least predicted time of the four */
} AstfeOrder;

typedef enum {
  ASTFE_REORDER_NONE = 0,
  ASTFE_REORDER_LABELS = 1, /**< label propagation */
  ASTFE_REORDER_RCM = 2,    /**< reverse Cuthill-McKee */
  ASTFE_REORDER_TWINS = 3, /**< rows that are alike side by side, and columns */
  ASTFE_REORDER_AUTO = 4   /**< chosen with the order where that is auto, else
                                none */
} AstfeReorder;

/** What partitioning may be told; astfeDefaultPartitionOptions() fills it. */
typedef struct {
  int32_t order;    /**< AstfeOrder */
  int64_t panel;    /**< log2 of the rows of a panel */
  int64_t min;      /**< nonzeros below which a bin is not split */
  int64_t leaf;     /**< mean nonzeros of a block of G(0); 0: auto */
  double threshold; /**< tau in (1/2, 1); NaN: auto */
  int64_t workers;  /**< refine and fuse aim at workers x waves shares */
  int64_t waves;
  int64_t cache;        /**< bytes that a fused group may occupy */
  int64_t denseColumns; /**< of the dense operand, for the traffic model, from
                             1 on */
  int64_t elementBytes;
  int32_t reorder; /**< AstfeReorder: how rows and columns are renumbered */
  int64_t hubs;    /**< rows and columns to set apart, at most so many each;
                        0: none, -1: all that touch everything (where rows and
                        columns are renumbered) */
  int64_t expectedRuns; /**< that auto has to pay for itself in */
} AstfePartitionOptions;

ASTFE_C_API AstfePartitionOptions astfeDefaultPartitionOptions(void);

typedef struct AstfeGraph AstfeGraph;

/** Partitions; null `options` are the default ones. O(nonzeros). The result
 *  does not depend on the number of threads. */
ASTFE_C_API AstfeGraph *astfePartition(const AstfeCsr *matrix,
                                       const AstfePartitionOptions *options);
ASTFE_C_API void astfeGraphDestroy(AstfeGraph *graph);

/** The order that was taken (after auto), the limit T, and counts; -1 for a
 *  null graph. */
ASTFE_C_API int32_t astfeGraphOrder(const AstfeGraph *graph);
ASTFE_C_API int64_t astfeGraphLimit(const AstfeGraph *graph);
ASTFE_C_API int64_t astfeGraphBlocks(const AstfeGraph *graph);
ASTFE_C_API int64_t astfeGraphGroups(const AstfeGraph *graph);
/** Rows (mode 0) or columns (mode 1) of the matrices that it fits; -1 for a
 * null graph or another mode. */
ASTFE_C_API int64_t astfeGraphExtent(const AstfeGraph *graph, int32_t mode);

/** Copies per block: left-aligned prefix, its length, nonzeros, the lower
 *  corner (2 each) and log2 of the sides (2 each). Null arrays are skipped. */
ASTFE_C_API void astfeGraphCopyBlocks(const AstfeGraph *graph,
                                      uint64_t *prefixes, uint8_t *lengths,
                                      int64_t *nonzeros, int64_t *lower,
                                      int64_t *log2);
/** Copies the groups' offsets into the blocks: groups + 1 entries. */
ASTFE_C_API void astfeGraphCopyGroups(const AstfeGraph *graph,
                                      int64_t *offsets);

/** Copies the new number of each row (mode 0) or column (mode 1) that the graph
 *  was made with; blocks and corners are in these numbers, everything that
 *  callers pass is not. Nothing is copied where that mode is not renumbered.
 *  The result is 1 where it is, 0 where it is not, -1 for a null graph or
 * another mode. Null `numbers` only ask. */
ASTFE_C_API int32_t astfeGraphCopyPermutation(const AstfeGraph *graph,
                                              int32_t mode, int64_t *numbers);

/** The graph file's text, owned by the graph: valid while it lives. Any thread
 *  may ask for it. */
ASTFE_C_API const char *astfeGraphJson(AstfeGraph *graph);
ASTFE_C_API AstfeGraph *astfeGraphFromJson(const char *text, size_t length);

#ifdef __cplusplus
}
#endif

#endif /* ASTFE_C_GRAPH_H */
