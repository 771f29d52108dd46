//===- CudaApi.h - the CUDA driver's functions, found at run time ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declared here rather than included: building ASTFE needs no CUDA toolkit, and
// running it needs a driver only where kernels run on a GPU. All handles of the
// driver are pointers except devices (int) and device memory (64-bit numbers);
// names, versions and numbers follow the CUDA driver API's reference manual.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_RUNTIME_CUDAAPI_H
#define ASTFE_LIB_RUNTIME_CUDAAPI_H

#include "ASTFE/Core/Support/Status.h"

#include <cstddef>
#include <cstdint>

namespace astfe::rt {

using CudaPointer = unsigned long long;

/// Numbers of the driver's enumerations.
enum CudaNumber : int {
  CudaAttributeMultiprocessors = 16,
  CudaPointerContext = 1,
  CudaPointerMemoryType = 2,
  CudaPointerIsManaged = 8,
  CudaPointerRangeStart = 11,
  CudaPointerRangeSize = 12,
  CudaMemoryHost = 1,
  CudaErrorInvalidValue = 1,
  CudaAttributeThreadsPerMultiprocessor = 39,
  CudaAttributeCapabilityMajor = 75,
  CudaAttributeCapabilityMinor = 76,
  CudaJitErrorLog = 5,
  CudaJitErrorLogBytes = 6,
  CudaMemoryAttachGlobal = 1,
  CudaFunctionDynamicShared = 8,
  CudaCaptureNone = 0,
};

struct CudaApi {
  int (*init)(unsigned);
  int (*driverVersion)(int *);
  int (*errorName)(int, const char **);
  int (*errorText)(int, const char **);
  int (*deviceCount)(int *);
  int (*deviceGet)(int *, int);
  int (*deviceName)(char *, int, int);
  int (*deviceAttribute)(int *, int, int);
  int (*contextRetain)(void **, int);
  int (*contextPush)(void *);
  int (*contextPop)(void **);
  int (*contextSynchronize)();
  int (*moduleLoad)(void **, const void *, unsigned, int *, void **);
  int (*moduleUnload)(void *);
  int (*moduleFunction)(void **, void *, const char *);
  int (*functionSetAttribute)(void *, int, int);
  int (*residentBlocks)(int *, void *, int, size_t);
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                unsigned, unsigned, void *, void **, void **);
  int (*allocate)(CudaPointer *, size_t);
  int (*allocateManaged)(CudaPointer *, size_t, unsigned);
  int (*free)(CudaPointer);
  int (*allocateAsync)(CudaPointer *, size_t, void *);
  int (*freeAsync)(CudaPointer, void *);
  int (*pointerAttribute)(void *, int, CudaPointer);
  int (*copy)(CudaPointer, CudaPointer, size_t);
  int (*copyAsync)(CudaPointer, CudaPointer, size_t, void *);
  int (*fill32)(CudaPointer, unsigned, size_t, void *);
  int (*fill16)(CudaPointer, unsigned short, size_t, void *);
  int (*registerHost)(void *, size_t, unsigned);
  int (*unregisterHost)(void *);
  int (*streamCreate)(void **, unsigned);
  int (*streamDestroy)(void *);
  int (*streamSynchronize)(void *);
  int (*streamContext)(void *, void **);
  int (*streamWait)(void *, void *, unsigned);
  int (*streamCapturing)(void *, int *);
  int (*eventCreate)(void **, unsigned);
  int (*eventDestroy)(void *);
  int (*eventRecord)(void *, void *);
  int (*eventSynchronize)(void *);
  int (*eventElapsed)(float *, void *, void *);

  /// Success, or "WHAT failed: CUDA_ERROR_NAME (text)".
  core::Status check(int code, const char *what) const;
};

/// Opens the driver once. The error names the library that was not found.
core::Result<const CudaApi *> cudaApi();

} // namespace astfe::rt

#endif // ASTFE_LIB_RUNTIME_CUDAAPI_H
