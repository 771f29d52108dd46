//===- Device.cpp - the current device ------------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/Device.h"
#include "ASTFE/Core/Pack/Pack.h"
#include "ASTFE/Core/Target/GPUConstants.h"

#include <algorithm>
#include <atomic>

using namespace astfe;
using namespace astfe::rt;

Device::~Device() = default;

core::Result<void *> Device::allocateOn(size_t bytes, void *) {
  return allocate(bytes, /*hostShared=*/false);
}

core::Status Device::freeOn(void *memory, void *) { return free(memory); }

core::Result<bool> Device::isRecorded(void *) { return false; }

static std::atomic<Device *> current{nullptr};

void rt::setDevice(Device *device) { current = device; }

core::Result<Device *> rt::currentDevice() {
  if (Device *device = current)
    return device;
  core::Result<Device *> cuda = cudaDevice(0);
  if (cuda)
    current = *cuda;
  return cuda;
}

core::Result<int64_t> rt::deviceWarps() {
  core::Result<Device *> device = currentDevice();
  if (!device)
    return device.error();
  return (*device)->multiprocessors() *
         std::min((*device)->warpsPerMultiprocessor(), core::kGPUResidentWarps);
}

int64_t rt::multiprocessors() {
  core::Result<Device *> device = currentDevice();
  return device ? (*device)->multiprocessors()
                : core::rules::kGPUMultiprocessors;
}
