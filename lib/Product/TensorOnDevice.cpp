//===- TensorOnDevice.cpp - products of tensors on operands of a GPU ------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/DeviceOperand.h"
#include "ASTFE/Product/PackedTensor.h"
#include "ASTFE/Runtime/Mgpu.h"

using namespace astfe;
using namespace astfe::product;

/// Extents are checked: their product fits the address space.
static DeviceOperand operandOf(std::string name, const DenseTensor &dense,
                               core::Element element) {
  const auto elementBytes = size_t(core::elementBytes(element));
  size_t bytes = elementBytes;
  for (int64_t extent : dense.extents)
    bytes *= size_t(extent);
  return {std::move(name), dense.data, bytes, elementBytes};
}

core::Status PackedTensor::checkOnDevice(const std::vector<DenseTensor> &inputs,
                                         const DenseTensor &output) const {
  std::vector<DeviceOperand> operands;
  for (size_t i = 0; i < inputs.size(); ++i)
    operands.push_back(operandOf("input " + std::to_string(i), inputs[i],
                                 options.arithmetic.element));
  return checkDeviceOperands(
      *options.device, operands,
      operandOf("output", output, options.arithmetic.result()));
}

core::Status PackedTensor::computeOn(void *stream, const TensorProduct &product,
                                     const std::vector<DenseTensor> &inputs,
                                     const DenseTensor &output,
                                     bool accumulate) {
  if (!options.device)
    return core::Error{"expected a tensor on a device but got one of the host"};
  if (auto status = options.device->checkStream(stream); !status)
    return status;
  if (auto status = checkProduct(product); !status)
    return status;
  if (auto status = checkOperands(product, inputs, output); !status)
    return status;
  if (auto status = checkOnDevice(inputs, output); !status)
    return status;
  rt::StreamScope scope(stream, /*isChecked=*/true);
  return compute(product, inputs, output, accumulate);
}
