//===- Tensor.cpp - packed tensors of any rank and their products ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE-c/Tensor.h"
#include "ASTFE/Core/Order/Order.h"
#include "ASTFE/Core/Tensor/MatrixAsTensor.h"
#include "ASTFE/Product/Einsum.h"
#include "ASTFE/Product/PackedTensor.h"
#include "Compiler.h"
#include "GivenDevice.h"
#include "ValueType.h"
#include "WithObject.h"

using namespace astfe;
using capi::fail;
using capi::guarded;
using product::DenseTensor;
using product::PackedTensor;
using product::TensorProduct;

namespace {
/// A tensor as its caller knows it; a matrix is packed with a third mode.
struct Tensor {
  unsigned rank;
  std::unique_ptr<PackedTensor> packed;

  int64_t extent(unsigned mode) const { return packed->bricks().shape[mode]; }
  /// What stands for a dimension of the caller's: dense ones are behind all
  /// modes.
  unsigned dimension(unsigned dim) const {
    return dim < rank ? dim : dim + packed->bricks().rank() - rank;
  }
};
} // namespace

/// Never destroyed: code may still run while the process ends.
static capi::ObjectTable<AstfePackedTensor, Tensor> &tensors() {
  static auto &table = *new capi::ObjectTable<AstfePackedTensor, Tensor>();
  return table;
}

//===----------------------------------------------------------------------===//
// Making them
//===----------------------------------------------------------------------===//

static core::Result<core::LevelArray>
levelArray(const void *data, int64_t count, int64_t stride, int32_t bits) {
  if (count < 0 || (count > 0 && !data) || (count > 0 && stride < 1))
    return core::Error{"expected an array and a stride of at least 1 but got " +
                       std::to_string(count) + " entries of " +
                       (data ? "stride " + std::to_string(stride) : "null")};
  if (count == 0)
    return core::LevelArray();
  return core::levelArray(data, count, stride, bits);
}

static core::Result<core::TensorLevel> tensorLevel(const AstfeLevel &given,
                                                   const AstfeTensor &tensor) {
  if (given.format < ASTFE_LEVEL_DENSE || given.format > ASTFE_LEVEL_SINGLETON)
    return core::Error{"expected a format from 0 to 3 but got " +
                       std::to_string(given.format)};
  if (given.mode < 0 || given.mode >= tensor.rank)
    return core::Error{"expected a mode below " + std::to_string(tensor.rank) +
                       " but got " + std::to_string(given.mode)};
  auto positions =
      levelArray(given.positions, given.positionCount, 1, given.positionBits);
  if (!positions)
    return positions.error();
  auto coordinates = levelArray(given.coordinates, given.coordinateCount,
                                given.coordinateStride, given.coordinateBits);
  if (!coordinates)
    return coordinates.error();
  core::TensorLevel level;
  level.kind = core::LevelKind(given.format);
  level.mode = unsigned(given.mode);
  level.size = tensor.extents[given.mode];
  level.positions = *positions;
  level.coordinates = *coordinates;
  // Nothing here relies on either.
  level.ordered = level.unique = false;
  return level;
}

static core::Result<core::SparseView> viewOf(const AstfeTensor *tensor) {
  if (!tensor)
    return core::Error{"expected a tensor but got null"};
  if (tensor->rank < 1 || tensor->rank > int32_t(core::kMaxRank))
    return core::Error{"expected a rank from 1 to " +
                       std::to_string(core::kMaxRank) + " but got " +
                       std::to_string(tensor->rank)};
  // Levels of blocks, two for a mode, are the most.
  const int32_t most = 2 * tensor->rank;
  if (tensor->levelCount < 1 || tensor->levelCount > most)
    return core::Error{"expected 1.." + std::to_string(most) +
                       " levels but got " + std::to_string(tensor->levelCount)};
  if (!tensor->extents || !tensor->levels)
    return core::Error{"expected extents and levels but got null"};
  core::LevelView view;
  view.shape.assign(tensor->extents, tensor->extents + tensor->rank);
  for (int32_t l = 0; l < tensor->levelCount; ++l) {
    auto level = tensorLevel(tensor->levels[l], *tensor);
    if (!level)
      return core::Error{"level " + std::to_string(l) + ": " + level.message()};
    view.levels.push_back(*level);
  }
  if (auto status = view.check(); !status)
    return status.error();
  if (tensor->rank == 2)
    core::addUnitMode(view);
  core::SparseView result = core::SparseView::of(std::move(view));
  if (auto status = result.check(); !status)
    return status.error();
  return result;
}

/// Dense columns that a tensor's graph is planned for.
constexpr int64_t kPlannedColumns = 32;

static core::Result<std::shared_ptr<Tensor>>
createTensor(const AstfeTensor *tensor, const void *values,
             const char *deviceName) {
  auto view = viewOf(tensor);
  if (!view)
    return view.error();
  if (auto status = capi::checkGiven(values, view->nonzeros(), "values");
      !status)
    return status.error();
  auto arithmetic = capi::arithmeticOf(tensor->valueType, tensor->semiring);
  if (!arithmetic)
    return arithmetic.error();
  auto plan = core::makePlan(
      *view, product::tensorPlanOptions(view->nonzeros(), kPlannedColumns,
                                        arithmetic->element));
  if (!plan)
    return plan.error();
  product::TensorOptions options;
  options.arithmetic = *arithmetic;
  auto device = capi::GivenDevice::of(deviceName);
  if (!device)
    return device.error();
  options.device = device->device;
  options.chip = device->chip;
  auto packed = PackedTensor::pack(*view, values, plan->fused, options,
                                   capi::tensorCompiler(), &capi::compiler());
  if (!packed)
    return packed.error();
  return std::make_shared<Tensor>(
      Tensor{unsigned(tensor->rank), std::move(*packed)});
}

AstfePackedTensor *astfeTensorCreate(const AstfeTensor *tensor,
                                     const void *values) {
  return astfeTensorCreateOnDevice(tensor, values, /*device=*/nullptr);
}

AstfePackedTensor *astfeTensorCreateOnDevice(const AstfeTensor *tensor,
                                             const void *values,
                                             const char *device) {
  return guarded<AstfePackedTensor *>(nullptr, [&]() -> AstfePackedTensor * {
    auto made = createTensor(tensor, values, device);
    if (!made)
      return fail(made.message()), nullptr;
    return tensors().add(std::move(*made));
  });
}

void astfeTensorDestroy(AstfePackedTensor *tensor) { tensors().remove(tensor); }

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

template <typename Body>
static AstfeStatus withTensor(const AstfePackedTensor *name, Body body) {
  return capi::withObject(tensors(), name, "a tensor", body);
}

/// What the calling thread keeps is gone: functions that run while the process
/// ends may compute products after that. A plain truth value outlives it.
static thread_local bool ended = false;

namespace {
/// Of a GPU, which operands are in the memory of.
struct Stream {
  void *handle;
};

/// A product as the C interface says it, and its operands.
struct Einsum {
  TensorProduct product;
  std::vector<DenseTensor> inputs;
  DenseTensor output{nullptr, {}};

  static Einsum &begin(const Tensor &tensor, size_t inputCount, Einsum &spare);
  core::Status add(const Tensor &tensor, const AstfeDense &dense,
                   std::vector<unsigned> &dims, DenseTensor &operand);
  void addRows(const Tensor &tensor, unsigned mode, int64_t columns, void *data,
               std::vector<unsigned> &dims, DenseTensor &operand);
  core::Status compute(const Tensor &tensor, bool accumulate,
                       const Stream *stream = nullptr) const;
};

/// The calling thread's, without operands; `spare` where it has none any more.
/// It is kept, as products of a hundred nonzeros would take half as long again
/// for the memory of its vectors.
Einsum &Einsum::begin(const Tensor &tensor, size_t inputCount, Einsum &spare) {
  struct Kept {
    Einsum einsum;
    ~Kept() { ended = true; }
  };
  auto kept = []() -> Einsum & {
    thread_local Kept kept;
    return kept.einsum;
  };
  Einsum &einsum = ended ? spare : kept();
  einsum.product.rank = tensor.packed->bricks().rank();
  einsum.product.inputs.resize(inputCount);
  einsum.inputs.resize(inputCount, {nullptr, {}});
  einsum.product.dense.clear();
  return einsum;
}

core::Status Einsum::compute(const Tensor &tensor, bool accumulate,
                             const Stream *stream) const {
  if (stream)
    return tensor.packed->computeOn(stream->handle, product, inputs, output,
                                    accumulate);
  if (tensor.packed->isOnDevice())
    return core::Error{"expected a tensor of the host but got one on a device; "
                       "see astfeTensorProductOnStream"};
  return tensor.packed->compute(product, inputs, output, accumulate);
}

core::Status Einsum::add(const Tensor &tensor, const AstfeDense &dense,
                         std::vector<unsigned> &dims, DenseTensor &operand) {
  constexpr int32_t kMostDims = 2 * int32_t(core::kMaxRank);
  if (dense.rank < 0 || dense.rank > kMostDims ||
      (dense.rank > 0 && (!dense.extents || !dense.dimensions)))
    return core::Error{"expected a dense operand of 0 to " +
                       std::to_string(kMostDims) +
                       " dimensions, and what they are, but got " +
                       std::to_string(dense.rank)};
  dims.clear();
  operand.data = dense.data;
  operand.extents.assign(dense.extents, dense.extents + dense.rank);
  bool isEmpty = false;
  for (int32_t r = 0; r < dense.rank; ++r) {
    const int32_t dim = dense.dimensions[r];
    if (dim < 0 || dim >= kMostDims || dense.extents[r] < 0)
      return core::Error{
          "expected dimensions from 0 to " + std::to_string(kMostDims - 1) +
          " of extents of 0 or more but got dimension " + std::to_string(dim) +
          " of " + std::to_string(dense.extents[r])};
    dims.push_back(tensor.dimension(unsigned(dim)));
    isEmpty |= dense.extents[r] == 0;
    if (dim < int32_t(tensor.rank))
      continue;
    const size_t place = size_t(dim) - tensor.rank;
    if (product.dense.size() <= place)
      product.dense.resize(place + 1, 0);
    product.dense[place] = dense.extents[r];
  }
  return capi::checkGiven(dense.data, isEmpty ? 0 : 1, "a dense operand");
}

/// A matrix of rows by `mode` and of the columns, the one dense dimension.
void Einsum::addRows(const Tensor &tensor, unsigned mode, int64_t columns,
                     void *data, std::vector<unsigned> &dims,
                     DenseTensor &operand) {
  dims.assign({mode, tensor.dimension(tensor.rank)});
  operand.data = data;
  operand.extents.assign({tensor.extent(mode), columns});
  product.dense.assign(1, columns);
}
} // namespace

static core::Status compute(const Tensor &tensor, int32_t inputCount,
                            const AstfeDense *inputs, const AstfeDense *output,
                            bool accumulate, const Stream *stream = nullptr) {
  Einsum spare;
  Einsum &einsum = Einsum::begin(tensor, size_t(inputCount), spare);
  for (int32_t i = 0; i < inputCount; ++i)
    if (auto status = einsum.add(tensor, inputs[i], einsum.product.inputs[i],
                                 einsum.inputs[i]);
        !status)
      return core::Error{"input " + std::to_string(i) + ": " +
                         status.message()};
  if (auto status =
          einsum.add(tensor, *output, einsum.product.output, einsum.output);
      !status)
    return core::Error{"output: " + status.message()};
  return einsum.compute(tensor, accumulate, stream);
}

/// Whether these are operands.
static core::Status checkOperands(int32_t inputCount, const AstfeDense *inputs,
                                  const AstfeDense *output) {
  if (inputCount < 0 || inputCount > int32_t(core::kMaxRank))
    return core::Error{"expected 0 to " + std::to_string(core::kMaxRank) +
                       " inputs but got " + std::to_string(inputCount)};
  auto status = capi::checkGiven(output, 1, "dense operands");
  return status ? capi::checkGiven(inputs, inputCount, "dense operands")
                : status;
}

/// `operand` with the dimensions that the subscripts say.
static core::Result<AstfeDense>
withDimensions(AstfeDense operand, const std::string &name,
               const std::vector<unsigned> &dims,
               std::vector<int32_t> &storage) {
  if (operand.rank != int32_t(dims.size()))
    return core::Error{name + ": expected " + std::to_string(dims.size()) +
                       " dimensions, as its subscripts have, but got " +
                       std::to_string(operand.rank)};
  storage.assign(dims.begin(), dims.end());
  operand.dimensions = storage.data();
  return operand;
}

static core::Status computeEinsum(const Tensor &tensor, const char *subscripts,
                                  int32_t inputCount, const AstfeDense *inputs,
                                  const AstfeDense *output, bool accumulate) {
  auto product =
      product::parseEinsum(subscripts, tensor.rank, size_t(inputCount));
  if (!product)
    return product.error();
  std::vector<std::vector<int32_t>> storage(size_t(inputCount) + 1);
  std::vector<AstfeDense> operands;
  for (size_t i = 0; i <= size_t(inputCount); ++i) {
    const bool isOutput = i == size_t(inputCount);
    auto operand = withDimensions(
        isOutput ? *output : inputs[i],
        isOutput ? "output" : "input " + std::to_string(i),
        isOutput ? product->output : product->inputs[i], storage[i]);
    if (!operand)
      return operand.error();
    operands.push_back(*operand);
  }
  return compute(tensor, inputCount, operands.data(), &operands.back(),
                 accumulate);
}

AstfeStatus astfeTensorProduct(const AstfePackedTensor *name,
                               int32_t inputCount, const AstfeDense *inputs,
                               const AstfeDense *output, int32_t accumulate) {
  return withTensor(name, [&](const Tensor &tensor) -> core::Status {
    auto status = checkOperands(inputCount, inputs, output);
    return status ? compute(tensor, inputCount, inputs, output, accumulate != 0)
                  : status;
  });
}

AstfeStatus astfeTensorProductOnStream(const AstfePackedTensor *name,
                                       int32_t inputCount,
                                       const AstfeDense *inputs,
                                       const AstfeDense *output,
                                       int32_t accumulate, void *stream) {
  return withTensor(name, [&](const Tensor &tensor) -> core::Status {
    auto status = checkOperands(inputCount, inputs, output);
    const Stream on{stream};
    return status ? compute(tensor, inputCount, inputs, output, accumulate != 0,
                            &on)
                  : status;
  });
}

AstfeStatus astfeTensorEinsum(const AstfePackedTensor *name,
                              const char *subscripts, int32_t inputCount,
                              const AstfeDense *inputs,
                              const AstfeDense *output, int32_t accumulate) {
  return withTensor(name, [&](const Tensor &tensor) -> core::Status {
    auto status = capi::checkGiven(subscripts, 1, "subscripts");
    if (status)
      status = checkOperands(inputCount, inputs, output);
    return status ? computeEinsum(tensor, subscripts, inputCount, inputs,
                                  output, accumulate != 0)
                  : status;
  });
}

static core::Status computeMttkrp(const Tensor &tensor, int32_t mode,
                                  int64_t columns, const void *const *factors,
                                  void *output) {
  if (mode < 0 || mode >= int32_t(tensor.rank))
    return core::Error{"expected a mode below " + std::to_string(tensor.rank) +
                       " but got " + std::to_string(mode)};
  if (columns < 1)
    return core::Error{"expected at least 1 column but got " +
                       std::to_string(columns)};
  if (auto status = capi::checkGiven(factors, 1, "factors"); !status)
    return status;
  // As TensorProduct::mttkrp() has it.
  Einsum spare;
  Einsum &einsum = Einsum::begin(tensor, tensor.rank - 1, spare);
  size_t place = 0;
  for (unsigned m = 0; m < tensor.rank; ++m) {
    if (m == unsigned(mode))
      continue;
    if (tensor.extent(m) > 0 && !factors[m])
      return core::Error{"expected a factor of mode " + std::to_string(m) +
                         " but got null"};
    einsum.addRows(tensor, m, columns, const_cast<void *>(factors[m]),
                   einsum.product.inputs[place], einsum.inputs[place]);
    ++place;
  }
  if (auto status =
          capi::checkGiven(output, tensor.extent(unsigned(mode)), "an output");
      !status)
    return status;
  einsum.addRows(tensor, unsigned(mode), columns, output, einsum.product.output,
                 einsum.output);
  return einsum.compute(tensor, /*accumulate=*/false);
}

AstfeStatus astfeTensorMttkrp(const AstfePackedTensor *name, int32_t mode,
                              int64_t columns, const void *const *factors,
                              void *output) {
  return withTensor(name, [&](const Tensor &tensor) {
    return computeMttkrp(tensor, mode, columns, factors, output);
  });
}
