/*===- Check.h - checks of the C API, and a matrix ------------------------===*
 *
 * Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program exits with `failures != 0`, and prints each check that does not
 * hold.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ASTFE_UNITTESTS_CAPI_CHECK_H
#define ASTFE_UNITTESTS_CAPI_CHECK_H

#include "ASTFE-c/Matrix.h"
#include "ASTFE-c/Support.h"

#include <stdio.h>
#include <string.h>

static int failures = 0;

static void check(int holds, const char *what, int line) {
  if (holds)
    return;
  fprintf(stderr, "line %d: %s (last error: %s)\n", line, what,
          astfeLastError());
  ++failures;
}
#define CHECK(condition) check(!!(condition), #condition, __LINE__)

static inline int said(const char *text) {
  return strstr(astfeLastError(), text) != NULL;
}

/* The last call failed and said so. */
static inline int saidNull(void) {
  int said = strstr(astfeLastError(), "but got null") != NULL;
  astfeGraphFromJson("{", 1); /* another text */
  return said;
}

#endif
