/*===- KernelCheck.c - saved kernels through the C API -------------------===*
 *
 * Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include "ASTFE-c/Kernel.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: %s (last error: %s)\n", __FILE__, __LINE__,      \
              #condition, astfeLastError());                                   \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

#define TABLES                                                                 \
  "\"worker_span\", \"span_slot\", \"span_segment\", \"segment_row\", "        \
  "\"segment_end\", \"columns\", "
#define COMPANIONS                                                             \
  "[{\"entry\": \"start\", \"arguments\": [\"gap_begin\", \"gap_end\", "       \
  "\"combine_row\", \"output\", \"gaps\", \"shared_rows\", "                   \
  "\"column_count\"], \"block_threads\": 128}]"
#define KERNEL(roles, companions)                                              \
  "{\"version\": 4, \"entry\": \"tile32\", \"chip\": \"sm_90\", "              \
  "\"arguments\": [" roles "], \"column_tile\": 32, \"block_threads\": 128, "  \
  "\"workers_per_block\": 4, \"companions\": " companions ", "                 \
  "\"element\": \"f32\", \"layout\": {\"storage\": \"packed\", "                  \
  "\"target\": \"gpu\", \"window\": 96, \"dense_bytes\": 0, "                  \
  "\"column_tile\": 32, "                                                      \
  "\"column_bits\": 32, \"classes\": [\"row_segments\", \"scattered\"], "      \
  "\"deterministic\": false, \"assume_finite\": false}, \"ptx\": \"k.ptx\"}"

static const char *const writes =
    KERNEL(TABLES "\"segment_first\", \"values\", \"dense:1\", \"output\", "
                  "\"marks\", \"workers\", \"column_count\", \"scalar:0\"",
           COMPANIONS);
static const char *const adds =
    KERNEL(TABLES "\"values\", \"dense:1\", \"output\", \"workers\", "
                  "\"column_count\"",
           "[]");
static const char *const unknown = KERNEL("\"output\", \"bias\"", "[]");
static const char *const alone =
    KERNEL("\"output\", \"marks\", \"workers\"", "[]");

/* [[0, 2, 0, 3], [0, 0, 0, 0], [5, 0, 7, 1]] */
static const int32_t positions[] = {0, 2, 2, 5},
                     coordinates[] = {1, 3, 0, 2, 3};
static const float values[] = {2, 3, 5, 7, 1};
static const AstfeCsr matrix = {3, 4, positions, coordinates, 32, 32};

static AstfeKernel *create(const char *text, int32_t bits, int64_t columns) {
  return astfeKernelCreate(text, strlen(text), &matrix, values, bits, NULL,
                           columns, 2);
}

/* Argument `role` of the last launch. */
static AstfeKernelArgument find(const AstfeKernel *kernel, const char *role) {
  AstfeKernelLaunch launch;
  AstfeKernelArgument argument;
  const int64_t last = astfeKernelLaunches(kernel) - 1;
  int64_t j;
  CHECK(!astfeKernelGetLaunch(kernel, last, &launch));
  for (j = 0; j < launch.arguments; ++j) {
    CHECK(!astfeKernelGetArgument(kernel, last, j, &argument));
    if (!strcmp(argument.role, role))
      return argument;
  }
  fprintf(stderr, "no argument %s\n", role);
  exit(1);
}

static float sumOfValues(const AstfeKernel *kernel) {
  const AstfeKernelArgument table = find(kernel, "values");
  const float *data = table.data;
  float sum = 0;
  int64_t i;
  for (i = 0; i < table.bytes / 4; ++i)
    sum += data[i];
  return sum;
}

static void checkTables(void) {
  AstfeKernel *kernel = create(writes, 32, 40);
  AstfeKernelLaunch launch;
  AstfeKernelArgument argument;
  int64_t workers, segments;
  CHECK(kernel);
  CHECK(astfeKernelOverwrites(kernel) == 1);
  CHECK(!strcmp(astfeKernelImage(kernel), "k.ptx"));
  /* Row 1 is empty, so something has to clear it first. */
  CHECK(astfeKernelLaunches(kernel) == 2);
  CHECK(!astfeKernelGetLaunch(kernel, 0, &launch));
  CHECK(!strcmp(launch.entry, "start") && launch.gridX == 1);
  CHECK(launch.gridY == 1 && launch.blockThreads == 128);
  CHECK(!astfeKernelGetLaunch(kernel, 1, &launch));
  CHECK(!strcmp(launch.entry, "tile32") && launch.arguments == 14);
  workers = find(kernel, "workers").number;
  CHECK(workers >= 1 && launch.gridX == (workers + 3) / 4);
  CHECK(launch.gridY == 2);
  argument = find(kernel, "worker_span");
  CHECK(argument.kind == ASTFE_ARGUMENT_TABLE && argument.bits == 64);
  CHECK(argument.bytes == 8 * (workers + 1));
  CHECK(((const int64_t *)argument.data)[0] == 0);
  segments = find(kernel, "segment_row").bytes / 4;
  CHECK(segments >= 2 && find(kernel, "segment_end").bytes == 4 * segments);
  CHECK(find(kernel, "values").bytes == find(kernel, "columns").bytes);
  CHECK(sumOfValues(kernel) == 18);
  argument = find(kernel, "dense:1");
  CHECK(argument.kind == ASTFE_ARGUMENT_DENSE && argument.number == 1);
  argument = find(kernel, "output");
  CHECK(argument.kind == ASTFE_ARGUMENT_OUTPUT);
  CHECK(argument.bytes == 3 * 40 * 4 && argument.data == NULL);
  argument = find(kernel, "column_count");
  CHECK(argument.kind == ASTFE_ARGUMENT_NUMBER && argument.number == 40);
  CHECK(argument.bits == 32);
  argument = find(kernel, "scalar:0");
  CHECK(argument.kind == ASTFE_ARGUMENT_SCALAR && argument.number == 0);
  astfeKernelDestroy(kernel);
}

static void checkValues(void) {
  const float others[] = {1, 1, 1, 1, 2};
  AstfeKernel *kernel = create(adds, 32, 32);
  CHECK(kernel);
  CHECK(astfeKernelOverwrites(kernel) == 0);
  CHECK(astfeKernelLaunches(kernel) == 1);
  CHECK(!astfeKernelSetValues(kernel, others));
  CHECK(sumOfValues(kernel) == 6);
  CHECK(astfeKernelSetValues(kernel, NULL));
  astfeKernelDestroy(kernel);
}

static int refused(const char *text, int32_t bits, int64_t columns,
                   const char *why) {
  return !create(text, bits, columns) && strstr(astfeLastError(), why) != NULL;
}

static void checkErrors(void) {
  AstfeKernel *kernel = create(adds, 32, 32);
  AstfeKernelLaunch launch;
  AstfeKernelArgument argument;
  CHECK(refused("{", 32, 32, "kernel file"));
  CHECK(refused(adds, 64, 32, "expected values of 32 bits"));
  CHECK(refused(adds, 32, -1, "columns: expected 0 to 2^31 - 1 but got -1"));
  CHECK(refused(unknown, 32, 32, "the launcher knows but got 'bias'"));
  CHECK(refused(alone, 32, 32, "expected a kernel 'start' beside this one"));
  CHECK(!astfeKernelCreate(NULL, 0, &matrix, values, 32, NULL, 32, 0));
  CHECK(!astfeKernelCreate(adds, strlen(adds), NULL, values, 32, NULL, 32, 0));
  CHECK(!astfeKernelCreate(adds, strlen(adds), &matrix, NULL, 32, NULL, 32, 0));
  CHECK(!astfeKernelCreate(adds, strlen(adds), &matrix, values, 32, NULL, 32,
                           -1));
  CHECK(astfeKernelGetLaunch(kernel, 1, &launch));
  CHECK(strstr(astfeLastError(), "expected a launch below 1 but got 1"));
  CHECK(astfeKernelGetLaunch(kernel, -1, &launch));
  CHECK(astfeKernelGetLaunch(kernel, 0, NULL));
  CHECK(astfeKernelGetArgument(kernel, 0, 11, &argument));
  CHECK(strstr(astfeLastError(), "expected an argument below 11 but got 11"));
  CHECK(astfeKernelLaunches(NULL) == -1 && astfeKernelOverwrites(NULL) == -1);
  CHECK(astfeKernelImage(NULL) == NULL);
  astfeKernelDestroy(kernel);
  astfeKernelDestroy(kernel);
  astfeKernelDestroy(NULL);
  CHECK(astfeKernelLaunches(kernel) == -1);
  CHECK(strstr(astfeLastError(), "a kernel but got one that was destroyed"));
}

int main(void) {
  checkTables();
  checkValues();
  checkErrors();
  puts("passed");
  return 0;
}
