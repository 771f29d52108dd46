//===- ABIHandles.cpp - counted handles and errors ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Support/WithinMemory.h"
#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/BricksHandle.h"
#include "ASTFE/Runtime/Device.h"
#include "ASTFE/Runtime/Handles.h"
#include "ASTFE/Runtime/LastError.h"

using namespace astfe;
using namespace astfe::rt;

static std::atomic<int64_t> liveHandles{0};

Handle::Handle(HandleKind kind) : handleKind(kind) { ++liveHandles; }
Handle::~Handle() { --liveHandles; }
int64_t Handle::live() { return liveHandles; }

void Handle::release() {
  if (--references == 0)
    delete this;
}

static const char *nameOf(HandleKind kind) {
  switch (kind) {
  case HandleKind::Profile:
    return "a profile";
  case HandleKind::Graph:
    return "a graph";
  case HandleKind::Pattern:
    return "a pattern";
  case HandleKind::Bricks:
    return "bricks";
  }
  return "nothing known";
}

template <typename T>
static T *castHandle(void *handle) {
  if (!handle)
    return nullptr;
  auto *base = static_cast<Handle *>(handle);
  if (base->kind() == T::kKind)
    return static_cast<T *>(base);
  setLastError(std::string("expected ") + nameOf(T::kKind) + " but got " +
               nameOf(base->kind()));
  return nullptr;
}

template <>
ProfileHandle *rt::handleAs(void *handle) {
  return castHandle<ProfileHandle>(handle);
}
template <>
GraphHandle *rt::handleAs(void *handle) {
  return castHandle<GraphHandle>(handle);
}
template <>
PatternHandle *rt::handleAs(void *handle) {
  return castHandle<PatternHandle>(handle);
}
template <>
BricksHandle *rt::handleAs(void *handle) {
  return castHandle<BricksHandle>(handle);
}

//===----------------------------------------------------------------------===//
// Device copies
//===----------------------------------------------------------------------===//

DeviceCopies::~DeviceCopies() {
  for (const Copy &copy : copies)
    if (core::Status status = copy.device->free(copy.memory); !status)
      setLastError(status.message());
}

/// New memory of the device that holds these bytes, or none.
static core::Result<void *> upload(Device &device, const void *data,
                                   size_t bytes) {
  core::Result<void *> memory =
      device.allocate(std::max<size_t>(bytes, 1), /*hostShared=*/false);
  if (!memory || bytes == 0)
    return memory;
  core::Status status = device.copy(*memory, data, bytes, nullptr);
  if (status)
    return memory;
  (void)bool(device.free(*memory)); // The first failure is the one to tell.
  return status.error();
}

void *DeviceCopies::known(Device *device, int64_t key) const {
  for (const Copy &copy : copies)
    if (copy.device == device && copy.key == key)
      return copy.memory;
  return nullptr;
}

void *DeviceCopies::find(Device *device, int64_t key) {
  std::lock_guard<std::mutex> lock(mutex);
  return known(device, key);
}

core::Result<void *> DeviceCopies::get(Device *device, int64_t key,
                                       const void *data, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  if (void *memory = known(device, key))
    return memory;
  return core::withinMemory({"out of memory"}, [&]() -> core::Result<void *> {
    // Room first, so that nothing can throw once memory is there.
    copies.reserve(copies.size() + 1);
    core::Result<void *> memory = upload(*device, data, bytes);
    if (memory)
      copies.push_back({device, key, *memory});
    return memory;
  });
}

//===----------------------------------------------------------------------===//
// The C interface
//===----------------------------------------------------------------------===//

extern "C" void _mlir_ciface_astfe_rt_retain(void *handle) {
  if (handle)
    static_cast<Handle *>(handle)->retain();
}

extern "C" void _mlir_ciface_astfe_rt_release(void *handle) {
  if (handle)
    static_cast<Handle *>(handle)->release();
}

extern "C" void _mlir_ciface_astfe_rt_report(AstfeMemRef1D *text) {
  const char *begin = static_cast<const char *>(text->aligned) + text->offset;
  setLastError(std::string(begin, size_t(text->size)));
}

extern "C" const char *astfe_rt_last_error(void) { return lastError(); }
extern "C" void astfe_rt_clear_error(void) { clearLastError(); }
