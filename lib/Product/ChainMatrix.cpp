//===- ChainMatrix.cpp - a matrix that chains walk, both ways -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/ChainMatrix.h"
#include "ASTFE/Core/Plan/GPUStorage.h"
#include "ASTFE/Runtime/Device.h"
#include <algorithm>
#include <cstring>

using namespace astfe;
using namespace astfe::product;

core::Result<std::unique_ptr<ChainMatrix>>
ChainMatrix::create(const core::SparseView &view, size_t elementBytes,
                    const ChainPlace &place) {
  auto pattern = ChainPattern::copy(view);
  if (!pattern)
    return pattern.error();
  return std::unique_ptr<ChainMatrix>(
      new ChainMatrix(std::move(*pattern), elementBytes, place));
}

ChainMatrix::~ChainMatrix() {
  // Nobody is left to be told what fails here.
  for (void *memory : {values.onDevice, valuesByColumn.onDevice})
    if (memory)
      (void)place.device->free(memory);
}

core::Result<ChainTarget> ChainMatrix::target(Walk walk,
                                              int64_t together) const {
  if (!place.device)
    return ChainTarget();
  auto warps = rt::deviceWarps();
  if (!warps)
    return warps.error();
  std::shared_lock<std::shared_mutex> lock(mutex);
  return ChainTarget{place.chip, core::cutsGPUChainRows(
                                     patternOf(walk).longestRow(), nonzeros(),
                                     core::warpsOfEach(*warps, together))};
}

//===----------------------------------------------------------------------===//
// Values, and the order of the columns
//===----------------------------------------------------------------------===//

/// Values of the columns: element k is that of nonzero order[k].
void ChainMatrix::orderValues() {
  if (values.data.empty() || order.empty())
    return;
  valuesByColumn.data.resize(values.data.size());
  for (size_t k = 0; k < order.size(); ++k)
    std::memcpy(&valuesByColumn.data[k * elementBytes],
                &values.data[size_t(order[k]) * elementBytes], elementBytes);
}

core::Status ChainMatrix::placeOnDevice(Values &some) {
  if (!place.device || some.data.empty())
    return core::Success();
  if (!some.onDevice) {
    auto memory =
        place.device->allocate(some.data.size(), /*hostShared=*/false);
    if (!memory)
      return memory.error();
    some.onDevice = *memory;
  } else if (auto status = place.device->synchronize(); !status) {
    // Chains on streams that wait for no other may still read what was there.
    return status;
  }
  return place.device->copy(some.onDevice, some.data.data(), some.data.size(),
                            /*stream=*/nullptr);
}

core::Status ChainMatrix::setValues(const void *given) {
  std::unique_lock<std::shared_mutex> lock(mutex);
  values.data.resize(size_t(nonzeros()) * elementBytes);
  if (!values.data.empty())
    std::memcpy(values.data.data(), given, values.data.size());
  orderValues();
  auto status = placeOnDevice(values);
  return status ? placeOnDevice(valuesByColumn) : status;
}

core::Status ChainMatrix::makeColumns() {
  {
    std::shared_lock<std::shared_mutex> lock(mutex);
    if (hasColumns)
      return core::Success();
  }
  std::unique_lock<std::shared_mutex> lock(mutex);
  if (hasColumns)
    return core::Success();
  byColumn = byRow.transposed(order);
  orderValues();
  if (auto status = placeOnDevice(valuesByColumn); !status)
    return status;
  hasColumns = true;
  return core::Success();
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

core::Result<ChainPattern::Arrays> ChainMatrix::arraysOf(Walk walk) const {
  const ChainPattern &pattern = patternOf(walk);
  const Values &own = walk == Walk::Rows ? values : valuesByColumn;
  if (!place.device)
    return ChainPattern::Arrays{pattern.positions.data(),
                                pattern.coordinates.data(), own.data.data()};
  auto copyOf = [&](int table, const std::vector<int32_t> &data) {
    return copies.get(place.device, 2 * int(walk) + table, data.data(),
                      data.size() * sizeof(int32_t));
  };
  auto positions = copyOf(0, pattern.positions);
  if (!positions)
    return positions.error();
  auto coordinates = copyOf(1, pattern.coordinates);
  if (!coordinates)
    return coordinates.error();
  return ChainPattern::Arrays{*positions, *coordinates, own.onDevice};
}

core::Status ChainMatrix::pass(PackedCall &call, Walk walk) const {
  auto arrays = arraysOf(walk);
  if (!arrays)
    return arrays.error();
  patternOf(walk).pass(call, *arrays);
  return core::Success();
}
