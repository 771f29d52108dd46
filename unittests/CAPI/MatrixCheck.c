/*===- MatrixCheck.c - graphs, matrices and programs from C
 *-----------------===*
 *
 * Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include "ASTFE-c/Graph.h"
#include "ASTFE-c/Program.h"
#include "Check.h"
#include "ExampleMatrix.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static void testPartition(void) {
  AstfePartitionOptions options = astfeDefaultPartitionOptions();
  options.order = ASTFE_ORDER_HILBERT;
  options.leaf = 1;
  options.min = 1;
  AstfeGraph *graph = astfePartition(&matrix, &options);
  CHECK(graph != NULL);
  if (!graph)
    return;
  CHECK(astfeGraphOrder(graph) == ASTFE_ORDER_HILBERT);
  int64_t blocks = astfeGraphBlocks(graph), sum = 0;
  int64_t *nonzeros = malloc(sizeof(int64_t) * (size_t)(blocks + 1));
  astfeGraphCopyBlocks(graph, NULL, NULL, nonzeros, NULL, NULL);
  for (int64_t i = 0; i < blocks; ++i)
    sum += nonzeros[i];
  CHECK(sum == 4);
  free(nonzeros);
  const char *text = astfeGraphJson(graph);
  CHECK(text != NULL);
  AstfeGraph *again = astfeGraphFromJson(text, strlen(text));
  CHECK(again != NULL && astfeGraphBlocks(again) == blocks);
  astfeGraphDestroy(again);
  astfeGraphDestroy(graph);
  astfeGraphDestroy(graph);
  CHECK(astfeGraphBlocks(graph) == -1 && !astfeGraphJson(graph));
  CHECK(strstr(astfeLastError(), "a graph but got one that was destroyed"));
  CHECK(!create(&matrix, values, 64, graph, 2));
  CHECK(strstr(astfeLastError(), "a graph but got one that was destroyed"));
  options.hubs = -2;
  CHECK(!astfePartition(&matrix, &options));
  CHECK(strstr(astfeLastError(), "hubs: expected at least -1 but got -2"));
  options = astfeDefaultPartitionOptions();
  options.denseColumns = (int64_t)1 << 62;
  CHECK(!astfePartition(&matrix, &options));
  CHECK(strstr(astfeLastError(), "dense columns: expected 1..2147483647"));
  options.denseColumns = 0;
  CHECK(!astfePartition(&matrix, &options));
  CHECK(strstr(astfeLastError(), "dense columns: expected 1.."));
  options = astfeDefaultPartitionOptions();
  options.elementBytes = (int64_t)1 << 40;
  CHECK(!astfePartition(&matrix, &options));
  CHECK(strstr(astfeLastError(), "element bytes: expected at most 16 but got"));
  AstfeMatrixOptions wide = astfeDefaultMatrixOptions();
  wide.expectedColumns = (int64_t)1 << 60;
  CHECK(!astfeMatrixCreate(&matrix, values, 64, NULL, &wide));
  CHECK(strstr(astfeLastError(), "expected 0..2147483647 expected columns"));
}

static void testProducts(void) {
  AstfeMatrix *m = create(&matrix, values, 64, NULL, 2);
  CHECK(m != NULL);
  if (!m)
    return;
  const double x[] = {1, 2, 3, 4};
  double y[] = {1, 1, 1};
  CHECK(multiplyVector(m, x, y, 0) == 0);
  CHECK(y[0] == 34 && y[1] == 0 && y[2] == 39);
  CHECK(multiplyVector(m, x, y, 1) == 0);
  CHECK(y[0] == 68 && y[1] == 0 && y[2] == 78);
  /* Two columns inside rows of three: the third stays. */
  const double B[] = {1, 10, -1, 2, 20, -1, 3, 30, -1, 4, 40, -1};
  double C[] = {9, 9, 9, 9, 9, 9, 9, 9, 9};
  CHECK(astfeMatrixMultiply(m, 2, B, 3, C, 3) == 0);
  CHECK(C[0] == 34 && C[1] == 340 && C[2] == 9);
  CHECK(C[3] == 0 && C[4] == 0 && C[5] == 9);
  CHECK(C[6] == 39 && C[7] == 390 && C[8] == 9);
  CHECK(astfeMatrixMultiply(m, 0, B, 3, C, 3) == 0);
  const double twice[] = {10, 12, 14, 16};
  CHECK(astfeMatrixSetValues(m, twice) == 0);
  CHECK(multiplyVector(m, x, y, 0) == 0);
  CHECK(y[0] == 68 && y[2] == 78);
  astfeMatrixDestroy(m);
}

/* Leading dimensions of exactly n are cleared in one piece. */
static void testDenseRows(void) {
  AstfeMatrix *m = create(&matrix, values, 64, NULL, 1);
  CHECK(m != NULL);
  if (!m)
    return;
  const double B[] = {1, 10, 2, 20, 3, 30, 4, 40};
  double C[] = {9, 9, 9, 9, 9, 9, 9};
  CHECK(astfeMatrixMultiply(m, 2, B, 2, C, 2) == 0);
  CHECK(C[0] == 34 && C[1] == 340 && C[2] == 0 && C[3] == 0);
  CHECK(C[4] == 39 && C[5] == 390 && C[6] == 9);
  astfeMatrixDestroy(m);
}

/* Products of n columns with 1, 2, 3... in each row of B, C = A B and twice
   C += A B, with rows that are close or apart. */
static void testWidth(const AstfeMatrix *m, int64_t n, int64_t leading) {
  double *B = malloc(sizeof(double) * (size_t)(4 * leading));
  double *C = malloc(sizeof(double) * (size_t)(3 * leading));
  for (int64_t i = 0; i < 4 * leading; ++i)
    B[i] = (double)(1 + i / leading);
  for (int64_t i = 0; i < 3 * leading; ++i)
    C[i] = 9;
  CHECK(astfeMatrixMultiply(m, n, B, leading, C, leading) == 0);
  CHECK(astfeMatrixMultiplyAccumulate(m, n, B, leading, C, leading) == 0);
  CHECK(astfeMatrixMultiplyAccumulate(m, n, B, leading, C, leading) == 0);
  const double wanted[] = {3 * 34, 0, 3 * 39};
  int right = 1;
  for (int64_t i = 0; i < 3 * leading; ++i)
    right &= C[i] == (i % leading < n ? wanted[i / leading] : 9);
  CHECK(right);
  free(B);
  free(C);
}

/* A column of a wider B is no vector, whose elements lie side by side. */
static void testColumnOfWiderOperand(void) {
  const double x[] = {1, -9, 2, -9, 3, -9, 4, -9};
  double y[3], z[6];
  AstfeMatrix *m = astfeMatrixCreate(&matrix, values, 64, NULL, NULL);
  CHECK(m != NULL);
  CHECK(astfeMatrixMultiply(m, 1, x, 2, y, 1) == 0);
  CHECK(y[0] == 34 && y[1] == 0 && y[2] == 39);
  CHECK(astfeMatrixMultiply(m, 1, x, 2, z, 2) == 0);
  CHECK(z[0] == 34 && z[2] == 0 && z[4] == 39);
  astfeMatrixDestroy(m);
}

/* More widths than have kernels of their own, with and without an expected
   one, which comes last. */
static void testWidths(void) {
  static const int64_t widths[] = {1, 2, 3, 17, 1, 5, 64, 6, 33, 7, 128};
  for (int expects = 0; expects < 2; ++expects) {
    AstfeMatrixOptions options = astfeDefaultMatrixOptions();
    options.expectedColumns = expects ? 128 : 0;
    options.expectedRuns = 5;
    AstfeMatrix *m = astfeMatrixCreate(&matrix, values, 64, NULL, &options);
    CHECK(m != NULL);
    for (size_t i = 0; m && i < sizeof(widths) / sizeof(*widths); ++i)
      testWidth(m, widths[i], widths[i]);
    for (int64_t n = 1; m && n < 4; ++n)
      testWidth(m, n, n + 1);
    astfeMatrixDestroy(m);
  }
}

static void testMatrixOptions(void) {
  AstfeMatrixOptions options = astfeDefaultMatrixOptions();
  CHECK(options.size == sizeof(options) && options.expectedRuns == 100);
  options.size += 8;
  CHECK(astfeMatrixCreate(&matrix, values, 64, NULL, &options) == NULL);
  options.size = 4;
  CHECK(astfeMatrixCreate(&matrix, values, 64, NULL, &options) == NULL);
  /* A caller that knows the first field only. */
  options.size = sizeof(size_t);
  options.expectedColumns = options.expectedRuns = options.workers = -1;
  AstfeMatrix *m = astfeMatrixCreate(&matrix, values, 64, NULL, &options);
  CHECK(m != NULL);
  astfeMatrixDestroy(m);
  for (int field = 0; field < 3; ++field) {
    options = astfeDefaultMatrixOptions();
    *(field == 0   ? &options.expectedColumns
      : field == 1 ? &options.expectedRuns
                   : &options.workers) = -1;
    CHECK(astfeMatrixCreate(&matrix, values, 64, NULL, &options) == NULL);
    CHECK(strstr(astfeLastError(),
                 field == 0   ? "0..2147483647 expected columns but got -1"
                 : field == 1 ? "1 expected run but got -1"
                              : "0..16777216 workers but got -1") != NULL);
  }
  options = astfeDefaultMatrixOptions();
  options.device = "gpu";
  CHECK(astfeMatrixCreate(&matrix, values, 64, NULL, &options) == NULL);
  CHECK(strstr(astfeLastError(), "expected the device 'cuda' but got 'gpu'") !=
        NULL);
}

static void testStorage(void) {
  AstfeMatrixOptions options = astfeDefaultMatrixOptions();
  CHECK(options.storage == ASTFE_STORAGE_AUTO);
  AstfeMatrix *m;
  for (int storage = ASTFE_STORAGE_AUTO; storage <= ASTFE_STORAGE_VIEW;
       ++storage) {
    options.storage = storage;
    m = astfeMatrixCreate(&matrix, values, 64, NULL, &options);
    CHECK(m != NULL);
    testWidth(m, 3, 3);
    testWidth(m, 1, 1);
    astfeMatrixDestroy(m);
  }
  options.storage = 3;
  CHECK(astfeMatrixCreate(&matrix, values, 64, NULL, &options) == NULL);
  CHECK(strstr(astfeLastError(),
               "expected an AstfeStorage from 0 to 2 but got 3") != NULL);
  /* A caller that does not know the field: what lies there is not read. */
  options.size = offsetof(AstfeMatrixOptions, storage);
  m = astfeMatrixCreate(&matrix, values, 64, NULL, &options);
  CHECK(m != NULL);
  astfeMatrixDestroy(m);
}

static void testStreamsAreForDevices(void) {
  const double x[] = {1, 2, 3, 4};
  double y[] = {5, 6, 7};
  AstfeMatrix *m = astfeMatrixCreate(&matrix, values, 64, NULL, NULL);
  CHECK(m != NULL);
  CHECK(astfeMatrixMultiplyOnStream(m, 1, x, 1, y, 1, 0, NULL) != 0);
  CHECK(strstr(astfeLastError(), "on a device but got one of the host") !=
        NULL);
  CHECK(y[0] == 5 && y[1] == 6 && y[2] == 7);
  astfeMatrixDestroy(m);
}

static void testProgram(void) {
  const char *text = "func.func @twice(%x: f64) -> f64 attributes "
                     "{llvm.emit_c_interface} {\n"
                     "  %y = arith.addf %x, %x : f64\n"
                     "  return %y : f64\n}\n";
  AstfeProgram *program = astfeCompile(text, strlen(text), NULL);
  CHECK(program != NULL);
  if (!program)
    return;
  double (*twice)(double) =
      (double (*)(double))astfeProgramLookup(program, "_mlir_ciface_twice");
  CHECK(twice != NULL && twice(21) == 42);
  double result = 0, argument = 4;
  void *arguments[] = {&argument, &result};
  CHECK(astfeProgramInvoke(program, "twice", arguments) == 0);
  CHECK(result == 8);
  CHECK(astfeProgramInvoke(program, "thrice", arguments) != 0);
  CHECK(!strcmp(astfeLastError(), "expected a function with a C interface "
                                  "(llvm.emit_c_interface) but got 'thrice'"));
  astfeProgramDestroy(program);
  astfeProgramDestroy(program);
  CHECK(astfeProgramInvoke(program, "twice", arguments) != 0);
  CHECK(strstr(astfeLastError(), "a program but got one that was destroyed"));
}

/* What went wrong in a call is not said of the next one. */
static void testProgramErrors(void) {
  const char *text = "memref.global \"private\" constant @json : "
                     "memref<1xi8> = dense<0>\n"
                     "func.func private @astfe_rt_graph(memref<?xi8>) -> "
                     "!llvm.ptr attributes {llvm.emit_c_interface}\n"
                     "func.func @fail() attributes {llvm.emit_c_interface} {\n"
                     "  %g = memref.get_global @json : memref<1xi8>\n"
                     "  %t = memref.cast %g : memref<1xi8> to memref<?xi8>\n"
                     "  %h = call @astfe_rt_graph(%t) : (memref<?xi8>) -> "
                     "!llvm.ptr\n"
                     "  return\n}\n"
                     "func.func @pass() attributes {llvm.emit_c_interface} {\n"
                     "  return\n}\n";
  void *arguments[1] = {NULL};
  AstfeProgram *program = astfeCompile(text, strlen(text), NULL);
  CHECK(program != NULL);
  if (!program)
    return;
  CHECK(astfeProgramInvoke(program, "fail", arguments) != 0);
  CHECK(astfeProgramInvoke(program, "pass", arguments) == 0);
  astfeProgramDestroy(program);
}

/* A star: row 0 and column 0 touch everything. */
static void testReorder(void) {
  enum { N = 100 };
  int32_t begins[N + 1], columns[2 * N];
  begins[0] = 0;
  int32_t next = 0;
  for (int32_t i = 0; i < N; ++i) {
    for (int32_t j = 0; j < N; ++j)
      if (i == 70 || j == (i + N / 2) % N)
        columns[next++] = j;
    begins[i + 1] = next;
  }
  AstfeCsr star = {N, N, begins, columns, 32, 32};
  AstfePartitionOptions options = astfeDefaultPartitionOptions();
  int64_t numbers[N], sum = 0;
  options.order = ASTFE_ORDER_ROWS;
  AstfeGraph *graph = astfePartition(&star, &options);
  CHECK(astfeGraphCopyPermutation(graph, 0, numbers) == 0);
  astfeGraphDestroy(graph);
  options.reorder = ASTFE_REORDER_LABELS;
  graph = astfePartition(&star, &options);
  CHECK(astfeGraphCopyPermutation(graph, 0, numbers) == 1);
  CHECK(numbers[70] == 0);
  for (int i = 0; i < N; ++i)
    sum += numbers[i];
  CHECK(sum == N * (N - 1) / 2);
  CHECK(astfeGraphCopyPermutation(graph, 2, numbers) == -1);
  CHECK(astfeGraphCopyPermutation(NULL, 0, numbers) == -1);
  CHECK(astfeGraphExtent(graph, 2) == -1 && astfeGraphExtent(NULL, 0) == -1);

  float values[2 * N], x[N], y[N] = {0};
  for (int32_t i = 0; i < next; ++i)
    values[i] = 1;
  for (int i = 0; i < N; ++i)
    x[i] = (float)i;
  AstfeMatrix *product = create(&star, values, 32, graph, 1);
  CHECK(product != NULL);
  CHECK(multiplyVector(product, x, y, 0) == 0);
  for (int i = 0; i < N; ++i)
    CHECK(y[i] == (i == 70 ? N * (N - 1) / 2 : (i + N / 2) % N));
  astfeMatrixDestroy(product);
  astfeGraphDestroy(graph);
  options.reorder = ASTFE_REORDER_AUTO + 1;
  CHECK(astfePartition(&star, &options) == NULL);
  CHECK(strstr(astfeLastError(), "reorder") != NULL);
}

static void testErrors(void) {
  AstfeCsr bad = matrix;
  const int64_t outside[] = {1, 4, 0, 3};
  bad.coordinates = outside;
  CHECK(create(&bad, values, 64, NULL, 1) == NULL);
  CHECK(strstr(astfeLastError(), "4") != NULL);
  bad = matrix;
  bad.positionBits = 16;
  CHECK(astfePartition(&bad, NULL) == NULL);
  CHECK(strstr(astfeLastError(), "16") != NULL);
  CHECK(astfePartition(NULL, NULL) == NULL);
  CHECK(create(&matrix, values, 48, NULL, 1) == NULL);
  AstfePartitionOptions options = astfeDefaultPartitionOptions();
  options.threshold = 0.25;
  CHECK(astfePartition(&matrix, &options) == NULL);
  options = astfeDefaultPartitionOptions();
  options.panel = 63;
  CHECK(astfePartition(&matrix, &options) == NULL);
  CHECK(strstr(astfeLastError(), "panel: expected 0..62 but got 63") != NULL);
  CHECK(astfeGraphFromJson("{", 1) == NULL);
  CHECK(astfeCompile("func.func @f(", 13, NULL) == NULL);
  CHECK(strlen(astfeLastError()) > 0);
  CHECK(astfeSetThreads(5000) != 0);
  CHECK(astfeSetThreads(2) == 0 && astfeThreads() == 2);
  CHECK(astfeSetThreads(0) == 0 && astfeThreads() >= 1);
}

static void testNullGraphs(void) {
  int64_t number = 7;
  CHECK(astfeGraphOrder(NULL) == -1 && saidNull());
  CHECK(astfeGraphLimit(NULL) == -1 && saidNull());
  CHECK(astfeGraphBlocks(NULL) == -1 && saidNull());
  CHECK(astfeGraphGroups(NULL) == -1 && saidNull());
  CHECK(astfeGraphJson(NULL) == NULL && saidNull());
  CHECK(astfeGraphFromJson(NULL, 0) == NULL && saidNull());
  astfeGraphCopyBlocks(NULL, NULL, NULL, &number, NULL, NULL);
  CHECK(number == 7 && saidNull());
  astfeGraphCopyGroups(NULL, &number);
  CHECK(number == 7 && saidNull());
  AstfeGraph *graph = astfePartition(&matrix, NULL);
  astfeGraphCopyGroups(graph, NULL);
  CHECK(saidNull());
  astfeGraphDestroy(graph);
  astfeGraphDestroy(NULL);
}

static void testNullMatrices(void) {
  const double x[] = {1, 2, 3, 4};
  double y[3] = {7, 7, 7};
  AstfeMatrix *m = create(&matrix, values, 64, NULL, 1);
  CHECK(m != NULL);
  CHECK(create(NULL, values, 64, NULL, 1) == NULL && saidNull());
  CHECK(create(&matrix, NULL, 64, NULL, 1) == NULL && saidNull());
  CHECK(astfeMatrixSetValues(NULL, values) != 0 && saidNull());
  CHECK(astfeMatrixSetValues(m, NULL) != 0 && saidNull());
  CHECK(multiplyVector(NULL, x, y, 0) != 0 && saidNull());
  CHECK(multiplyVector(m, NULL, y, 0) != 0 && saidNull());
  CHECK(multiplyVector(m, x, NULL, 0) != 0 && saidNull());
  CHECK(astfeMatrixMultiply(NULL, 0, x, 1, y, 1) != 0 && saidNull());
  CHECK(astfeMatrixMultiply(m, 1, NULL, 1, y, 1) != 0 && saidNull());
  CHECK(astfeMatrixMultiply(m, 1, x, 1, NULL, 1) != 0 && saidNull());
  CHECK(astfeMatrixMultiply(m, 1, x, INT64_MAX, y, 1) != 0);
  CHECK(y[0] == 7);
  astfeMatrixDestroy(m);
  astfeMatrixDestroy(NULL);
}

static void testNullPrograms(void) {
  const char *text = "func.func @f() attributes {llvm.emit_c_interface} {\n"
                     "  return\n}\n";
  void *arguments[] = {NULL};
  AstfeProgram *program = astfeCompile(text, strlen(text), NULL);
  CHECK(program != NULL);
  CHECK(astfeCompile(NULL, 0, NULL) == NULL && saidNull());
  CHECK(astfeProgramLookup(NULL, "f") == NULL && saidNull());
  CHECK(astfeProgramLookup(program, NULL) == NULL && saidNull());
  CHECK(astfeProgramInvoke(NULL, "f", arguments) != 0 && saidNull());
  CHECK(astfeProgramInvoke(program, NULL, arguments) != 0 && saidNull());
  CHECK(astfeProgramInvoke(program, "f", NULL) != 0 && saidNull());
  CHECK(astfeProgramInvoke(program, "f", arguments) == 0);
  astfeProgramDestroy(program);
  astfeProgramDestroy(NULL);
}

static void testExtents(void) {
  AstfeCsr large = matrix;
  large.rows = INT64_MAX;
  CHECK(astfePartition(&large, NULL) == NULL);
  CHECK(strstr(astfeLastError(), "9223372036854775807") != NULL);
  large = matrix;
  large.rows = -1;
  CHECK(astfePartition(&large, NULL) == NULL);
}

/* Products and programs that are there go on; what would be compiled fails. */
static void testFinish(void) {
  const char *text = "func.func @f() attributes {llvm.emit_c_interface} "
                     "{\n  return\n}\n";
  AstfeProgram *program = astfeCompile(text, strlen(text), NULL);
  CHECK(program != NULL);
  astfeFinish();
  CHECK(astfeCompile(text, strlen(text), NULL) == NULL);
  CHECK(strstr(astfeLastError(),
               "expected a running process but it is ending") != NULL);
  void *none[] = {NULL};
  CHECK(astfeProgramInvoke(program, "f", none) == 0);
  astfeProgramDestroy(program);
  astfeFinish();
}

int main(void) {
  CHECK(strlen(astfeVersion()) > 0);
  testPartition();
  testProducts();
  testDenseRows();
  testWidths();
  testColumnOfWiderOperand();
  testMatrixOptions();
  testStorage();
  testStreamsAreForDevices();
  testProgram();
  testProgramErrors();
  testReorder();
  testErrors();
  testNullGraphs();
  testNullMatrices();
  testNullPrograms();
  testExtents();
  testFinish();
  return failures != 0;
}
