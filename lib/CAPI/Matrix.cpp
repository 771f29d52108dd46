//===- Matrix.cpp - packed matrices and their products --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE-c/Matrix.h"
#include "ASTFE/Core/Target/Chip.h"
#include "ASTFE/Product/KernelTable.h"
#include "ASTFE/Product/PackedMatrix.h"
#include "Compiler.h"
#include "ObjectTable.h"
#include "Objects.h"
#include "ValueType.h"
#include <algorithm>
#include <cstring>
#include <limits>

using namespace astfe;
using capi::fail;
using capi::guarded;
using product::PackedMatrix;

/// Never destroyed, as the next: code may still run while the process ends.
static capi::ObjectTable<AstfeMatrix, PackedMatrix> &matrices() {
  static auto &table = *new capi::ObjectTable<AstfeMatrix, PackedMatrix>();
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
          /*samples=*/0};
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
  if (options.expectedColumns < 0)
    return core::Error{"expected at least 0 expected columns but got " +
                       std::to_string(options.expectedColumns)};
  if (options.expectedRuns < 1)
    return core::Error{"expected at least 1 expected run but got " +
                       std::to_string(options.expectedRuns)};
  if (options.workers < 0)
    return core::Error{"expected at least 0 workers but got " +
                       std::to_string(options.workers)};
  return options;
}

/// The GPU that the caller names, and the chip that it is.
static core::Status takeDevice(const char *name,
                               product::MatrixOptions &options) {
  if (!name)
    return core::Success();
  if (std::string_view(name) != "cuda")
    return core::Error{"expected the device 'cuda' but got '" +
                       std::string(name) + "'"};
  auto device = rt::currentDevice();
  if (!device)
    return device.error();
  options.device = *device;
  options.chip = (*device)->chip();
  if (!core::findChip(options.chip))
    return core::Error{"expected a GPU that is " + core::chipNames() +
                       " but got '" + options.chip + "'"};
  return core::Success();
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
  return result;
}

/// There is code for products of floats.
static core::Status checkSamples(const AstfeMatrixOptions &options,
                                 const core::Arithmetic &arithmetic) {
  if (options.samples && (core::isInteger(arithmetic.element) ||
                          arithmetic.semiring != core::Semiring::PlusTimes))
    return core::Error{"samples: expected sums of products of floats but got " +
                       arithmetic.text()};
  return core::Success();
}

static core::Result<std::unique_ptr<PackedMatrix>>
createMatrix(const AstfeCsr *csr, const void *values, int32_t valueType,
             const AstfeGraph *graph, const AstfeMatrixOptions *given) {
  auto view = capi::checkedViewOf(csr);
  if (!view)
    return view.error();
  if (view->nonzeros() > 0 && !capi::given(values, "values"))
    return core::Error{astfeLastError()};
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
  if (auto status = takeDevice(checked->device, options); !status)
    return status.error();
  if (graph)
    return PackedMatrix::pack(*view, values, graph->graph, options, kernels());
  auto plan = core::makePlan(*view, product::planOptions(options));
  if (!plan)
    return plan.error();
  return PackedMatrix::pack(*view, values, plan->fused, options, kernels());
}

AstfeMatrix *astfeMatrixCreate(const AstfeCsr *matrix, const void *values,
                               int32_t valueType, const AstfeGraph *graph,
                               const AstfeMatrixOptions *options) {
  return guarded<AstfeMatrix *>(nullptr, [&]() -> AstfeMatrix * {
    auto made = createMatrix(matrix, values, valueType, graph, options);
    if (!made)
      return fail(made.message()), nullptr;
    return matrices().add(std::move(*made));
  });
}

void astfeMatrixDestroy(AstfeMatrix *matrix) { matrices().remove(matrix); }

/// Null, with an error, where there is no such matrix.
static std::shared_ptr<PackedMatrix> find(const AstfeMatrix *name) {
  if (!capi::given(name, "a matrix"))
    return nullptr;
  auto matrix = matrices().find(name);
  if (!matrix)
    fail("expected a matrix but got one that was destroyed");
  return matrix;
}

AstfeStatus astfeMatrixSetValues(AstfeMatrix *name, const void *values) {
  return guarded<AstfeStatus>(1, [&]() -> AstfeStatus {
    auto matrix = find(name);
    if (!matrix)
      return 1;
    if (matrix->nonzeros() > 0 && !capi::given(values, "values"))
      return 1;
    auto status = matrix->setValues(values);
    return status ? 0 : fail(status.message());
  });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Why operands with these leading dimensions cannot be multiplied; empty if
/// they can.
static std::string operandError(const PackedMatrix &matrix, int64_t n,
                                const void *B, int64_t ldb, const void *C,
                                int64_t ldc) {
  if (n < 0)
    return "expected at least 0 columns but got " + std::to_string(n);
  if (ldb < n || ldc < n)
    return "expected leading dimensions of at least " + std::to_string(n) +
           " but got " + std::to_string(ldb < n ? ldb : ldc);
  const int64_t longest =
      std::max({matrix.rows(), matrix.columns(), int64_t(1)});
  if (std::max(ldb, ldc) > std::numeric_limits<int64_t>::max() / 8 / longest)
    return "expected operands within the address space but got leading "
           "dimensions " +
           std::to_string(ldb) + " and " + std::to_string(ldc);
  if (n == 0 || matrix.rows() == 0)
    return {};
  if ((!B && matrix.columns() > 0) || !C)
    return "expected dense operands but got null";
  return {};
}

/// The matrix, if it can be multiplied by these operands; null, with an error,
/// if not.
static std::shared_ptr<PackedMatrix> findFor(const AstfeMatrix *name, int64_t n,
                                             const void *B, int64_t ldb,
                                             const void *C, int64_t ldc) {
  auto matrix = find(name);
  if (!matrix)
    return nullptr;
  std::string error = operandError(*matrix, n, B, ldb, C, ldc);
  if (error.empty())
    return matrix;
  fail(std::move(error));
  return nullptr;
}

static AstfeStatus multiply(const AstfeMatrix *name, int64_t n, const void *B,
                            int64_t ldb, void *C, int64_t ldc,
                            bool accumulate) {
  return guarded<AstfeStatus>(1, [&]() -> AstfeStatus {
    auto matrix = findFor(name, n, B, ldb, C, ldc);
    if (!matrix)
      return 1;
    if (matrix->isOnDevice())
      return fail("expected a matrix of the host but got one on a device; see "
                  "astfeMatrixMultiplyOnStream");
    auto status =
        matrix->multiply({const_cast<void *>(B), matrix->columns(), n, ldb},
                         {C, matrix->rows(), n, ldc}, accumulate);
    return status ? 0 : fail(status.message());
  });
}

AstfeStatus astfeMatrixMultiplyOnStream(const AstfeMatrix *name, int64_t n,
                                        const void *B, int64_t ldb, void *C,
                                        int64_t ldc, int32_t accumulate,
                                        void *stream) {
  return guarded<AstfeStatus>(1, [&]() -> AstfeStatus {
    auto matrix = findFor(name, n, B, ldb, C, ldc);
    if (!matrix)
      return 1;
    auto status = matrix->multiplyOn(
        stream, {const_cast<void *>(B), matrix->columns(), n, ldb},
        {C, matrix->rows(), n, ldc}, accumulate != 0);
    return status ? 0 : fail(status.message());
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
  return guarded<AstfeStatus>(1, [&]() -> AstfeStatus {
    auto matrix = findFor(name, n, Y, n, X, n);
    if (!matrix)
      return 1;
    if (matrix->isOnDevice() || !matrix->isForSamples())
      return fail("expected a matrix of the host that was made for samples");
    if (matrix->nonzeros() > 0 && !capi::given(samples, "samples"))
      return 1;
    auto status = matrix->sampleInOrder(
        {const_cast<void *>(X), matrix->rows(), n, n},
        {const_cast<void *>(Y), matrix->columns(), n, n}, samples);
    return status ? 0 : fail(status.message());
  });
}
