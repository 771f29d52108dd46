//===- AttentionOnDevice.cpp - sparse attention on operands of a GPU ------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/Attention.h"
#include "ASTFE/Runtime/Mgpu.h"

using namespace astfe;
using namespace astfe::product;

/// The number of elements is checked: their bytes fit the address space.
DeviceOperand Attention::operandOf(const char *name, const void *data,
                                   int64_t rows) const {
  const auto bytes = size_t(core::elementBytes(attentionShape.element));
  return {name, data,
          size_t(rows * attentionShape.heads * attentionShape.dim) * bytes,
          bytes};
}

DeviceOperand Attention::sumsOf(const char *name, const void *data) const {
  return {name, data, sumBytes(),
          size_t(core::elementBytes(attentionShape.sums()))};
}

core::Status Attention::checkOn(void *stream,
                                llvm::ArrayRef<DeviceOperand> inputs,
                                llvm::ArrayRef<DeviceOperand> outputs) const {
  rt::Device *device = matrix->device();
  if (!device)
    return core::Error{
        "expected an attention on a device but got one of the host"};
  auto status = device->checkStream(stream);
  return status ? checkDeviceOperands(*device, inputs, outputs) : status;
}

core::Status Attention::forwardOn(void *stream,
                                  const AttentionOperands<const void> &in,
                                  void *o, void *lse) {
  auto status =
      checkOn(stream,
              {operandOf("q", in.q, rows()), operandOf("k", in.k, columns()),
               operandOf("v", in.v, columns())},
              {operandOf("o", o, rows()), sumsOf("lse", lse)});
  if (status)
    status = prepare(/*backward=*/false);
  if (!status)
    return status;
  rt::StreamScope scope(stream, /*isChecked=*/true);
  return runForward(in, o, lse);
}

core::Status Attention::backwardOn(void *stream,
                                   const AttentionOperands<const void> &in,
                                   const void *go, const void *lse,
                                   const AttentionOperands<void> &out) {
  auto status = checkOn(
      stream,
      {operandOf("q", in.q, rows()), operandOf("k", in.k, columns()),
       operandOf("v", in.v, columns()), operandOf("go", go, rows()),
       sumsOf("lse", lse)},
      {operandOf("dq", out.q, rows()), operandOf("dk", out.k, columns()),
       operandOf("dv", out.v, columns())});
  if (status)
    status = prepare(/*backward=*/true);
  if (!status)
    return status;
  // No memory is empty.
  auto sums =
      loans.lendOn(matrix->device(), std::max<size_t>(sumBytes(), 16), stream);
  if (!sums)
    return sums.error();
  {
    rt::StreamScope scope(stream, /*isChecked=*/true);
    status = runBackward(in, go, lse, out, *sums);
  }
  auto returned = loans.takeBackOn(matrix->device(), *sums, stream);
  return status ? returned : status;
}
