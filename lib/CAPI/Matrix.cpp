//===- Matrix.cpp - packed matrices and their products --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE-c/Matrix.h"
#include "ASTFE/Execution/Jit.h"
#include "ASTFE/Runtime/Handles.h"
#include "Kernels.h"
#include "Objects.h"
#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

using namespace astfe;
using capi::fail;
using capi::guarded;

namespace {
struct Release {
  void operator()(void *handle) const { _mlir_ciface_astfe_rt_release(handle); }
};
using Handle = std::unique_ptr<void, Release>;

/// The runtime's error text, after a call that failed.
core::Error runtimeError() {
  const char *text = astfe_rt_last_error();
  return {text ? text : "the runtime failed without saying why"};
}

AstfeMemRef1D vectorOf(const void *data, int64_t size) {
  void *pointer = const_cast<void *>(data);
  return {pointer, pointer, 0, size, 1};
}

capi::MemRef2D matrixOf(const void *data, int64_t rows, int64_t columns,
                        int64_t leading) {
  void *pointer = const_cast<void *>(data);
  return {pointer, pointer, 0, {rows, columns}, {leading, 1}};
}
} // namespace

struct AstfeMatrix {
  int64_t rows = 0, columns = 0, nonzeros = 0;
  bool isDouble = false;
  Handle pattern;
  std::vector<float> values32;
  std::vector<double> values64;
  capi::Kernels kernels;

  size_t elementBytes() const { return isDouble ? 8 : 4; }
  AstfeMemRef1D packedValues() const {
    return isDouble ? vectorOf(values64.data(), int64_t(values64.size()))
                    : vectorOf(values32.data(), int64_t(values32.size()));
  }
};

/// Columns are stored in as few bits as the extent permits.
static core::Layout layoutFor(const AstfeCsr &matrix) {
  core::Layout layout;
  if (matrix.columns <= 1 << 8)
    layout.columnBits = 8;
  else if (matrix.columns <= 1 << 16)
    layout.columnBits = 16;
  return layout;
}

static Handle packHandle(const AstfeCsr &matrix, int64_t nonzeros, void *graph,
                         const core::Layout &layout, int64_t workers) {
  AstfeMemRef1D positions = vectorOf(matrix.positions, matrix.rows + 1);
  AstfeMemRef1D coordinates = vectorOf(matrix.coordinates, nonzeros);
  const bool wideP = matrix.positionBits == 64;
  const bool wideC = matrix.coordinateBits == 64;
  auto *pack = wideP ? (wideC ? _mlir_ciface_astfe_rt_pack_p64c64
                              : _mlir_ciface_astfe_rt_pack_p64c32)
                     : (wideC ? _mlir_ciface_astfe_rt_pack_p32c64
                              : _mlir_ciface_astfe_rt_pack_p32c32);
  return Handle(pack(&positions, &coordinates, matrix.rows, matrix.columns,
                     ASTFE_CSR, graph, layout.columnBits, layout.classes.bits,
                     0, workers));
}

static AstfeStatus setValues(AstfeMatrix &matrix, const void *values) {
  if (matrix.nonzeros > 0 && !capi::given(values, "values"))
    return 1;
  AstfeMemRef1D source = vectorOf(values, matrix.nonzeros);
  AstfeMemRef1D target = matrix.packedValues();
  astfe_rt_clear_error();
  if (matrix.isDouble)
    _mlir_ciface_astfe_rt_values_f64(matrix.pattern.get(), &source, &target);
  else
    _mlir_ciface_astfe_rt_values_f32(matrix.pattern.get(), &source, &target);
  if (astfe_rt_last_error())
    return fail(runtimeError().message);
  return 0;
}

/// The caller's graph, or one made with the default options, as a runtime
/// handle.
static core::Result<Handle> graphFor(const core::SparseView &view,
                                     const AstfeGraph *graph) {
  if (graph)
    return Handle(new rt::GraphHandle(graph->graph));
  auto made = capi::partition(view, nullptr);
  if (!made)
    return made.error();
  return Handle(new rt::GraphHandle(std::move(*made)));
}

static core::Result<std::unique_ptr<AstfeMatrix>>
createMatrix(const AstfeCsr *csr, const void *values, int32_t elementBits,
             const AstfeGraph *graph, int64_t workers) {
  auto view = capi::checkedViewOf(csr);
  if (!view)
    return view.error();
  if (elementBits != 32 && elementBits != 64)
    return core::Error{"values: expected 32 or 64 bits but got " +
                       std::to_string(elementBits)};
  if (view->nonzeros() > 0 && !capi::given(values, "values"))
    return core::Error{astfeLastError()};
  if (workers < 0)
    return core::Error{"expected at least 0 workers but got " +
                       std::to_string(workers)};
  astfe_rt_clear_error();
  auto handle = graphFor(*view, graph);
  if (!handle)
    return handle.error();
  const core::Layout layout = layoutFor(*csr);
  auto matrix = std::make_unique<AstfeMatrix>();
  matrix->pattern =
      packHandle(*csr, view->nonzeros(), handle->get(), layout, workers);
  if (!matrix->pattern)
    return runtimeError();
  matrix->rows = csr->rows;
  matrix->columns = csr->columns;
  matrix->nonzeros = view->nonzeros();
  matrix->isDouble = elementBits == 64;
  const int64_t slots = _mlir_ciface_astfe_rt_slots(matrix->pattern.get());
  matrix->values32.resize(matrix->isDouble ? 0 : slots);
  matrix->values64.resize(matrix->isDouble ? slots : 0);
  auto *pattern = rt::handleAs<rt::PatternHandle>(matrix->pattern.get());
  auto kernels = capi::kernelsFor(layout, pattern->classes, matrix->isDouble);
  if (!kernels)
    return kernels.error();
  matrix->kernels = *kernels;
  if (setValues(*matrix, values) != 0)
    return core::Error{astfeLastError()};
  return matrix;
}

AstfeMatrix *astfeMatrixCreate(const AstfeCsr *matrix, const void *values,
                               int32_t elementBits, const AstfeGraph *graph,
                               int64_t workers) {
  return guarded<AstfeMatrix *>(nullptr, [&]() -> AstfeMatrix * {
    auto made = createMatrix(matrix, values, elementBits, graph, workers);
    if (!made)
      return fail(made.message()), nullptr;
    return made->release();
  });
}

void astfeMatrixDestroy(AstfeMatrix *matrix) { delete matrix; }

AstfeStatus astfeMatrixSetValues(AstfeMatrix *matrix, const void *values) {
  return guarded<AstfeStatus>(1, [&] {
    return capi::given(matrix, "a matrix") ? setValues(*matrix, values) : 1;
  });
}

/// Why operands with these leading dimensions cannot be multiplied; empty if
/// they can.
static std::string operandError(const AstfeMatrix &matrix, int64_t n,
                                const void *B, int64_t ldb, const void *C,
                                int64_t ldc) {
  if (n < 0)
    return "expected at least 0 columns but got " + std::to_string(n);
  if (ldb < n || ldc < n)
    return "expected leading dimensions of at least " + std::to_string(n) +
           " but got " + std::to_string(ldb < n ? ldb : ldc);
  const int64_t longest = std::max({matrix.rows, matrix.columns, int64_t(1)});
  if (std::max(ldb, ldc) > std::numeric_limits<int64_t>::max() / 8 / longest)
    return "expected operands within the address space but got leading "
           "dimensions " +
           std::to_string(ldb) + " and " + std::to_string(ldc);
  if ((!B && matrix.columns > 0) || !C)
    return "expected dense operands but got null";
  return {};
}

/// Zeros in `rows` rows of `width` bytes, `stride` bytes apart.
static void clearRows(void *data, int64_t rows, size_t width, size_t stride) {
  auto *bytes = static_cast<char *>(data);
  if (width == stride) {
    std::memset(bytes, 0, size_t(rows) * width);
    return;
  }
  for (int64_t i = 0; i < rows; ++i)
    std::memset(bytes + size_t(i) * stride, 0, width);
}

AstfeStatus astfeMatrixSpMM(const AstfeMatrix *matrix, int64_t n, const void *B,
                            int64_t ldb, void *C, int64_t ldc,
                            int32_t accumulate) {
  return guarded<AstfeStatus>(1, [&]() -> AstfeStatus {
    if (!capi::given(matrix, "a matrix"))
      return 1;
    if (n == 0 || matrix->rows == 0)
      return 0;
    std::string error = operandError(*matrix, n, B, ldb, C, ldc);
    if (!error.empty())
      return fail(std::move(error));
    const size_t bytes = matrix->elementBytes();
    if (!accumulate)
      clearRows(C, matrix->rows, size_t(n) * bytes, size_t(ldc) * bytes);
    AstfeMemRef1D values = matrix->packedValues();
    capi::MemRef2D b = matrixOf(B, matrix->columns, n, ldb);
    capi::MemRef2D c = matrixOf(C, matrix->rows, n, ldc);
    astfe_rt_clear_error();
    applyThreads();
    matrix->kernels.spmm(matrix->pattern.get(), &values, &b, &c);
    if (astfe_rt_last_error())
      return fail(runtimeError().message);
    return 0;
  });
}

AstfeStatus astfeMatrixSpMV(const AstfeMatrix *matrix, const void *x, void *y,
                            int32_t accumulate) {
  return guarded<AstfeStatus>(1, [&]() -> AstfeStatus {
    if (!capi::given(matrix, "a matrix"))
      return 1;
    if (matrix->rows == 0)
      return 0;
    if ((!x && matrix->columns > 0) || !y)
      return fail("expected vectors but got null");
    if (!accumulate)
      std::memset(y, 0, size_t(matrix->rows) * matrix->elementBytes());
    AstfeMemRef1D values = matrix->packedValues();
    AstfeMemRef1D in = vectorOf(x, matrix->columns);
    AstfeMemRef1D out = vectorOf(y, matrix->rows);
    astfe_rt_clear_error();
    applyThreads();
    matrix->kernels.spmv(matrix->pattern.get(), &values, &in, &out);
    if (astfe_rt_last_error())
      return fail(runtimeError().message);
    return 0;
  });
}
