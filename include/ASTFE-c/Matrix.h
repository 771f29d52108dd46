/*===- Matrix.h - packed matrices and their products ---------------------===*
 *
 * Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A matrix packed once and multiplied often. Kernels are compiled on first use
 * and shared by all matrices of the same element type and layout.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ASTFE_C_MATRIX_H
#define ASTFE_C_MATRIX_H

#include "ASTFE-c/Graph.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct AstfeMatrix AstfeMatrix;

/** Packs `matrix` by `graph` (null: partitioned with the default options) with
 *  `values` of 32 or 64 bits in the order of the coordinates. Nothing of the
 *  arguments is kept. `workers` 0 is the number of threads. */
ASTFE_C_API AstfeMatrix *astfeMatrixCreate(const AstfeCsr *matrix,
                                           const void *values,
                                           int32_t elementBits,
                                           const AstfeGraph *graph,
                                           int64_t workers);
ASTFE_C_API void astfeMatrixDestroy(AstfeMatrix *matrix);

/** New values for the same pattern, in the order that the matrix was made with;
 *  no repacking. Must not run beside a product of the same matrix. */
ASTFE_C_API AstfeStatus astfeMatrixSetValues(AstfeMatrix *matrix,
                                             const void *values);

/** C = A B, or C += A B where `accumulate` is not 0. B is columns x n, C is
 *  rows x n, both row-major with leading dimensions ldb, ldc >= n in elements.
 *  Any n >= 0. B and C must not overlap: C is cleared first, and its rows are
 *  written in no particular order. Products of one matrix may run at the same
 *  time. The same bits for the same matrix, workers and n. */
ASTFE_C_API AstfeStatus astfeMatrixSpMM(const AstfeMatrix *matrix, int64_t n,
                                        const void *B, int64_t ldb, void *C,
                                        int64_t ldc, int32_t accumulate);

/** y = A x, or y += A x; x has `columns` and y `rows` elements, which must not
 *  overlap. */
ASTFE_C_API AstfeStatus astfeMatrixSpMV(const AstfeMatrix *matrix,
                                        const void *x, void *y,
                                        int32_t accumulate);

#ifdef __cplusplus
}
#endif

#endif /* ASTFE_C_MATRIX_H */
