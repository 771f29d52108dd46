//===- TensorProblem.cpp - operands and reference of a tensor's product ---===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorProblem.h"
#include "ASTFE/Core/Support/RelativeError.h"
#include "ASTFE/Core/Support/Shape.h"
#include "ASTFE/Core/Tensor/Frostt.h"
#include <algorithm>
#include <cmath>
#include <unistd.h>

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

/// An error that names the bytes where the machine has fewer.
core::Status checkMemory(const TensorProblem &problem, bool isDouble) {
  const auto memory = __int128(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  std::vector<std::vector<unsigned>> operands = problem.product.inputs;
  operands.push_back(problem.product.output);
  for (const std::vector<unsigned> &dims : operands) {
    const std::vector<int64_t> extents =
        problem.product.extentsOf(dims, problem.tensor.shape);
    // Rounded up, so that it cannot overflow either.
    double bytes = isDouble ? 8 : 4;
    for (int64_t extent : extents)
      bytes *= double(extent);
    if (bytes > double(memory))
      return core::Error{
          "expected dense operands that fit the memory of " +
          std::to_string(int64_t(memory)) + " bytes but " +
          core::shapeText(extents) + (isDouble ? " f64" : " f32") + " takes " +
          std::to_string(int64_t(std::min(bytes, 0x1p62))) + " bytes"};
  }
  return core::Success();
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

Dense valuesOf(const core::CooTensor &tensor, bool isDouble) {
  Dense values = Dense::zero(tensor.nonzeros(), 1, isDouble);
  for (int64_t n = 0; n < tensor.nonzeros(); ++n) {
    if (isDouble)
      values.values64[size_t(n)] = tensor.values[size_t(n)];
    else
      values.values32[size_t(n)] = float(tensor.values[size_t(n)]);
  }
  return values;
}

} // namespace

TensorOperand TensorProblem::output() const {
  std::vector<int64_t> extents =
      product.extentsOf(product.output, tensor.shape);
  return {extents,
          Dense::zero(rowsOf(extents), extents.back(), values.isDouble)};
}

std::vector<product::DenseTensor> TensorProblem::inputViews() {
  std::vector<product::DenseTensor> views;
  for (TensorOperand &input : inputs)
    views.push_back(input.view());
  return views;
}

core::Result<TensorProblem> readTensorProblem(const Settings &settings) {
  core::ReadOptions options;
  options.duplicates = settings.duplicates;
  auto tensor = core::readTensor(settings.tensor, options);
  if (!tensor)
    return tensor.error();
  TensorProblem problem;
  problem.tensor = std::move(*tensor);
  if (auto status = checkMode(settings, problem); !status)
    return status.error();
  problem.product = productOf(settings, unsigned(problem.tensor.shape.size()));
  if (auto status = checkMemory(problem, settings.isDouble); !status)
    return status.error();
  problem.values = valuesOf(problem.tensor, settings.isDouble);
  uint64_t seed = settings.seed;
  for (const std::vector<unsigned> &dims : problem.product.inputs) {
    const std::vector<int64_t> extents =
        problem.product.extentsOf(dims, problem.tensor.shape);
    problem.inputs.push_back(
        {extents, Dense::random(rowsOf(extents), extents.back(),
                                settings.isDouble, seed++)});
  }
  return problem;
}

namespace {
/// Sums in float64, nonzero by nonzero. The dense dimension, if there is one,
/// is the last of each operand that it indexes.
class Reference {
public:
  explicit Reference(const TensorProblem &problem)
      : problem(problem),
        columns(problem.product.dense.empty() ? 1
                                              : problem.product.dense.front()),
        size(size_t(problem.output().dense.rows *
                    problem.output().dense.columns)),
        sum(size), magnitude(size), terms(size) {
    for (int64_t n = 0; n < problem.tensor.nonzeros(); ++n)
      add(n);
  }

  Difference compare(const Dense &result) const {
    const double unit = result.isDouble ? 0x1p-53 : 0x1p-24;
    const auto factors = double(problem.inputs.size());
    Difference difference;
    for (size_t i = 0; i < size; ++i) {
      const double error =
          core::relativeError(result.at(int64_t(i)), sum[i], magnitude[i]);
      difference.maxRelative = std::max(difference.maxRelative, error);
      difference.passed &= error <= (double(terms[i]) + factors + 1) * unit;
    }
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
      double term = problem.values.at(n);
      for (size_t i = 0; i < places.size(); ++i)
        term *=
            problem.inputs[i].dense.at(places[i].first + r * places[i].second);
      const auto at = size_t(out + r);
      sum[at] += term;
      magnitude[at] += std::fabs(term);
      ++terms[at];
    }
  }

  const TensorProblem &problem;
  const int64_t columns;
  const size_t size;
  std::vector<double> sum, magnitude;
  std::vector<uint32_t> terms;
};
} // namespace

Difference compare(const TensorProblem &problem, const TensorOperand &result) {
  return Reference(problem).compare(result.dense);
}

} // namespace astfe::run
