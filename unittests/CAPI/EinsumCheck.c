/*===- EinsumCheck.c - types, semirings and subscripts from C ------------===*
 *
 * Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include "ASTFE-c/Tensor.h"
#include "Check.h"

#include <math.h>
#include <sys/mman.h>

/* [[0 5 0 6] [0 0 0 0] [7 0 0 8]] */
static const int32_t positions[] = {0, 2, 2, 4}, coordinates[] = {1, 3, 0, 3};
static const AstfeCsr matrix = {3, 4, positions, coordinates, 32, 32};

static void testBytes(void) {
  const int8_t values[] = {5, 6, 100, 100}, x[] = {100, 2, 3, 100};
  AstfeMatrix *m = astfeMatrixCreate(&matrix, values, ASTFE_I8, NULL, NULL);
  int32_t y[3] = {-1, -1, -1};
  CHECK(m && astfeMatrixMultiply(m, 1, x, 1, y, 1) == 0);
  CHECK(y[0] == 610 && y[1] == 0 && y[2] == 20000);
  astfeMatrixDestroy(m);
}

static void testIntegers(void) {
  const int64_t values[] = {5, INT64_MAX, 7, 8}, x[] = {1, 2, 3, 2};
  AstfeMatrix *m = astfeMatrixCreate(&matrix, values, ASTFE_I64, NULL, NULL);
  int64_t y[3];
  CHECK(m && astfeMatrixMultiply(m, 1, x, 1, y, 1) == 0);
  CHECK(y[0] == 8 && y[2] == 23); /* 10 + 2 (2^63 - 1) wraps around */
  astfeMatrixDestroy(m);
}

static void testHalves(void) {
  /* 1, 2, 0.5 and -1, in each of the two types. */
  const uint16_t halves[] = {0x3c00, 0x4000, 0x3800, 0xbc00},
                 brains[] = {0x3f80, 0x4000, 0x3f00, 0xbf80};
  const uint16_t *types[] = {halves, brains};
  const int32_t codes[] = {ASTFE_F16, ASTFE_BF16};
  for (int t = 0; t < 2; ++t) {
    const uint16_t *v = types[t];
    const uint16_t x[] = {v[1], v[0], v[0], v[0]};
    AstfeMatrix *m = astfeMatrixCreate(&matrix, v, codes[t], NULL, NULL);
    uint16_t y[3];
    CHECK(m && astfeMatrixMultiply(m, 1, x, 1, y, 1) == 0);
    CHECK(y[0] == (t ? 0x4040 : 0x4200)); /* 3 */
    CHECK(y[1] == 0 && y[2] == 0);
    astfeMatrixDestroy(m);
  }
}

static void testComplex(void) {
  /* [[0 5+i 0 6] [0 0 0 0] [7i 0 0 8]] times (1, i, 2, 1-i), and of doubles
     times two columns, from A^T. */
  const float values[][2] = {{5, 1}, {6, 0}, {0, 7}, {8, 0}},
              x[][2] = {{1, 0}, {0, 1}, {2, 0}, {1, -1}};
  AstfeMatrix *m = astfeMatrixCreate(&matrix, values, ASTFE_C64, NULL, NULL);
  float y[3][2];
  CHECK(m && astfeMatrixMultiply(m, 1, x, 1, y, 1) == 0);
  CHECK(y[0][0] == 5 && y[0][1] == -1); /* (5+i)i + 6(1-i) */
  CHECK(y[1][0] == 0 && y[1][1] == 0 && y[2][0] == 8 && y[2][1] == -1);
  CHECK(astfeMatrixMultiplyAccumulate(m, 1, x, 1, y, 1) == 0);
  CHECK(y[0][0] == 10 && y[2][1] == -2);
  astfeMatrixDestroy(m);
  const double wide[][2] = {{5, 1}, {6, 0}, {0, 7}, {8, 0}},
               b[3][2][2] = {
                   {{1, 0}, {0, 1}}, {{9, 9}, {9, 9}}, {{2, 1}, {1, 0}}};
  AstfeMatrixOptions options = astfeDefaultMatrixOptions();
  options.transposed = 1;
  m = astfeMatrixCreate(&matrix, wide, ASTFE_C128, NULL, &options);
  double c[4][2][2];
  CHECK(m && astfeMatrixMultiply(m, 2, b, 2, c, 2) == 0);
  CHECK(c[0][0][0] == -7 && c[0][0][1] == 14); /* 7i (2+i) */
  CHECK(c[1][1][0] == -1 && c[1][1][1] == 5);  /* (5+i) i */
  astfeMatrixDestroy(m);
  options.transposed = 0;
  options.samples = 1;
  m = astfeMatrixCreate(&matrix, values, ASTFE_C64, NULL, &options);
  float s[4][2];
  CHECK(m && astfeMatrixSample(m, 1, y, x, s) == 0);
  CHECK(s[0][0] == 0 && s[0][1] == 52); /* (5+i) (10-2i) i */
  astfeMatrixDestroy(m);
  options.samples = 0;
  options.semiring = ASTFE_MAX_PLUS;
  CHECK(!astfeMatrixCreate(&matrix, values, ASTFE_C64, NULL, &options) &&
        said("expected real numbers for max-plus but got c64"));
}

static void testSemirings(void) {
  const float values[] = {5, 6, 7, 8}, x[] = {1, 2, 3, 0};
  AstfeMatrixOptions options = astfeDefaultMatrixOptions();
  options.semiring = ASTFE_MIN_PLUS;
  AstfeMatrix *m =
      astfeMatrixCreate(&matrix, values, ASTFE_F32, NULL, &options);
  float y[3];
  CHECK(m && astfeMatrixMultiply(m, 1, x, 1, y, 1) == 0);
  CHECK(y[0] == 6 && y[1] == INFINITY && y[2] == 8);
  astfeMatrixDestroy(m);
  options.semiring = ASTFE_OR_AND;
  CHECK(!astfeMatrixCreate(&matrix, values, ASTFE_F32, NULL, &options) &&
        said("expected integers for or-and but got f32"));
  options.semiring = 5;
  CHECK(!astfeMatrixCreate(&matrix, values, ASTFE_F32, NULL, &options) &&
        said("but got 5"));
  CHECK(!astfeMatrixCreate(&matrix, values, 48, NULL, NULL) &&
        said("expected an AstfeValueType (f32, f64,") && said("but got 48"));
}

static void testTransposed(void) {
  const double values[] = {5, 6, 7, 8}, b[3][2] = {{1, 10}, {2, 20}, {3, 30}};
  AstfeMatrixOptions options = astfeDefaultMatrixOptions();
  options.transposed = 1;
  AstfeMatrix *m =
      astfeMatrixCreate(&matrix, values, ASTFE_F64, NULL, &options);
  double c[4][2];
  CHECK(m && astfeMatrixMultiply(m, 2, b, 2, c, 2) == 0);
  CHECK(c[0][0] == 21 && c[1][1] == 50 && c[2][0] == 0 && c[3][0] == 30);
  astfeMatrixDestroy(m);
}

static void testSamples(void) {
  const float values[] = {5, 6, 7, 8}, x[3][2] = {{1, 2}, {3, 4}, {5, 6}},
              y[4][2] = {{1, 0}, {0, 1}, {1, 1}, {2, 1}};
  AstfeMatrixOptions options = astfeDefaultMatrixOptions();
  options.samples = 1;
  AstfeMatrix *m =
      astfeMatrixCreate(&matrix, values, ASTFE_F32, NULL, &options);
  float s[4] = {0, 0, 0, 0};
  CHECK(m && astfeMatrixSample(m, 2, x, y, s) == 0);
  CHECK(s[0] == 5 * 2 && s[1] == 6 * 4 && s[2] == 7 * 5 && s[3] == 8 * 16);
  CHECK(astfeMatrixSample(m, 0, x, y, s) == 0 && s[0] == 0 && s[3] == 0);
  CHECK(astfeMatrixSample(m, 2, NULL, y, s) != 0 && said("null"));
  CHECK(astfeMatrixSample(m, 2, x, y, NULL) != 0 && said("null"));
  astfeMatrixDestroy(m);
  options.semiring = ASTFE_MIN_PLUS;
  CHECK(!astfeMatrixCreate(&matrix, values, ASTFE_F32, NULL, &options) &&
        said("samples: expected sums of products but got f32, min-plus"));
  m = astfeMatrixCreate(&matrix, values, ASTFE_F32, NULL, NULL);
  CHECK(astfeMatrixSample(m, 2, x, y, s) != 0 && said("made for samples"));
  astfeMatrixDestroy(m);
}

static void testSamplesOfIntegers(void) {
  const int8_t values[] = {5, 6, 7, 100}, x[3] = {100, 2, 3},
               y[4] = {1, 2, 3, 100};
  const int64_t wide[] = {5, INT64_MAX, 7, 8}, u[3] = {1, 1, 1},
                v[4] = {1, 2, 3, 2};
  AstfeMatrixOptions options = astfeDefaultMatrixOptions();
  options.samples = 1;
  AstfeMatrix *m = astfeMatrixCreate(&matrix, values, ASTFE_I8, NULL, &options);
  int32_t s[4];
  CHECK(m && astfeMatrixSample(m, 1, x, y, s) == 0);
  CHECK(s[0] == 1000 && s[1] == 60000 && s[2] == 21 && s[3] == 30000);
  astfeMatrixDestroy(m);
  m = astfeMatrixCreate(&matrix, wide, ASTFE_I64, NULL, &options);
  int64_t t[4];
  CHECK(m && astfeMatrixSample(m, 1, u, v, t) == 0);
  CHECK(t[0] == 10 && t[1] == -2 && t[2] == 7 && t[3] == 16);
  astfeMatrixDestroy(m);
}

/* The same matrix as coordinates, of which those of rows are a level of CSR's
 * shape: dense, then compressed. */
static AstfePackedTensor *asTensor(const void *values, int32_t type) {
  static const int64_t extents[2] = {3, 4};
  static AstfeLevel levels[2];
  const AstfeLevel
      rows = {ASTFE_LEVEL_DENSE, 0, NULL, 0, NULL, 0, 1, 32, 32},
      columns = {
          ASTFE_LEVEL_COMPRESSED, 1, positions, 4, coordinates, 4, 1, 32, 32};
  levels[0] = rows;
  levels[1] = columns;
  AstfeTensor tensor = {2, extents, 2, levels, type, ASTFE_PLUS_TIMES};
  return astfeTensorCreate(&tensor, values);
}

static void testEinsum(void) {
  const float values[] = {5, 6, 7, 8}, x[3] = {1, 2, 3}, w[4] = {1, 10, 100, 2};
  AstfePackedTensor *t = asTensor(values, ASTFE_F32);
  CHECK(t != NULL);
  const int64_t three[1] = {3}, four[1] = {4}, square[2] = {3, 3};
  float y[4] = {NAN, NAN, NAN, NAN}, z[3] = {1, 1, 1};
  AstfeDense dx = {(void *)x, 1, three, NULL}, dw = {(void *)w, 1, four, NULL},
             dy = {y, 1, four, NULL}, dz = {z, 1, three, NULL};
  CHECK(astfeTensorEinsum(t, "ij,i->j", 1, &dx, &dy, 0) == 0);
  CHECK(y[0] == 21 && y[1] == 5 && y[2] == 0 && y[3] == 30);
  const AstfeDense both[2] = {dx, dw};
  CHECK(astfeTensorEinsum(t, "ij, i, j -> i", 2, both, &dz, 1) == 0);
  CHECK(z[0] == 1 + 50 + 12 && z[1] == 1 && z[2] == 1 + 21 + 48);

  const struct {
    const char *subscripts, *error;
  } wrong[] = {{"ij,i", "expected an output as in"},
               {"ij,i->j!", "but got 'ij,i->j!'"},
               {"ijk,i->j", "expected 2 indices of the sparse operand"},
               {"ij,i,j->j", "expected 2 operands but got 'ij,i,j->j'"},
               {"ij,i->k", "but got 'k'"},
               {"ii,i->i", "different indices of an operand but got 'ii'"},
               {"ij,ik->j", "input 0: expected 2 dimensions"},
               {"ij,j->i", "expected operand 0 of 4 but got 3"}};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
    CHECK(astfeTensorEinsum(t, wrong[i].subscripts, 1, &dx, &dy, 0) != 0);
    check(said(wrong[i].error), wrong[i].subscripts, __LINE__);
  }
  AstfeDense plane = {y, 2, square, NULL};
  CHECK(astfeTensorEinsum(t, "ij,i->j", 1, &dx, &plane, 0) != 0 &&
        said("output: expected 1 dimensions"));
  CHECK(astfeTensorEinsum(t, NULL, 1, &dx, &dy, 0) != 0 && said("null"));
  CHECK(astfeTensorEinsum(NULL, "ij,i->j", 1, &dx, &dy, 0) != 0 &&
        said("null"));
  CHECK(astfeTensorEinsum(t, "ij,i->j", 1, NULL, &dy, 0) != 0 && said("null"));
  astfeTensorDestroy(t);
}

/* Outputs without an index of the tensor. */
static void testSums(void) {
  const float values[] = {5, 6, 7, 8}, x[3] = {1, 2, 3}, w[4] = {1, 10, 100, 2},
              b[4][2] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
  AstfePackedTensor *t = asTensor(values, ASTFE_F32);
  const int64_t three[1] = {3}, square[2] = {4, 2}, two[1] = {2}, five[1] = {5};
  float sum = NAN, y[2] = {NAN, NAN};
  AstfeDense dx = {(void *)x, 1, three, NULL},
             dw = {(void *)w, 1, square, NULL},
             db = {(void *)b, 2, square, NULL}, dsum = {&sum, 0, NULL, NULL},
             dy = {y, 1, two, NULL};
  CHECK(astfeTensorEinsum(t, "ij->", 0, NULL, &dsum, 0) == 0 && sum == 26);
  CHECK(astfeTensorEinsum(t, "ij->", 0, NULL, &dsum, 1) == 0 && sum == 52);
  const AstfeDense both[2] = {dx, dw};
  CHECK(astfeTensorEinsum(t, "ij,i,j->", 2, both, &dsum, 0) == 0);
  CHECK(sum == 50 + 12 + 21 + 48);
  CHECK(astfeTensorEinsum(t, "ij,jk->k", 1, &db, &dy, 0) == 0);
  CHECK(y[0] == 5 * 3 + 14 * 7 + 7 * 1 && y[1] == 5 * 4 + 14 * 8 + 7 * 2);
  dy.extents = five;
  CHECK(astfeTensorEinsum(t, "ij,jk->k", 1, &db, &dy, 0) != 0 &&
        said("but got "));
  astfeTensorDestroy(t);
  const int64_t wide[] = {5, INT64_MAX, 7, 8};
  int64_t wideSum = 0;
  t = asTensor(wide, ASTFE_I64);
  dsum.data = &wideSum;
  CHECK(astfeTensorEinsum(t, "ij->", 0, NULL, &dsum, 0) == 0);
  CHECK(wideSum == INT64_MIN + 19); /* wraps around */
  astfeTensorDestroy(t);
}

/* Zeros that take no memory, or null. */
static void *reserved(size_t bytes) {
  void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return mapped == MAP_FAILED ? NULL : mapped;
}

/* A matrix of 3 x 5000000000, and its transpose added into as many rows. */
static void testFar(void) {
  const int64_t far = 5000000000, ends[] = {0, 1, 1, 3},
                places[] = {far / 2, 0, far - 1};
  const AstfeCsr wide = {3, far, ends, places, 64, 64};
  const float values[] = {2, 3, 4}, twice[] = {4, 6, 8};
  const size_t bytes = (size_t)far * 2 * sizeof(float);
  float *b = reserved(bytes), *c = reserved(bytes);
  if (!b || !c)
    return;
  b[0] = 1, b[1] = 2;
  b[far] = 3, b[far + 1] = 4; /* of far / 2 */
  b[2 * far - 2] = 5, b[2 * far - 1] = 6;
  float y[3][2];
  AstfeMatrix *m = astfeMatrixCreate(&wide, values, ASTFE_F32, NULL, NULL);
  CHECK(m && astfeMatrixMultiply(m, 2, b, 2, y, 2) == 0);
  CHECK(y[0][0] == 6 && y[0][1] == 8 && y[1][0] == 0 && y[1][1] == 0);
  CHECK(y[2][0] == 3 + 20 && y[2][1] == 6 + 24);
  CHECK(astfeMatrixSetValues(m, twice) == 0);
  CHECK(astfeMatrixMultiplyAccumulate(m, 2, b, 2, y, 2) == 0);
  CHECK(y[0][0] == 6 + 12 && y[2][1] == 30 + 60);
  CHECK(astfeMatrixMultiply(m, 1, b, 2, y, 2) != 0 &&
        said("rows of B and C that follow each other"));
  astfeMatrixDestroy(m);
  AstfeMatrixOptions options = astfeDefaultMatrixOptions();
  options.transposed = 1;
  m = astfeMatrixCreate(&wide, values, ASTFE_F32, NULL, &options);
  c[0] = 100;
  CHECK(m && astfeMatrixMultiplyAccumulate(m, 2, y, 2, c, 2) == 0);
  CHECK(c[0] == 100 + 3 * y[2][0] && c[1] == 3 * y[2][1]);
  CHECK(c[far] == 2 * y[0][0] && c[2 * far - 1] == 4 * y[2][1]);
  astfeMatrixDestroy(m);
  options.samples = 1;
  CHECK(!astfeMatrixCreate(&wide, values, ASTFE_F32, NULL, &options) &&
        said("nonzeros but got samples"));
  munmap(b, bytes);
  munmap(c, bytes);
}

int main(void) {
  testBytes();
  testIntegers();
  testHalves();
  testComplex();
  testSemirings();
  testTransposed();
  testSamples();
  testSamplesOfIntegers();
  testEinsum();
  testSums();
  testFar();
  return failures != 0;
}
