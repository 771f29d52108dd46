/*===- ExampleMatrix.h - a matrix of f64 with mixed indices ---------------===*
 *
 * Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#ifndef ASTFE_UNITTESTS_CAPI_EXAMPLEMATRIX_H
#define ASTFE_UNITTESTS_CAPI_EXAMPLEMATRIX_H

#include "ASTFE-c/Matrix.h"

/* [[0 5 0 6] [0 0 0 0] [7 0 0 8]] */
static const int32_t positions[] = {0, 2, 2, 4};
static const int64_t coordinates[] = {1, 3, 0, 3};
static const double values[] = {5, 6, 7, 8};
static const AstfeCsr matrix = {3, 4, positions, coordinates, 32, 64};

static inline AstfeMatrix *create(const AstfeCsr *csr, const void *numbers,
                                  int32_t bits, const AstfeGraph *graph,
                                  int64_t workers) {
  AstfeMatrixOptions options = astfeDefaultMatrixOptions();
  options.workers = workers;
  return astfeMatrixCreate(csr, numbers, bits, graph, &options);
}

static inline AstfeStatus multiplyVector(const AstfeMatrix *m, const void *x,
                                         void *y, int accumulate) {
  return accumulate ? astfeMatrixMultiplyAccumulate(m, 1, x, 1, y, 1)
                    : astfeMatrixMultiply(m, 1, x, 1, y, 1);
}

#endif
