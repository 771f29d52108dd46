//===- SpmmOnDevice.cpp - products with epilogues on operands of a GPU ----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/Spmm.h"
#include "ASTFE/Runtime/Mgpu.h"

using namespace astfe;
using namespace astfe::product;

/// The number of elements is checked: their bytes fit the address space.
DeviceOperand Spmm::operandOf(const char *name, const void *data,
                              int64_t elements) const {
  const auto bytes = size_t(core::elementBytes(element));
  return {name, data, size_t(elements) * bytes, bytes};
}

core::Status Spmm::checkOn(void *stream, int64_t columns) const {
  if (!matrix->device())
    return core::Error{
        "expected a product on a device but got one of the host"};
  auto status = matrix->device()->checkStream(stream);
  return status ? checkColumns(columns) : status;
}

core::Status Spmm::forwardOn(void *stream, int64_t n, const void *b,
                             const void *bias, Activation activation, void *c) {
  auto status = checkOn(stream, n);
  if (!status || n == 0)
    return status;
  std::vector<DeviceOperand> inputs = {operandOf("B", b, columns() * n)};
  if (bias)
    inputs.push_back(operandOf("bias", bias, n));
  status = checkDeviceOperands(*matrix->device(), inputs,
                               operandOf("C", c, rows() * n));
  if (!status)
    return status;
  rt::StreamScope scope(stream, /*isChecked=*/true);
  return runForward(n, b, bias, activation, c);
}

core::Status Spmm::backwardOn(void *stream, int64_t n, const void *b,
                              const void *g, void *da, void *db) {
  auto status = checkOn(stream, n);
  if (!status)
    return status;
  std::vector<DeviceOperand> inputs = {operandOf("G", g, rows() * n)}, outputs;
  if (da) {
    inputs.push_back(operandOf("B", b, columns() * n));
    outputs.push_back(operandOf("dA", da, nonzeros()));
  }
  if (db)
    outputs.push_back(operandOf("dB", db, columns() * n));
  status = checkDeviceOperands(*matrix->device(), inputs, outputs);
  if (!status)
    return status;
  if (n > 0) {
    rt::StreamScope scope(stream, /*isChecked=*/true);
    return runBackward(n, b, g, da, db);
  }
  if (!da || nonzeros() == 0)
    return core::Success();
  const auto halves = size_t(core::elementBytes(element)) / sizeof(uint16_t);
  return matrix->device()->fill16(da, 0, size_t(nonzeros()) * halves, stream);
}
