//===- FakeCuda.cpp - a library with the CUDA driver's functions ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One device whose memory is the host's. A module is any text that begins with
// ".version"; its only kernel, `add`, does x[i] += value for i < block.x. Every
// function fails in a way of its own where the driver's would: without a
// current context, for unknown handles, for empty allocations and empty grids.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

namespace {

enum Code {
  Success = 0,
  InvalidValue = 1,
  InvalidDevice = 101,
  InvalidContext = 201,
  InvalidPtx = 218,
  InvalidHandle = 400,
  NotFound = 500,
};

using Pointer = unsigned long long;

int theContext, theFunction;
thread_local void *current = nullptr;
std::set<void *> handles; ///< modules, streams, events
std::set<Pointer> memory;
/// Whether the last bytes of a copy may still be on their way: the default
/// stream has not been waited for since.
bool copying = false;

int make(void **result) {
  if (!current)
    return InvalidContext;
  handles.insert(*result = std::malloc(1));
  return Success;
}

int drop(void *handle) {
  if (!current)
    return InvalidContext;
  if (!handles.erase(handle))
    return InvalidHandle;
  std::free(handle);
  return Success;
}

/// Null is the default stream.
int known(void *handle) {
  if (!current)
    return InvalidContext;
  return !handle || handles.count(handle) ? Success : InvalidHandle;
}

template <typename T>
int fill(Pointer to, T value, size_t count, void *stream) {
  for (size_t i = 0; i < count; ++i)
    reinterpret_cast<T *>(to)[i] = value;
  return known(stream);
}

int allocate(Pointer *result, size_t bytes) {
  if (!current)
    return InvalidContext;
  if (bytes == 0 || bytes > (size_t(1) << 40))
    return InvalidValue;
  *result = reinterpret_cast<Pointer>(std::malloc(bytes));
  memory.insert(*result);
  return Success;
}

int copy(Pointer to, Pointer from, size_t bytes) {
  if (!current)
    return InvalidContext;
  if (!from && bytes)
    return InvalidValue;
  std::memcpy(reinterpret_cast<void *>(to),
              reinterpret_cast<const void *>(from), bytes);
  return Success;
}

} // namespace

extern "C" {
/// Not the driver's: allocations that have not been freed.
int fakeCudaAllocations() { return int(memory.size()); }

int cuInit(unsigned) { return Success; }
int cuGetErrorName(int code, const char **text) {
  *text = code == InvalidPtx ? "CUDA_ERROR_INVALID_PTX" : "CUDA_ERROR_OTHER";
  return Success;
}
int cuGetErrorString(int, const char **text) {
  *text = "what the driver says";
  return Success;
}
int cuDeviceGetCount(int *count) { return *count = 1, Success; }
int cuDeviceGet(int *device, int ordinal) {
  return *device = ordinal + 7, ordinal == 0 ? Success : InvalidDevice;
}
int cuDeviceGetName(char *text, int bytes, int device) {
  std::snprintf(text, size_t(bytes), "Fake");
  return device == 7 ? Success : InvalidDevice;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  *value = attribute == 16 ? 132 : attribute == 39 ? 2048 : -1;
  return device == 7 ? Success : InvalidDevice;
}
int cuDevicePrimaryCtxRetain(void **context, int) {
  return *context = &theContext, Success;
}
int cuCtxSetCurrent(void *context) { return current = context, Success; }
int cuCtxSynchronize() { return current ? Success : InvalidContext; }

int cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                       int *options, void **values) {
  if (!std::strncmp(static_cast<const char *>(image), ".version", 8))
    return make(module);
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == 5) // the buffer of the error log
      std::strcpy(static_cast<char *>(values[i]), "ptxas: line 3: no such");
  return InvalidPtx;
}
int cuModuleUnload(void *module) { return drop(module); }
int cuModuleGetFunction(void **function, void *module, const char *name) {
  *function = &theFunction;
  if (int code = known(module))
    return code;
  return std::strcmp(name, "add") ? NotFound : Success;
}
int cuFuncSetAttribute(void *function, int attribute, int) {
  return function == &theFunction && attribute == 8 ? Success : InvalidHandle;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function,
                                                int threads, size_t) {
  *blocks = 2048 / threads;
  return function == &theFunction ? Success : InvalidHandle;
}
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                   unsigned bx, unsigned, unsigned, unsigned, void *stream,
                   void **params, void **extra) {
  if (function != &theFunction || extra)
    return InvalidHandle;
  if (gx * gy * gz == 0 || gy > 65535 || (copying && stream))
    return InvalidValue;
  int *x = *static_cast<int **>(params[0]);
  for (unsigned i = 0; i < bx; ++i)
    x[i] += *static_cast<int *>(params[1]);
  return known(stream);
}

int cuMemAlloc_v2(Pointer *result, size_t bytes) {
  return allocate(result, bytes);
}
int cuMemAllocManaged(Pointer *result, size_t bytes, unsigned flags) {
  return flags == 1 ? allocate(result, bytes) : InvalidValue;
}
int cuMemFree_v2(Pointer block) {
  if (!memory.erase(block))
    return InvalidValue;
  std::free(reinterpret_cast<void *>(block));
  return Success;
}
int cuMemcpy(Pointer to, Pointer from, size_t bytes) {
  copying = true;
  return copy(to, from, bytes);
}
int cuMemcpyAsync(Pointer to, Pointer from, size_t bytes, void *stream) {
  return stream ? copy(to, from, bytes) : InvalidHandle;
}
int cuMemsetD32Async(Pointer to, unsigned value, size_t count, void *stream) {
  return fill<uint32_t>(to, value, count, stream);
}
int cuMemsetD16Async(Pointer to, unsigned short value, size_t count,
                     void *stream) {
  return fill<uint16_t>(to, value, count, stream);
}
int cuMemHostRegister_v2(void *, size_t bytes, unsigned) {
  return bytes ? Success : InvalidValue;
}
int cuMemHostUnregister(void *) { return Success; }

int cuStreamCreate(void **stream, unsigned flags) {
  return flags == 1 ? make(stream) : InvalidValue;
}
int cuStreamDestroy_v2(void *stream) { return drop(stream); }
int cuStreamSynchronize(void *stream) {
  copying &= stream != nullptr;
  return known(stream);
}
int cuStreamWaitEvent(void *stream, void *event, unsigned) {
  return event ? known(stream) : InvalidHandle;
}
int cuEventCreate(void **event, unsigned) { return make(event); }
int cuEventDestroy_v2(void *event) { return drop(event); }
int cuEventRecord(void *event, void *stream) {
  return event ? known(stream) : InvalidHandle;
}
int cuEventSynchronize(void *event) { return known(event); }
int cuEventElapsedTime(float *milliseconds, void *, void *) {
  return *milliseconds = 250, Success;
}
}
