//===- Matrix.cpp - packed matrices and their products --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE-c/Matrix.h"
#include "ASTFE/Core/GraphFile.h"
#include "Kernels.h"
#include "Objects.h"
#include <cstring>
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

/// The graph as a runtime handle.
static Handle graphHandle(const core::Graph &graph) {
  const std::string text = core::toJson(graph);
  AstfeMemRef1D json = vectorOf(text.data(), int64_t(text.size()));
  return Handle(_mlir_ciface_astfe_rt_graph(&json));
}

/// Columns are stored in as few bits as the extent permits.
static core::Layout layoutFor(const AstfeCsr &matrix) {
  core::Layout layout;
  if (matrix.columns <= 1 << 8)
    layout.columnBits = 8;
  else if (matrix.columns <= 1 << 16)
    layout.columnBits = 16;
  return layout;
}

static Handle packHandle(const AstfeCsr &matrix, void *graph,
                         const core::Layout &layout, int64_t workers) {
  AstfeMemRef1D positions = vectorOf(matrix.positions, matrix.rows + 1);
  auto view = capi::viewOf(&matrix);
  AstfeMemRef1D coordinates = vectorOf(matrix.coordinates, view->nonzeros());
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
  if (!values && matrix.nonzeros > 0)
    return fail("values: expected a pointer but got null");
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

/// The caller's graph, or one made with the default options.
static core::Result<Handle> graphFor(const AstfeCsr &matrix,
                                     const AstfeGraph *graph) {
  std::unique_ptr<AstfeGraph, void (*)(AstfeGraph *)> own(nullptr,
                                                          astfeGraphDestroy);
  if (!graph) {
    own.reset(astfePartition(&matrix, nullptr));
    if (!own)
      return core::Error{astfeLastError()};
    graph = own.get();
  }
  Handle handle = graphHandle(graph->graph);
  if (!handle)
    return runtimeError();
  return handle;
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
  if (workers < 0)
    return core::Error{"expected at least 0 workers but got " +
                       std::to_string(workers)};
  astfe_rt_clear_error();
  auto handle = graphFor(*csr, graph);
  if (!handle)
    return handle.error();
  const core::Layout layout = layoutFor(*csr);
  auto matrix = std::make_unique<AstfeMatrix>();
  matrix->pattern = packHandle(*csr, handle->get(), layout, workers);
  if (!matrix->pattern)
    return runtimeError();
  matrix->rows = csr->rows;
  matrix->columns = csr->columns;
  matrix->nonzeros = view->nonzeros();
  matrix->isDouble = elementBits == 64;
  const int64_t slots = _mlir_ciface_astfe_rt_slots(matrix->pattern.get());
  matrix->values32.resize(matrix->isDouble ? 0 : slots);
  matrix->values64.resize(matrix->isDouble ? slots : 0);
  auto kernels = capi::kernelsFor(layout, matrix->isDouble);
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
  return guarded<AstfeStatus>(1, [&] { return setValues(*matrix, values); });
}

/// Why operands with these leading dimensions cannot be multiplied; empty if
/// they can.
static std::string operandError(int64_t n, const void *B, int64_t ldb,
                                const void *C, int64_t ldc) {
  if (n < 0)
    return "expected at least 0 columns but got " + std::to_string(n);
  if (ldb < n || ldc < n)
    return "expected leading dimensions of at least " + std::to_string(n) +
           " but got " + std::to_string(ldb < n ? ldb : ldc);
  if (!B || !C)
    return "expected dense operands but got null";
  return {};
}

AstfeStatus astfeMatrixSpMM(const AstfeMatrix *matrix, int64_t n, const void *B,
                            int64_t ldb, void *C, int64_t ldc,
                            int32_t accumulate) {
  return guarded<AstfeStatus>(1, [&]() -> AstfeStatus {
    if (n == 0 || matrix->rows == 0)
      return 0;
    std::string error = operandError(n, matrix->columns ? B : C, ldb, C, ldc);
    if (!error.empty())
      return fail(std::move(error));
    const size_t bytes = matrix->elementBytes();
    if (!accumulate)
      for (int64_t i = 0; i < matrix->rows; ++i)
        std::memset(static_cast<char *>(C) + size_t(i * ldc) * bytes, 0,
                    size_t(n) * bytes);
    AstfeMemRef1D values = matrix->packedValues();
    capi::MemRef2D b = matrixOf(B, matrix->columns, n, ldb);
    capi::MemRef2D c = matrixOf(C, matrix->rows, n, ldc);
    astfe_rt_clear_error();
    matrix->kernels.spmm(matrix->pattern.get(), &values, &b, &c);
    if (astfe_rt_last_error())
      return fail(runtimeError().message);
    return 0;
  });
}

AstfeStatus astfeMatrixSpMV(const AstfeMatrix *matrix, const void *x, void *y,
                            int32_t accumulate) {
  return guarded<AstfeStatus>(1, [&]() -> AstfeStatus {
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
    matrix->kernels.spmv(matrix->pattern.get(), &values, &in, &out);
    if (astfe_rt_last_error())
      return fail(runtimeError().message);
    return 0;
  });
}
