/*===- TensorCheck.c - products of tensors from C -------------------------===*
 *
 * Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include "ASTFE-c/Tensor.h"
#include "Check.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* A 3 x 4 x 2 tensor of four nonzeros, as coordinates side by side. */
static const uint16_t points[4][3] = {
    {0, 1, 1}, {0, 3, 0}, {2, 1, 0}, {2, 3, 1}};
static const int64_t pointEnd[2] = {0, 4};
static const int64_t tensorExtents[3] = {3, 4, 2};
static const float tensorValues[4] = {1, 2, 3, 4};
static AstfeLevel tensorLevels[3];

static AstfeTensor coordinateTensor(void) {
  for (int32_t m = 0; m < 3; ++m) {
    AstfeLevel level = {
        ASTFE_LEVEL_SINGLETON, m, NULL, 0, &points[0][m], 4, 3, 0, 16};
    tensorLevels[m] = level;
  }
  tensorLevels[0].format = ASTFE_LEVEL_COMPRESSED;
  tensorLevels[0].positions = pointEnd;
  tensorLevels[0].positionCount = 2;
  tensorLevels[0].positionBits = 64;
  AstfeTensor tensor = {3,         tensorExtents,   3, tensorLevels,
                        ASTFE_F32, ASTFE_PLUS_TIMES};
  return tensor;
}

/* sum of T(i,j,k) b(j,r) c(k,r), nonzero by nonzero. */
static double mttkrpAt(int i, int r, const float *b, const float *c) {
  double sum = 0;
  for (int n = 0; n < 4; ++n)
    if (points[n][0] == i)
      sum += (double)tensorValues[n] * b[points[n][1] * 5 + r] *
             c[points[n][2] * 5 + r];
  return sum;
}

static void testTensor(void) {
  AstfeTensor tensor = coordinateTensor();
  AstfePackedTensor *t = astfeTensorCreate(&tensor, tensorValues);
  CHECK(t != NULL);
  float b[4 * 5], c[2 * 5], m[3 * 5], v[2] = {10, 100}, y[3 * 4];
  for (int i = 0; i < 20; ++i)
    b[i] = (float)(i % 7 - 3);
  for (int i = 0; i < 10; ++i)
    c[i] = (float)(i % 3 + 1);
  for (int i = 0; i < 15; ++i)
    m[i] = NAN;
  const void *factors[3] = {NULL, b, c};
  for (int bit = 59; bit < 63; ++bit) {
    const int64_t tooMany = (int64_t)1 << bit;
    CHECK(astfeTensorMttkrp(t, 0, tooMany, factors, m) != 0);
    CHECK(strstr(astfeLastError(), "within the address space") != NULL);
  }
  CHECK(astfeTensorMttkrp(t, 0, 5, factors, m) == 0);
  for (int i = 0; i < 3; ++i)
    for (int r = 0; r < 5; ++r)
      CHECK(m[i * 5 + r] == mttkrpAt(i, r, b, c));
  /* y(i, j) += T(i, j, k) v(k) */
  const int64_t two[1] = {2}, plane[2] = {3, 4};
  const int32_t k[1] = {2}, ij[2] = {0, 1};
  AstfeDense input = {v, 1, two, k}, output = {y, 2, plane, ij};
  for (int i = 0; i < 12; ++i)
    y[i] = 1;
  CHECK(astfeTensorProduct(t, 1, &input, &output, 1) == 0);
  CHECK(y[0 * 4 + 1] == 101 && y[0 * 4 + 3] == 21 && y[2 * 4 + 1] == 31 &&
        y[2 * 4 + 3] == 401 && y[0] == 1 && y[4] == 1);
  CHECK(astfeTensorProduct(t, 1, &input, &output, 0) == 0);
  CHECK(y[0 * 4 + 1] == 100 && y[0] == 0 && y[4] == 0);
  astfeTensorDestroy(t);
  CHECK(astfeTensorMttkrp(t, 0, 5, factors, m) != 0);
  CHECK(strstr(astfeLastError(), "destroyed") != NULL);
}

/* Copies by modes that memory has no room for change no result. */
static void testMemory(void) {
  AstfeTensor tensor = coordinateTensor();
  CHECK(astfeSetMemory(-1) != 0);
  CHECK(strstr(astfeLastError(), "expected bytes >= 0 but got -1") != NULL);
  CHECK(astfeSetMemory(1) == 0);
  AstfePackedTensor *t = astfeTensorCreate(&tensor, tensorValues);
  CHECK(t != NULL);
  float a[3] = {1, 2, 3}, c[2] = {5, 7}, m[4] = {-1, -1, -1, -1};
  const void *factors[3] = {a, NULL, c};
  CHECK(astfeTensorMttkrp(t, 1, 1, factors, m) == 0);
  CHECK(m[0] == 0 && m[1] == 1 * 1 * 7 + 3 * 3 * 5 && m[2] == 0 &&
        m[3] == 2 * 1 * 5 + 4 * 3 * 7);
  astfeTensorDestroy(t);
  CHECK(astfeSetMemory(0) == 0);
}

/* A product that is refused leaves nothing to the next one of the thread, which
   has fewer inputs, dimensions and dense ones. */
static void testProductAfterErrors(void) {
  AstfeTensor tensor = coordinateTensor();
  AstfePackedTensor *t = astfeTensorCreate(&tensor, tensorValues);
  CHECK(t != NULL);
  float b[4 * 5] = {0}, c[2 * 5] = {0}, m[3 * 5], v[2] = {1, 1}, y[3 * 4];
  const int64_t bExtents[2] = {4, 5}, cExtents[2] = {2, 5}, two[1] = {2},
                plane[2] = {3, 4}, mExtents[2] = {3, 5};
  const int32_t jr[2] = {1, 3}, kr[2] = {2, 3}, ir[2] = {0, 3}, k[1] = {2},
                ij[2] = {0, 1}, none[2] = {2, -1};
  const AstfeDense factors[2] = {{b, 2, bExtents, jr}, {c, 2, cExtents, kr}},
                   broken[2] = {{b, 2, bExtents, jr}, {c, 2, cExtents, none}},
                   sums = {m, 2, mExtents, ir}, vector = {v, 1, two, k},
                   output = {y, 2, plane, ij};
  const void *half[3] = {NULL, b, NULL};
  for (int i = 0; i < 3; ++i) {
    if (i == 0)
      CHECK(astfeTensorProduct(t, 2, factors, &sums, 0) == 0);
    else if (i == 1)
      CHECK(astfeTensorProduct(t, 2, broken, &sums, 0) != 0);
    else
      CHECK(astfeTensorMttkrp(t, 0, 5, half, m) != 0 && saidNull());
    CHECK(astfeTensorProduct(t, 1, &vector, &output, 0) == 0);
    double sum = 0, expected = 0;
    for (int n = 0; n < 12; ++n)
      sum += y[n];
    for (int n = 0; n < 4; ++n)
      expected += tensorValues[n];
    CHECK(sum == expected);
  }
  astfeTensorDestroy(t);
}

/* A product in a function that runs after the thread's own objects are gone. */
static AstfePackedTensor *last;
static float lastSums[12];
static int multiplyLast(void) {
  static float v[2] = {1, 1};
  const int64_t two[1] = {2}, plane[2] = {3, 4};
  const int32_t k[1] = {2}, ij[2] = {0, 1};
  const AstfeDense vector = {v, 1, two, k}, output = {lastSums, 2, plane, ij};
  return astfeTensorProduct(last, 1, &vector, &output, 0);
}
static void multiplyAtExit(void) {
  float before[12];
  memcpy(before, lastSums, sizeof(before));
  memset(lastSums, 0, sizeof(lastSums));
  if (multiplyLast() != 0 || memcmp(before, lastSums, sizeof(before)) != 0)
    _exit(1);
}

static void testTensorErrors(void) {
  AstfeTensor tensor = coordinateTensor();
  float v[2] = {1, 2}, y[12];
  const int64_t two[1] = {2}, three[1] = {3}, plane[2] = {3, 4};
  const int32_t k[1] = {2}, ij[2] = {0, 1}, twice[2] = {0, 0};
  const void *factors[3] = {NULL, NULL, NULL};
  CHECK(astfeTensorCreate(NULL, v) == NULL && saidNull());
  CHECK(astfeTensorCreate(&tensor, NULL) == NULL && saidNull());
  tensor.valueType = 17;
  CHECK(astfeTensorCreate(&tensor, tensorValues) == NULL);
  CHECK(strstr(astfeLastError(), "AstfeValueType") != NULL &&
        strstr(astfeLastError(), "but got 17") != NULL);
  tensor = coordinateTensor();
  tensor.levelCount = INT32_MAX;
  CHECK(astfeTensorCreate(&tensor, tensorValues) == NULL);
  CHECK(strstr(astfeLastError(), "expected 1..6 levels but got 2147483647"));
  tensor = coordinateTensor();
  tensor.rank = 9;
  CHECK(astfeTensorCreate(&tensor, tensorValues) == NULL);
  CHECK(strstr(astfeLastError(), "from 1 to 8 but got 9") != NULL);
  tensor = coordinateTensor();
  tensorLevels[1].mode = 3;
  CHECK(astfeTensorCreate(&tensor, tensorValues) == NULL);
  CHECK(strstr(astfeLastError(), "level 1: expected a mode below 3") != NULL);
  tensor = coordinateTensor();
  tensorLevels[2].coordinateStride = 0;
  CHECK(astfeTensorCreate(&tensor, tensorValues) == NULL);
  CHECK(strstr(astfeLastError(),
               "level 2: expected an array and a stride of at "
               "least 1") != NULL);
  for (int64_t halves = 1; halves <= 2; ++halves) {
    tensor = coordinateTensor();
    tensorLevels[2].coordinateStride = INT64_MAX / halves;
    CHECK(astfeTensorCreate(&tensor, tensorValues) == NULL);
    CHECK(strstr(astfeLastError(),
                 "level 2: expected an array within the address space") !=
          NULL);
  }
  tensor = coordinateTensor();
  const int64_t small[3] = {3, 3, 2};
  tensor.extents = small;
  CHECK(astfeTensorCreate(&tensor, tensorValues) == NULL);
  tensor = coordinateTensor();
  AstfePackedTensor *t = astfeTensorCreate(&tensor, tensorValues);
  CHECK(t != NULL);
  AstfeDense input = {v, 1, two, k}, output = {y, 2, plane, ij};
  AstfeDense wrong = {v, 1, three, k}, diagonal = {y, 2, plane, twice};
  CHECK(astfeTensorProduct(t, 1, &wrong, &output, 0) != 0);
  CHECK(strstr(astfeLastError(), "expected operand 0 of 2 but got 3") != NULL);
  CHECK(astfeTensorProduct(t, 1, &input, &diagonal, 0) != 0);
  CHECK(strstr(astfeLastError(), "different dimensions") != NULL);
  const int64_t lowPlane[2] = {2, 4};
  AstfeDense low = {y, 2, lowPlane, ij};
  CHECK(astfeTensorProduct(t, 1, &input, &low, 0) != 0);
  CHECK(strstr(astfeLastError(), "expected an output of 3x4 but got 2x4") !=
        NULL);
  CHECK(astfeTensorProduct(t, -1, &input, &output, 0) != 0);
  CHECK(astfeTensorProduct(t, 1, NULL, &output, 0) != 0 && saidNull());
  CHECK(astfeTensorProduct(t, 1, &input, NULL, 0) != 0 && saidNull());
  CHECK(astfeTensorMttkrp(t, 3, 5, factors, y) != 0);
  CHECK(astfeTensorMttkrp(t, 0, 0, factors, y) != 0);
  CHECK(astfeTensorMttkrp(t, 0, 5, NULL, y) != 0 && saidNull());
  CHECK(astfeTensorMttkrp(t, 0, 5, factors, y) != 0 && saidNull());
  CHECK(astfeTensorMttkrp(NULL, 0, 5, factors, y) != 0 && saidNull());
  astfeTensorDestroy(t);
  astfeTensorDestroy(NULL);
}

int main(void) {
  testTensor();
  testMemory();
  testProductAfterErrors();
  testTensorErrors();
  AstfeTensor tensor = coordinateTensor();
  last = astfeTensorCreate(&tensor, tensorValues);
  CHECK(last != NULL && atexit(multiplyAtExit) == 0 && multiplyLast() == 0);
  return failures != 0;
}
