/*===- Spmm.h - a product with bias and activation, and its gradients ----===*
 *
 * Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * C = activation(A B + bias) as one kernel, on the host or a GPU, and the
 * gradients of A B.
 *
 *   AstfeSpmm *a = astfeSpmmCreate(&csr, values, 32);
 *   if (!a || astfeSpmmForward(a, 32, b, bias, ASTFE_ACTIVATION_RELU, c))
 *     fprintf(stderr, "%s\n", astfeLastError());
 *   astfeSpmmDestroy(a);
 *
 * B has a contiguous row of n elements for each column of A, C and its gradient
 * one for each row, the bias has n elements. Inputs and outputs must not
 * overlap. A product without bias and
 * activation that runs often is faster by ASTFE-c/Matrix.h, which packs.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ASTFE_C_SPMM_H
#define ASTFE_C_SPMM_H

#include "ASTFE-c/Graph.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  ASTFE_ACTIVATION_NONE = 0,
  ASTFE_ACTIVATION_RELU = 1,
  ASTFE_ACTIVATION_TANH = 2,
  ASTFE_ACTIVATION_SIGMOID = 3
} AstfeActivation;

typedef struct AstfeSpmm AstfeSpmm;

/** Copies `matrix` and `values` (ASTFE_F16, ASTFE_BF16, ASTFE_F32 or
 *  ASTFE_F64), in the order of the coordinates. All operands and results have
 *  that type; halves are summed up in f32 and rounded, and what bias and
 *  activation make of a sum is rounded again. O(nonzeros). Fails for indices
 *  out of range, and for 2^31 - 1 rows, columns or nonzeros and more. */
ASTFE_C_API AstfeSpmm *astfeSpmmCreate(const AstfeCsr *matrix,
                                       const void *values, int32_t valueType);
/** The same on a GPU, for operands in its memory: `device` is "cuda", the first
 *  one, or null, the host. `values` are the host's. */
ASTFE_C_API AstfeSpmm *astfeSpmmCreateOnDevice(const AstfeCsr *matrix,
                                               const void *values,
                                               int32_t valueType,
                                               const char *device);
/** Calls that other threads run at this time end as if nothing happened. */
ASTFE_C_API void astfeSpmmDestroy(AstfeSpmm *spmm);

/** Other values, in the same order; waits for calls that run. */
ASTFE_C_API AstfeStatus astfeSpmmSetValues(AstfeSpmm *spmm, const void *values);

/** Writes C = activation(A B + bias), with n >= 0 columns; a null bias is none.
 *  Each n, and each activation with or without bias, is compiled when it is
 *  first used. Any number of threads may call; the same bits whatever their
 *  number. */
ASTFE_C_API AstfeStatus astfeSpmmForward(const AstfeSpmm *spmm, int64_t n,
                                         const void *B, const void *bias,
                                         int32_t activation, void *C);

/** For G, the gradient of A B: writes dA = G B^T, one element for each nonzero
 *  in the order of the coordinates, and dB = A^T G. Either may be null, and B
 *  is read for dA alone. */
ASTFE_C_API AstfeStatus astfeSpmmBackward(const AstfeSpmm *spmm, int64_t n,
                                          const void *B, const void *G,
                                          void *dA, void *dB);

/** The same of a product on a GPU, in whose memory the operands are and stay: put
 *  on `stream`, a CUstream (or cudaStream_t) of the device's primary context,
 *  null for the default one, and not waited for. The first call brings the matrix
 *  to the device, later ones copy nothing. The same bits each time on GPUs of one
 *  kind.
 *
 *  Fails, with nothing put on the stream, also for host memory, memory that ends
 *  before an operand does, addresses no element begins at, outputs that overlap
 *  other operands, streams of another context and a product of the host, as the
 *  functions above do for one on a GPU. */
ASTFE_C_API AstfeStatus astfeSpmmForwardOnStream(const AstfeSpmm *spmm,
                                                 int64_t n, const void *B,
                                                 const void *bias,
                                                 int32_t activation, void *C,
                                                 void *stream);
ASTFE_C_API AstfeStatus astfeSpmmBackwardOnStream(const AstfeSpmm *spmm,
                                                  int64_t n, const void *B,
                                                  const void *G, void *dA,
                                                  void *dB, void *stream);

#ifdef __cplusplus
}
#endif

#endif /* ASTFE_C_SPMM_H */
