//===- FarMatrix.cpp - a matrix whose indices need 64 bits ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/FarMatrix.h"
#include "ASTFE/Core/Tensor/MatrixAsTensor.h"

using namespace astfe;
using namespace astfe::product;

/// What it has none of.
static core::Status checkOptions(const MatrixOptions &options) {
  const char *given = options.device                           ? "a device"
                      : options.samples                        ? "samples"
                      : options.workers                        ? "workers"
                      : options.storage == core::Storage::View ? "a view"
                                                               : nullptr;
  if (!given)
    return core::Success();
  return core::Error{"expected products on the host of a matrix of more than "
                     "2147483647 rows, columns or nonzeros but got " +
                     std::string(given)};
}

core::Result<std::unique_ptr<FarMatrix>>
FarMatrix::make(const core::SparseView &view, const void *values,
                const MatrixOptions &options, KernelSource &source,
                TensorKernelSource &tensors) {
  if (auto status = checkOptions(options); !status)
    return status.error();
  const core::SparseView asTensor = core::withUnitMode(view);
  TensorOptions tensorOptions;
  tensorOptions.arithmetic = options.arithmetic;
  tensorOptions.cpu = options.cpu;
  tensorOptions.features = options.features;
  auto plan = core::makePlan(
      asTensor, tensorPlanOptions(view.nonzeros(),
                                  options.columns.value_or(kAssumedColumns),
                                  options.arithmetic.element));
  if (!plan)
    return plan.error();
  auto packed =
      PackedTensor::pack(asTensor, values, plan->fused, tensorOptions, tensors);
  if (!packed)
    return packed.error();
  std::unique_ptr<FarMatrix> matrix(new FarMatrix(options, source));
  matrix->tensor = std::move(*packed);
  return matrix;
}

/// C(i,r) = A(i,k,0) B(k,r).
static TensorProduct productOf(int64_t columns) {
  return {3, {{1, 3}}, {0, 3}, {columns}};
}

core::Result<std::shared_ptr<const Kernel>>
FarMatrix::compile(int64_t columns, bool accumulate, bool) {
  return tensor->prepare(productOf(columns), accumulate);
}

core::Status FarMatrix::multiply(const Dense &b, const Dense &c,
                                 bool accumulate) {
  if (c.columns == 0 || c.rows == 0)
    return core::Success();
  if (b.leading != b.columns || c.leading != c.columns)
    return core::Error{"expected rows of B and C that follow each other, for a "
                       "matrix of more than 2147483647 rows, columns or "
                       "nonzeros"};
  std::shared_lock<std::shared_mutex> lock = readValues();
  return tensor->compute(productOf(c.columns), {{b.data, {b.rows, b.columns}}},
                         {c.data, {c.rows, c.columns}}, accumulate);
}

core::Status FarMatrix::takeValues(const void *values) {
  tensor->setValues(values);
  return core::Success();
}

core::Status FarMatrix::sampleInOrder(const Dense &, const Dense &, void *) {
  return core::Error{"expected a packed matrix for samples"};
}

// Kernels are the tensor's.

void FarMatrix::describe(KernelRequest &) const {}

core::Status FarMatrix::call(const Kernel &, const Dense &, const Dense &,
                             bool) const {
  return core::Error{"expected a kernel of tensors"};
}
