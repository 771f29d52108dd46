//===- DeviceMemory.cpp - memory of a device ------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceMemory.h"
#include <algorithm>

namespace astfe::gpucheck {

core::Result<std::unique_ptr<DeviceMemory>>
DeviceMemory::allocate(rt::Device &device, size_t bytes) {
  auto memory = device.allocate(std::max<size_t>(bytes, 16), false);
  if (!memory)
    return memory.error();
  return std::unique_ptr<DeviceMemory>(new DeviceMemory(device, *memory));
}

core::Result<std::unique_ptr<DeviceMemory>>
DeviceMemory::upload(rt::Device &device, const void *data, size_t bytes) {
  auto memory = allocate(device, bytes);
  if (memory && bytes != 0)
    if (auto status = device.copy((*memory)->data, data, bytes, nullptr);
        !status)
      return status.error();
  return memory;
}

DeviceMemory::~DeviceMemory() { (void)bool(device.free(data)); }

core::Status DeviceMemory::download(void *to, size_t bytes) const {
  return bytes ? device.copy(to, data, bytes, nullptr) : core::Success();
}

} // namespace astfe::gpucheck
