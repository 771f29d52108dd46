//===- FakeCuda.cpp - a library with the CUDA driver's functions ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One device whose memory is the host's, and a processor (Processor.h). A
// module is PTX: a text whose first directive is .version. Every function fails
// in a way of its own where the driver's would: without a current context, for
// unknown handles, for empty allocations and grids, for launches beyond the
// device's limits, beyond its memory, and in everything once a kernel has gone
// wrong.
//
//   ASTFE_FAKE_CUDA_LOG=FILE   appends a line for each module, launch, copy,
//   fill
//                              and allocation
//
//===----------------------------------------------------------------------===//

#include "Processor.h"

#include <cctype>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

using fakecuda::processor;

namespace {

enum Code {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  Deinitialized = 4,
  InvalidDevice = 101,
  InvalidContext = 201,
  InvalidPtx = 218,
  InvalidHandle = 400,
  NotFound = 500,
  IllegalAddress = 700,
};

using Pointer = unsigned long long;

constexpr size_t kMemoryBytes = size_t(1) << 30;

/// A kernel of a module, as the driver hands it out.
struct Function {
  std::string name;
  void *kernel;
  /// Dynamic shared memory that a launch may have.
  unsigned mostShared = 48 * 1024;
};

int theContext, otherStream;
thread_local void *current = nullptr;
std::recursive_mutex mutex; ///< of all that follows
std::set<void *> handles;   ///< streams, events
std::set<void *> modules;
std::map<void *, Function> functions; ///< by kernel
std::map<Pointer, size_t> memory;
size_t memoryUsed = 0;
/// Calls that waited for all of the device.
int waits = 0;
/// Whether the last bytes of a copy may still be on their way: the default
/// stream has not been waited for since.
bool copying = false;
/// The process ends: modules are unloaded when what is behind is gone already.
bool ended = false;
/// A kernel has gone wrong: the context is of no use any more.
bool broken = false;

void log(const char *format, ...) {
  const char *name = std::getenv("ASTFE_FAKE_CUDA_LOG");
  FILE *file = name && *name ? std::fopen(name, "a") : nullptr;
  if (!file)
    return;
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(file, format, arguments);
  va_end(arguments);
  std::fclose(file);
}

/// What every function of a context asks first.
int usable() {
  if (ended)
    return Deinitialized;
  if (!current)
    return InvalidContext;
  return broken ? IllegalAddress : Success;
}

int make(void **result) {
  if (int code = usable())
    return code;
  handles.insert(*result = std::malloc(1));
  return Success;
}

int drop(void *handle) {
  if (int code = usable())
    return code;
  if (!handles.erase(handle))
    return InvalidHandle;
  std::free(handle);
  return Success;
}

/// Null is the default stream.
int known(void *handle) {
  if (int code = usable())
    return code;
  return !handle || handles.count(handle) ? Success : InvalidHandle;
}

/// Gives memory back.
int release(Pointer block) {
  if (int code = usable())
    return code;
  auto found = memory.find(block);
  if (found == memory.end())
    return InvalidValue;
  processor().free(reinterpret_cast<void *>(block));
  memoryUsed -= found->second;
  memory.erase(found);
  return Success;
}

/// Whether the bytes are inside one allocation of the device.
bool owns(Pointer begin, size_t bytes) {
  auto next = memory.upper_bound(begin);
  if (next == memory.begin())
    return false;
  auto &[first, size] = *std::prev(next);
  return begin - first <= size && bytes <= size - (begin - first);
}

template <typename T>
int fill(Pointer to, T value, size_t count, void *stream) {
  if (int code = known(stream))
    return code;
  if (!owns(to, count * sizeof(T)))
    return InvalidValue;
  log("fill %zu\n", count * sizeof(T));
  for (size_t i = 0; i < count; ++i)
    reinterpret_cast<T *>(to)[i] = value;
  return Success;
}

int allocate(Pointer *result, size_t bytes) {
  if (int code = usable())
    return code;
  if (bytes == 0)
    return InvalidValue;
  if (bytes > kMemoryBytes - memoryUsed)
    return OutOfMemory;
  *result = reinterpret_cast<Pointer>(processor().allocate(bytes));
  memory[*result] = bytes;
  memoryUsed += bytes;
  log("allocate %zu\n", bytes);
  return Success;
}

int copy(Pointer to, Pointer from, size_t bytes) {
  if (int code = usable())
    return code;
  if ((!from || !to) && bytes)
    return InvalidValue;
  log("copy %zu %s\n", bytes, owns(to, bytes) ? "to device" : "to host");
  std::memcpy(reinterpret_cast<void *>(to),
              reinterpret_cast<const void *>(from), bytes);
  return Success;
}

/// Whether a launch is within the limits of a device of compute capability 9.0.
bool isPossible(const fakecuda::Grid &shape) {
  const unsigned mostBlocks[] = {0x7fffffff, 65535, 65535},
                 mostThreads[] = {1024, 1024, 64};
  size_t threads = 1;
  for (int k = 0; k < 3; ++k) {
    if (shape.grid[k] < 1 || shape.grid[k] > mostBlocks[k] ||
        shape.block[k] < 1 || shape.block[k] > mostThreads[k])
      return false;
    threads *= shape.block[k];
  }
  return threads <= 1024;
}

/// Behind comments and blanks the text begins with .version.
bool isPtx(const char *text) {
  for (;;) {
    while (std::isspace(static_cast<unsigned char>(*text)))
      ++text;
    if (std::strncmp(text, "//", 2))
      return !std::strncmp(text, ".version", 8);
    text += std::strcspn(text, "\n");
  }
}

void *loaded(const void *image, std::string &problem) {
  auto *text = static_cast<const char *>(image);
  if (isPtx(text))
    return processor().load(text, problem);
  problem = "line 3: no such";
  return nullptr;
}

} // namespace

#define LOCK std::lock_guard<std::recursive_mutex> lock(mutex)

extern "C" {
/// Not the driver's: a stream of another context.
void *fakeCudaOtherStream() { return &otherStream; }
/// Not the driver's: allocations that have not been freed.
int fakeCudaAllocations() {
  LOCK;
  return int(memory.size());
}
/// Not the driver's: calls so far that waited for all streams.
int fakeCudaWaits() {
  LOCK;
  return waits;
}

int cuInit(unsigned) {
  std::atexit([] { ended = true; });
  return Success;
}
int cuGetErrorName(int code, const char **text) {
  *text = code == InvalidPtx       ? "CUDA_ERROR_INVALID_PTX"
          : code == OutOfMemory    ? "CUDA_ERROR_OUT_OF_MEMORY"
          : code == IllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                   : "CUDA_ERROR_OTHER";
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
  switch (attribute) {
  case 16: // multiprocessors
    *value = 132;
    break;
  case 39: // threads of one
    *value = 2048;
    break;
  case 75: // compute capability: 9.0
    *value = 9;
    break;
  case 76:
    *value = 0;
    break;
  default:
    *value = -1;
  }
  return device == 7 ? Success : InvalidDevice;
}
int cuDevicePrimaryCtxRetain(void **context, int) {
  return *context = &theContext, Success;
}
int cuCtxSetCurrent(void *context) { return current = context, Success; }
int cuCtxSynchronize() {
  LOCK;
  return usable();
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                       int *options, void **values) {
  LOCK;
  if (int code = usable())
    return code;
  std::string problem;
  if ((*module = loaded(image, problem))) {
    modules.insert(*module);
    log("load\n");
    return Success;
  }
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == 5) // the buffer of the error log
      std::snprintf(static_cast<char *>(values[i]), 512, "ptxas: %s",
                    problem.c_str());
  return InvalidPtx;
}
int cuModuleUnload(void *module) {
  LOCK;
  if (int code = usable())
    return code;
  if (!modules.erase(module))
    return InvalidHandle;
  processor().unload(module);
  return Success;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  LOCK;
  if (int code = usable())
    return code;
  if (!modules.count(module))
    return InvalidHandle;
  void *kernel = processor().kernel(module, name);
  if (!kernel)
    return NotFound;
  functions[kernel] = {name, kernel};
  return *function = kernel, Success;
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  LOCK;
  auto found = functions.find(function);
  if (found == functions.end() || attribute != 8)
    return InvalidHandle;
  if (value < 0 || value > 227 * 1024)
    return InvalidValue;
  found->second.mostShared = unsigned(value);
  return Success;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function,
                                                int threads, size_t) {
  LOCK;
  auto found = functions.find(function);
  if (found == functions.end())
    return InvalidHandle;
  *blocks = processor().residentBlocks(found->second.name, threads);
  return Success;
}
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                   unsigned bx, unsigned by, unsigned bz, unsigned sharedBytes,
                   void *stream, void **params, void **extra) {
  LOCK;
  if (int code = known(stream))
    return code;
  auto found = functions.find(function);
  if (found == functions.end() || extra)
    return InvalidHandle;
  const fakecuda::Grid shape{{gx, gy, gz}, {bx, by, bz}, sharedBytes};
  if (!isPossible(shape) || sharedBytes > found->second.mostShared ||
      (copying && stream))
    return InvalidValue;
  log("launch %s grid %u %u %u block %u\n", found->second.name.c_str(), gx, gy,
      gz, bx);
  std::string fault = processor().launch(found->second.kernel, shape, params);
  // As on hardware, it is the next call that tells.
  if (!fault.empty()) {
    broken = true;
    log("fault %s\n", fault.c_str());
  }
  return Success;
}

int cuMemAlloc_v2(Pointer *result, size_t bytes) {
  LOCK;
  return allocate(result, bytes);
}
int cuMemAllocManaged(Pointer *result, size_t bytes, unsigned flags) {
  LOCK;
  return flags == 1 ? allocate(result, bytes) : InvalidValue;
}
int cuMemFree_v2(Pointer block) {
  LOCK;
  ++waits;
  return release(block);
}
int cuMemAllocAsync(Pointer *result, size_t bytes, void *stream) {
  LOCK;
  int code = known(stream);
  return code ? code : allocate(result, bytes);
}
int cuMemFreeAsync(Pointer block, void *stream) {
  LOCK;
  int code = known(stream);
  return code ? code : release(block);
}
int cuPointerGetAttribute(void *answer, int attribute, Pointer pointer) {
  LOCK;
  if (int code = usable())
    return code;
  if (!owns(pointer, 0))
    return InvalidValue;
  auto &[begin, bytes] = *std::prev(memory.upper_bound(pointer));
  switch (attribute) {
  case 2: // the type of memory: the device's
    *static_cast<int *>(answer) = 2;
    return Success;
  case 11:
    *static_cast<Pointer *>(answer) = begin;
    return Success;
  case 12:
    *static_cast<size_t *>(answer) = bytes;
    return Success;
  }
  return InvalidValue;
}
int cuMemcpy(Pointer to, Pointer from, size_t bytes) {
  LOCK;
  copying = true;
  return copy(to, from, bytes);
}
int cuMemcpyAsync(Pointer to, Pointer from, size_t bytes, void *stream) {
  LOCK;
  return stream ? copy(to, from, bytes) : InvalidHandle;
}
int cuMemsetD32Async(Pointer to, unsigned value, size_t count, void *stream) {
  LOCK;
  return fill<uint32_t>(to, value, count, stream);
}
int cuMemsetD16Async(Pointer to, unsigned short value, size_t count,
                     void *stream) {
  LOCK;
  return fill<uint16_t>(to, value, count, stream);
}
int cuMemHostRegister_v2(void *, size_t bytes, unsigned) {
  return bytes ? Success : InvalidValue;
}
int cuMemHostUnregister(void *) { return Success; }

int cuStreamCreate(void **stream, unsigned flags) {
  LOCK;
  return flags == 1 ? make(stream) : InvalidValue;
}
int cuStreamDestroy_v2(void *stream) {
  LOCK;
  return drop(stream);
}
int cuStreamSynchronize(void *stream) {
  LOCK;
  copying &= stream != nullptr;
  return known(stream);
}
int cuStreamGetCtx(void *stream, void **context) {
  LOCK;
  *context = stream == &otherStream ? &otherStream : &theContext;
  return stream == &otherStream ? int(Success) : known(stream);
}
int cuStreamWaitEvent(void *stream, void *event, unsigned) {
  LOCK;
  return event ? known(stream) : InvalidHandle;
}
int cuEventCreate(void **event, unsigned) {
  LOCK;
  return make(event);
}
int cuEventDestroy_v2(void *event) {
  LOCK;
  return drop(event);
}
int cuEventRecord(void *event, void *stream) {
  LOCK;
  return event ? known(stream) : InvalidHandle;
}
int cuEventSynchronize(void *event) {
  LOCK;
  return known(event);
}
int cuEventElapsedTime(float *milliseconds, void *, void *) {
  return *milliseconds = 250, Success;
}
}
