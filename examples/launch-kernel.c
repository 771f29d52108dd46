/*===- launch-kernel.c - a saved kernel through the CUDA driver ----------===*
 *
 * Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * C = A B on a GPU without a compiler: reads a kernel that astfe-emit-kernels
 * wrote, packs a small matrix for it, launches and prints C.
 *
 *   astfe-opt spmm.mlir --astfe-to-ptx=storage=packed \
 *     --astfe-emit-kernels=directory=kernels -o /dev/null
 *   cc launch-kernel.c -lASTFE -lcuda -o launch-kernel
 *   ./launch-kernel kernels/spmm_kernels.tile32.json
 *
 *===----------------------------------------------------------------------===*/

#include "ASTFE-c/Kernel.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_include) && __has_include(<cuda.h>)
#include <cuda.h>
#else
/* What this program needs of cuda.h, where CUDA is not installed. */
typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
#define cuMemAlloc cuMemAlloc_v2
CUresult cuInit(unsigned flags);
CUresult cuGetErrorString(CUresult error, const char **text);
CUresult cuDeviceGet(CUdevice *device, int ordinal);
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxSynchronize(void);
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            void *options, void **values);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name);
CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned blockX, unsigned blockY,
                        unsigned blockZ, unsigned sharedBytes, CUstream stream,
                        void **arguments, void **extra);
CUresult cuMemAlloc(CUdeviceptr *memory, size_t bytes);
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes);
#endif

enum { ROWS = 3, INNER = 4, COLUMNS = 32, NONZEROS = 5, MOST = 32 };

static void check(CUresult result, const char *what) {
  const char *text = "an error without a text";
  if (result == 0)
    return;
  cuGetErrorString(result, &text);
  fprintf(stderr, "launch-kernel: %s: %s\n", what, text);
  exit(1);
}

static void checkAstfe(int ok) {
  if (ok)
    return;
  fprintf(stderr, "launch-kernel: %s\n", astfeLastError());
  exit(1);
}

/* All of a file, with a zero behind it. */
static char *readAll(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  size_t size = 0, got = 1;
  while (file && got) {
    text = realloc(text, size + 4097);
    got = text ? fread(text + size, 1, 4096, file) : 0;
    size += got;
  }
  if (!text) {
    fprintf(stderr, "launch-kernel: %s: cannot read\n", path);
    exit(1);
  }
  fclose(file);
  text[size] = 0;
  *length = size;
  return text;
}

/* Device memory of at least one byte, with a copy of `data` where it is given. */
static CUdeviceptr upload(const void *data, size_t bytes) {
  CUdeviceptr memory = 0;
  check(cuMemAlloc(&memory, bytes ? bytes : 1), "cuMemAlloc");
  if (data && bytes)
    check(cuMemcpy(memory, (CUdeviceptr)(size_t)data, bytes), "cuMemcpy");
  return memory;
}

/* What was brought to the device, by role: launches share it. */
static struct {
  const char *role;
  CUdeviceptr memory;
} known[MOST];
static int knownCount;

static CUdeviceptr memoryOf(const AstfeKernelArgument *argument,
                            const void *data, size_t bytes) {
  int i;
  for (i = 0; i < knownCount; ++i)
    if (!strcmp(known[i].role, argument->role))
      return known[i].memory;
  if (knownCount == MOST) {
    fprintf(stderr, "launch-kernel: expected at most %d roles\n", MOST);
    exit(1);
  }
  known[knownCount].role = argument->role;
  known[knownCount].memory = upload(data, bytes);
  return known[knownCount++].memory;
}

/* The argument's 8 bytes as the driver takes them. */
static unsigned long long valueOf(const AstfeKernelArgument *argument,
                                  const float *b, const float *c) {
  switch (argument->kind) {
  case ASTFE_ARGUMENT_TABLE:
    return memoryOf(argument, argument->data, (size_t)argument->bytes);
  case ASTFE_ARGUMENT_DENSE:
    return memoryOf(argument, b, INNER * COLUMNS * sizeof(float));
  case ASTFE_ARGUMENT_OUTPUT:
    return memoryOf(argument, c, (size_t)argument->bytes);
  case ASTFE_ARGUMENT_SCRATCH:
    return memoryOf(argument, NULL, (size_t)argument->bytes);
  default:
    return (unsigned long long)argument->number;
  }
}

static void launch(CUmodule module, const AstfeKernel *kernel, int64_t number,
                   const float *b, const float *c) {
  AstfeKernelLaunch what;
  unsigned long long values[MOST];
  void *arguments[MOST];
  CUfunction function;
  int64_t j;
  checkAstfe(!astfeKernelGetLaunch(kernel, number, &what));
  for (j = 0; j < what.arguments && j < MOST; ++j) {
    AstfeKernelArgument argument;
    checkAstfe(!astfeKernelGetArgument(kernel, number, j, &argument));
    values[j] = valueOf(&argument, b, c);
    arguments[j] = &values[j];
  }
  check(cuModuleGetFunction(&function, module, what.entry), what.entry);
  check(cuLaunchKernel(function, (unsigned)what.gridX, (unsigned)what.gridY,
                       (unsigned)what.gridZ,
                       (unsigned)what.blockThreads, 1, 1, 0, NULL, arguments,
                       NULL),
        what.entry);
  printf("launched %s on %lld x %lld x %lld blocks with %lld arguments\n",
         what.entry, (long long)what.gridX, (long long)what.gridY,
         (long long)what.gridZ,
         (long long)what.arguments);
}

int main(int argc, char **argv) {
  /* [[0, 2, 0, 3], [0, 0, 0, 0], [5, 0, 7, 1]] */
  const int32_t positions[] = {0, 2, 2, 5}, coordinates[] = {1, 3, 0, 2, 3};
  const float values[NONZEROS] = {2, 3, 5, 7, 1};
  const AstfeCsr matrix = {ROWS, INNER, positions, coordinates, 32, 32};
  float b[INNER * COLUMNS], c[ROWS * COLUMNS];
  char *json, *ptx, path[4096], *slash;
  size_t length;
  AstfeKernel *kernel;
  CUdevice device;
  CUcontext context;
  CUmodule module;
  int64_t i;
  if (argc != 2) {
    fprintf(stderr, "usage: launch-kernel KERNEL.json\n");
    return 1;
  }
  for (i = 0; i < INNER * COLUMNS; ++i)
    b[i] = (float)(i / COLUMNS + 1); /* rows of 1, 2, 3, 4 */
  memset(c, 0, sizeof(c));           /* for kernels that add to C */
  json = readAll(argv[1], &length);
  kernel = astfeKernelCreate(json, length, &matrix, values, 32, NULL, COLUMNS,
                             /*multiprocessors=*/0);
  checkAstfe(kernel != NULL);

  check(cuInit(0), "cuInit");
  check(cuDeviceGet(&device, 0), "cuDeviceGet");
  check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  slash = strrchr(argv[1], '/');
  snprintf(path, sizeof(path), "%.*s%s", slash ? (int)(slash - argv[1]) + 1 : 0,
           argv[1], astfeKernelImage(kernel));
  ptx = readAll(path, &length);
  check(cuModuleLoadDataEx(&module, ptx, 0, NULL, NULL), path);
  for (i = 0; i < astfeKernelLaunches(kernel); ++i)
    launch(module, kernel, i, b, c);
  check(cuCtxSynchronize(), "cuCtxSynchronize");
  for (i = 0; i < knownCount; ++i)
    if (!strcmp(known[i].role, "output"))
      check(cuMemcpy((CUdeviceptr)(size_t)c, known[i].memory, sizeof(c)),
            "cuMemcpy");
  /* 16, 0 and 30 with a GPU. */
  printf("C[0][0] = %g, C[1][0] = %g, C[2][0] = %g\n", c[0], c[COLUMNS],
         c[2 * COLUMNS]);
  astfeKernelDestroy(kernel);
  free(json);
  free(ptx);
  return 0;
}
