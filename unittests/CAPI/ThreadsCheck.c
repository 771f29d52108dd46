/*===- ThreadsCheck.c - the C API from several threads --------------------===*
 *
 * Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include "ASTFE-c/Program.h"
#include "Check.h"
#include "ExampleMatrix.h"

#include <pthread.h>
#include <stdlib.h>

/* Multiplies until the matrix is gone; the result is whether that was an error
   that says so, after right products only. */
static void *productsUntilDestroyed(void *argument) {
  const double x[] = {1, 2, 3, 4};
  double y[3];
  while (multiplyVector(argument, x, y, 0) == 0)
    if (y[0] != 34 || y[1] != 0 || y[2] != 39)
      return NULL;
  return strstr(astfeLastError(), "destroyed") ? argument : NULL;
}

static void testDestroyedInUse(void) {
  for (int round = 0; round < 20; ++round) {
    AstfeMatrix *m = create(&matrix, values, 64, NULL, 1);
    CHECK(m != NULL);
    pthread_t threads[3];
    for (int i = 0; i < 3; ++i)
      CHECK(pthread_create(&threads[i], NULL, productsUntilDestroyed, m) == 0);
    CHECK(astfeMatrixSetValues(m, values) == 0);
    astfeMatrixDestroy(m);
    for (int i = 0; i < 3; ++i) {
      void *result = NULL;
      pthread_join(threads[i], &result);
      CHECK(result == m);
    }
    CHECK(astfeMatrixSetValues(m, values) != 0);
    astfeMatrixDestroy(m);
  }
}

static void *productsOnThread(void *argument) {
  const AstfeMatrix *m = argument;
  for (int i = 0; i < 50; ++i) {
    const double x[] = {1, 2, 3, 4};
    double y[3];
    if (multiplyVector(m, x, y, 0) != 0 || y[0] != 34 || y[2] != 39)
      return (void *)1;
  }
  return NULL;
}

static void testThreads(void) {
  AstfeMatrix *m = create(&matrix, values, 64, NULL, 1);
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

/* Everything that is made on a first use, by several threads at once. */
static void *firstUseOnThread(void *argument) {
  AstfeGraph *shared = argument;
  const float single[] = {5, 6, 7, 8}, x[] = {1, 2, 3, 4};
  float y[3];
  const char *text = "func.func @f() attributes {llvm.emit_c_interface} "
                     "{\n  return\n}\n";
  const char *json = astfeGraphJson(shared);
  AstfeGraph *graph = astfePartition(&matrix, NULL);
  AstfeMatrix *m = create(&matrix, single, 32, graph, 1);
  AstfeMatrix *other = create(&matrix, single, 32, shared, 2);
  AstfeProgram *program = astfeCompile(text, strlen(text), NULL);
  int good = json && strlen(json) > 2 && graph && m && other && program &&
             multiplyVector(m, x, y, 0) == 0 && y[0] == 34 && y[2] == 39 &&
             multiplyVector(other, x, y, 0) == 0 && y[0] == 34 && y[2] == 39;
  astfeProgramDestroy(program);
  astfeMatrixDestroy(other);
  astfeMatrixDestroy(m);
  astfeGraphDestroy(graph);
  return good ? NULL : (void *)1;
}

/* Runs first: nothing is compiled or registered yet. */
static void testFirstUses(void) {
  AstfeGraph *shared = astfePartition(&matrix, NULL);
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    CHECK(pthread_create(&threads[i], NULL, firstUseOnThread, shared) == 0);
  for (int i = 0; i < 4; ++i) {
    void *result = NULL;
    pthread_join(threads[i], &result);
    CHECK(result == NULL);
  }
  astfeGraphDestroy(shared);
}

typedef struct {
  const AstfeProgram *program;
  const AstfeMatrix *matrix;
  int32_t invoked, afterVector, afterColumns;
} ThreadCounts;

/* What a thread is told without a call into the library that runs kernels. */
static int32_t maxThreads(const AstfeProgram *program) {
  int32_t (*count)(void) =
      (int32_t(*)(void))astfeProgramLookup(program, "_mlir_ciface_max_threads");
  return count ? count() : -1;
}

static void *invokeOnThread(void *argument) {
  ThreadCounts *counts = argument;
  void *arguments[] = {&counts->invoked};
  if (astfeProgramInvoke(counts->program, "max_threads", arguments) != 0)
    counts->invoked = -1;
  return NULL;
}

static void *spmvOnThread(void *argument) {
  ThreadCounts *counts = argument;
  const double x[] = {1, 2, 3, 4};
  double y[3];
  multiplyVector(counts->matrix, x, y, 0);
  counts->afterVector = maxThreads(counts->program);
  return NULL;
}

static void *spmmOnThread(void *argument) {
  ThreadCounts *counts = argument;
  const double B[] = {1, 2, 3, 4};
  double C[3];
  astfeMatrixMultiply(counts->matrix, 1, B, 1, C, 1);
  counts->afterColumns = maxThreads(counts->program);
  return NULL;
}

/* The setting holds in threads other than the one that made it. The loop brings
   the OpenMP runtime. */
static void testThreadSetting(void) {
  const char *text =
      "func.func private @omp_get_max_threads() -> i32\n"
      "func.func @loop(%n: index) {\n"
      "  %zero = arith.constant 0 : index\n"
      "  %one = arith.constant 1 : index\n"
      "  scf.parallel (%i) = (%zero) to (%n) step (%one) {}\n"
      "  return\n}\n"
      "func.func @max_threads() -> i32 attributes {llvm.emit_c_interface} {\n"
      "  %n = func.call @omp_get_max_threads() : () -> i32\n"
      "  return %n : i32\n}\n";
  ThreadCounts counts = {astfeCompile(text, strlen(text), NULL),
                         create(&matrix, values, 64, NULL, 1), 0, 0, 0};
  CHECK(counts.program != NULL && counts.matrix != NULL);
  if (!counts.program || !counts.matrix)
    return;
  /* A number that no thread has of itself. */
  const int64_t wanted = astfeThreads() + 7;
  CHECK(astfeSetThreads(wanted) == 0);
  void *(*bodies[])(void *) = {invokeOnThread, spmvOnThread, spmmOnThread};
  for (int i = 0; i < 3; ++i) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, bodies[i], &counts) == 0);
    pthread_join(thread, NULL);
  }
  CHECK(counts.invoked == wanted);
  CHECK(counts.afterVector == wanted);
  CHECK(counts.afterColumns == wanted);
  CHECK(astfeSetThreads(0) == 0);
  astfeProgramDestroy((AstfeProgram *)counts.program);
  astfeMatrixDestroy((AstfeMatrix *)counts.matrix);
}

int main(void) {
  testFirstUses();
  testDestroyedInUse();
  testThreads();
  testThreadSetting();
  return failures != 0;
}
