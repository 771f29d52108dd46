//===- TensorAsMatrix.cpp - a product of a tensor as one of a matrix ------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/TensorAsMatrix.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include "ASTFE/Runtime/Parallel.h"
#include "ASTFE/Runtime/Threads.h"
#include <algorithm>
#include <cstring>

using namespace astfe;
using namespace astfe::product;

std::optional<MatrixForm> product::matrixFormOf(const TensorProduct &product) {
  const unsigned rank = product.rank;
  auto isMode = [rank](unsigned dim) { return dim < rank; };
  if (product.inputs.size() != 1 || product.inputs.front().empty() ||
      product.output.empty())
    return std::nullopt;
  const std::vector<unsigned> &input = product.inputs.front();
  std::vector<unsigned> rows = product.output;
  MatrixForm form;
  form.hasColumns = input.size() == 2 && !isMode(input.back());
  if (form.hasColumns) {
    if (rows.back() != input.back())
      return std::nullopt;
    rows.pop_back();
  }
  const bool isSummed =
      std::find(rows.begin(), rows.end(), input.front()) == rows.end();
  if (input.size() != 1u + form.hasColumns || !isMode(input.front()) ||
      !isSummed || rows.empty() ||
      !std::all_of(rows.begin(), rows.end(), isMode))
    return std::nullopt;
  form.modes = {std::move(rows), input.front()};
  return form;
}

int64_t product::columnsOf(const TensorProduct &product) {
  return product.dense.empty() ? 1 : product.dense.front();
}

static core::Table<char> inOrder(const core::Table<int64_t> &nonzeroOf,
                                 const void *values, size_t bytes) {
  core::Table<char> ordered(nonzeroOf.size() * bytes);
  const auto *from = static_cast<const char *>(values);
  for (size_t i = 0; i < nonzeroOf.size(); ++i)
    std::memcpy(ordered.data() + i * bytes, from + size_t(nonzeroOf[i]) * bytes,
                bytes);
  return ordered;
}

static size_t valueBytes(const core::Arithmetic &arithmetic) {
  return size_t(core::elementBytes(arithmetic.element));
}

TensorMatrices::Entry TensorMatrices::make(const MatrixForm &form,
                                           const core::Bricks &bricks,
                                           const void *values, int64_t memory,
                                           const MatrixOptions &options) {
  Entry entry;
  auto made = core::tensorMatrix(bricks, form.modes,
                                 std::max<int64_t>(memory - taken, 0),
                                 unsigned(rt::threads()));
  if (!made)
    return entry;
  auto matrix = core::withinMemory({"out of memory"}, [&] {
    const core::Table<char> ordered =
        inOrder(made->nonzeroOf, values, valueBytes(options.arithmetic));
    return makeMatrix(made->view(), ordered.data(), /*graph=*/nullptr, options,
                      *source);
  });
  if (!matrix)
    return entry;
  // Numbers of nonzeros here, and columns, places and values there; positions.
  taken += bricks.nonzeros * int64_t(16 + valueBytes(options.arithmetic)) +
           int64_t(made->positions.size() * sizeof(int64_t));
  entry.matrix = std::move(*matrix);
  entry.nonzeroOf = std::move(made->nonzeroOf);
  return entry;
}

/// The form of a product that is faster by its matrix. On a GPU that is any:
/// bricks leave rows of two modes to the warp that has those of the first.
static std::optional<MatrixForm> preferredForm(const TensorProduct &product,
                                               const core::Bricks &bricks,
                                               const MatrixOptions &options) {
  auto form = matrixFormOf(product);
  auto shape = form ? form->modes.shapeOf(bricks.shape) : std::nullopt;
  if (!shape || bricks.nonzeros == 0 ||
      bricks.nonzeros > std::numeric_limits<int32_t>::max())
    return std::nullopt;
  const core::Element element = options.arithmetic.result();
  const int64_t columns = columnsOf(product);
  // Bricks keep sums of halves in an array of f32 as large as the result, and
  // go over it twice more: as many bytes as two positions of the matrix, and
  // more with each column. Maxima are not rounded, and one column is a matrix
  // up to 32 rows a nonzero anyway.
  const bool keepsSums =
      core::isHalf(element) && columns != 1 &&
      options.arithmetic.semiring == core::Semiring::PlusTimes;
  if (!options.device && !keepsSums &&
      !core::prefersMatrix(bricks.rank(), (*shape)[0], bricks.nonzeros,
                           columns ? columns : kAssumedColumns,
                           core::elementBytes(element),
                           core::isComplex(element) ? 2 : 1))
    return std::nullopt;
  return form;
}

core::Result<Matrix *> TensorMatrices::find(const TensorProduct &product,
                                            const core::Bricks &bricks,
                                            const void *values, int64_t memory,
                                            const MatrixOptions &options) {
  auto form = source ? preferredForm(product, bricks, options) : std::nullopt;
  if (!form)
    return nullptr;
  // One column is a vector: its matrix may be cut for one thread.
  auto [found, isNew] =
      entries.try_emplace({form->modes, columnsOf(product) != 1});
  Entry &entry = found->second;
  if (isNew) {
    MatrixOptions packing = options;
    packing.keepsOrder = true;
    if (const int64_t columns = columnsOf(product))
      packing.columns = columns;
    entry = make(*form, bricks, values, memory, packing);
  }
  if (entry.matrix && entry.isStale) {
    const auto bytes = valueBytes(options.arithmetic);
    auto status = core::withinMemory(
        {"expected memory for the values of a matrix but got none"},
        [&]() -> core::Status {
          return entry.matrix->setValues(
              inOrder(entry.nonzeroOf, values, bytes).data());
        });
    if (!status)
      return status.error();
    entry.isStale = false;
  }
  return entry.matrix.get();
}

void TensorMatrices::forgetValues() {
  for (auto &[modes, entry] : entries)
    entry.isStale = true;
}

core::Result<core::Traffic>
TensorMatrices::traffic(const TensorProduct &product,
                        const core::Bricks &bricks,
                        const core::Arithmetic &arithmetic) {
  const unsigned threads = unsigned(rt::threads());
  auto matrix =
      core::tensorMatrix(bricks, matrixFormOf(product)->modes,
                         std::numeric_limits<int64_t>::max(), threads);
  if (!matrix)
    return matrix.error();
  MatrixOptions options;
  options.arithmetic = arithmetic;
  options.columns = columnsOf(product);
  options.keepsOrder = true;
  auto plan = core::makePlan(matrix->view(), planOptions(options));
  if (!plan)
    return plan.error();
  core::TrafficModel model;
  model.columns = columnsOf(product);
  model.elementBytes = core::elementBytes(arithmetic.element);
  return core::countTraffic(model, matrix->view(), plan->fused,
                            _mlir_ciface_astfe_rt_workers(), threads);
}
