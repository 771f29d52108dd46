//===- PackedMatrix.cpp - a sparse matrix, packed once, multiplied often --===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/PackedMatrix.h"
#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "ASTFE/Core/Pack/CutForGPU.h"
#include "ASTFE/Core/Pack/GPUGrid.h"
#include "ASTFE/Core/Pack/LocalColumns.h"
#include "ASTFE/Core/Target/Constants.h"
#include "ASTFE/Product/Carrier.h"
#include "ASTFE/Runtime/Device.h"
#include "ASTFE/Runtime/Handles.h"
#include "ASTFE/Runtime/Parallel.h"
#include "ASTFE/Runtime/Threads.h"
#include <algorithm>
#include <chrono>

using namespace astfe;
using namespace astfe::product;

namespace {

/// What the products over the pattern have in common.
core::DenseUse denseUse(const MatrixOptions &options) {
  core::DenseUse use;
  // Complex vectors run as a dense column.
  use.oneColumn =
      options.columns == 1 && !core::isComplex(options.arithmetic.result());
  if (use.oneColumn)
    return use;
  const int64_t bytes = core::elementBytes(options.arithmetic.element);
  use.least = use.most = options.columns.value_or(kAssumedColumns) * bytes;
  // Samples have no rows of an output.
  use.known = options.samples ? 0 : options.columns.value_or(0) * bytes;
  return use;
}

/// Products of so few vectors of multiply-adds and of rows that are written are
/// run by the calling thread alone.
bool isSmall(int64_t slots, int64_t rows, const core::HostProducts &products) {
  const __int128 multiplyAdds = __int128(slots) * products.vectors();
  const __int128 written =
      __int128(rows) * products.columns * products.elementBytes;
  return multiplyAdds + written / core::rules::kLineBytes <=
         core::rules::kSmallProduct;
}

/// Into how many runs a matrix is cut. With one column products of a small one
/// are run by one thread; with more they may be wider than is expected.
int64_t hostWorkers(const MatrixOptions &options,
                    const core::SparseView &view) {
  if (!rt::workersAreSet() && !options.samples && options.columns == 1 &&
      isSmall(view.nonzeros(), view.shape[0],
              core::HostProducts::of(options.arithmetic.result(), 1)))
    return 1;
  return _mlir_ciface_astfe_rt_workers();
}

/// How many runs the work is cut into, and what a GPU asks for beside that.
core::Status fitToTarget(core::PackOptions &pack, const MatrixOptions &options,
                         const core::SparseView &view,
                         const core::Graph &graph) {
  pack.threads = unsigned(rt::threads());
  if (!options.device) {
    pack.workers =
        options.workers ? options.workers : hostWorkers(options, view);
    const core::DenseUse use = denseUse(options);
    core::chooseForHost(pack.layout, use);
    if (options.samples)
      pack.layout.classes = core::classesOfSamples();
    else if (use.oneColumn)
      pack.layout.columnBits = core::bitsForRows(view, graph, pack.threads);
    return core::Success();
  }
  core::GPUUse use;
  astfe_rt_clear_error();
  use.warps = _mlir_ciface_astfe_rt_device_workers();
  if (const char *text = astfe_rt_last_error())
    return core::Error{text};
  use.multiprocessors = rt::multiprocessors();
  use.workers = options.workers       ? options.workers
                : rt::workersAreSet() ? use.warps
                                      : 0;
  std::optional<int64_t> columns = options.columns.value_or(kAssumedColumns);
  if (columns == 1)
    columns = std::nullopt;
  const int64_t tile = core::chooseColumnTile(
      columns, unsigned(core::elementBytes(options.arithmetic.element)),
      /*gpu=*/true);
  // Samples take all columns at once.
  use.columnTiles =
      options.samples ? 1 : core::columnTiles(columns.value_or(1), tile);
  core::chooseForGPU(pack.layout, tile);
  if (options.samples)
    pack.layout.classes = core::classesOfSamples();
  core::cutForGPU(pack, use, view);
  pack.layout.deterministic =
      options.arithmetic.needsPartialRows() && !options.samples;
  return core::Success();
}

} // namespace

//===----------------------------------------------------------------------===//
// Pattern and values
//===----------------------------------------------------------------------===//

core::Result<std::unique_ptr<PackedMatrix>>
PackedMatrix::pack(const core::SparseView &view, const void *values,
                   const core::Graph &graph, const MatrixOptions &options,
                   KernelSource &source) {
  const auto begin = std::chrono::steady_clock::now();
  if (auto status = options.arithmetic.check(); !status)
    return status.error();
  core::PackOptions pack;
  pack.layout.columnBits = core::bitsForColumns(view.shape[1]);
  if (auto status = fitToTarget(pack, options, view, graph); !status)
    return status.error();
  auto packed = core::pack(view, graph, pack);
  if (!packed)
    return packed.error();
  std::unique_ptr<PackedMatrix> matrix(new PackedMatrix(options, source));
  matrix->handle = new rt::PatternHandle(std::move(*packed));
  matrix->values.resize(size_t(matrix->packed().slots) *
                        matrix->elementBytes());
  if (auto status = matrix->setValues(values); !status)
    return status.error();
  matrix->packSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  return matrix;
}

PackedMatrix::~PackedMatrix() { _mlir_ciface_astfe_rt_release(handle); }

const core::Packed &PackedMatrix::packed() const {
  return static_cast<rt::PatternHandle *>(handle)->value;
}

void PackedMatrix::describe(KernelRequest &request) const {
  request.layout = packed().layout.forKernels();
  request.classes = static_cast<rt::PatternHandle *>(handle)->classes;
}

core::Status PackedMatrix::takeValues(const void *source) {
  const auto threads = unsigned(rt::threads());
  withCarrier(options.arithmetic.element, [&](auto carrier) {
    using T = decltype(carrier);
    core::packValues(packed(), static_cast<const T *>(source),
                     reinterpret_cast<T *>(values.data()), threads);
  });
  return placeValues(values.data(), values.size());
}

/// Where the values are for the kernels.
AstfeMemRef1D PackedMatrix::storedValues() const {
  return vectorOf(deviceValues ? deviceValues
                               : const_cast<char *>(values.data()),
                  packed().slots);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

core::Status PackedMatrix::call(const Kernel &kernel, const Dense &b,
                                const Dense &c, bool accumulates) const {
  auto run = [&](auto x, auto y) -> core::Status {
    AstfeMemRef1D stored = storedValues();
    using D = decltype(x);
    astfe_rt_clear_error();
    // Rows without nonzeros are cleared, or left as they are.
    const int64_t rows =
        accumulates ? std::min(c.rows, packed().slots) : c.rows;
    const auto products =
        core::HostProducts::of(options.arithmetic.result(), c.columns);
    const rt::ThreadLimit threads(
        isSmall(packed().slots, rows, products) ? 1 : rt::kMaxThreads);
    reinterpret_cast<void (*)(void *, AstfeMemRef1D *, D *, D *)>(kernel.entry)(
        handle, &stored, &x, &y);
    if (const char *text = astfe_rt_last_error())
      return core::Error{text};
    return core::Success();
  };
  if (areVectors(b, c))
    return run(vectorOf(b.data, b.rows), vectorOf(c.data, c.rows));
  return run(matrixOf(b), matrixOf(c));
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

core::Result<std::shared_ptr<const Kernel>>
PackedMatrix::compileSamples(int64_t columns) {
  return kernelFor(columns, {Computation::Samples, /*strided=*/false,
                             /*overwrite=*/true});
}

int64_t PackedMatrix::sampleCount() const {
  return options.device ? packed().slots : packed().nonzeros;
}

core::Status PackedMatrix::sample(const Dense &x, const Dense &y,
                                  void *samples) {
  if (x.leading != x.columns || y.leading != y.columns)
    return core::Error{"expected rows of X and Y that follow each other"};
  auto kernel = compileSamples(x.columns);
  if (!kernel)
    return kernel.error();
  std::shared_lock<std::shared_mutex> lock = readValues();
  AstfeMemRef1D stored = storedValues(),
                target = vectorOf(samples, sampleCount());
  MemRef2D left = matrixOf(x), right = matrixOf(y);
  astfe_rt_clear_error();
  reinterpret_cast<void (*)(void *, AstfeMemRef1D *, MemRef2D *, MemRef2D *,
                            AstfeMemRef1D *)>((*kernel)->entry)(
      handle, &stored, &left, &right, &target);
  if (const char *text = astfe_rt_last_error())
    return core::Error{text};
  return core::Success();
}

core::Status PackedMatrix::sampleInOrder(const Dense &x, const Dense &y,
                                         void *samples) {
  const size_t bytes = resultBytes();
  if (x.columns == 0 || nonzeros() == 0) {
    std::fill_n(static_cast<char *>(samples), size_t(nonzeros()) * bytes, 0);
    return core::Success();
  }
  return sample(x, y, samples);
}
