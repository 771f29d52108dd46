//===- PackedMatrix.cpp - a sparse matrix, packed once, multiplied often --===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/PackedMatrix.h"
#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "ASTFE/Core/Target/Constants.h"
#include "ASTFE/Product/Carrier.h"
#include "ASTFE/Runtime/Handles.h"
#include "ASTFE/Runtime/Mgpu.h"
#include "ASTFE/Runtime/Parallel.h"
#include "ASTFE/Runtime/Threads.h"
#include <algorithm>
#include <chrono>
#include <mutex>

using namespace astfe;
using namespace astfe::product;

namespace {

size_t elementBytes(const MatrixOptions &options) {
  return size_t(core::elementBytes(options.arithmetic.element));
}

size_t resultBytes(const MatrixOptions &options) {
  return size_t(core::elementBytes(options.arithmetic.result()));
}

AstfeMemRef1D vectorOf(void *data, int64_t size) {
  return {data, data, 0, size, 1};
}

MemRef2D matrixOf(const Dense &dense) {
  return {dense.data,
          dense.data,
          0,
          {dense.rows, dense.columns},
          {dense.leading, 1}};
}

/// What the products over the pattern have in common.
core::DenseUse denseUse(const MatrixOptions &options) {
  core::DenseUse use;
  // Complex vectors run as a dense column.
  use.oneColumn =
      options.columns == 1 && !core::isComplex(options.arithmetic.result());
  if (use.oneColumn)
    return use;
  const int64_t bytes = int64_t(elementBytes(options));
  use.least = use.most = options.columns.value_or(kAssumedColumns) * bytes;
  use.known = options.columns.value_or(0) * bytes;
  return use;
}

/// How many runs the work is cut into, and what a GPU asks for beside that.
core::Status fitToTarget(core::PackOptions &pack, const MatrixOptions &options,
                         const core::SparseView &view) {
  pack.threads = unsigned(rt::threads());
  if (!options.device) {
    pack.workers =
        options.workers ? options.workers : _mlir_ciface_astfe_rt_workers();
    core::chooseForHost(pack.layout, denseUse(options));
    return core::Success();
  }
  astfe_rt_clear_error();
  pack.workers = options.workers ? options.workers
                                 : _mlir_ciface_astfe_rt_device_workers();
  if (const char *text = astfe_rt_last_error())
    return core::Error{text};
  std::optional<int64_t> columns = options.columns.value_or(kAssumedColumns);
  if (columns == 1)
    columns = std::nullopt;
  const int64_t tile = core::chooseColumnTile(
      columns, unsigned(elementBytes(options)), /*gpu=*/true);
  // The columns beyond a tile are other warps' work.
  const int64_t tiles = tile ? (*columns - 1) / tile + 1 : 1;
  if (!options.workers && !rt::workersAreSet())
    pack.workers = core::gpuWorkers(std::max<int64_t>(1, pack.workers / tiles),
                                    view.nonzeros());
  core::chooseForGPU(pack.layout, tile);
  pack.layout.deterministic =
      options.arithmetic.needsPartialRows() && !options.samples;
  return core::Success();
}

} // namespace

core::PlanOptions product::planOptions(const MatrixOptions &options) {
  core::PlanOptions plan;
  plan.reorder = std::nullopt;
  plan.hubs = core::kAutoHubs;
  plan.expectedRuns = options.expectedRuns;
  if (options.device)
    plan.machine = core::gpuMachine();
  plan.profile.threads = unsigned(rt::threads());
  plan.fuse.columns = options.columns.value_or(kAssumedColumns);
  plan.fuse.elementBytes = int64_t(elementBytes(options));
  return plan;
}

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
  if (options.device)
    if (auto status = options.arithmetic.checkOnGPU(); !status)
      return status.error();
  core::PackOptions pack;
  pack.layout.columnBits = core::bitsForColumns(view.shape[1]);
  if (auto status = fitToTarget(pack, options, view); !status)
    return status.error();
  if (options.samples)
    pack.layout.classes = core::ClassSet::of(core::SegmentClass::RowSegments)
                              .with(core::SegmentClass::Scattered);
  auto packed = core::pack(view, graph, pack);
  if (!packed)
    return packed.error();
  std::unique_ptr<PackedMatrix> matrix(new PackedMatrix(options, source));
  matrix->pattern = new rt::PatternHandle(std::move(*packed));
  matrix->values.resize(size_t(matrix->packed().slots) * elementBytes(options));
  if (auto status = matrix->setValues(values); !status)
    return status.error();
  matrix->packSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  return matrix;
}

PackedMatrix::~PackedMatrix() {
  if (deviceValues)
    (void)options.device->free(deviceValues);
  _mlir_ciface_astfe_rt_release(pattern);
}

const core::Packed &PackedMatrix::packed() const {
  return static_cast<rt::PatternHandle *>(pattern)->value;
}

core::Status PackedMatrix::setValues(const void *source) {
  // Products that come later wait, or new values would wait for ever.
  std::lock_guard<std::mutex> next(turnstile);
  std::unique_lock<std::shared_mutex> lock(valuesMutex);
  const auto threads = unsigned(rt::threads());
  withCarrier(options.arithmetic.element, [&](auto carrier) {
    using T = decltype(carrier);
    core::packValues(packed(), static_cast<const T *>(source),
                     reinterpret_cast<T *>(values.data()), threads);
  });
  return placeValues();
}

/// Brings the values to the device, where there is one.
core::Status PackedMatrix::placeValues() {
  if (!options.device)
    return core::Success();
  if (!deviceValues) {
    // No allocation is empty: kernels may form pointers to it.
    auto memory =
        options.device->allocate(std::max<size_t>(values.size(), 16), false);
    if (!memory)
      return memory.error();
    deviceValues = *memory;
  }
  if (values.empty())
    return core::Success();
  return options.device->copy(deviceValues, values.data(), values.size(),
                              nullptr);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

KernelRequest PackedMatrix::requestFor(int64_t width, KernelUse use) const {
  KernelRequest request;
  request.computation = use.computation;
  if (options.device) {
    request.chip = options.chip;
    // Kernels of a GPU are worth more with constant extents.
    request.extents = {rows(), columns()};
  }
  request.cpu = options.cpu;
  request.features = options.features;
  request.arithmetic = options.arithmetic;
  request.layout = packed().layout.forKernels();
  request.classes = static_cast<rt::PatternHandle *>(pattern)->classes;
  if (width != 0)
    request.columns = width;
  request.strided = use.strided;
  request.overwrite = use.overwrite;
  return request;
}

/// The width that a kernel for so many columns knows; 0: none. Under a lock.
int64_t PackedMatrix::ownWidth(int64_t columns) const {
  // Vectors are another kernel; they need no place.
  const bool isOwn =
      columns == 1 || columns == options.columns ||
      std::find(widths.begin(), widths.end(), columns) != widths.end();
  return isOwn ? columns : 0;
}

/// The same for the first product of a width, which takes a place if there is
/// one; the expected width has its place from the beginning.
int64_t PackedMatrix::takeWidth(int64_t columns) {
  std::unique_lock<std::shared_mutex> lock(kernelsMutex);
  const size_t most = kMostWidths - (options.columns.value_or(0) > 1);
  if (ownWidth(columns) == 0 && widths.size() < most)
    widths.push_back(columns);
  return ownWidth(columns);
}

std::shared_ptr<const Kernel> PackedMatrix::find(int64_t width,
                                                 KernelUse use) const {
  std::shared_lock<std::shared_mutex> lock(kernelsMutex);
  for (const Known &known : kernels)
    if (known.width == ownWidth(width) && known.use == use)
      return known.kernel;
  return nullptr;
}

core::Result<std::shared_ptr<const Kernel>>
PackedMatrix::kernelFor(int64_t columns, KernelUse use) {
  if (auto kernel = find(columns, use))
    return kernel;
  // Outside of locks: other products go on.
  const int64_t width = takeWidth(columns);
  auto made = source.get(requestFor(width, use));
  if (!made)
    return made;
  std::unique_lock<std::shared_mutex> lock(kernelsMutex);
  kernels.push_back({width, use, *made});
  return made;
}

core::Result<std::shared_ptr<const Kernel>>
PackedMatrix::compile(int64_t columns, bool accumulate, bool strided) {
  return kernelFor(columns, {Computation::Product, strided, !accumulate});
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Products of so few vector operations are run by the calling thread alone.
static bool isSmall(const core::Packed &packed, const Dense &c,
                    size_t elementBytes) {
  constexpr int64_t kVectorBytes = 64;
  const int64_t lanes = kVectorBytes / int64_t(elementBytes);
  const int64_t vectors = (c.columns - 1) / lanes + 1;
  return packed.slots <= core::rules::kSmallProduct &&
         packed.slots * vectors <= core::rules::kSmallProduct;
}

core::Status PackedMatrix::call(const Kernel &kernel, const Dense &b,
                                const Dense &c) const {
  auto run = [&](auto x, auto y) -> core::Status {
    AstfeMemRef1D stored = vectorOf(
        deviceValues ? deviceValues : const_cast<char *>(values.data()),
        packed().slots);
    using D = decltype(x);
    astfe_rt_clear_error();
    const rt::ThreadLimit threads(
        isSmall(packed(), c, resultBytes(options)) ? 1 : rt::kMaxThreads);
    reinterpret_cast<void (*)(void *, AstfeMemRef1D *, D *, D *)>(kernel.entry)(
        pattern, &stored, &x, &y);
    if (const char *text = astfe_rt_last_error())
      return core::Error{text};
    return core::Success();
  };
  const bool isVector = c.columns == 1 && b.leading == 1 && c.leading == 1;
  if (isVector)
    return run(vectorOf(b.data, b.rows), vectorOf(c.data, c.rows));
  return run(matrixOf(b), matrixOf(c));
}

std::shared_lock<std::shared_mutex> PackedMatrix::readValues() {
  std::lock_guard<std::mutex> next(turnstile);
  return std::shared_lock<std::shared_mutex>(valuesMutex);
}

/// Bytes from the first element to behind the last.
static size_t extentOf(const Dense &dense, size_t elementBytes) {
  if (dense.rows == 0 || dense.columns == 0)
    return 0;
  return size_t((dense.rows - 1) * dense.leading + dense.columns) *
         elementBytes;
}

/// What a kernel would end the whole context for, or compute nonsense from.
core::Status PackedMatrix::checkOnDevice(const Dense &b, const Dense &c) const {
  const size_t bytes = elementBytes(options);
  for (const auto &[name, dense] : {std::pair("B", &b), std::pair("C", &c)}) {
    const size_t extent = extentOf(*dense, bytes);
    if (extent == 0)
      continue;
    const auto address = reinterpret_cast<uintptr_t>(dense->data);
    if (address % bytes != 0)
      return core::Error{std::string(name) +
                         ": expected an address divisible "
                         "by " +
                         std::to_string(bytes) + " but got one that ends in " +
                         std::to_string(address % bytes)};
    if (auto status = options.device->checkMemory(dense->data, extent); !status)
      return core::Error{std::string(name) + ": " + status.message()};
  }
  const auto *bBegin = static_cast<const char *>(b.data);
  const auto *cBegin = static_cast<const char *>(c.data);
  if (bBegin < cBegin + extentOf(c, bytes) &&
      cBegin < bBegin + extentOf(b, bytes))
    return core::Error{"expected B and C apart but got memory that overlaps"};
  return core::Success();
}

core::Status PackedMatrix::multiplyOn(void *stream, const Dense &b,
                                      const Dense &c, bool accumulate) {
  if (!options.device)
    return core::Error{"expected a matrix on a device but got one of the host"};
  if (auto status = options.device->checkStream(stream); !status)
    return status;
  if (auto status = checkOnDevice(b, c); !status)
    return status;
  rt::StreamScope scope(stream);
  return multiply(b, c, accumulate);
}

core::Status PackedMatrix::multiply(const Dense &b, const Dense &c,
                                    bool accumulate) {
  if (c.columns == 0 || c.rows == 0)
    return core::Success();
  const bool strided = b.leading != b.columns || c.leading != c.columns;
  auto kernel = compile(c.columns, accumulate, strided);
  if (!kernel)
    return kernel.error();
  std::shared_lock<std::shared_mutex> lock = readValues();
  return call(**kernel, b, c);
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

core::Result<std::shared_ptr<const Kernel>>
PackedMatrix::compileSamples(int64_t columns) {
  return kernelFor(columns, {Computation::Samples, /*strided=*/false,
                             /*overwrite=*/true});
}

core::Status PackedMatrix::sample(const Dense &x, const Dense &y,
                                  void *samples) {
  if (x.leading != x.columns || y.leading != y.columns)
    return core::Error{"expected rows of X and Y that follow each other"};
  auto kernel = compileSamples(x.columns);
  if (!kernel)
    return kernel.error();
  std::shared_lock<std::shared_mutex> lock = readValues();
  AstfeMemRef1D stored = vectorOf(deviceValues ? deviceValues : values.data(),
                                  packed().slots),
                target = vectorOf(samples, packed().slots);
  MemRef2D left = matrixOf(x), right = matrixOf(y);
  astfe_rt_clear_error();
  reinterpret_cast<void (*)(void *, AstfeMemRef1D *, MemRef2D *, MemRef2D *,
                            AstfeMemRef1D *)>((*kernel)->entry)(
      pattern, &stored, &left, &right, &target);
  if (const char *text = astfe_rt_last_error())
    return core::Error{text};
  return core::Success();
}

core::Status PackedMatrix::sampleInOrder(const Dense &x, const Dense &y,
                                         void *samples) {
  const size_t bytes = resultBytes(options);
  if (x.columns == 0 || nonzeros() == 0) {
    std::fill_n(static_cast<char *>(samples), size_t(nonzeros()) * bytes, 0);
    return core::Success();
  }
  std::vector<char> packedSamples(size_t(packed().slots) * bytes);
  if (auto status = sample(x, y, packedSamples.data()); !status)
    return status;
  withCarrier(options.arithmetic.result(), [&](auto carrier) {
    using T = decltype(carrier);
    core::unpackValues(packed(),
                       reinterpret_cast<const T *>(packedSamples.data()),
                       static_cast<T *>(samples), unsigned(rt::threads()));
  });
  return core::Success();
}
