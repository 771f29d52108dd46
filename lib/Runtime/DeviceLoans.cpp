//===- DeviceLoans.cpp - device memory that calls borrow ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Support/WithinMemory.h"
#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/Device.h"
#include "ASTFE/Runtime/Handles.h"
#include "ASTFE/Runtime/LastError.h"
#include "ASTFE/Runtime/Mgpu.h"

#include <algorithm>

using namespace astfe;
using namespace astfe::rt;

static void freeBlock(Device *device, void *memory) {
  if (core::Status status = device->free(memory); !status)
    setLastError(status.message());
}

DeviceLoans::~DeviceLoans() {
  for (const Block &block : blocks)
    freeBlock(block.device, block.memory);
}

/// The smallest block that is large enough, or the end.
DeviceLoans::BlockIt DeviceLoans::findFree(Device *device, size_t bytes) {
  BlockIt best = blocks.end();
  for (BlockIt it = blocks.begin(); it != blocks.end(); ++it)
    if (it->device == device && !it->isLent && it->bytes >= bytes &&
        (best == blocks.end() || it->bytes < best->bytes))
      best = it;
  return best;
}

/// Gives a block back to the device that nobody has borrowed; false where there
/// is none.
bool DeviceLoans::freeOne(Device *device) {
  BlockIt it = findFree(device, 0);
  if (it == blocks.end())
    return false;
  const Block block = *it;
  blocks.erase(it);
  freeBlock(block.device, block.memory);
  return true;
}

core::Result<void *> DeviceLoans::lend(Device *device, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  if (BlockIt it = findFree(device, bytes); it != blocks.end()) {
    it->isLent = true;
    return it->memory;
  }
  return core::withinMemory({"out of memory"}, [&]() -> core::Result<void *> {
    // Room first, so that nothing can throw once memory is there.
    blocks.reserve(blocks.size() + 1);
    // A block that is too small makes room for one that is not.
    freeOne(device);
    core::Result<void *> memory = device->allocate(bytes, /*hostShared=*/false);
    while (!memory && freeOne(device))
      memory = device->allocate(bytes, /*hostShared=*/false);
    if (memory)
      blocks.push_back({device, *memory, bytes, /*isLent=*/true});
    return memory;
  });
}

void DeviceLoans::takeBack(void *memory) {
  std::lock_guard<std::mutex> lock(mutex);
  for (Block &block : blocks)
    if (block.memory == memory)
      block.isLent = false;
}

//===----------------------------------------------------------------------===//
// The C interface
//===----------------------------------------------------------------------===//

static void *lend(LendingHandle &handle, size_t bytes) {
  // What runs on a caller's stream may still run when the call ends: its memory
  // comes and goes in the order of the stream.
  if (StreamScope::isOpen())
    return mgpuMemAlloc(bytes, nullptr, /*isHostShared=*/false);
  core::Result<Device *> device = currentDevice();
  core::Result<void *> memory =
      device ? handle.ofDevices.lend(*device, bytes)
             : core::Result<void *>(device.error());
  if (memory)
    return *memory;
  setLastError(memory.message());
  return nullptr;
}

extern "C" void
_mlir_ciface_astfe_rt_device_lend(AstfeMemRef1D *result, void *pattern,
                                  int64_t bytes) {
  *result = {nullptr, nullptr, 0, 0, 1};
  auto *handle = handleAs<LendingHandle>(pattern);
  // Also operands without elements have an address.
  void *memory =
      handle ? lend(*handle, size_t(std::max<int64_t>(bytes, 1))) : nullptr;
  if (memory)
    *result = {memory, memory, 0, bytes, 1};
}

extern "C" void _mlir_ciface_astfe_rt_device_take_back(void *pattern,
                                                       int64_t address) {
  auto *handle = address ? handleAs<LendingHandle>(pattern) : nullptr;
  void *memory = reinterpret_cast<void *>(address);
  if (handle && StreamScope::isOpen())
    mgpuMemFree(memory, nullptr);
  else if (handle)
    handle->ofDevices.takeBack(memory);
}
