/*===- Matrix.h - sparse matrices and their products ---------------------===*
 *
 * Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A matrix that is stored once, packed or as it is, and multiplied often.
 *
 *   AstfeMatrixOptions options = astfeDefaultMatrixOptions();
 *   options.expectedColumns = 128;
 *   AstfeMatrix *a = astfeMatrixCreate(&csr, values, 32, NULL, &options);
 *   if (!a || astfeMatrixMultiply(a, 128, b, 128, c, 128))
 *     fprintf(stderr, "%s\n", astfeLastError());
 *   astfeMatrixDestroy(a);
 *
 * Kernels are compiled when a product first needs them, outside of any lock,
 * and shared by all matrices whose patterns are of the same kind: a second
 * matrix mostly compiles nothing. A width (number of columns) that a matrix
 * multiplies by gets a kernel of its own, which takes some 50 ms to compile;
 * after four widths, beside the expected one and 1, others share one kernel for
 * any width, which is slower but always there. The pattern is stored for the
 * expected width and right for all.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ASTFE_C_MATRIX_H
#define ASTFE_C_MATRIX_H

#include "ASTFE-c/Graph.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct AstfeMatrix AstfeMatrix;

/** How a matrix is stored. */
typedef enum {
  ASTFE_STORAGE_AUTO = 0, /**< as it is where packing brings nothing or makes
                               products slower, else packed. With a graph,
                               workers or samples: packed. On the host as it is:
                               products of a few microseconds, short rows that
                               packing left where they were, and matrices by
                               columns of which products of the expected columns
                               are predicted to be faster. On a GPU: even rows
                               with few expected columns, and rows no more than
                               the GPU's warps, none so long that several warps
                               share it */
  ASTFE_STORAGE_PACKED = 1,
  ASTFE_STORAGE_VIEW = 2 /**< as it is. A GPU cuts its long rows, the host has
                              rows whole; coordinates of a transposed one on the
                              host ascend in each row of the arrays */
} AstfeStorage;

/** What is known of the products to come; astfeDefaultMatrixOptions() fills it.
 *  `size` says how much of the struct the caller knows: later versions add
 *  fields at the end, which take their defaults where they are missing. */
typedef struct {
  size_t size;             /**< bytes of this struct */
  int64_t expectedColumns; /**< of B and C; 0: not known */
  int64_t expectedRuns;    /**< products that the choice of an order has to pay
                                for itself in; default 100 */
  int64_t workers;         /**< runs that the work is cut into, up to 2^24; 0:
                                the number of threads */
  const char *device;      /**< where products are computed: null is the host,
                                "cuda" the first GPU */
  int32_t semiring;        /**< AstfeSemiring; default ASTFE_PLUS_TIMES */
  int32_t transposed;      /**< the matrix is A^T, from A's arrays */
  int32_t samples;         /**< made for astfeMatrixSample, not for products */
  int64_t storage;         /**< AstfeStorage; default ASTFE_STORAGE_AUTO. Has 64
                                bits so that an older caller's `size`, which
                                counts the padding, does not reach it */
} AstfeMatrixOptions;

ASTFE_C_API AstfeMatrixOptions astfeDefaultMatrixOptions(void);

/** Packs, or copies, `matrix`, of which nothing is kept, with `values` of an
 *  AstfeValueType (32 is float, 64 double) in the order of the coordinates.
 *  Duplicate coordinates are added up by products. `graph` null: the order and
 *  the reordering are chosen for the options, with the least predicted time.
 *  Null `options` are the default ones. Of 2^31 rows, columns or nonzeros and
 *  more it is packed as a tensor, on the host, without graph, workers,
 *  samples and views, for operands without gaps. O(nonzeros) time; memory of
 *  about 1.2 times the matrix's, of a view of its indices and values once more
 *  on a device. */
ASTFE_C_API AstfeMatrix *astfeMatrixCreate(const AstfeCsr *matrix,
                                           const void *values,
                                           int32_t valueType,
                                           const AstfeGraph *graph,
                                           const AstfeMatrixOptions *options);

/** Products that other threads run at this time end as if nothing happened, and
 *  the memory goes with the last of them. What is asked of the matrix later is
 *  an error. */
ASTFE_C_API void astfeMatrixDestroy(AstfeMatrix *matrix);

/** New values for the same pattern, in the order that the matrix was made with;
 *  no repacking. Waits for products of the matrix that run, as they wait for
 *  it. */
ASTFE_C_API AstfeStatus astfeMatrixSetValues(AstfeMatrix *matrix,
                                             const void *values);

/** C = A B. B is columns x n, C is rows x n, both row-major, of the matrix's
 *  type (C of ASTFE_I32 where that is ASTFE_I8 and its products are summed up),
 *  with ldb, ldc >= n elements from a row to the next; n >= 0. A
 *  vector is n = ldb = ldc = 1. C need not hold anything before. B and C must
 *  not overlap: rows of C are written in no particular order. Operands whose
 *  rows are apart (ldb or ldc above n) take a kernel of their own on the host;
 *  on a device they are an error.
 *
 *  Any number of threads may multiply by one matrix. The same bits for the same
 *  matrix (graph and workers), n and machine, whatever the number of threads.
 *
 *  Fails, before it writes anything, for null operands, n < 0, leading
 *  dimensions below n or beyond the address space, and where no kernel can be
 *  compiled. */
ASTFE_C_API AstfeStatus astfeMatrixMultiply(const AstfeMatrix *matrix,
                                            int64_t n, const void *B,
                                            int64_t ldb, void *C, int64_t ldc);
/** The same for C += A B. */
ASTFE_C_API AstfeStatus astfeMatrixMultiplyAccumulate(const AstfeMatrix *matrix,
                                                      int64_t n, const void *B,
                                                      int64_t ldb, void *C,
                                                      int64_t ldc);

/** samples[n] = values[n] <X_i, Y_j> for each nonzero n, at (i, j), in the order
 *  that the matrix was made with: S = A .* (X Y^T). X is rows x n, Y columns x n,
 *  both row-major without gaps, of the matrix's type; samples have the type of
 *  its products, int32_t of ASTFE_I8. The matrix was made with options.samples,
 *  for the host. */
ASTFE_C_API AstfeStatus astfeMatrixSample(const AstfeMatrix *matrix, int64_t n,
                                          const void *X, const void *Y,
                                          void *samples);

/** C = A B, or C += A B, for a matrix on a GPU: B and C are device memory and
 *  stay where they are, and the product is put on `stream`, a CUstream (or
 *  cudaStream_t) of the device's primary context, null for the default one. It is
 *  not waited for; the caller keeps B and C until it has run. The first product
 *  of a matrix brings its tables to the device, later ones copy nothing. What is
 *  added up by atomics has other bits each time.
 *
 *  Fails, with nothing put on the stream, also for host memory, memory that ends
 *  too soon, addresses that are no multiple of an element, B and C that overlap,
 *  streams of another context, and a matrix of the host; as astfeMatrixMultiply
 *  and astfeMatrixMultiplyAccumulate do for a matrix on a GPU. */
ASTFE_C_API AstfeStatus astfeMatrixMultiplyOnStream(const AstfeMatrix *matrix,
                                                    int64_t n, const void *B,
                                                    int64_t ldb, void *C,
                                                    int64_t ldc,
                                                    int32_t accumulate,
                                                    void *stream);

#ifdef __cplusplus
}
#endif

#endif /* ASTFE_C_MATRIX_H */
