//===- TensorRequest.cpp - a product of a tensor of any rank --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/TensorRequest.h"
#include "ASTFE/Core/Order/Order.h"
#include <algorithm>

using namespace astfe;
using namespace astfe::product;

TensorKernelSource::~TensorKernelSource() = default;

bool TensorProduct::keepsMode() const {
  return std::any_of(output.begin(), output.end(),
                     [&](unsigned dim) { return dim < rank; });
}

unsigned TensorProduct::key() const {
  return *std::find_if(output.begin(), output.end(),
                       [&](unsigned dim) { return dim < rank; });
}

std::vector<int64_t>
TensorProduct::extentsOf(const std::vector<unsigned> &dims,
                         const std::vector<int64_t> &shape) const {
  std::vector<int64_t> extents;
  for (unsigned dim : dims)
    extents.push_back(dim < rank ? shape[dim] : dense[dim - rank]);
  return extents;
}

static std::string listText(const std::vector<unsigned> &dims) {
  std::string text = "(";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? " " : "") + std::to_string(dims[i]);
  return text + ")";
}

std::string TensorProduct::text() const {
  std::vector<unsigned> modes;
  for (unsigned mode = 0; mode < rank; ++mode)
    modes.push_back(mode);
  std::string text = listText(modes);
  for (const std::vector<unsigned> &input : inputs)
    text += " " + listText(input);
  return text + " -> " + listText(output);
}

/// Marks the dimensions of an operand as used.
static core::Status use(const std::vector<unsigned> &dims,
                        std::vector<bool> &used) {
  std::vector<unsigned> sorted = dims;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return core::Error{"expected an operand of different dimensions but got " +
                       listText(dims)};
  for (unsigned dim : dims) {
    if (dim >= used.size())
      return core::Error{"expected dimensions below " +
                         std::to_string(used.size()) + " but got " +
                         std::to_string(dim)};
    used[dim] = true;
  }
  return core::Success();
}

core::Status TensorProduct::check() const {
  if (rank < 1 || rank > core::kMaxRank)
    return core::Error{"expected a tensor of rank 1 to " +
                       std::to_string(core::kMaxRank) + " but got " +
                       std::to_string(rank)};
  std::vector<bool> used(rank + dense.size(), false);
  for (const std::vector<unsigned> &input : inputs)
    if (core::Status status = use(input, used); !status)
      return status;
  if (core::Status status = use(output, used); !status)
    return status;
  if (!keepsMode())
    return core::Error{"expected an output that is indexed by a mode of the "
                       "tensor but got " +
                       listText(output)};
  for (size_t dim = rank; dim < used.size(); ++dim)
    if (!used[dim])
      return core::Error{"expected an operand with dimension " +
                         std::to_string(dim) + " but got none"};
  return core::Success();
}

/// All modes but one.
static std::vector<unsigned> otherModes(unsigned rank, unsigned mode) {
  std::vector<unsigned> modes;
  for (unsigned m = 0; m < rank; ++m)
    if (m != mode)
      modes.push_back(m);
  return modes;
}

TensorProduct TensorProduct::mttkrp(unsigned rank, unsigned mode,
                                    int64_t columns) {
  TensorProduct product{rank, {}, {mode, rank}, {columns}};
  for (unsigned m : otherModes(rank, mode))
    product.inputs.push_back({m, rank});
  return product;
}

TensorProduct TensorProduct::ttv(unsigned rank, unsigned mode) {
  return {rank, {{mode}}, otherModes(rank, mode), {}};
}

TensorProduct TensorProduct::ttm(unsigned rank, unsigned mode,
                                 int64_t columns) {
  TensorProduct product{
      rank, {{mode, rank}}, otherModes(rank, mode), {columns}};
  product.output.push_back(rank);
  return product;
}

core::Element TensorRequest::result() const {
  const core::Element result = arithmetic.result();
  return widened && core::isHalf(result) ? core::Element::F32 : result;
}

std::string TensorRequest::key() const {
  std::string text =
      chip.empty() ? "cpu " + cpu + " " + features : "chip " + chip;
  text += "; ";
  text += arithmetic.text();
  text += result() == arithmetic.result() ? "; " : " in f32; ";
  text += product.text() + "; dense";
  for (int64_t extent : product.dense)
    text += " " + (extent ? std::to_string(extent) : "any");
  return text + (overwrite ? "; written" : "; added");
}
