//===- Problem.cpp - operands, reference and error of one product ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem.h"
#include "ASTFE/Core/Support/Shape.h"
#include "ASTFE/Core/Tensor/Frostt.h"
#include "ASTFE/Core/Tensor/MatrixAsTensor.h"
#include "OperandMemory.h"
#include <algorithm>

namespace astfe::run {

core::SparseView Problem::view() const {
  core::IndexArray ends(positions.data(), int64_t(positions.size())),
      stored(coordinates.data(), nonzeros());
  return transposed ? core::SparseView::csc(columns, rows, ends, stored)
                    : core::SparseView::csr(rows, columns, ends, stored);
}

static core::Error tooLarge(const Settings &settings) {
  return {settings.matrix +
          ": expected fewer than 2^31 rows, columns and nonzeros"};
}

Dense valuesOf(const std::vector<double> &values,
               const std::vector<double> &imaginaries,
               const std::vector<int64_t> &integers, core::Element element) {
  Dense result = Dense::zero(int64_t(values.size()), 1, element);
  if (!integers.empty()) {
    std::copy(integers.begin(), integers.end(), result.as<int64_t>());
    return result;
  }
  for (int64_t i = 0; i < result.rows; ++i) {
    result.set(i, values[size_t(i)]);
    if (!imaginaries.empty())
      result.set(i, imaginaries[size_t(i)], 1);
  }
  return result;
}

/// What is allocated for a product beside the file's entries.
static core::Status checkMemory(const Settings &settings, int64_t rows,
                                int64_t columns) {
  const core::Element element = settings.arithmetic.element,
                      sum = settings.arithmetic.result();
  // The emulator's memory is this machine's, too.
  const int copies = settings.device == Device::Emulator ? 2 : 1;
  OperandMemory memory;
  auto add = [&](int64_t length, core::Element of) {
    const std::vector<int64_t> extents = {length, settings.columns};
    memory.add(core::shapeText(extents) + " " +
                   std::string(core::elementName(of)),
               extents, copies * double(core::elementBytes(of)));
  };
  add(settings.transpose ? rows : columns, element);
  if (settings.kernel == Kernel::SDDMM)
    add(rows, element);
  else
    add(settings.transpose ? columns : rows, sum);
  memory.add("positions of rows", {rows}, sizeof(int64_t) + sizeof(int32_t));
  return memory.check();
}

core::ReadOptions readOptions(const Settings &settings) {
  const core::Element element = settings.arithmetic.element;
  core::ReadOptions options;
  options.duplicates = settings.duplicates;
  options.complex = core::isComplex(element);
  if (core::isInteger(element))
    options.integerBits = unsigned(8 * core::elementBytes(element));
  return options;
}

core::Result<core::CooTensor> readMatrix(const Settings &settings) {
  auto tensor = core::readTensor(settings.matrix, readOptions(settings));
  if (tensor && tensor->shape.size() != 2)
    return core::Error{settings.matrix + ": expected a matrix but got " +
                       std::to_string(tensor->shape.size()) + " modes"};
  return tensor;
}

core::Result<Problem> makeProblem(const Settings &settings,
                                  const core::CooTensor &matrix) {
  if (auto status = checkMemory(settings, matrix.shape[0], matrix.shape[1]);
      !status)
    return status.error();
  auto csr = core::toCsr(matrix);
  if (!csr)
    return core::Error{settings.matrix + ": " + csr.message()};
  return makeProblem(settings, *csr);
}

core::Result<Problem> readProblem(const Settings &settings) {
  auto matrix = readMatrix(settings);
  if (!matrix)
    return matrix.error();
  if (core::isFar(matrix->view()))
    return tooLarge(settings);
  return makeProblem(settings, *matrix);
}

core::Result<Problem> makeProblem(const Settings &settings,
                                  const core::CsrMatrix &csr) {
  // Positions and coordinates have 32 bits here.
  if (core::isFar(csr.view()))
    return tooLarge(settings);
  Problem p;
  p.rows = csr.rows;
  p.columns = csr.columns;
  p.positions.assign(csr.positions.begin(), csr.positions.end());
  p.coordinates.assign(csr.coordinates.begin(), csr.coordinates.end());
  const core::Element element = settings.arithmetic.element;
  p.values = valuesOf(csr.values, csr.imaginaries, csr.integers, element);
  p.semiring = settings.arithmetic.semiring;
  p.transposed = settings.transpose;
  p.operand =
      Dense::random(p.depth(), settings.columns, element, settings.seed);
  if (settings.kernel == Kernel::SDDMM)
    p.left =
        Dense::random(p.rows, settings.columns, element, settings.seed + 1);
  return p;
}

Dense emptyResult(const Problem &problem, const Settings &settings) {
  const core::Element element = settings.arithmetic.result();
  if (problem.isSampled())
    return Dense::zero(problem.nonzeros(), 1, element);
  return Dense::zero(problem.resultRows(), settings.columns, element);
}

} // namespace astfe::run
