/*===- AttentionCheck.c - chains over a pattern through the C API --------===*
 *
 * Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Attention and products with bias and activation: numbers that can be told by
 * hand, and what is refused. python/tests/test_attention.py has the rest.
 *
 *===----------------------------------------------------------------------===*/

#include "ASTFE-c/Attention.h"
#include "ASTFE-c/Spmm.h"
#include "Check.h"
#include <math.h>

#define CHECK_ERROR(text) CHECK(strstr(astfeLastError(), text))

/* [[0 2 0 3] [0 0 0 0] [5 0 7 1]] */
static const int32_t positions[] = {0, 2, 2, 5},
                     coordinates[] = {1, 3, 0, 2, 3};
static const double values[] = {2, 3, 5, 7, 1};
static const AstfeCsr matrix = {3, 4, positions, coordinates, 32, 32};

enum { HEADS = 2, DIM = 4 };

static int isNear(double got, double want) { return fabs(got - want) < 1e-12; }

/* With K = 0 all scores are 0: a row is the mean of V's rows. */
static void testAttention(void) {
  double q[3 * HEADS * DIM], k[4 * HEADS * DIM] = {0}, v[4 * HEADS * DIM];
  double o[3 * HEADS * DIM], lse[3 * HEADS], go[3 * HEADS * DIM];
  double dq[3 * HEADS * DIM], dk[4 * HEADS * DIM], dv[4 * HEADS * DIM];
  for (int i = 0; i < 3 * HEADS * DIM; ++i)
    q[i] = go[i] = i;
  for (int j = 0; j < 4; ++j)
    for (int x = 0; x < HEADS * DIM; ++x)
      v[j * HEADS * DIM + x] = 10 * j + x;
  AstfeAttention *a =
      astfeAttentionCreate(&matrix, NULL, 64, ASTFE_MASK_PATTERN, HEADS, DIM);
  CHECK(a);
  CHECK(!astfeAttentionForward(a, q, k, v, o, lse));
  for (int x = 0; x < HEADS * DIM; ++x) {
    CHECK(isNear(o[x], 20 + x)); /* of rows 1 and 3 */
    CHECK(o[HEADS * DIM + x] == 0);
    CHECK(isNear(o[2 * HEADS * DIM + x], 50.0 / 3 + x));
  }
  CHECK(isNear(lse[0], log(2)) && isinf(lse[HEADS]) && lse[HEADS] < 0 &&
        isNear(lse[2 * HEADS], log(3)));
  CHECK(!astfeAttentionBackward(a, q, k, v, go, lse, dq, dk, dv));
  for (int x = 0; x < HEADS * DIM; ++x) {
    CHECK(dq[x] == 0); /* K is 0 */
    CHECK(isNear(dv[HEADS * DIM + x], go[x] / 2));
    CHECK(isNear(dv[x], go[2 * HEADS * DIM + x] / 3));
    CHECK(isNear(dv[3 * HEADS * DIM + x],
                 go[x] / 2 + go[2 * HEADS * DIM + x] / 3));
  }
  CHECK(!astfeAttentionSetValues(a, NULL)); /* of a pattern alone */
  CHECK(astfeAttentionForward(a, q, NULL, v, o, lse));
  CHECK_ERROR("expected operands of attention but got null");
  astfeAttentionDestroy(a);
  CHECK(astfeAttentionForward(a, q, k, v, o, lse));
  CHECK_ERROR("expected an attention but got one that was destroyed");
  CHECK(astfeAttentionBackward(NULL, q, k, v, go, lse, dq, dk, dv));
  CHECK_ERROR("expected an attention but got null");
}

static void testWrongAttention(void) {
  const int32_t beyond[] = {1, 4, 0, 2, 3};
  const AstfeCsr wrong = {3, 4, positions, beyond, 32, 32};
  double masked[] = {2, 3, NAN, 7, 1};
  const uint16_t infinite[] = {0x3f80, 0x7f7f, 0xff80, 0, 0},
                 nan[] = {0xfc00, 0x7c01, 0, 0, 0};
  CHECK(!astfeAttentionCreate(NULL, NULL, 32, ASTFE_MASK_PATTERN, 1, 8));
  CHECK_ERROR("expected a matrix but got null");
  CHECK(!astfeAttentionCreate(&wrong, NULL, 32, ASTFE_MASK_PATTERN, 1, 8));
  CHECK(!astfeAttentionCreate(&matrix, NULL, 17, ASTFE_MASK_PATTERN, 1, 8));
  CHECK_ERROR("ASTFE_F32 or ASTFE_F64 but got 17");
  CHECK(!astfeAttentionCreate(&matrix, NULL, ASTFE_I32, ASTFE_MASK_PATTERN, 1,
                              8));
  CHECK_ERROR("ASTFE_F32 or ASTFE_F64 but got 544");
  // Halves of a mask: infinity is the largest exponent, without a fraction.
  CHECK(!astfeAttentionCreate(&matrix, infinite, ASTFE_BF16,
                              ASTFE_MASK_MULTIPLY, 1, 8));
  CHECK_ERROR("expected finite values but got -inf at nonzero 2");
  CHECK(!astfeAttentionCreate(&matrix, nan, ASTFE_F16, ASTFE_MASK_ADD, 1, 8));
  CHECK_ERROR("expected finite values or -inf but got nan at nonzero 1");
  CHECK(!astfeAttentionCreate(&matrix, NULL, 32, 3, 1, 8));
  CHECK_ERROR("mask: expected 0..2 but got 3");
  CHECK(!astfeAttentionCreate(&matrix, NULL, 32, ASTFE_MASK_ADD, 1, 8));
  CHECK_ERROR("expected values of a mask");
  CHECK(!astfeAttentionCreate(&matrix, NULL, 32, ASTFE_MASK_PATTERN, 0, 8));
  CHECK_ERROR("expected 1..1048576 heads but got 0");
  CHECK(!astfeAttentionCreate(&matrix, NULL, 32, ASTFE_MASK_PATTERN, 1, -1));
  CHECK_ERROR("expected 1..1048576 dimensions of a head but got -1");
  CHECK(!astfeAttentionCreate(&matrix, masked, 64, ASTFE_MASK_MULTIPLY, 1, 8));
  CHECK_ERROR("mask: expected finite values but got nan at nonzero 2");
  masked[2] = -INFINITY;
  CHECK(!astfeAttentionCreate(&matrix, masked, 64, ASTFE_MASK_MULTIPLY, 1, 8));
  AstfeAttention *a =
      astfeAttentionCreate(&matrix, masked, 64, ASTFE_MASK_ADD, 1, 8);
  CHECK(a);
  astfeAttentionDestroy(a);
}

static void testSpmm(void) {
  const double b[] = {1, 10, 2, 20, 3, 30, 4, 40}, bias[] = {-20, 1};
  const double g[] = {1, 2, 3, 4, 5, 6};
  double c[6], da[5], db[8];
  AstfeSpmm *a = astfeSpmmCreate(&matrix, values, 64);
  CHECK(a);
  CHECK(!astfeSpmmForward(a, 2, b, NULL, ASTFE_ACTIVATION_NONE, c));
  CHECK(c[0] == 16 && c[1] == 160 && c[2] == 0 && c[3] == 0 && c[4] == 30 &&
        c[5] == 300);
  CHECK(!astfeSpmmForward(a, 2, b, bias, ASTFE_ACTIVATION_RELU, c));
  CHECK(c[0] == 0 && c[1] == 161 && c[2] == 0 && c[3] == 1 && c[4] == 10 &&
        c[5] == 301);
  CHECK(!astfeSpmmBackward(a, 2, b, g, da, db));
  CHECK(da[0] == 42 && da[1] == 84 && da[2] == 65 && da[4] == 260);
  CHECK(db[0] == 25 && db[1] == 30 && db[2] == 2 && db[6] == 8 && db[7] == 12);
  CHECK(!astfeSpmmBackward(a, 2, NULL, g, NULL, db));
  CHECK(astfeSpmmBackward(a, 2, NULL, g, da, db));
  CHECK_ERROR("expected B but got null");
  CHECK(astfeSpmmForward(a, -1, b, NULL, ASTFE_ACTIVATION_NONE, c));
  CHECK_ERROR("but got -1 columns");
  CHECK(astfeSpmmForward(a, 2, b, NULL, 4, c));
  CHECK_ERROR("activation: expected 0..3 but got 4");
  CHECK(astfeSpmmForward(a, 2, b, NULL, ASTFE_ACTIVATION_NONE, NULL));
  CHECK_ERROR("expected C but got null");
  CHECK(astfeSpmmSetValues(a, NULL));
  CHECK_ERROR("expected values but got null");
  astfeSpmmDestroy(a);
  CHECK(astfeSpmmSetValues(a, values));
  CHECK_ERROR("expected a product but got one that was destroyed");
  CHECK(!astfeSpmmCreate(&matrix, NULL, 64));
  CHECK_ERROR("expected values but got null");
  CHECK(!astfeSpmmCreate(&matrix, values, 8));
  CHECK_ERROR("ASTFE_F32 or ASTFE_F64 but got 8");
}

/* The same matrix in bf16, in which these numbers are exact. */
static void testHalfSpmm(void) {
  const uint16_t half[] = {0x4000, 0x4040, 0x40a0, 0x40e0, 0x3f80},
                 b[] = {0x3f80, 0x4000, 0x4040, 0x4080}, /* 1 2 3 4 */
      bias[] = {0xc1a0}, g[] = {0x3f80, 0x4000, 0x4040};
  uint16_t c[3], da[5], db[4];
  AstfeSpmm *a = astfeSpmmCreate(&matrix, half, ASTFE_BF16);
  CHECK(a);
  CHECK(!astfeSpmmForward(a, 1, b, bias, ASTFE_ACTIVATION_RELU, c));
  CHECK(c[0] == 0 && c[1] == 0 && c[2] == 0x4120); /* 10 */
  CHECK(!astfeSpmmBackward(a, 1, b, g, da, db));
  CHECK(da[0] == 0x4000 && da[4] == 0x4140); /* 2, 12 */
  CHECK(db[0] == 0x4170 && db[3] == 0x40c0); /* 15, 6 */
  astfeSpmmDestroy(a);
}

int main(void) {
  testAttention();
  testWrongAttention();
  testSpmm();
  testHalfSpmm();
  return failures != 0;
}
