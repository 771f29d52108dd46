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
//                              fill and allocation
//   ASTFE_FAKE_CUDA=SETTINGS   another machine (FakeMachine.h)
//
//===----------------------------------------------------------------------===//

#include "FakeMachine.h"
#include "Processor.h"

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <vector>

using namespace fakecuda;

namespace {

using Pointer = unsigned long long;

/// A kernel of a module, as the driver hands it out.
struct Function {
  std::string name;
  void *kernel;
  /// Dynamic shared memory that a launch may have.
  unsigned mostShared = 48 * 1024;
};

int theContext, otherStream;
void *captured = nullptr;
/// The contexts of a thread; the last one is current.
thread_local std::vector<void *> contexts{nullptr};
std::recursive_mutex mutex; ///< of all that follows
std::set<void *> handles;   ///< streams, events
std::set<void *> modules;
std::map<void *, Function> functions; ///< by kernel
struct Block {
  size_t bytes;
  void *context; ///< that was current
};
std::map<Pointer, Block> memory;
size_t memoryUsed = 0;
/// Calls that waited for all of the device.
int waits = 0;
/// Whether the last bytes of a copy of this thread may still be on their way: it
/// has not waited for the default stream since. What another thread copies is
/// not what this one's kernels read.
thread_local bool copying = false;
/// The process ends: modules are unloaded when what is behind is gone already.
bool ended = false;
/// What every call says since a kernel has gone wrong: the context is of no use
/// any more.
int broken = Success;
long launches = 0;

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
  return contexts.back() ? broken : int(InvalidContext);
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
  memoryUsed -= found->second.bytes;
  memory.erase(found);
  return Success;
}

/// Whether the bytes are inside one allocation of the device.
bool owns(Pointer begin, size_t bytes) {
  auto next = memory.upper_bound(begin);
  if (next == memory.begin())
    return false;
  auto &[first, block] = *std::prev(next);
  return begin - first <= block.bytes && bytes <= block.bytes - (begin - first);
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
  if (bytes > machine().bytes - memoryUsed)
    return OutOfMemory;
  *result = reinterpret_cast<Pointer>(processor().allocate(bytes));
  memory[*result] = {bytes, contexts.back()};
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

/// Whether a launch is within the limits of a device since compute capability
/// 8.0.
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

/// Not the driver's: this stream's work is captured; null: none's.
void fakeCudaCapture(void *stream) {
  LOCK;
  captured = stream;
}

int cuInit(unsigned) {
  std::atexit([] { ended = true; });
  return machine().initCode;
}
int cuDriverGetVersion(int *version) {
  return *version = machine().driver, Success;
}
int cuGetErrorName(int code, const char **text) {
  static const std::map<int, const char *> names = {
      {OutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {NoDevice, "CUDA_ERROR_NO_DEVICE"},
      {NoBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {InvalidPtx, "CUDA_ERROR_INVALID_PTX"},
      {UnsupportedPtx, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
      {IllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {Unknown, "CUDA_ERROR_UNKNOWN"}};
  auto found = names.find(code);
  *text = found == names.end() ? "CUDA_ERROR_OTHER" : found->second;
  return Success;
}
int cuGetErrorString(int, const char **text) {
  *text = "what the driver says";
  return Success;
}
int cuDeviceGetCount(int *count) { return *count = machine().devices, Success; }
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
  case 75: // compute capability
    *value = machine().chip / 10;
    break;
  case 76:
    *value = machine().chip % 10;
    break;
  default:
    *value = -1;
  }
  return device == 7 ? Success : InvalidDevice;
}
int cuDevicePrimaryCtxRetain(void **context, int) {
  return *context = &theContext, Success;
}
int cuCtxSetCurrent(void *context) {
  return contexts.back() = context, Success;
}
int cuCtxGetCurrent(void **context) {
  return *context = contexts.back(), Success;
}
int cuCtxPushCurrent_v2(void *context) {
  return contexts.push_back(context), Success;
}
int cuCtxPopCurrent_v2(void **context) {
  if (contexts.size() < 2)
    return InvalidContext;
  *context = contexts.back();
  return contexts.pop_back(), Success;
}
int cuCtxSynchronize() {
  LOCK;
  log("synchronize\n");
  return usable();
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                       int *options, void **values) {
  LOCK;
  if (int code = usable())
    return code;
  std::string problem;
  const int code = loadImage(image, module, problem);
  if (code == Success) {
    modules.insert(*module);
    log("load\n");
    return Success;
  }
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == 5 && !problem.empty()) // the buffer of the error log
      std::snprintf(static_cast<char *>(values[i]), 512, "ptxas: %s",
                    problem.c_str());
  return code;
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
    broken = IllegalAddress;
    log("fault %s\n", fault.c_str());
  }
  if (++launches == machine().lostAfter)
    broken = Unknown;
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
  auto &[begin, block] = *std::prev(memory.upper_bound(pointer));
  switch (attribute) {
  case 1:
    *static_cast<void **>(answer) = block.context;
    return Success;
  case 2: // the type of memory: the device's
    *static_cast<int *>(answer) = 2;
    return Success;
  case 11:
    *static_cast<Pointer *>(answer) = begin;
    return Success;
  case 12:
    *static_cast<size_t *>(answer) = block.bytes;
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
  log("wait\n");
  return event ? known(stream) : InvalidHandle;
}
int cuStreamIsCapturing(void *stream, int *state) {
  LOCK;
  *state = stream && stream == captured;
  return known(stream);
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
  log("record\n");
  return event ? known(stream) : InvalidHandle;
}
int cuEventSynchronize(void *event) {
  LOCK;
  return known(event);
}
int cuEventElapsedTime(float *milliseconds, void *, void *) {
  return *milliseconds = float(machine().microseconds) / 1e3f, Success;
}
}
