//===- DeviceOperand.h - operands in a GPU's memory -------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel would end the whole context for, or compute nonsense from, is
// found out before its launch: addresses that no element begins at, memory that
// the GPU does not reach or that ends before the operand does, and outputs that
// overlap what is read.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_DEVICEOPERAND_H
#define ASTFE_PRODUCT_DEVICEOPERAND_H

#include "ASTFE/Runtime/Device.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace astfe::product {

struct DeviceOperand {
  std::string name; ///< as errors call it
  const void *data;
  size_t bytes;        ///< of all of it; nothing is checked of none
  size_t elementBytes; ///< that the address is divisible by

  core::Status check(rt::Device &device) const;
  bool overlaps(const DeviceOperand &other) const;
};

/// Each of them, and that no output is in memory of another operand.
core::Status checkDeviceOperands(rt::Device &device,
                                 llvm::ArrayRef<DeviceOperand> inputs,
                                 llvm::ArrayRef<DeviceOperand> outputs);

} // namespace astfe::product

#endif // ASTFE_PRODUCT_DEVICEOPERAND_H
