//===- TensorProblem.cpp - operands and reference of a tensor's product ---===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorProblem.h"
#include "ASTFE/Core/Support/Shape.h"
#include "ASTFE/Core/Tensor/Frostt.h"
#include "ASTFE/Core/Tensor/MatrixAsTensor.h"
#include "OperandMemory.h"
#include <algorithm>
#include <cstring>

namespace astfe::run {
namespace {

product::TensorProduct productOf(const Settings &settings, unsigned rank) {
  const auto mode = unsigned(settings.mode);
  switch (settings.kernel) {
  case Kernel::MTTKRP:
    return product::TensorProduct::mttkrp(rank, mode, settings.columns);
  case Kernel::TTM:
    return product::TensorProduct::ttm(rank, mode, settings.columns);
  default:
    return product::TensorProduct::ttv(rank, mode);
  }
}

/// The first dimensions are rows, the last one is the columns.
int64_t rowsOf(const std::vector<int64_t> &extents) {
  int64_t rows = 1;
  for (size_t r = 0; r + 1 < extents.size(); ++r)
    rows *= extents[r];
  return rows;
}

/// What is allocated for it beside the tensor.
core::Status checkMemory(const TensorProblem &problem,
                         const Settings &settings) {
  // The emulator's memory is this machine's, too.
  const int copies = settings.device == Device::Emulator ? 2 : 1;
  OperandMemory memory;
  auto add = [&](const std::vector<unsigned> &dims, core::Element element) {
    const std::vector<int64_t> extents =
        problem.product.extentsOf(dims, problem.tensor.shape);
    memory.add(core::shapeText(extents) + " " +
                   std::string(core::elementName(element)),
               extents, copies * double(core::elementBytes(element)));
    return extents;
  };
  for (const std::vector<unsigned> &input : problem.product.inputs)
    add(input, settings.arithmetic.element);
  const std::vector<int64_t> output =
      add(problem.product.output, settings.arithmetic.result());
  if (settings.check)
    memory.add("its reference", output, referenceBytes(settings.arithmetic));
  return memory.check();
}

core::Status checkMode(const Settings &settings, const TensorProblem &problem) {
  const auto rank = int64_t(problem.tensor.shape.size());
  if (settings.mode < 0 || settings.mode >= rank)
    return core::Error{"--mode: expected 0.." + std::to_string(rank - 1) +
                       " but got " + std::to_string(settings.mode)};
  if (rank == 1 && settings.kernel != Kernel::MTTKRP)
    return core::Error{settings.tensor + ": expected 2 modes or more, of which "
                                         "one is summed over, but got 1"};
  return core::Success();
}

} // namespace

TensorOperand TensorProblem::output() const {
  std::vector<int64_t> extents =
      product.extentsOf(product.output, tensor.shape);
  return {extents,
          Dense::zero(rowsOf(extents), extents.back(), arithmetic.result())};
}

std::vector<product::DenseTensor> TensorProblem::inputViews() {
  std::vector<product::DenseTensor> views;
  for (TensorOperand &input : inputs)
    views.push_back(input.view());
  return views;
}

/// A random input. Of more rows than there are nonzeros, those that none meets
/// stay zeros: to make them up could take longest of all.
static TensorOperand randomInput(const TensorProblem &problem,
                                 const std::vector<unsigned> &dims,
                                 core::Element element, uint64_t seed) {
  const std::vector<int64_t> &shape = problem.tensor.shape;
  const std::vector<int64_t> extents = problem.product.extentsOf(dims, shape);
  const int64_t nonzeros = problem.tensor.nonzeros(), rows = rowsOf(extents),
                columns = extents.back();
  int64_t meetable = 1;
  for (unsigned dim : dims)
    meetable *= dim < problem.product.rank ? shape[dim] : 1;
  if (meetable <= nonzeros)
    return {extents, Dense::random(rows, columns, element, seed)};
  TensorOperand operand{extents, Dense::zero(rows, columns, element)};
  const int64_t width = rows * columns / meetable;
  const Dense met = Dense::random(nonzeros, width, element, seed);
  const auto bytes = size_t(width * core::elementBytes(element));
  for (int64_t n = 0; n < nonzeros; ++n) {
    int64_t row = 0;
    for (unsigned dim : dims)
      if (dim < problem.product.rank)
        row = row * shape[dim] + problem.tensor.coordinates[dim][size_t(n)];
    std::memcpy(operand.dense.bytes.data() + size_t(row) * bytes,
                met.bytes.data() + size_t(n) * bytes, bytes);
  }
  return operand;
}

/// Values and operands for the product of `problem`.
static core::Result<TensorProblem> withOperands(const Settings &settings,
                                                TensorProblem problem) {
  const core::Element element = settings.arithmetic.element;
  if (auto status = checkMemory(problem, settings); !status)
    return status.error();
  const core::CooTensor &tensor = problem.tensor;
  problem.values =
      valuesOf(tensor.values, tensor.imaginaries, tensor.integers, element);
  problem.arithmetic = settings.arithmetic;
  uint64_t seed = settings.seed;
  for (const std::vector<unsigned> &dims : problem.product.inputs)
    problem.inputs.push_back(randomInput(problem, dims, element, seed++));
  return problem;
}

core::Result<TensorProblem> makeFarProblem(const Settings &settings,
                                           core::CooTensor matrix) {
  TensorProblem problem;
  problem.tensor = std::move(matrix);
  core::addUnitMode(problem.tensor);
  const unsigned summed = settings.transpose ? 0 : 1, kept = 1 - summed;
  problem.product = {3, {{summed}}, {kept}, {}};
  if (settings.kernel != Kernel::SpMV)
    problem.product = {3, {{summed, 3}}, {kept, 3}, {settings.columns}};
  return withOperands(settings, std::move(problem));
}

core::Result<TensorProblem> readTensorProblem(const Settings &settings) {
  auto tensor = core::readTensor(settings.tensor, readOptions(settings));
  if (!tensor)
    return tensor.error();
  TensorProblem problem;
  problem.tensor = std::move(*tensor);
  if (auto status = checkMode(settings, problem); !status)
    return status.error();
  problem.product = productOf(settings, unsigned(problem.tensor.shape.size()));
  return withOperands(settings, std::move(problem));
}

/// Without an output for its size, which may fill the memory.
static size_t elementsOfOutput(const TensorProblem &problem) {
  const std::vector<int64_t> extents =
      problem.product.extentsOf(problem.product.output, problem.tensor.shape);
  return size_t(rowsOf(extents) * extents.back());
}

namespace {
/// The result, nonzero by nonzero. The dense dimension, if there is one, is the
/// last of each operand that it indexes.
template <typename Ring>
class Reference {
public:
  Reference(const Ring &ring, const TensorProblem &problem)
      : ring(ring), problem(problem),
        columns(problem.product.dense.empty() ? 1
                                              : problem.product.dense.front()),
        expected(elementsOfOutput(problem), Expected<Ring>(ring)) {
    for (int64_t n = 0; n < problem.tensor.nonzeros(); ++n)
      add(n);
  }

  Difference compare(const Dense &result, Rounding rounding) const {
    Difference difference;
    for (size_t i = 0; i < expected.size(); ++i)
      noteElement(ring, problem.arithmetic, rounding, result, int64_t(i),
                  expected[i], int64_t(problem.inputs.size()) + 1, difference);
    return difference;
  }

private:
  /// The first element that the nonzero meets, and whether columns follow.
  int64_t placeOf(int64_t n, const std::vector<unsigned> &dims,
                  bool &hasColumns) const {
    int64_t place = 0;
    hasColumns = false;
    for (unsigned dim : dims) {
      hasColumns = dim >= problem.product.rank;
      place = hasColumns ? place * columns
                         : place * problem.tensor.shape[dim] +
                               problem.tensor.coordinates[dim][size_t(n)];
    }
    return place;
  }

  void add(int64_t n) {
    bool hasColumns = false;
    std::vector<std::pair<int64_t, int64_t>> places; // first, step
    for (const std::vector<unsigned> &dims : problem.product.inputs) {
      const int64_t place = placeOf(n, dims, hasColumns);
      places.emplace_back(place, hasColumns);
    }
    const int64_t out = placeOf(n, problem.product.output, hasColumns);
    for (int64_t r = 0; r < columns; ++r) {
      Term<Ring> term(ring, problem.values, n);
      for (size_t i = 0; i < places.size(); ++i)
        term.multiply(ring, {ring, problem.inputs[i].dense,
                             places[i].first + r * places[i].second});
      expected[size_t(out + r)].add(ring, term);
    }
  }

  const Ring &ring;
  const TensorProblem &problem;
  const int64_t columns;
  std::vector<Expected<Ring>> expected;
};
} // namespace

Difference compare(const TensorProblem &problem, const TensorOperand &result,
                   Rounding rounding) {
  return withRing(problem.arithmetic, [&](auto ring) {
    return Reference<decltype(ring)>(ring, problem)
        .compare(result.dense, rounding);
  });
}

} // namespace astfe::run
