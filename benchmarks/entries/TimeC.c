/*===- TimeC.c - products through the C API, timed -----------------------===*
 *
 * Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include "ASTFE-c/Matrix.h"

#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Seconds of a product, of `runs` after one that is not timed; negative where
   one fails. */
double entriesTimeC(const AstfeMatrix *matrix, int64_t n, const void *B,
                    void *C, int64_t runs) {
  double begin = 0;
  for (int64_t i = -1; i < runs; ++i) {
    if (i == 0)
      begin = now();
    if (astfeMatrixMultiply(matrix, n, B, n, C, n) != 0)
      return -1;
  }
  return (now() - begin) / (double)runs;
}
