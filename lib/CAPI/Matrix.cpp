//===- Matrix.cpp - sparse matrices and their products --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE-c/Matrix.h"
#include "ASTFE/Core/Tensor/MatrixAsTensor.h"
#include "ASTFE/Product/FarMatrix.h"
#include "ASTFE/Product/KernelTable.h"
#include "ASTFE/Product/Matrix.h"
#include "Compiler.h"
#include "GivenDevice.h"
#include "ValueType.h"
#include "WithObject.h"
#include <algorithm>
#include <cstring>
#include <limits>

using namespace astfe;
using capi::fail;
using capi::guarded;

/// Never destroyed, as the next: code may still run while the process ends.
static capi::ObjectTable<AstfeMatrix, product::Matrix> &matrices() {
  static auto &table = *new capi::ObjectTable<AstfeMatrix, product::Matrix>();
  return table;
}

static product::KernelSource &kernels() {
  static auto &table = *new product::KernelTable(capi::compiler());
  return table;
}

//===----------------------------------------------------------------------===//
// Making them
//===----------------------------------------------------------------------===//

AstfeMatrixOptions astfeDefaultMatrixOptions(void) {
  return {sizeof(AstfeMatrixOptions),
          /*expectedColumns=*/0,
          core::kExpectedRuns,
          /*workers=*/0,
          /*device=*/nullptr,
          ASTFE_PLUS_TIMES,
          /*transposed=*/0,
          /*samples=*/0,
          ASTFE_STORAGE_AUTO};
}

/// The caller's options, where it knows them, checked.
static core::Result<AstfeMatrixOptions>
optionsOf(const AstfeMatrixOptions *given) {
  AstfeMatrixOptions options = astfeDefaultMatrixOptions();
  if (!given)
    return options;
  constexpr size_t kLeast = sizeof(size_t);
  if (given->size < kLeast || given->size > sizeof(options))
    return core::Error{"options: expected a size of " + std::to_string(kLeast) +
                       " to " + std::to_string(sizeof(options)) +
                       " bytes but got " + std::to_string(given->size)};
  std::memcpy(&options, given, given->size);
  // With this bound bytes of rows are numbers of 64 bits.
  constexpr int64_t kMostColumns = INT32_MAX;
  if (options.expectedColumns < 0 || options.expectedColumns > kMostColumns)
    return core::Error{"expected 0.." + std::to_string(kMostColumns) +
                       " expected columns but got " +
                       std::to_string(options.expectedColumns)};
  if (options.expectedRuns < 1)
    return core::Error{"expected at least 1 expected run but got " +
                       std::to_string(options.expectedRuns)};
  // No machine has as many threads or warps, and tables of them fit memory.
  constexpr int64_t kMostWorkers = 1 << 24;
  if (options.workers < 0 || options.workers > kMostWorkers)
    return core::Error{"expected 0.." + std::to_string(kMostWorkers) +
                       " workers but got " + std::to_string(options.workers)};
  if (options.storage < ASTFE_STORAGE_AUTO ||
      options.storage > ASTFE_STORAGE_VIEW)
    return core::Error{"expected an AstfeStorage from 0 to 2 but "
                       "got " +
                       std::to_string(options.storage)};
  return options;
}

static product::MatrixOptions
productOptions(const AstfeMatrixOptions &options,
               const core::Arithmetic &arithmetic) {
  product::MatrixOptions result;
  result.arithmetic = arithmetic;
  result.samples = options.samples != 0;
  if (options.expectedColumns != 0)
    result.columns = options.expectedColumns;
  result.expectedRuns = options.expectedRuns;
  result.workers = options.workers;
  if (options.storage != ASTFE_STORAGE_AUTO)
    result.storage = options.storage == ASTFE_STORAGE_VIEW
                         ? core::Storage::View
                         : core::Storage::Packed;
  return result;
}

static core::Status checkSamples(const AstfeMatrixOptions &options,
                                 const core::Arithmetic &arithmetic) {
  if (options.samples && arithmetic.semiring != core::Semiring::PlusTimes)
    return core::Error{"samples: expected sums of products but got " +
                       arithmetic.text()};
  return core::Success();
}

static core::Result<std::unique_ptr<product::Matrix>>
createMatrix(const AstfeCsr *csr, const void *values, int32_t valueType,
             const core::Graph *graph, const AstfeMatrixOptions *given) {
  auto view = capi::checkedViewOf(csr);
  if (!view)
    return view.error();
  if (auto status = capi::checkGiven(values, view->nonzeros(), "values");
      !status)
    return status.error();
  auto checked = optionsOf(given);
  if (!checked)
    return checked.error();
  auto arithmetic = capi::arithmeticOf(valueType, checked->semiring);
  if (!arithmetic)
    return arithmetic.error();
  if (auto status = checkSamples(*checked, *arithmetic); !status)
    return status.error();
  product::MatrixOptions options = productOptions(*checked, *arithmetic);
  if (checked->transposed)
    *view = core::SparseView::csc(csr->columns, csr->rows, view->positions,
                                  view->coordinates.front());
  auto device = capi::GivenDevice::of(checked->device);
  if (!device)
    return device.error();
  options.device = device->device;
  options.chip = device->chip;
  if (core::isFar(*view)) {
    if (graph)
      return core::Error{"graph: expected none for a matrix of more than "
                         "2147483647 rows, columns or nonzeros"};
    auto far = product::FarMatrix::make(*view, values, options, kernels(),
                                        capi::tensorCompiler());
    if (!far)
      return far.error();
    return std::unique_ptr<product::Matrix>(std::move(*far));
  }
  return product::makeMatrix(*view, values, graph, options, kernels());
}

AstfeMatrix *astfeMatrixCreate(const AstfeCsr *matrix, const void *values,
                               int32_t valueType, const AstfeGraph *graph,
                               const AstfeMatrixOptions *options) {
  return guarded<AstfeMatrix *>(nullptr, [&]() -> AstfeMatrix * {
    auto given = graph ? capi::graphOf(graph) : nullptr;
    if (graph && !given)
      return nullptr;
    auto made = createMatrix(matrix, values, valueType,
                             given ? &given->graph : nullptr, options);
    if (!made)
      return fail(made.message()), nullptr;
    return matrices().add(std::move(*made));
  });
}

void astfeMatrixDestroy(AstfeMatrix *matrix) { matrices().remove(matrix); }

template <typename Body>
static AstfeStatus withMatrix(const AstfeMatrix *name, Body body) {
  return capi::withObject(matrices(), name, "a matrix", body);
}

AstfeStatus astfeMatrixSetValues(AstfeMatrix *name, const void *values) {
  return withMatrix(name, [&](product::Matrix &matrix) -> core::Status {
    auto status = capi::checkGiven(values, matrix.nonzeros(), "values");
    return status ? matrix.setValues(values) : status;
  });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Whether operands with these leading dimensions can be multiplied.
static core::Status checkOperands(const product::Matrix &matrix, int64_t n,
                                  const void *B, int64_t ldb, const void *C,
                                  int64_t ldc) {
  if (n < 0)
    return core::Error{"expected at least 0 columns but got " +
                       std::to_string(n)};
  if (ldb < n || ldc < n)
    return core::Error{"expected leading dimensions of at least " +
                       std::to_string(n) + " but got " +
                       std::to_string(ldb < n ? ldb : ldc)};
  const int64_t longest =
      std::max({matrix.rows(), matrix.columns(), int64_t(1)});
  constexpr int64_t kMostBytes = 16; // of an element
  if (std::max(ldb, ldc) >
      std::numeric_limits<int64_t>::max() / kMostBytes / longest)
    return core::Error{
        "expected operands within the address space but got leading "
        "dimensions " +
        std::to_string(ldb) + " and " + std::to_string(ldc)};
  if (n == 0 || matrix.rows() == 0)
    return core::Success();
  auto status = capi::checkGiven(B, matrix.columns(), "dense operands");
  return status ? capi::checkGiven(C, matrix.rows(), "dense operands") : status;
}

static AstfeStatus multiply(const AstfeMatrix *name, int64_t n, const void *B,
                            int64_t ldb, void *C, int64_t ldc,
                            bool accumulate) {
  return withMatrix(name, [&](product::Matrix &matrix) -> core::Status {
    if (auto status = checkOperands(matrix, n, B, ldb, C, ldc); !status)
      return status;
    if (matrix.isOnDevice())
      return core::Error{
          "expected a matrix of the host but got one on a device; see "
          "astfeMatrixMultiplyOnStream"};
    return matrix.multiply({const_cast<void *>(B), matrix.columns(), n, ldb},
                           {C, matrix.rows(), n, ldc}, accumulate);
  });
}

AstfeStatus astfeMatrixMultiplyOnStream(const AstfeMatrix *name, int64_t n,
                                        const void *B, int64_t ldb, void *C,
                                        int64_t ldc, int32_t accumulate,
                                        void *stream) {
  return withMatrix(name, [&](product::Matrix &matrix) -> core::Status {
    if (auto status = checkOperands(matrix, n, B, ldb, C, ldc); !status)
      return status;
    return matrix.multiplyOn(stream,
                             {const_cast<void *>(B), matrix.columns(), n, ldb},
                             {C, matrix.rows(), n, ldc}, accumulate != 0);
  });
}

AstfeStatus astfeMatrixMultiply(const AstfeMatrix *matrix, int64_t n,
                                const void *B, int64_t ldb, void *C,
                                int64_t ldc) {
  return multiply(matrix, n, B, ldb, C, ldc, /*accumulate=*/false);
}

AstfeStatus astfeMatrixMultiplyAccumulate(const AstfeMatrix *matrix, int64_t n,
                                          const void *B, int64_t ldb, void *C,
                                          int64_t ldc) {
  return multiply(matrix, n, B, ldb, C, ldc, /*accumulate=*/true);
}

AstfeStatus astfeMatrixSample(const AstfeMatrix *name, int64_t n, const void *X,
                              const void *Y, void *samples) {
  return withMatrix(name, [&](product::Matrix &matrix) -> core::Status {
    if (auto status = checkOperands(matrix, n, Y, n, X, n); !status)
      return status;
    if (matrix.isOnDevice() || !matrix.isForSamples())
      return core::Error{
          "expected a matrix of the host that was made for samples"};
    if (auto status = capi::checkGiven(samples, matrix.nonzeros(), "samples");
        !status)
      return status;
    return matrix.sampleInOrder({const_cast<void *>(X), matrix.rows(), n, n},
                                {const_cast<void *>(Y), matrix.columns(), n, n},
                                samples);
  });
}
