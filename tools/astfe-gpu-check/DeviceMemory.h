//===- DeviceMemory.h - memory of a device --------------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_GPUCHECK_DEVICEMEMORY_H
#define ASTFE_TOOLS_GPUCHECK_DEVICEMEMORY_H

#include "ASTFE/Runtime/Device.h"
#include <memory>

namespace astfe::gpucheck {

/// Memory of a device, freed with it.
class DeviceMemory {
public:
  static core::Result<std::unique_ptr<DeviceMemory>>
  allocate(rt::Device &device, size_t bytes);
  static core::Result<std::unique_ptr<DeviceMemory>>
  upload(rt::Device &device, const void *data, size_t bytes);
  ~DeviceMemory();

  core::Status download(void *data, size_t bytes) const;
  void *const data;
  rt::Device &device;

private:
  DeviceMemory(rt::Device &device, void *data) : data(data), device(device) {}
};

} // namespace astfe::gpucheck

#endif // ASTFE_TOOLS_GPUCHECK_DEVICEMEMORY_H
