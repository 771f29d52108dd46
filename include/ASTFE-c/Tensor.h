/*===- Tensor.h - packed tensors of any rank and their products -----------===*
 *
 * Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A sparse tensor of rank 1 to 8 that is packed once for all modes. (A matrix
 * that is multiplied by dense rows is faster as an AstfeMatrix.)
 *
 *   AstfeLevel levels[3] = {...};            // coordinates, or fibers
 *   int64_t extents[3] = {300, 300, 1000};
 *   AstfeTensor tensor = {3, extents, 3, levels, ASTFE_F32, ASTFE_PLUS_TIMES};
 *   AstfePackedTensor *t = astfeTensorCreate(&tensor, values);
 *   const void *factors[3] = {NULL, b, c};   // extent x 32 each
 *   if (!t || astfeTensorMttkrp(t, 0, 32, factors, m))
 *     fprintf(stderr, "%s\n", astfeLastError());
 *   astfeTensorDestroy(t);
 *
 * Kernels are compiled when a product first needs them, and the first product
 * that sums into rows of a mode arranges the pattern by it. Any number of
 * threads may compute products of one tensor.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ASTFE_C_TENSOR_H
#define ASTFE_C_TENSOR_H

#include "ASTFE-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How a level's positions go on: docs/Runtime.md, Core/Tensor/LevelView.h. */
typedef enum {
  ASTFE_LEVEL_DENSE = 0,
  ASTFE_LEVEL_COMPRESSED = 1, /**< positions and coordinates */
  ASTFE_LEVEL_LOOSE = 2,      /**< the same, two positions a parent */
  ASTFE_LEVEL_SINGLETON = 3   /**< coordinates alone */
} AstfeLevelFormat;

/** A level of a tensor, borrowed. Integers of 8, 16 and 32 bits are unsigned,
 *  those of 64 bits signed. Unused arrays are null with a count of 0. */
typedef struct {
  int32_t format; /**< AstfeLevelFormat */
  int32_t mode;   /**< whose coordinates it has */
  const void *positions;
  int64_t positionCount;
  const void *coordinates;
  int64_t coordinateCount;
  int64_t coordinateStride; /**< in entries: 1 where they lie side by side */
  int32_t positionBits, coordinateBits; /**< 8, 16, 32 or 64 */
} AstfeLevel;

/** A borrowed tensor: levels from the outermost on, one for each mode. Entry n
 *  of the last level is nonzero n. */
typedef struct {
  int32_t rank;           /**< 1 to 8 */
  const int64_t *extents; /**< rank of them */
  int32_t levelCount;
  const AstfeLevel *levels;
  int32_t valueType; /**< AstfeValueType */
  int32_t semiring;  /**< AstfeSemiring */
} AstfeTensor;

typedef struct AstfePackedTensor AstfePackedTensor;

/** Packs `tensor`, of which nothing is kept, with `values` in the order of its
 *  nonzeros, which are copied. O(nonzeros x rank) time. Fails for levels that
 *  contradict each other, for coordinates out of range and for arrays that do
 *  not fit into the address space. */
ASTFE_C_API AstfePackedTensor *astfeTensorCreate(const AstfeTensor *tensor,
                                                 const void *values);
/** The same on a GPU, for products on operands in its memory: `device` is "cuda",
 *  the first one, or null, the host. */
ASTFE_C_API AstfePackedTensor *
astfeTensorCreateOnDevice(const AstfeTensor *tensor, const void *values,
                          const char *device);
/** Products that run end first. What is asked of it later is an error. */
ASTFE_C_API void astfeTensorDestroy(AstfePackedTensor *tensor);

/** A dense operand: row-major without gaps, of the tensor's type (outputs of
 *  ASTFE_I32 where that is ASTFE_I8 and products are summed up). Equal indices
 *  of a product are equal dimensions: those below the tensor's rank are its
 *  modes. */
typedef struct {
  void *data;
  int32_t rank;
  const int64_t *extents;    /**< rank of them */
  const int32_t *dimensions; /**< which dimension each index is */
} AstfeDense;

/** output = the tensor times all inputs, summed over the dimensions that the
 *  output has not (or added to the output, with `accumulate`): an einsum with
 *  one sparse operand. Dimensions from the rank on are dense and count up from
 *  there without gaps. Where no mode indexes the output, sums for each row of a
 *  mode are computed first, in the output's type, and added up in double.
 *
 *  T(i,j,k) B(j,r) C(k,r) -> M(i,r): inputs {1, 3} and {2, 3}, output {0, 3}.
 *
 *  Fails, before it writes anything, for extents that differ. Inputs and output
 *  must not overlap. */
ASTFE_C_API AstfeStatus astfeTensorProduct(const AstfePackedTensor *tensor,
                                           int32_t inputCount,
                                           const AstfeDense *inputs,
                                           const AstfeDense *output,
                                           int32_t accumulate);

/** The same of a tensor on a GPU, in whose memory the operands are and stay: put
 *  on `stream`, a CUstream (or cudaStream_t) of the device's primary context,
 *  null for the default one, and not waited for. The first product that sums
 *  into rows of a mode brings its tables to the device, later ones copy nothing.
 *  Sums have the same bits each time on GPUs of one kind, but for those over a
 *  single mode, which atomics may add up.
 *  Fails, with nothing put on the stream, also for outputs that no mode indexes,
 *  host memory, memory that ends before an operand does, addresses no element
 *  begins at, operands that overlap the output, streams of another context and a
 *  tensor of the host; as the other products do for a tensor on a GPU. */
ASTFE_C_API AstfeStatus astfeTensorProductOnStream(
    const AstfePackedTensor *tensor, int32_t inputCount,
    const AstfeDense *inputs, const AstfeDense *output, int32_t accumulate,
    void *stream);

/** The same as astfeTensorProduct, said by subscripts as to numpy.einsum, the tensor's first:
 *  "ijk,jr,kr->ir". The operands' `dimensions` are not read. Errors name the
 *  subscripts that are wrong. */
ASTFE_C_API AstfeStatus astfeTensorEinsum(const AstfePackedTensor *tensor,
                                          const char *subscripts,
                                          int32_t inputCount,
                                          const AstfeDense *inputs,
                                          const AstfeDense *output,
                                          int32_t accumulate);

/** MTTKRP: output(i, r) = the tensor times factors[m](i_m, r) for each mode m
 *  but `mode`, whose entry is not read. Factors have their mode's extent times
 *  `columns` elements, and so has the output. */
ASTFE_C_API AstfeStatus astfeTensorMttkrp(const AstfePackedTensor *tensor,
                                          int32_t mode, int64_t columns,
                                          const void *const *factors,
                                          void *output);

#ifdef __cplusplus
}
#endif

#endif /* ASTFE_C_TENSOR_H */
