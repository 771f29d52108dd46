//===- Matrix.cpp - a sparse matrix, stored once, multiplied often --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/Matrix.h"
#include "ASTFE/Product/DeviceOperand.h"
#include "ASTFE/Product/PackedMatrix.h"
#include "ASTFE/Product/ViewMatrix.h"
#include "ASTFE/Runtime/Mgpu.h"
#include "ASTFE/Runtime/Threads.h"
#include <algorithm>

using namespace astfe;
using namespace astfe::product;

core::PlanOptions product::planOptions(const MatrixOptions &options) {
  core::PlanOptions plan;
  if (options.keepsOrder) {
    plan.order = core::OrderKind::Rows;
  } else {
    plan.reorder = std::nullopt;
    plan.hubs = core::kAutoHubs;
  }
  plan.expectedRuns = options.expectedRuns;
  // Slices are sorted group by group, on all threads.
  plan.wholeRows = !options.device && options.columns != 1;
  if (options.device)
    plan.machine = core::gpuMachine();
  plan.samples = options.samples && !options.device;
  plan.profile.threads = unsigned(rt::threads());
  plan.fuse.columns = options.columns.value_or(kAssumedColumns);
  plan.fuse.elementBytes = core::elementBytes(options.arithmetic.element);
  return plan;
}

AstfeMemRef1D product::vectorOf(void *data, int64_t size) {
  return {data, data, 0, size, 1};
}

MemRef2D product::matrixOf(const Dense &dense) {
  return {dense.data,
          dense.data,
          0,
          {dense.rows, dense.columns},
          {dense.leading, 1}};
}

bool product::areVectors(const Dense &b, const Dense &c) {
  return c.columns == 1 && b.leading == 1 && c.leading == 1;
}

Matrix::~Matrix() {
  if (deviceValues)
    (void)options.device->free(deviceValues);
}

size_t Matrix::elementBytes() const {
  return size_t(core::elementBytes(options.arithmetic.element));
}

size_t Matrix::resultBytes() const {
  return size_t(core::elementBytes(options.arithmetic.result()));
}

//===----------------------------------------------------------------------===//
// How it is stored
//===----------------------------------------------------------------------===//

/// What a view has no form of.
static core::Status checkForView(const core::Graph *graph,
                                 const MatrixOptions &options) {
  if (graph || options.workers || options.samples)
    return core::Error{"expected no graph, workers or samples of a view but "
                       "got " +
                       std::string(graph             ? "a graph"
                                   : options.samples ? "samples"
                                                     : "workers")};
  return core::Success();
}

/// Whether nothing but the rules decide.
static bool isFree(const MatrixOptions &options) {
  return !options.storage && !options.workers && !options.samples;
}

static core::HostProducts hostProducts(const MatrixOptions &options) {
  return core::HostProducts::of(options.arithmetic.result(),
                                options.columns.value_or(kAssumedColumns));
}

/// Whether a matrix by columns may be taken as it is where the products are
/// predicted to be faster. Vectors are not, so that somebody has to expect
/// several columns; and the plan counts operands, of the same elements.
static bool mayScatter(const MatrixOptions &options) {
  return options.columns &&
         options.arithmetic.element == options.arithmetic.result();
}

/// Whether it is taken as it is, whatever pack would make of it.
static bool isTiny(const core::SparseView &view, const MatrixOptions &options) {
  return isFree(options) && !options.device &&
         core::isTinyProduct(view, hostProducts(options));
}

using Made = core::Result<std::unique_ptr<Matrix>>;

template <typename T>
static Made asMatrix(core::Result<std::unique_ptr<T>> made) {
  if (!made)
    return made.error();
  return std::unique_ptr<Matrix>(std::move(*made));
}

/// As it is stored, which is asked for.
static Made makeView(const core::SparseView &view, const void *values,
                     const core::Graph *graph, const MatrixOptions &options,
                     KernelSource &source) {
  if (auto status = checkForView(graph, options); !status)
    return status.error();
  return asMatrix(ViewMatrix::make(view, values, options, source));
}

Made product::makePlanned(const core::SparseView &view, const void *values,
                          const core::Plan &plan, const MatrixOptions &options,
                          KernelSource &source) {
  if (options.storage == core::Storage::View)
    return makeView(view, values, /*graph=*/nullptr, options, source);
  auto asView = [&] {
    return asMatrix(ViewMatrix::make(view, values, options, source));
  };
  auto pack = [&] {
    return PackedMatrix::pack(view, values, plan.fused, options, source);
  };
  if (!isFree(options))
    return asMatrix(pack());
  if (isTiny(view, options) && plan.arrangement.isPlain() &&
      plan.arrangement.order == core::OrderKind::Rows)
    if (auto made = asView(); made || view.format == core::SparseFormat::Csr)
      return made;
  if (options.device) {
    auto products = ViewMatrix::products(options);
    if (!products)
      return products.error();
    return core::takesGPUView(view, plan.arrangement, *products)
               ? asView()
               : asMatrix(pack());
  }
  if (mayScatter(options)) {
    const auto seconds = core::secondsOf(plan.scores, plan.arrangement);
    if (seconds && core::takesScatteredView(view, hostProducts(options),
                                            rt::threads(), *seconds))
      if (auto made = asView())
        return made;
  }
  auto packed = pack();
  if (!packed ||
      !core::takesHostView(view, plan.arrangement, (*packed)->packed(),
                           hostProducts(options)))
    return asMatrix(std::move(packed));
  packed->reset();
  return asView();
}

Made product::makeMatrix(const core::SparseView &view, const void *values,
                         const core::Graph *graph, const MatrixOptions &options,
                         KernelSource &source) {
  if (options.storage == core::Storage::View)
    return makeView(view, values, graph, options, source);
  if (graph)
    return asMatrix(PackedMatrix::pack(view, values, *graph, options, source));
  // What has no view by columns, as its coordinates do not ascend, is packed.
  if (isTiny(view, options))
    if (auto made = ViewMatrix::make(view, values, options, source);
        made || view.format == core::SparseFormat::Csr)
      return asMatrix(std::move(made));
  auto plan = core::makePlan(view, planOptions(options));
  if (!plan)
    return plan.error();
  return makePlanned(view, values, *plan, options, source);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

core::Status Matrix::setValues(const void *values) {
  // Products that come later wait, or new values would wait for ever.
  std::lock_guard<std::mutex> next(turnstile);
  std::unique_lock<std::shared_mutex> lock(valuesMutex);
  return takeValues(values);
}

core::Status Matrix::placeValues(const void *data, size_t bytes) {
  if (!options.device)
    return core::Success();
  if (!deviceValues) {
    // No allocation is empty: kernels may form pointers to it.
    auto memory = options.device->allocate(std::max<size_t>(bytes, 16), false);
    if (!memory)
      return memory.error();
    deviceValues = *memory;
  } else if (auto status = options.device->synchronize(); !status) {
    // Products on streams that wait for no other may still read what was there.
    return status;
  }
  if (bytes == 0)
    return core::Success();
  return options.device->copy(deviceValues, data, bytes, nullptr);
}

std::shared_lock<std::shared_mutex> Matrix::readValues() {
  std::lock_guard<std::mutex> next(turnstile);
  return std::shared_lock<std::shared_mutex>(valuesMutex);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

KernelRequest Matrix::requestFor(int64_t width, KernelUse use) const {
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
  if (width != 0)
    request.columns = width;
  request.strided = use.strided;
  request.overwrite = use.overwrite;
  describe(request);
  return request;
}

/// The width that a kernel for so many columns knows; 0: none. Under a lock.
int64_t Matrix::ownWidth(int64_t columns) const {
  // Vectors are another kernel; they need no place.
  const bool isOwn =
      columns == 1 || columns == options.columns ||
      std::find(widths.begin(), widths.end(), columns) != widths.end();
  return isOwn ? columns : 0;
}

/// The same for the first product of a width, which takes a place if there is
/// one; the expected width has its place from the beginning.
int64_t Matrix::takeWidth(int64_t columns) {
  std::unique_lock<std::shared_mutex> lock(kernelsMutex);
  const size_t most = kMostWidths - (options.columns.value_or(0) > 1);
  if (ownWidth(columns) == 0 && widths.size() < most)
    widths.push_back(columns);
  return ownWidth(columns);
}

std::shared_ptr<const Kernel> Matrix::find(int64_t width, KernelUse use) const {
  std::shared_lock<std::shared_mutex> lock(kernelsMutex);
  for (const Known &known : kernels)
    if (known.width == ownWidth(width) && known.use == use)
      return known.kernel;
  return nullptr;
}

core::Result<std::shared_ptr<const Kernel>> Matrix::kernelFor(int64_t columns,
                                                              KernelUse use) {
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
Matrix::compile(int64_t columns, bool accumulate, bool strided) {
  return kernelFor(columns, {Computation::Product, strided, !accumulate});
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Bytes from the first element to behind the last.
static size_t extentOf(const Dense &dense, size_t elementBytes) {
  if (dense.rows == 0 || dense.columns == 0)
    return 0;
  return size_t((dense.rows - 1) * dense.leading + dense.columns) *
         elementBytes;
}

core::Status Matrix::checkOnDevice(const Dense &b, const Dense &c) const {
  const DeviceOperand operands[] = {
      {"B", b.data, extentOf(b, elementBytes()), elementBytes()},
      {"C", c.data, extentOf(c, resultBytes()), resultBytes()}};
  for (const auto &[operand, dense] :
       {std::pair(operands[0], &b), std::pair(operands[1], &c)}) {
    if (operand.bytes > 0 && dense->leading != dense->columns)
      return core::Error{operand.name +
                         ": expected rows side by side on a GPU but got rows "
                         "of " +
                         std::to_string(dense->columns) + " columns that are " +
                         std::to_string(dense->leading) + " apart"};
    if (auto status = operand.check(*options.device); !status)
      return status;
  }
  if (operands[0].overlaps(operands[1]))
    return core::Error{"expected B and C apart but got memory that overlaps"};
  return core::Success();
}

core::Status Matrix::multiplyOn(void *stream, const Dense &b, const Dense &c,
                                bool accumulate) {
  if (!options.device)
    return core::Error{"expected a matrix on a device but got one of the host"};
  if (auto status = options.device->checkStream(stream); !status)
    return status;
  if (auto status = checkOnDevice(b, c); !status)
    return status;
  rt::StreamScope scope(stream, /*isChecked=*/true);
  return multiply(b, c, accumulate);
}

core::Status Matrix::multiply(const Dense &b, const Dense &c, bool accumulate) {
  if (c.columns == 0 || c.rows == 0)
    return core::Success();
  const bool strided = b.leading != b.columns || c.leading != c.columns;
  auto kernel = compile(c.columns, accumulate, strided);
  if (!kernel)
    return kernel.error();
  std::shared_lock<std::shared_mutex> lock = readValues();
  return call(**kernel, b, c, accumulate);
}
