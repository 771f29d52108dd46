/*===- Attention.h - sparse attention and its gradients ------------------===*
 *
 * Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * O = softmax(mask(Q K^T / sqrt(dim))) V over the stored entries of a matrix,
 * for each head, as one kernel, on the host or a GPU.
 *
 *   AstfeAttention *a = astfeAttentionCreate(&csr, NULL, 32,
 *                                            ASTFE_MASK_PATTERN, 8, 64);
 *   if (!a || astfeAttentionForward(a, q, k, v, o, lse))
 *     fprintf(stderr, "%s\n", astfeLastError());
 *   astfeAttentionDestroy(a);
 *
 * Operands are contiguous arrays (row, head, dim) of the element type: q, o and
 * their gradients have a row for each row of the matrix, k, v and theirs one
 * for each column. lse is (row, head): the logarithm of the sum of exponentials
 * of a row's scores. Inputs and outputs must not overlap.
 *
 * Rows without entries, and rows whose entries an added mask masks all, get
 * o = 0 and lse = -inf. NaN and Inf in a row of an operand reach what depends
 * on that row, and nothing else. The same bits for the same operands and
 * machine, whatever the number of threads.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ASTFE_C_ATTENTION_H
#define ASTFE_C_ATTENTION_H

#include "ASTFE-c/Graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What the values of the matrix do to scores. */
typedef enum {
  ASTFE_MASK_PATTERN = 0,  /**< nothing: stored entries take part */
  ASTFE_MASK_MULTIPLY = 1, /**< they multiply them */
  ASTFE_MASK_ADD = 2       /**< they are added; -inf masks an entry */
} AstfeMask;

typedef struct AstfeAttention AstfeAttention;

/** Copies `matrix`, and `values` (ASTFE_F16, ASTFE_BF16, ASTFE_F32 or
 *  ASTFE_F64, which is also the element type), in the order of the coordinates;
 *  they may be null for ASTFE_MASK_PATTERN. With halves, sums and lse are
 *  floats of 32 bits. O(nonzeros). Fails for indices out of range, for
 *  2^31 - 1 rows, columns or nonzeros and more, for values that are not finite
 *  (but -inf of an added mask), and for heads or dimensions below 1 or above
 *  2^20. */
ASTFE_C_API AstfeAttention *astfeAttentionCreate(const AstfeCsr *matrix,
                                                 const void *values,
                                                 int32_t valueType,
                                                 int32_t mask, int64_t heads,
                                                 int64_t dim);
/** The same on a GPU, for operands in its memory: `device` is "cuda", the first
 *  one, or null, the host. `values` are the host's. */
ASTFE_C_API AstfeAttention *
astfeAttentionCreateOnDevice(const AstfeCsr *matrix, const void *values,
                             int32_t valueType, int32_t mask, int64_t heads,
                             int64_t dim, const char *device);
/** Calls that other threads run at this time end as if nothing happened. */
ASTFE_C_API void astfeAttentionDestroy(AstfeAttention *attention);

/** Other values of the mask, in the same order; waits for calls that run.
 *  Changes nothing for ASTFE_MASK_PATTERN. */
ASTFE_C_API AstfeStatus astfeAttentionSetValues(AstfeAttention *attention,
                                                const void *values);

/** Writes o and lse. The first call compiles, which takes some tenths of a
 *  second; calls for the same dimension, mask and type share the code.
 *  Any number of threads may call. */
ASTFE_C_API AstfeStatus astfeAttentionForward(const AstfeAttention *attention,
                                              const void *q, const void *k,
                                              const void *v, void *o,
                                              void *lse);

/** Writes the gradients of q, k and v for `go`, that of o, from the lse that
 *  forward wrote for the same operands. Nothing flows through lse itself. The
 *  first call makes the transposed pattern, O(nonzeros). */
ASTFE_C_API AstfeStatus astfeAttentionBackward(const AstfeAttention *attention,
                                               const void *q, const void *k,
                                               const void *v, const void *go,
                                               const void *lse, void *dq,
                                               void *dk, void *dv);

/** The same of an attention on a GPU, in whose memory the operands are and stay:
 *  put on `stream`, a CUstream (or cudaStream_t) of the device's primary context,
 *  null for the default one, and not waited for. All heads are one launch, and
 *  their gradients two; where rows are so long that warps share them, two, and
 *  up to six. The first call brings the matrix to the device, later ones copy
 *  nothing. The same bits each time on GPUs of one kind.
 *
 *  Fails, with nothing put on the stream, also for host memory, memory that ends
 *  before an operand does, addresses no element begins at, outputs that overlap
 *  other operands, streams of another context and an attention of the host, as
 *  the functions above do for one on a GPU. */
ASTFE_C_API AstfeStatus astfeAttentionForwardOnStream(
    const AstfeAttention *attention, const void *q, const void *k,
    const void *v, void *o, void *lse, void *stream);
ASTFE_C_API AstfeStatus astfeAttentionBackwardOnStream(
    const AstfeAttention *attention, const void *q, const void *k,
    const void *v, const void *go, const void *lse, void *dq, void *dk,
    void *dv, void *stream);

#ifdef __cplusplus
}
#endif

#endif /* ASTFE_C_ATTENTION_H */
