//===- DeviceOperand.cpp - operands in a GPU's memory ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/DeviceOperand.h"

using namespace astfe;
using namespace astfe::product;

core::Status DeviceOperand::check(rt::Device &device) const {
  if (bytes == 0)
    return core::Success();
  const auto address = reinterpret_cast<uintptr_t>(data);
  if (address % elementBytes != 0)
    return core::Error{name + ": expected an address divisible by " +
                       std::to_string(elementBytes) +
                       " but got one that ends in " +
                       std::to_string(address % elementBytes)};
  if (auto status = device.checkMemory(data, bytes); !status)
    return core::Error{name + ": " + status.message()};
  return core::Success();
}

bool DeviceOperand::overlaps(const DeviceOperand &other) const {
  if (bytes == 0 || other.bytes == 0)
    return false;
  const auto *begin = static_cast<const char *>(data);
  const auto *otherBegin = static_cast<const char *>(other.data);
  return begin < otherBegin + other.bytes && otherBegin < begin + bytes;
}

core::Status
product::checkDeviceOperands(rt::Device &device,
                             llvm::ArrayRef<DeviceOperand> inputs,
                             llvm::ArrayRef<DeviceOperand> outputs) {
  for (llvm::ArrayRef<DeviceOperand> operands : {outputs, inputs})
    for (const DeviceOperand &operand : operands)
      if (auto status = operand.check(device); !status)
        return status;
  for (size_t i = 0; i < outputs.size(); ++i)
    for (llvm::ArrayRef<DeviceOperand> others : {inputs, outputs.take_front(i)})
      for (const DeviceOperand &other : others)
        if (other.overlaps(outputs[i]))
          return core::Error{other.name + ": expected memory apart from " +
                             outputs[i].name + "'s but got some that overlaps"};
  return core::Success();
}
