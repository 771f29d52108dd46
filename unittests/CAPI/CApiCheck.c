/*===- CApiCheck.c - the C API from C ---------------------------------------===*
 *
 * Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Exits with 0 if every check holds; prints each that does not.
 *
 *===----------------------------------------------------------------------===*/

#include "ASTFE-c/Graph.h"
#include "ASTFE-c/Matrix.h"
#include "ASTFE-c/Program.h"
#include "ASTFE-c/Support.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void check(int holds, const char *what, int line) {
  if (holds)
    return;
  fprintf(stderr, "line %d: %s (last error: %s)\n", line, what,
          astfeLastError());
  ++failures;
}
#define CHECK(condition) check((condition), #condition, __LINE__)

/* [[0 5 0 6] [0 0 0 0] [7 0 0 8]] */
static const int32_t positions[] = {0, 2, 2, 4};
static const int64_t coordinates[] = {1, 3, 0, 3};
static const double values[] = {5, 6, 7, 8};
static const AstfeCsr matrix = {3, 4, positions, coordinates, 32, 64};

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
}

static void testProducts(void) {
  AstfeMatrix *m = astfeMatrixCreate(&matrix, values, 64, NULL, 2);
  CHECK(m != NULL);
  if (!m)
    return;
  const double x[] = {1, 2, 3, 4};
  double y[] = {1, 1, 1};
  CHECK(astfeMatrixSpMV(m, x, y, 0) == 0);
  CHECK(y[0] == 34 && y[1] == 0 && y[2] == 39);
  CHECK(astfeMatrixSpMV(m, x, y, 1) == 0);
  CHECK(y[0] == 68 && y[1] == 0 && y[2] == 78);
  /* Two columns inside rows of three: the third stays. */
  const double B[] = {1, 10, -1, 2, 20, -1, 3, 30, -1, 4, 40, -1};
  double C[] = {9, 9, 9, 9, 9, 9, 9, 9, 9};
  CHECK(astfeMatrixSpMM(m, 2, B, 3, C, 3, 0) == 0);
  CHECK(C[0] == 34 && C[1] == 340 && C[2] == 9);
  CHECK(C[3] == 0 && C[4] == 0 && C[5] == 9);
  CHECK(C[6] == 39 && C[7] == 390 && C[8] == 9);
  CHECK(astfeMatrixSpMM(m, 0, B, 3, C, 3, 0) == 0);
  const double twice[] = {10, 12, 14, 16};
  CHECK(astfeMatrixSetValues(m, twice) == 0);
  CHECK(astfeMatrixSpMV(m, x, y, 0) == 0);
  CHECK(y[0] == 68 && y[2] == 78);
  astfeMatrixDestroy(m);
}

static void *productsOnThread(void *argument) {
  const AstfeMatrix *m = argument;
  for (int i = 0; i < 50; ++i) {
    const double x[] = {1, 2, 3, 4};
    double y[3];
    if (astfeMatrixSpMV(m, x, y, 0) != 0 || y[0] != 34 || y[2] != 39)
      return (void *)1;
  }
  return NULL;
}

static void testThreads(void) {
  AstfeMatrix *m = astfeMatrixCreate(&matrix, values, 64, NULL, 1);
  CHECK(m != NULL);
  if (!m)
    return;
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    CHECK(pthread_create(&threads[i], NULL, productsOnThread, m) == 0);
  for (int i = 0; i < 4; ++i) {
    void *result = NULL;
    pthread_join(threads[i], &result);
    CHECK(result == NULL);
  }
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
  CHECK(strstr(astfeLastError(), "thrice") != NULL);
  astfeProgramDestroy(program);
}

static void testErrors(void) {
  AstfeCsr bad = matrix;
  const int64_t outside[] = {1, 4, 0, 3};
  bad.coordinates = outside;
  CHECK(astfeMatrixCreate(&bad, values, 64, NULL, 1) == NULL);
  CHECK(strstr(astfeLastError(), "4") != NULL);
  bad = matrix;
  bad.positionBits = 16;
  CHECK(astfePartition(&bad, NULL) == NULL);
  CHECK(strstr(astfeLastError(), "16") != NULL);
  CHECK(astfePartition(NULL, NULL) == NULL);
  CHECK(astfeMatrixCreate(&matrix, values, 16, NULL, 1) == NULL);
  AstfePartitionOptions options = astfeDefaultPartitionOptions();
  options.threshold = 0.25;
  CHECK(astfePartition(&matrix, &options) == NULL);
  CHECK(astfeGraphFromJson("{", 1) == NULL);
  CHECK(astfeCompile("func.func @f(", 13, NULL) == NULL);
  CHECK(strlen(astfeLastError()) > 0);
  CHECK(astfeSetThreads(5000) != 0);
  CHECK(astfeSetThreads(2) == 0 && astfeThreads() == 2);
  CHECK(astfeSetThreads(0) == 0 && astfeThreads() >= 1);
}

int main(void) {
  CHECK(strlen(astfeVersion()) > 0);
  testPartition();
  testProducts();
  testThreads();
  testProgram();
  testErrors();
  return failures != 0;
}
