//===- CudaDevice.cpp - a device under the CUDA driver --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Works in the device's primary context, which CUDA libraries in the same
// process use as well, so that pointers can be passed between them. A thread
// that works in a context of its own finds that one current again after each
// call.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/Device.h"
#include "CudaApi.h"

#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <mutex>

using namespace astfe;
using namespace astfe::rt;
using core::Error;
using core::Result;
using core::Status;

static CudaPointer address(const void *pointer) {
  return reinterpret_cast<CudaPointer>(pointer);
}

namespace {

class CudaDevice final : public Device {
public:
  CudaDevice(const CudaApi &api, int ordinal, int device, void *context)
      : api(api), ordinal(ordinal), device(device), context(context) {}

  std::string name() override;
  int64_t multiprocessors() override {
    return attribute(CudaAttributeMultiprocessors);
  }
  int64_t warpsPerMultiprocessor() override {
    return attribute(CudaAttributeThreadsPerMultiprocessor) / 32;
  }

  std::string chip() override {
    return "sm_" + std::to_string(attribute(CudaAttributeCapabilityMajor)) +
           std::to_string(attribute(CudaAttributeCapabilityMinor));
  }

  Result<Device *> sibling(int other) override { return cudaDevice(other); }

  Result<void *> loadModule(const void *image, size_t bytes) override;
  Status unloadModule(void *module) override;
  Result<void *> kernel(void *module, const char *name) override;
  Result<int64_t> residentBlocks(void *kernel, int64_t threads) override;
  Status launch(void *kernel, const LaunchShape &shape, void *stream,
                void **params) override;

  Result<void *> allocate(size_t bytes, bool hostShared) override;
  Status free(void *memory) override;
  Result<void *> allocateOn(size_t bytes, void *stream) override;
  Status freeOn(void *memory, void *stream) override;
  Status checkMemory(const void *memory, size_t bytes) override;
  Status copy(void *to, const void *from, size_t bytes, void *stream) override;
  Status fill32(void *to, uint32_t value, size_t count, void *stream) override;
  Status fill16(void *to, uint16_t value, size_t count, void *stream) override;
  Status registerHost(void *memory, size_t bytes) override;
  Status unregisterHost(void *memory) override;

  Result<void *> createStream() override;
  Status destroyStream(void *stream) override;
  Status synchronizeStream(void *stream) override;
  Status checkStream(void *stream) override;
  Status streamWait(void *stream, void *event) override;
  Result<bool> isRecorded(void *stream) override;
  Result<void *> createEvent() override;
  Status destroyEvent(void *event) override;
  Status recordEvent(void *event, void *stream) override;
  Status synchronizeEvent(void *event) override;
  Result<double> secondsBetween(void *start, void *end) override;
  Status synchronize() override;

private:
  int64_t attribute(int number) {
    int value = 0;
    return api.deviceAttribute(&value, number, device) == 0 ? value : 0;
  }

  /// Runs `work`, which returns a code of the driver, in this device's context:
  /// it is current per thread, and callers come from any thread.
  template <typename Work>
  Status inContext(const char *what, Work work) {
    Status status = api.check(api.contextPush(context), "cuCtxPushCurrent");
    if (!status)
      return status;
    const int code = work();
    void *popped = nullptr;
    status = api.check(api.contextPop(&popped), "cuCtxPopCurrent");
    return code ? api.check(code, what) : status;
  }

  /// Runs one driver function there.
  template <typename Function, typename... Args>
  Status call(const char *what, Function function, Args... args) {
    return inContext(what, [&] { return function(args...); });
  }

  /// As call, for a function whose first argument receives a handle.
  template <typename Function, typename... Args>
  Result<void *> make(const char *what, Function function, Args... args) {
    void *handle = nullptr;
    Status status = call(what, function, &handle, args...);
    if (!status)
      return status.error();
    return handle;
  }

  std::string refusal(const char *image);

  const CudaApi &api;
  int ordinal, device;
  void *context;
};

} // namespace

std::string CudaDevice::name() {
  char text[256] = "";
  api.deviceName(text, sizeof(text) - 1, device);
  return "cuda:" + std::to_string(ordinal) + " " + text;
}

/// The word behind a directive of PTX, or an empty one.
static std::string wordBehind(const std::string &text, const char *directive) {
  const size_t at = text.find(directive);
  if (at == text.npos)
    return "";
  const size_t begin = text.find_first_not_of(" \t", at + strlen(directive));
  const size_t end = text.find_first_of(" \t\r\n,", begin);
  return begin == text.npos ? "" : text.substr(begin, end - begin);
}

/// What an image is, and what the device would take: drivers only say that they
/// do not.
std::string CudaDevice::refusal(const char *image) {
  constexpr size_t kHeader = 4096;
  const std::string text(image, strnlen(image, kHeader));
  int version = 0;
  const bool known = api.driverVersion(&version) == 0;
  std::string result = "expected code for " + chip();
  if (known)
    result += " and a driver of CUDA " + std::to_string(version / 1000) + "." +
              std::to_string(version % 1000 / 10);
  const std::string ptx = wordBehind(text, ".version");
  if (text.compare(0, 4, "\177ELF") == 0)
    return result + " but got machine code for another";
  if (ptx.empty())
    return result + " but got no PTX";
  return result + " but got PTX " + ptx + " for " + wordBehind(text, ".target");
}

Result<void *> CudaDevice::loadModule(const void *image, size_t) {
  char log[8192] = "";
  int options[] = {CudaJitErrorLog, CudaJitErrorLogBytes};
  // The driver takes numbers in the slots of pointers.
  void *values[] = {log, reinterpret_cast<void *>(uintptr_t(sizeof(log)))};
  Result<void *> module =
      make("cuModuleLoadDataEx", api.moduleLoad, image, 2u, options, values);
  if (module)
    return module;
  return Error{module.message() + ": " +
               refusal(static_cast<const char *>(image)) +
               (log[0] ? std::string(": ") + log : "")};
}

Status CudaDevice::unloadModule(void *module) {
  return call("cuModuleUnload", api.moduleUnload, module);
}

Result<void *> CudaDevice::kernel(void *module, const char *name) {
  Result<void *> function =
      make("cuModuleGetFunction", api.moduleFunction, module, name);
  if (!function)
    return Error{function.message() + " for kernel '" + name + "'"};
  return function;
}

Result<int64_t> CudaDevice::residentBlocks(void *kernel, int64_t threads) {
  int blocks = 0;
  Status status =
      call("cuOccupancyMaxActiveBlocksPerMultiprocessor", api.residentBlocks,
           &blocks, kernel, int(threads), size_t(0));
  if (!status)
    return status.error();
  return int64_t(blocks);
}

Status CudaDevice::launch(void *kernel, const LaunchShape &shape, void *stream,
                          void **params) {
  const Extent3 &g = shape.grid, &b = shape.block;
  for (int64_t extent : {g.x, g.y, g.z, b.x, b.y, b.z})
    if (extent < 0 || extent > std::numeric_limits<int32_t>::max())
      return Error{"expected extents of a launch in 0..2147483647 but got " +
                   std::to_string(extent)};
  if (g.x == 0 || g.y == 0 || g.z == 0)
    return core::Success(); // as a loop over no blocks; the driver refuses it
  // Above 48 KiB dynamic shared memory must be asked for.
  if (shape.sharedBytes > 48 * 1024) {
    Status status =
        call("cuFuncSetAttribute", api.functionSetAttribute, kernel,
             int(CudaFunctionDynamicShared), int(shape.sharedBytes));
    if (!status)
      return status;
  }
  return call("cuLaunchKernel", api.launch, kernel, unsigned(g.x),
              unsigned(g.y), unsigned(g.z), unsigned(b.x), unsigned(b.y),
              unsigned(b.z), unsigned(shape.sharedBytes), stream, params,
              static_cast<void **>(nullptr));
}

Result<void *> CudaDevice::allocate(size_t bytes, bool hostShared) {
  CudaPointer memory = 0;
  // The driver refuses empty allocations; programs on empty tensors make them.
  size_t size = bytes == 0 ? 1 : bytes;
  Status status = hostShared
                      ? call("cuMemAllocManaged", api.allocateManaged, &memory,
                             size, unsigned(CudaMemoryAttachGlobal))
                      : call("cuMemAlloc", api.allocate, &memory, size);
  if (!status)
    return Error{status.message() + " for " + std::to_string(bytes) + " bytes"};
  return reinterpret_cast<void *>(memory);
}

Status CudaDevice::free(void *memory) {
  return call("cuMemFree", api.free, address(memory));
}

Result<void *> CudaDevice::allocateOn(size_t bytes, void *stream) {
  CudaPointer memory = 0;
  Status status = call("cuMemAllocAsync", api.allocateAsync, &memory,
                       bytes == 0 ? 1 : bytes, stream);
  if (!status)
    return Error{status.message() + " for " + std::to_string(bytes) + " bytes"};
  return reinterpret_cast<void *>(memory);
}

Status CudaDevice::freeOn(void *memory, void *stream) {
  return call("cuMemFreeAsync", api.freeAsync, address(memory), stream);
}

Status CudaDevice::checkMemory(const void *memory, size_t bytes) {
  int type = CudaMemoryHost;
  unsigned isManaged = 0;
  CudaPointer begin = 0;
  size_t size = 0;
  void *owner = nullptr;
  auto ask = [&](void *answer, int attribute) {
    return api.pointerAttribute(answer, attribute, address(memory));
  };
  Status status = inContext("cuPointerGetAttribute", [&] {
    int code = ask(&type, CudaPointerMemoryType);
    // The driver knows nothing of memory that it did not allocate.
    if (code == CudaErrorInvalidValue)
      return 0;
    // Memory of pools has no context, and some drivers refuse to say so.
    if (ask(&owner, CudaPointerContext) != 0)
      owner = nullptr;
    if (ask(&isManaged, CudaPointerIsManaged) != 0)
      isManaged = 0;
    if (code == 0)
      code = ask(&begin, CudaPointerRangeStart);
    return code ? code : ask(&size, CudaPointerRangeSize);
  });
  if (!status)
    return status;
  if (type == CudaMemoryHost)
    return Error{"expected memory of '" + name() + "' but got host memory"};
  if (owner && owner != context && !isManaged)
    return Error{"expected memory of '" + name() +
                 "' but got memory of another context"};
  const size_t rest = size - size_t(address(memory) - begin);
  if (bytes > rest)
    return Error{"expected " + std::to_string(bytes) +
                 " bytes of memory but got " + std::to_string(rest)};
  return core::Success();
}

Status CudaDevice::copy(void *to, const void *from, size_t bytes,
                        void *stream) {
  if (bytes == 0) // of arrays that may be nowhere
    return core::Success();
  if (!stream) {
    // From pageable host memory cuMemcpy may return with the last bytes still
    // on their way, and our streams do not wait for the default one.
    Status status =
        call("cuMemcpy", api.copy, address(to), address(from), bytes);
    return status ? synchronizeStream(nullptr) : status;
  }
  return call("cuMemcpyAsync", api.copyAsync, address(to), address(from), bytes,
              stream);
}

Status CudaDevice::fill32(void *to, uint32_t value, size_t count,
                          void *stream) {
  return call("cuMemsetD32Async", api.fill32, address(to), unsigned(value),
              count, stream);
}

Status CudaDevice::fill16(void *to, uint16_t value, size_t count,
                          void *stream) {
  return call("cuMemsetD16Async", api.fill16, address(to),
              static_cast<unsigned short>(value), count, stream);
}

Status CudaDevice::registerHost(void *memory, size_t bytes) {
  return call("cuMemHostRegister", api.registerHost, memory, bytes, 0u);
}

Status CudaDevice::unregisterHost(void *memory) {
  return call("cuMemHostUnregister", api.unregisterHost, memory);
}

Result<void *> CudaDevice::createStream() {
  const unsigned nonBlocking = 1;
  return make("cuStreamCreate", api.streamCreate, nonBlocking);
}

Status CudaDevice::destroyStream(void *stream) {
  return call("cuStreamDestroy", api.streamDestroy, stream);
}

Status CudaDevice::synchronizeStream(void *stream) {
  return call("cuStreamSynchronize", api.streamSynchronize, stream);
}

Status CudaDevice::checkStream(void *stream) {
  if (!stream)
    return core::Success();
  void *owner = nullptr;
  Status status = call("cuStreamGetCtx", api.streamContext, stream, &owner);
  if (status && owner != context)
    return Error{"expected a stream of '" + name() +
                 "' but got one of another context"};
  return status;
}

Status CudaDevice::streamWait(void *stream, void *event) {
  return call("cuStreamWaitEvent", api.streamWait, stream, event, 0u);
}

Result<bool> CudaDevice::isRecorded(void *stream) {
  int state = CudaCaptureNone;
  Status status =
      call("cuStreamIsCapturing", api.streamCapturing, stream, &state);
  if (!status)
    return status.error();
  return state != CudaCaptureNone;
}

Result<void *> CudaDevice::createEvent() {
  return make("cuEventCreate", api.eventCreate, 0u);
}

Status CudaDevice::destroyEvent(void *event) {
  return call("cuEventDestroy", api.eventDestroy, event);
}

Status CudaDevice::recordEvent(void *event, void *stream) {
  return call("cuEventRecord", api.eventRecord, event, stream);
}

Status CudaDevice::synchronizeEvent(void *event) {
  return call("cuEventSynchronize", api.eventSynchronize, event);
}

Result<double> CudaDevice::secondsBetween(void *start, void *end) {
  float milliseconds = 0;
  Status status =
      call("cuEventElapsedTime", api.eventElapsed, &milliseconds, start, end);
  if (!status)
    return status.error();
  return double(milliseconds) * 1e-3;
}

Status CudaDevice::synchronize() {
  return call("cuCtxSynchronize", api.contextSynchronize);
}

static Result<std::unique_ptr<CudaDevice>> openDevice(const CudaApi &api,
                                                      int ordinal) {
  int count = 0, device = 0;
  Status status = api.check(api.deviceCount(&count), "cuDeviceGetCount");
  if (!status)
    return status.error();
  if (count == 0)
    return Error{"expected a CUDA device but the driver has none"};
  if (ordinal < 0 || ordinal >= count)
    return Error{"expected a CUDA device below " + std::to_string(count) +
                 " but got " + std::to_string(ordinal)};
  status = api.check(api.deviceGet(&device, ordinal), "cuDeviceGet");
  if (!status)
    return status.error();
  void *context = nullptr;
  status = api.check(api.contextRetain(&context, device),
                     "cuDevicePrimaryCtxRetain");
  if (!status)
    return status.error();
  return std::make_unique<CudaDevice>(api, ordinal, device, context);
}

Result<Device *> rt::cudaDevice(int ordinal) {
  static std::mutex mutex;
  // Never destroyed: module destructors of generated code run at exit.
  static auto *devices = new std::map<int, std::unique_ptr<CudaDevice>>;
  Result<const CudaApi *> api = cudaApi();
  if (!api)
    return api.error();
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<CudaDevice> &slot = (*devices)[ordinal];
  if (!slot) {
    Result<std::unique_ptr<CudaDevice>> opened = openDevice(**api, ordinal);
    if (!opened)
      return opened.error();
    slot = std::move(*opened);
  }
  return static_cast<Device *>(slot.get());
}
