//===- Mgpu.cpp - mgpu* functions over the current device -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/Mgpu.h"
#include "ASTFE/Runtime/Device.h"
#include "ASTFE/Runtime/LastError.h"

#include <atomic>

using namespace astfe;
using namespace astfe::rt;

static std::atomic<int64_t> launchCount{0};

int64_t rt::launches() { return launchCount; }

/// Runs `call` on the current device; the value, or null after an error.
template <typename Call>
static void *valueOf(Call call) {
  core::Result<Device *> device = currentDevice();
  if (!device) {
    setLastError(device.message());
    return nullptr;
  }
  core::Result<void *> value = call(**device);
  if (value)
    return *value;
  setLastError(value.message());
  return nullptr;
}

/// Runs `call` on the current device and keeps the text of its error.
template <typename Call>
static void run(Call call) {
  core::Result<Device *> device = currentDevice();
  if (!device)
    return setLastError(device.message());
  core::Status status = call(**device);
  if (!status)
    setLastError(status.message());
}

/// False, with an error, for a handle that an earlier failure left null.
static bool present(void *handle, const char *what) {
  if (!handle)
    setLastError(std::string("expected ") + what + " but got null");
  return handle != nullptr;
}

/// The innermost scope of this thread, or null.
static thread_local const StreamScope *theScope = nullptr;

StreamScope::StreamScope(void *stream, bool isChecked)
    : stream(stream), isChecked(isChecked), outer(theScope) {
  theScope = this;
}
StreamScope::~StreamScope() { theScope = outer; }
const StreamScope *StreamScope::innermost() { return theScope; }

static bool isScoped(void *stream) {
  return theScope && theScope->stream == stream;
}

void *mgpuModuleLoad(void *image, size_t bytes) {
  return valueOf([&](Device &d) { return d.loadModule(image, bytes); });
}

void *mgpuModuleLoadJIT(void *image, int) {
  return valueOf([&](Device &d) { return d.loadModule(image, 0); });
}

void mgpuModuleUnload(void *module) {
  if (module)
    run([&](Device &d) { return d.unloadModule(module); });
}

void *mgpuModuleGetFunction(void *module, const char *name) {
  if (!present(module, "a GPU module"))
    return nullptr;
  return valueOf([&](Device &d) { return d.kernel(module, name); });
}

void mgpuLaunchKernel(void *function, intptr_t gridX, intptr_t gridY,
                      intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                      intptr_t blockZ, int32_t sharedBytes, void *stream,
                      void **params, void **, size_t) {
  LaunchShape shape{
      {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes};
  if (!present(function, "a kernel"))
    return;
  ++launchCount;
  run([&](Device &d) { return d.launch(function, shape, stream, params); });
}

void *mgpuStreamCreate() {
  if (theScope)
    return theScope->stream;
  return valueOf([](Device &d) { return d.createStream(); });
}

void mgpuStreamDestroy(void *stream) {
  if (stream && !isScoped(stream))
    run([&](Device &d) { return d.destroyStream(stream); });
}

void mgpuStreamSynchronize(void *stream) {
  if (!isScoped(stream))
    run([&](Device &d) { return d.synchronizeStream(stream); });
}

void mgpuStreamWaitEvent(void *stream, void *event) {
  if (present(event, "an event"))
    run([&](Device &d) { return d.streamWait(stream, event); });
}

void *mgpuEventCreate() {
  return valueOf([](Device &d) { return d.createEvent(); });
}

void mgpuEventDestroy(void *event) {
  if (event)
    run([&](Device &d) { return d.destroyEvent(event); });
}

void mgpuEventSynchronize(void *event) {
  if (present(event, "an event"))
    run([&](Device &d) { return d.synchronizeEvent(event); });
}

void mgpuEventRecord(void *event, void *stream) {
  if (present(event, "an event"))
    run([&](Device &d) { return d.recordEvent(event, stream); });
}

void *mgpuMemAlloc(uint64_t bytes, void *, bool isHostShared) {
  return valueOf([&](Device &d) {
    return theScope && !isHostShared ? d.allocateOn(bytes, theScope->stream)
                                     : d.allocate(bytes, isHostShared);
  });
}

void mgpuMemFree(void *memory, void *) {
  if (memory)
    run([&](Device &d) {
      return theScope ? d.freeOn(memory, theScope->stream) : d.free(memory);
    });
}

void mgpuMemcpy(void *to, void *from, size_t bytes, void *stream) {
  if (bytes != 0 && present(to, "memory to copy to") &&
      present(from, "memory to copy from"))
    run([&](Device &d) { return d.copy(to, from, bytes, stream); });
}

void mgpuMemset32(void *to, unsigned value, size_t count, void *stream) {
  if (count != 0)
    run([&](Device &d) { return d.fill32(to, value, count, stream); });
}

void mgpuMemset16(void *to, unsigned short value, size_t count, void *stream) {
  if (count != 0)
    run([&](Device &d) { return d.fill16(to, value, count, stream); });
}

void mgpuMemHostRegister(void *memory, uint64_t bytes) {
  run([&](Device &d) { return d.registerHost(memory, bytes); });
}

void mgpuMemHostUnregister(void *memory) {
  run([&](Device &d) { return d.unregisterHost(memory); });
}

void mgpuSetDefaultDevice(int32_t ordinal) {
  core::Result<Device *> device = currentDevice();
  if (device)
    device = (*device)->sibling(ordinal);
  if (!device)
    return setLastError(device.message());
  setDevice(*device);
}

template <typename Function>
static Symbol symbol(const char *name, Function *function) {
  return {name, reinterpret_cast<void *>(function)};
}

const Symbol *rt::mgpuSymbols() {
#define ASTFE_SYMBOL(name) symbol(#name, name)
  static const Symbol symbols[] = {
      ASTFE_SYMBOL(mgpuModuleLoad),       ASTFE_SYMBOL(mgpuModuleLoadJIT),
      ASTFE_SYMBOL(mgpuModuleUnload),     ASTFE_SYMBOL(mgpuModuleGetFunction),
      ASTFE_SYMBOL(mgpuLaunchKernel),     ASTFE_SYMBOL(mgpuStreamCreate),
      ASTFE_SYMBOL(mgpuStreamDestroy),    ASTFE_SYMBOL(mgpuStreamSynchronize),
      ASTFE_SYMBOL(mgpuStreamWaitEvent),  ASTFE_SYMBOL(mgpuEventCreate),
      ASTFE_SYMBOL(mgpuEventDestroy),     ASTFE_SYMBOL(mgpuEventSynchronize),
      ASTFE_SYMBOL(mgpuEventRecord),      ASTFE_SYMBOL(mgpuMemAlloc),
      ASTFE_SYMBOL(mgpuMemFree),          ASTFE_SYMBOL(mgpuMemcpy),
      ASTFE_SYMBOL(mgpuMemset32),         ASTFE_SYMBOL(mgpuMemset16),
      ASTFE_SYMBOL(mgpuMemHostRegister),  ASTFE_SYMBOL(mgpuMemHostUnregister),
      ASTFE_SYMBOL(mgpuSetDefaultDevice), {nullptr, nullptr}};
#undef ASTFE_SYMBOL
  return symbols;
}
