//===- Space.cpp - the index space of a graph: parts and permutations -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Order/Space.h"
#include <algorithm>

using namespace astfe::core;

Order Part::order() const { return *Order::get(kind, extents, panelLog2); }

Result<Space> Space::whole(ArrayRef<int64_t> shape, OrderKind kind,
                           unsigned panelLog2) {
  Result<Order> order = Order::get(kind, shape, panelLog2);
  if (!order)
    return order.error();
  Space space;
  space.shape = shape.vec();
  Part part;
  part.origin.assign(shape.size(), 0);
  part.extents = space.shape;
  part.kind = kind;
  if (kind == OrderKind::Panels)
    part.panelLog2 = uint8_t(panelLog2);
  space.parts.push_back(std::move(part));
  return space;
}

namespace {

/// A volume exactly: eight extents of 62 bits take 496, and the sum of any
/// number of boxes that are disjoint takes no more.
class Volume {
public:
  static Volume of(ArrayRef<int64_t> extents) {
    Volume volume;
    volume.limbs[0] = 1;
    for (int64_t extent : extents)
      volume.multiply(uint64_t(extent));
    return volume;
  }
  void add(const Volume &other) {
    unsigned __int128 carry = 0;
    for (size_t i = 0; i < limbs.size(); ++i) {
      carry += limbs[i];
      carry += other.limbs[i];
      limbs[i] = uint64_t(carry);
      carry >>= 64;
    }
  }
  bool operator==(const Volume &other) const { return limbs == other.limbs; }

private:
  void multiply(uint64_t factor) {
    unsigned __int128 carry = 0;
    for (uint64_t &limb : limbs) {
      carry += (unsigned __int128)limb * factor;
      limb = uint64_t(carry);
      carry >>= 64;
    }
  }
  std::array<uint64_t, 8> limbs{};
};

} // namespace

static Status checkPermutation(unsigned mode, ArrayRef<int64_t> permutation,
                               int64_t extent) {
  std::string where = "permutation of mode " + std::to_string(mode);
  if (int64_t(permutation.size()) != extent)
    return Error{where + ": expected " + std::to_string(extent) +
                 " entries but got " + std::to_string(permutation.size())};
  std::vector<bool> taken(permutation.size(), false);
  for (int64_t index : permutation) {
    if (index < 0 || index >= extent)
      return Error{where + ": expected an index below " +
                   std::to_string(extent) + " but got " +
                   std::to_string(index)};
    if (taken[size_t(index)])
      return Error{where + ": expected each index once but got " +
                   std::to_string(index) + " twice"};
    taken[size_t(index)] = true;
  }
  return Success{};
}

/// A part lies in the space and has an order.
static Status checkPart(const Space &space, size_t number) {
  const Part &part = space.parts[number];
  std::string where = "part " + std::to_string(number);
  if (part.origin.size() != space.rank() || part.extents.size() != space.rank())
    return Error{where + ": expected " + std::to_string(space.rank()) +
                 " modes but got an origin of " +
                 std::to_string(part.origin.size()) + " and extents of " +
                 std::to_string(part.extents.size())};
  Result<Order> order = Order::get(part.kind, part.extents, part.panelLog2);
  if (!order)
    return Error{where + ": " + order.message()};
  for (unsigned k = 0; k < space.rank(); ++k)
    if (part.origin[k] < 0 || part.origin[k] > space.shape[k] ||
        part.extents[k] > space.shape[k] - part.origin[k])
      return Error{where + ": expected a box inside mode " + std::to_string(k) +
                   " of extent " + std::to_string(space.shape[k]) +
                   " but got " + std::to_string(part.extents[k]) + " from " +
                   std::to_string(part.origin[k])};
  return Success{};
}

static bool overlap(const Part &a, const Part &b) {
  for (size_t k = 0; k < a.origin.size(); ++k)
    if (std::max(a.origin[k], b.origin[k]) >=
        std::min(a.origin[k] + a.extents[k], b.origin[k] + b.extents[k]))
      return false;
  return true;
}

/// Disjoint boxes inside the space tile it if and only if the volumes add up.
static Status checkTiling(const Space &space) {
  Volume sum;
  for (size_t i = 0; i < space.parts.size(); ++i) {
    for (size_t j = 0; j < i; ++j)
      if (overlap(space.parts[i], space.parts[j]))
        return Error{"expected disjoint parts but parts " + std::to_string(j) +
                     " and " + std::to_string(i) + " overlap"};
    sum.add(Volume::of(space.parts[i].extents));
  }
  if (!(sum == Volume::of(space.shape)))
    return Error{"expected parts that tile the space but they leave a gap"};
  return Success{};
}

Status Space::check() const {
  // The limits of an order's extents hold for the whole shape too.
  if (Result<Order> order = Order::get(OrderKind::Rows, shape); !order)
    return order.error();
  if (!permutations.empty() && permutations.size() != rank())
    return Error{"expected " + std::to_string(rank()) +
                 " permutations or none but got " +
                 std::to_string(permutations.size())};
  for (unsigned k = 0; k < permutations.size(); ++k)
    if (!permutations[k].empty())
      if (Status s = checkPermutation(k, permutations[k], shape[k]); !s)
        return s;
  if (parts.empty())
    return Error{"expected at least one part but got none"};
  for (size_t i = 0; i < parts.size(); ++i)
    if (Status s = checkPart(*this, i); !s)
      return s;
  return checkTiling(*this);
}
