/*===- Kernel.h - saved GPU kernels, their launches and tables -----------===*
 *
 * Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For programs that launch ASTFE's kernels through a driver of their own
 * choice: astfe-emit-kernels (or astfe-run --emit-ptx) writes the PTX and a
 * kernel file, and this says what to launch, on how many blocks, and what each
 * argument is. Nothing here touches a device or a compiler.
 * examples/launch-kernel.c does all of it with the CUDA driver:
 *
 *   AstfeKernel *k = astfeKernelCreate(json, length, &csr, values, 32, NULL,
 *                                      columns, 0);
 *   for (i = 0; i < astfeKernelLaunches(k); ++i) {
 *     astfeKernelGetLaunch(k, i, &launch);            name, grid, block
 *     for (j = 0; j < launch.arguments; ++j)
 *       astfeKernelGetArgument(k, i, j, &argument);   table, operand or number
 *     ...
 *   }
 *
 * Everything that is returned belongs to the AstfeKernel and lives as long.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ASTFE_C_KERNEL_H
#define ASTFE_C_KERNEL_H

#include "ASTFE-c/Graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A matrix that is packed for a kernel. */
typedef struct AstfeKernel AstfeKernel;

/** What an argument is; each pointer is to device memory. */
typedef enum {
  ASTFE_ARGUMENT_TABLE = 0,   /**< a copy of `data`, which no kernel writes */
  ASTFE_ARGUMENT_DENSE = 1,   /**< input `number` of the computation, row-major;
                                   1 is B of C = A B */
  ASTFE_ARGUMENT_OUTPUT = 2,  /**< C, row-major */
  ASTFE_ARGUMENT_SCRATCH = 3, /**< memory of `bytes` bytes, the same in all
                                   launches, which need not hold anything */
  ASTFE_ARGUMENT_NUMBER = 4,  /**< `number`, an integer of `bits` bits */
  ASTFE_ARGUMENT_SCALAR = 5   /**< scalar `number` that the computation reads, a
                                   float of `bits` bits */
} AstfeArgumentKind;

typedef struct {
  const char *role; /**< as docs/Runtime.md names it; equal roles are equal
                         arguments in all launches */
  int32_t kind;     /**< AstfeArgumentKind */
  int32_t bits;     /**< of an element, or of the number */
  const void *data; /**< of a table, on the host; null elsewhere */
  int64_t bytes;    /**< of a table, scratch memory or C; 0 for others */
  int64_t number;
} AstfeKernelArgument;

typedef struct {
  const char *entry; /**< the kernel's name in the PTX */
  int64_t gridX, gridY, gridZ, blockThreads;
  int64_t arguments;
} AstfeKernelLaunch;

/** Reads the kernel file's text and packs `matrix`, of which nothing is kept,
 * for it: with `values` in the order of the coordinates, of 32 or 64 bits as
 * the kernel computes, for products with `columns` columns. `graph` null: rows
 * in their order. `multiprocessors` are the device's, for which the work is
 * cut; 0: those of an H200. Fails where the kernel cannot compute that product:
 * another type, columns that its vectors do not divide, or 2^31 rows or
 * columns. O(nonzeros).
 */
ASTFE_C_API AstfeKernel *
astfeKernelCreate(const char *json, size_t length, const AstfeCsr *matrix,
                  const void *values, int32_t elementBits,
                  const AstfeGraph *graph, int64_t columns,
                  int64_t multiprocessors);
ASTFE_C_API void astfeKernelDestroy(AstfeKernel *kernel);

/** New values for the same pattern: the table "values" holds them afterwards
 * and has to be copied to the device again. Not while others use the kernel. */
ASTFE_C_API AstfeStatus astfeKernelSetValues(AstfeKernel *kernel,
                                             const void *values);

/** 1: the kernels write all of C. 0: they add to it. -1: null. */
ASTFE_C_API int32_t astfeKernelOverwrites(const AstfeKernel *kernel);
/** The name of the PTX file, relative to the kernel file. */
ASTFE_C_API const char *astfeKernelImage(const AstfeKernel *kernel);
/** Launches of a product, in their order. 0 where there is nothing to do. */
ASTFE_C_API int64_t astfeKernelLaunches(const AstfeKernel *kernel);
ASTFE_C_API AstfeStatus astfeKernelGetLaunch(const AstfeKernel *kernel,
                                             int64_t launch,
                                             AstfeKernelLaunch *result);
ASTFE_C_API AstfeStatus astfeKernelGetArgument(const AstfeKernel *kernel,
                                               int64_t launch, int64_t argument,
                                               AstfeKernelArgument *result);

#ifdef __cplusplus
}
#endif

#endif /* ASTFE_C_KERNEL_H */
