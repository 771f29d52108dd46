/*===- ExitCheck.c - programs that end while they compile ----------------===*
 *
 * Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A thread multiplies for the first time, and so compiles, while the main
 * thread returns from main: at any moment of it the process ends well.
 *
 *===----------------------------------------------------------------------===*/

#include "ASTFE-c/Matrix.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const int32_t positions[] = {0, 2, 2, 4}, coordinates[] = {1, 3, 0, 3};
static const float values[] = {5, 6, 7, 8};
static const AstfeCsr matrix = {3, 4, positions, coordinates, 32, 32};

/* Products of ever other widths: each compiles. */
static void *compile(void *argument) {
  AstfeMatrix *m = astfeMatrixCreate(&matrix, values, 32, NULL, NULL);
  static float b[4 * 64], c[3 * 64];
  for (int n = 1; m && n < 64; ++n)
    if (astfeMatrixMultiply(m, n, b, n, c, n) != 0)
      break;
  return argument;
}

static int endAfter(unsigned milliseconds) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, compile, NULL) != 0)
    return 1;
  usleep(1000 * milliseconds);
  return 0;
}

int main(void) {
  setenv("ASTFE_KERNEL_CACHE", "off", 1);
  int failures = 0;
  /* The first compilation takes some 200 ms with loading LLVM; under a
     sanitizer or on a busy machine longer, which then ends earlier in it. */
  for (unsigned milliseconds = 0; milliseconds <= 400; milliseconds += 20) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(100);
      return endAfter(milliseconds);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
      fprintf(stderr,
              "ExitCheck.c: after %u ms: expected status 0 but got %s %d\n",
              milliseconds, WIFSIGNALED(status) ? "signal" : "exit",
              WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
      ++failures;
    }
  }
  return failures != 0;
}
