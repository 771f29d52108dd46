/* ForkCheck.c - handlers of fork() that call a library loaded after them -----===
 *
 * Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handlers that were registered before the library was loaded run between its
 * own: before fork() after them, and in the child before them.
 *
 *===--------------------------------------------------------------------------=== */

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int64_t (*blocks)(void *);
static int calls = 0;

static void callLibrary(void) { calls += blocks && blocks(NULL) == -1; }

int main(int argc, char **argv) {
  if (argc != 2)
    return 1;
  pthread_atfork(callLibrary, callLibrary, callLibrary);
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  *(void **)&blocks = dlsym(library, "astfeGraphBlocks");
  const pid_t child = fork();
  if (child == 0)
    _exit(calls == 2 ? 0 : 1);
  int status = 1;
  if (child < 0 || waitpid(child, &status, 0) != child)
    return 1;
  return calls == 2 ? status : 1;
}
