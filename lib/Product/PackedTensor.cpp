//===- PackedTensor.cpp - a sparse tensor, packed once for every mode -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/PackedTensor.h"
#include "ASTFE/Core/Bricks/PackBricks.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include "ASTFE/Product/Carrier.h"
#include "ASTFE/Product/DenseSum.h"
#include "ASTFE/Runtime/BricksHandle.h"
#include "ASTFE/Runtime/CallPointers.h"
#include "ASTFE/Runtime/Threads.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>

using namespace astfe;
using namespace astfe::product;

namespace {
/// Adds the seconds of its scope.
class Stopwatch {
public:
  explicit Stopwatch(double &seconds) : seconds(seconds) {}
  ~Stopwatch() {
    seconds += std::chrono::duration<double>(Clock::now() - begin).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  double &seconds;
  Clock::time_point begin = Clock::now();
};
} // namespace

core::PlanOptions product::tensorPlanOptions(int64_t nonzeros, int64_t columns,
                                             core::Element element) {
  core::PlanOptions plan;
  plan.setWorkers(core::brickPlanWorkers(nonzeros));
  plan.refine.waves = plan.fuse.waves = 1;
  // One block, which refine splits where it has more than a brick.
  plan.partition.leaf = std::max<int64_t>(nonzeros, 1);
  plan.profile.threads = unsigned(rt::threads());
  plan.fuse.columns = columns;
  plan.fuse.elementBytes = core::elementBytes(element);
  return plan;
}

//===----------------------------------------------------------------------===//
// Pattern and values
//===----------------------------------------------------------------------===//

core::Result<std::unique_ptr<PackedTensor>>
PackedTensor::pack(const core::SparseView &view, const void *values,
                   const core::Graph &graph, const TensorOptions &options,
                   TensorKernelSource &source, KernelSource *matrices) {
  if (view.rank() == 2)
    return core::Error{
        "expected a tensor of rank 1 or 3 to 8 but got a matrix, "
        "which has products of its own"};
  if (auto status = options.arithmetic.check(); !status)
    return status.error();
  std::unique_ptr<PackedTensor> tensor(
      new PackedTensor(options, source, matrices));
  Stopwatch watch(tensor->packSeconds);
  core::BrickOptions packing;
  packing.oneWidth = true;
  packing.threads = unsigned(rt::threads());
  auto bricks = core::packBricks(view, graph, packing);
  if (!bricks)
    return bricks.error();
  auto *handle = new rt::BricksHandle(std::move(*bricks));
  tensor->handle = handle;
  if (options.device)
    handle->expectGPU();
  tensor->values.resize(size_t(view.nonzeros()) *
                        size_t(core::elementBytes(options.arithmetic.element)));
  tensor->setValues(values);
  return tensor;
}

void PackedTensor::setValues(const void *given) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!values.empty())
    std::memcpy(values.data(), given, values.size());
  arranged.clear();
  matrices.forgetValues();
  known.clear();
}

PackedTensor::~PackedTensor() {
  for (const auto &[key, memory] : onDevice)
    (void)options.device->free(memory);
  _mlir_ciface_astfe_rt_release(handle);
}

const core::Bricks &PackedTensor::bricks() const {
  return static_cast<rt::BricksHandle *>(handle)->fixed();
}

/// These bytes in the memory of the device.
core::Result<void *>
PackedTensor::placeValues(const core::Table<char> &packed) {
  // No allocation is empty: kernels may form pointers to it.
  auto memory =
      options.device->allocate(std::max<size_t>(packed.size(), 16), false);
  if (!memory || packed.empty())
    return memory;
  auto status =
      options.device->copy(*memory, packed.data(), packed.size(), nullptr);
  if (status)
    return memory;
  (void)options.device->free(*memory);
  return status.error();
}

/// Where a product reads them. Under the lock.
core::Result<void *> PackedTensor::valuesBy(unsigned key) {
  if (auto placed = onDevice.find(key); placed != onDevice.end())
    return placed->second;
  auto found = arranged.find(key);
  if (found != arranged.end())
    return static_cast<void *>(found->second.data());
  Stopwatch watch(packSeconds);
  auto *mine = static_cast<rt::BricksHandle *>(handle);
  auto sliced = mine->isSliced(key);
  if (!sliced)
    return sliced.error();
  if (*sliced && !options.device)
    return static_cast<void *>(values.data());
  auto walked = mine->walkedBy(key);
  if (!walked)
    return walked.error();
  core::Table<char> packed(values.size());
  const auto threads = unsigned(rt::threads());
  withCarrier(options.arithmetic.element, [&](auto carrier) {
    using T = decltype(carrier);
    core::packValues(**walked, key, reinterpret_cast<const T *>(values.data()),
                     reinterpret_cast<T *>(packed.data()), threads);
  });
  if (!options.device)
    return static_cast<void *>((arranged[key] = std::move(packed)).data());
  auto memory = placeValues(packed);
  if (memory)
    onDevice[key] = *memory;
  return memory;
}

//===----------------------------------------------------------------------===//
// As a matrix
//===----------------------------------------------------------------------===//

/// Null where the product walks bricks.
core::Result<Matrix *> PackedTensor::matrixOf(const TensorProduct &product) {
  MatrixOptions packing;
  packing.arithmetic = options.arithmetic;
  packing.cpu = options.cpu;
  packing.features = options.features;
  packing.chip = options.chip;
  packing.device = options.device;
  auto *mine = static_cast<rt::BricksHandle *>(handle);
  std::lock_guard<std::mutex> lock(mutex);
  Stopwatch watch(packSeconds);
  return matrices.find(product, bricks(), values.data(), mine->memoryLeft(),
                       packing);
}

const Matrix *PackedTensor::matrixFor(const TensorProduct &product) {
  auto matrix = matrixOf(product);
  return matrix ? *matrix : nullptr;
}

std::optional<std::array<int64_t, 2>>
PackedTensor::matrixShape(const TensorProduct &product) {
  const Matrix *matrix = matrixFor(product);
  if (!matrix)
    return std::nullopt;
  return std::array<int64_t, 2>{matrix->rows(), matrix->columns()};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

core::Status PackedTensor::checkProduct(const TensorProduct &product) const {
  if (product.rank == bricks().rank())
    return product.check();
  return core::Error{"expected a product of a tensor of rank " +
                     std::to_string(bricks().rank()) + " but got " +
                     std::to_string(product.rank)};
}

core::Status PackedTensor::checkOperands(const TensorProduct &product,
                                         const std::vector<DenseTensor> &inputs,
                                         const DenseTensor &output) const {
  const core::Arithmetic &arithmetic = options.arithmetic;
  return checkExtents(product, bricks().shape,
                      std::max(core::elementBytes(arithmetic.element),
                               core::elementBytes(arithmetic.result())),
                      inputs, output);
}

core::Result<std::shared_ptr<const Kernel>>
PackedTensor::prepare(const TensorProduct &product, bool accumulate) {
  if (core::Status status = checkProduct(product); !status)
    return status.error();
  auto matrix = matrixOf(product);
  if (!matrix)
    return matrix.error();
  if (*matrix)
    return (*matrix)->compile(columnsOf(product), accumulate);
  return kernelOf(product, accumulate, /*widened=*/false);
}

/// Bytes of the rows that a product into rows of one mode reads and writes.
static int64_t rowBytesOf(const TensorProduct &product, core::Element element) {
  int64_t bytes = core::elementBytes(element);
  for (int64_t extent : product.dense) {
    if (extent > 0 && bytes > std::numeric_limits<int64_t>::max() / extent)
      return core::rules::kFactorBytes;
    bytes *= extent;
  }
  const bool isOfRows = llvm::count_if(product.output, [&](unsigned dim) {
                          return dim < product.rank;
                        }) == 1;
  // Columns that nobody knows are 0.
  return isOfRows && bytes > 0 ? bytes : core::rules::kFactorBytes;
}

core::Result<std::shared_ptr<const Kernel>>
PackedTensor::kernelOf(const TensorProduct &product, bool accumulate,
                       bool widened) {
  if (core::Status status = checkProduct(product); !status)
    return status.error();
  TensorRequest request;
  request.cpu = options.cpu;
  request.features = options.features;
  request.arithmetic = options.arithmetic;
  request.product = product;
  request.overwrite = !accumulate;
  request.widened = widened;
  request.chip = options.device ? options.chip : "";
  const std::string key = request.key();
  {
    std::lock_guard<std::mutex> lock(mutex);
    static_cast<rt::BricksHandle *>(handle)->expectRows(
        rowBytesOf(product, options.arithmetic.element));
    if (auto values = valuesBy(product.key()); !values)
      return values.error();
    auto found = kernels.find(key);
    if (found != kernels.end())
      return found->second;
  }
  // Outside of the lock: other products go on.
  auto made = source.get(request);
  if (!made)
    return made;
  std::lock_guard<std::mutex> lock(mutex);
  return kernels[key] = *made;
}

/// Rows that are added up are written.
static size_t wayOf(bool accumulate, bool widened) {
  return widened ? 2 : size_t(accumulate);
}

core::Result<PackedTensor::Means>
PackedTensor::findMeans(const TensorProduct &product, bool accumulate,
                        bool widened) {
  Means means;
  if (!widened) {
    auto matrix = matrixOf(product);
    if (!matrix)
      return matrix.error();
    means.matrix = *matrix;
  }
  if (!means.matrix) {
    auto kernel = kernelOf(product, accumulate, widened);
    if (!kernel)
      return kernel.error();
    means.kernel = *kernel;
  }
  std::lock_guard<std::mutex> lock(mutex);
  if (!means.matrix) {
    auto values = valuesBy(product.key());
    if (!values)
      return values.error();
    means.values = *values;
  }
  return known[product][wayOf(accumulate, widened)] = means;
}

std::optional<PackedTensor::Means>
PackedTensor::knownMeans(const TensorProduct &product, bool accumulate,
                         bool widened) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = known.find(product);
  if (found == known.end())
    return std::nullopt;
  const Means &means = found->second[wayOf(accumulate, widened)];
  if (!means.matrix && !means.kernel)
    return std::nullopt;
  return means;
}

/// The modes of an operand, and what they leave.
static core::BrickOperand operandOf(const TensorProduct &product,
                                    const std::vector<unsigned> &dims,
                                    int64_t bytes) {
  core::BrickOperand operand{{}, bytes};
  for (unsigned dim : dims)
    if (dim < product.rank)
      operand.modes.push_back(dim);
    else
      operand.rowBytes *= product.dense[dim - product.rank];
  return operand;
}

core::Result<core::Traffic>
PackedTensor::traffic(const TensorProduct &product) {
  if (core::Status status = checkProduct(product); !status)
    return status.error();
  if (matrixShape(product))
    return TensorMatrices::traffic(product, bricks(), options.arithmetic);
  const core::Arithmetic &arithmetic = options.arithmetic;
  core::BrickProduct moved;
  moved.key = product.key();
  moved.valueBytes = core::elementBytes(arithmetic.element);
  for (const std::vector<unsigned> &input : product.inputs)
    moved.inputs.push_back(operandOf(product, input, moved.valueBytes));
  moved.output = operandOf(product, product.output,
                           core::elementBytes(arithmetic.result()));
  auto *bricks = static_cast<rt::BricksHandle *>(handle);
  bricks->expectRows(rowBytesOf(product, arithmetic.element));
  auto slices = bricks->slicesOf(moved.key, moved.valueBytes);
  if (!slices)
    return slices.error();
  core::Traffic traffic;
  for (int64_t number = 0; number < *slices; ++number) {
    auto slice = bricks->slice(moved.key, number, *slices);
    if (!slice)
      return slice.error();
    auto walked = (*slice)->walkedBy(moved.key);
    if (walked)
      traffic.add(core::countTraffic(**walked, moved, unsigned(rt::threads())));
    (*slice)->release();
    if (!walked)
      return walked.error();
  }
  return traffic;
}

/// Never by the threads, which results do not depend on. Threads share rows,
/// and nonzeros of a brick are not worth sharing: the shortest mode with a row
/// for each brick, as far as sums, `width` for each row, are no more than
/// nonzeros.
unsigned PackedTensor::summedMode(int64_t width) const {
  const auto &shape = bricks().shape;
  const int64_t nonzeros = bricks().nonzeros;
  std::vector<unsigned> modes(shape.size());
  std::iota(modes.begin(), modes.end(), 0);
  std::sort(modes.begin(), modes.end(), [&](unsigned a, unsigned b) {
    return std::pair(shape[a], a) < std::pair(shape[b], b);
  });
  unsigned best = modes.front();
  for (unsigned mode : modes)
    if (shape[best] <= (nonzeros - 1) / core::kBrickSlots &&
        shape[mode] > shape[best] &&
        shape[mode] <= nonzeros / std::max<int64_t>(width, 1))
      best = mode;
  return best;
}

core::Status PackedTensor::computeByRows(const TensorProduct &product,
                                         const std::vector<DenseTensor> &inputs,
                                         const DenseTensor &output,
                                         bool accumulate) {
  TensorProduct byRows = product;
  byRows.output.insert(byRows.output.begin(), 0);
  if (core::Status status = checkProduct(byRows); !status)
    return status;
  if (core::Status status = checkOperands(product, inputs, output); !status)
    return status;
  int64_t width = 1;
  for (int64_t extent : output.extents)
    width *= extent;
  const unsigned mode = summedMode(width);
  const int64_t count = bricks().shape[mode];
  byRows.output.front() = mode;
  auto means = knownMeans(byRows, /*accumulate=*/false, /*widened=*/true);
  if (!means) {
    auto found = findMeans(byRows, /*accumulate=*/false, /*widened=*/true);
    if (!found)
      return found.error();
    means = *found;
  }
  const int64_t bytes = core::elementBytes(rowElement(options.arithmetic));
  const std::string what = "the sums of " + std::to_string(count) +
                           " rows of mode " + std::to_string(mode) + ", of " +
                           std::to_string(width) + " each";
  if (width > 0 && count > INT64_MAX / bytes / width)
    return core::Error{"expected " + what + ", to fit the address space"};
  auto rows = core::withinMemory(
      {"expected memory for " + std::to_string(count * width * bytes) +
       " bytes of " + what},
      [&]() -> core::Result<std::vector<char>> {
        return std::vector<char>(size_t(count * width * bytes));
      });
  if (!rows)
    return rows.error();
  DenseTensor target{rows->data(), output.extents};
  target.extents.insert(target.extents.begin(), count);
  if (core::Status status = call(*means, inputs, target); !status)
    return status;
  sumRows(options.arithmetic, rows->data(), count, width, output.data,
          accumulate);
  return core::Success();
}

core::Status PackedTensor::compute(const TensorProduct &product,
                                   const std::vector<DenseTensor> &inputs,
                                   const DenseTensor &output, bool accumulate) {
  if (!product.keepsMode() && !options.device)
    return computeByRows(product, inputs, output, accumulate);
  auto means = knownMeans(product, accumulate, /*widened=*/false);
  if (!means)
    if (core::Status status = checkProduct(product); !status)
      return status;
  if (core::Status status = checkOperands(product, inputs, output); !status)
    return status;
  if (!means) {
    auto found = findMeans(product, accumulate, /*widened=*/false);
    if (!found)
      return found.error();
    means = *found;
  }
  if (means->matrix)
    return means->matrix->multiply(inputs.front().rowsOf(product),
                                   output.rowsOf(product), accumulate);
  return call(*means, inputs, output);
}

core::Status PackedTensor::call(const Means &means,
                                const std::vector<DenseTensor> &inputs,
                                const DenseTensor &output) {
  AstfeMemRef1D stored{means.values, means.values, 0, bricks().nonzeros, 1};
  std::vector<std::vector<int64_t>> descriptors;
  descriptors.reserve(inputs.size() + 1);
  for (const DenseTensor &input : inputs)
    descriptors.push_back(input.descriptor());
  descriptors.push_back(output.descriptor());
  std::vector<void *> arguments{handle, &stored};
  arguments.reserve(2 + descriptors.size());
  for (std::vector<int64_t> &descriptor : descriptors)
    arguments.push_back(descriptor.data());
  astfe_rt_clear_error();
  if (core::Status status = rt::callPointers(means.kernel->entry, arguments);
      !status)
    return status;
  if (const char *text = astfe_rt_last_error())
    return core::Error{text};
  return core::Success();
}
