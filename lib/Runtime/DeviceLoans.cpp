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

/// Blocks of streams that are kept: more of them, which may be gone, share
/// these.
static constexpr ptrdiff_t kStreamBlocks = 8;

static void report(const core::Status &status) {
  if (!status)
    setLastError(status.message());
}

DeviceLoans::~DeviceLoans() {
  for (const Block &block : blocks)
    freeBlock(block);
}

void DeviceLoans::freeBlock(const Block &block) {
  if (block.event) {
    report(block.device->synchronizeEvent(block.event));
    report(block.device->destroyEvent(block.event));
  }
  report(block.device->free(block.memory));
}

/// The smallest block of no stream that is large enough, or the end.
DeviceLoans::BlockIt DeviceLoans::findFree(Device *device, size_t bytes) {
  BlockIt best = blocks.end();
  for (BlockIt it = blocks.begin(); it != blocks.end(); ++it)
    if (it->device == device && !it->event && !it->isLent &&
        it->bytes >= bytes && (best == blocks.end() || it->bytes < best->bytes))
      best = it;
  return best;
}

/// Frees the first block of those; false where there is none.
template <typename Predicate>
bool DeviceLoans::freeFirst(Predicate isOne) {
  auto it = std::find_if(blocks.begin(), blocks.end(), isOne);
  if (it == blocks.end())
    return false;
  const Block block = *it;
  blocks.erase(it);
  freeBlock(block);
  return true;
}

/// Gives a block back to the device that nobody has borrowed; false where there
/// is none.
bool DeviceLoans::freeOne(Device *device) {
  auto isFree = [&](const Block &block) {
    return block.device == device && !block.isLent;
  };
  // Those of streams may have to be waited for.
  return freeFirst([&](const Block &block) {
           return isFree(block) && !block.event;
         }) ||
         freeFirst(isFree);
}

/// Memory for a block to come. Where the device has none, what is not lent
/// goes.
core::Result<void *> DeviceLoans::allocate(Device *device, size_t bytes) {
  // Room first, so that nothing can throw once memory is there.
  blocks.reserve(blocks.size() + 1);
  core::Result<void *> memory = device->allocate(bytes, /*hostShared=*/false);
  while (!memory && freeOne(device))
    memory = device->allocate(bytes, /*hostShared=*/false);
  return memory;
}

core::Result<void *> DeviceLoans::lend(Device *device, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  if (BlockIt it = findFree(device, bytes); it != blocks.end()) {
    it->isLent = true;
    return it->memory;
  }
  return core::withinMemory({"out of memory"}, [&]() -> core::Result<void *> {
    // A block that is too small makes room for one that is not.
    if (findFree(device, 0) != blocks.end())
      freeOne(device);
    core::Result<void *> memory = allocate(device, bytes);
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
// On callers' streams
//===----------------------------------------------------------------------===//

/// A free block of streams, or the end: of this one, or, once there are
/// kStreamBlocks of others, one of those, the longest unused first.
DeviceLoans::BlockIt DeviceLoans::findFreeOn(Device *device, void *stream,
                                             size_t bytes) {
  ptrdiff_t others = 0;
  BlockIt other = blocks.end();
  for (BlockIt it = blocks.begin(); it != blocks.end(); ++it) {
    if (it->device != device || !it->event || it->isLent)
      continue;
    if (it->stream == stream) {
      if (it->bytes >= bytes)
        return it;
      continue;
    }
    ++others;
    if (other == blocks.end() && it->bytes >= bytes)
      other = it;
  }
  return others >= kStreamBlocks ? other : blocks.end();
}

/// A new block of the stream. One of its own that is too small, or one of too
/// many others, goes behind the work that is done with it: nobody waits.
core::Result<void *> DeviceLoans::makeOn(Device *device, size_t bytes,
                                         void *stream) {
  auto isFree = [&](const Block &block) {
    return block.device == device && block.event && !block.isLent;
  };
  BlockIt small = std::find_if(blocks.begin(), blocks.end(), [&](Block &block) {
    return isFree(block) && block.stream == stream;
  });
  if (small == blocks.end() &&
      std::count_if(blocks.begin(), blocks.end(), isFree) >= kStreamBlocks)
    small = std::find_if(blocks.begin(), blocks.end(), isFree);
  if (small != blocks.end()) {
    const Block block = *small;
    blocks.erase(small);
    report(device->streamWait(stream, block.event));
    report(device->freeOn(block.memory, stream));
    report(device->destroyEvent(block.event));
  }
  blocks.reserve(blocks.size() + 1);
  core::Result<void *> event = device->createEvent();
  if (!event)
    return event.error();
  core::Result<void *> memory = device->allocateOn(bytes, stream);
  while (!memory && freeOne(device))
    memory = device->allocateOn(bytes, stream);
  if (memory)
    blocks.push_back({device, *memory, bytes, /*isLent=*/true, *event, stream});
  else
    report(device->destroyEvent(*event));
  return memory;
}

core::Result<void *> DeviceLoans::lendOn(Device *device, size_t bytes,
                                         void *stream) {
  core::Result<bool> isRecorded = device->isRecorded(stream);
  if (!isRecorded)
    return isRecorded.error();
  if (*isRecorded)
    return device->allocateOn(bytes, stream);
  std::lock_guard<std::mutex> lock(mutex);
  if (BlockIt it = findFreeOn(device, stream, bytes); it != blocks.end()) {
    if (core::Status status = device->streamWait(stream, it->event); !status)
      return status.error();
    it->isLent = true;
    it->stream = stream;
    // The one that was used last comes last.
    std::rotate(it, it + 1, blocks.end());
    return blocks.back().memory;
  }
  return core::withinMemory({"out of memory"},
                            [&] { return makeOn(device, bytes, stream); });
}

core::Status DeviceLoans::takeBackOn(Device *device, void *memory,
                                     void *stream) {
  std::lock_guard<std::mutex> lock(mutex);
  for (Block &block : blocks)
    if (block.memory == memory) {
      // Without its event nobody knows when the block is free.
      core::Status status = block.device->recordEvent(block.event, stream);
      block.isLent = !status;
      return status;
    }
  return device->freeOn(memory, stream);
}

//===----------------------------------------------------------------------===//
// The C interface
//===----------------------------------------------------------------------===//

static void *lend(LendingHandle &handle, size_t bytes) {
  auto lendTo = [&](Device *device) {
    if (const StreamScope *scope = StreamScope::innermost())
      return handle.ofDevices.lendOn(device, bytes, scope->stream);
    return handle.ofDevices.lend(device, bytes);
  };
  core::Result<Device *> device = currentDevice();
  core::Result<void *> memory =
      device ? lendTo(*device) : core::Result<void *>(device.error());
  if (memory)
    return *memory;
  setLastError(memory.message());
  return nullptr;
}

static core::Status takeBackOn(LendingHandle &handle, void *memory,
                               void *stream) {
  core::Result<Device *> device = currentDevice();
  if (!device)
    return device.error();
  return handle.ofDevices.takeBackOn(*device, memory, stream);
}

extern "C" void _mlir_ciface_astfe_rt_device_lend(AstfeMemRef1D *result,
                                                  void *pattern,
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
  if (!handle)
    return;
  if (const StreamScope *scope = StreamScope::innermost())
    report(takeBackOn(*handle, memory, scope->stream));
  else
    handle->ofDevices.takeBack(memory);
}
