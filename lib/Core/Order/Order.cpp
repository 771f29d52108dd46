//===- Order.cpp - an order halves boxes ----------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Order/Order.h"
#include "Order/Cursor.h"
#include "Support/LargestExtent.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace astfe::core;

NameList astfe::core::orderNames() {
  static constexpr std::string_view names[] = {
#define ASTFE_ORDER(Name, name) #name,
#include "ASTFE/Core/Order/Orders.def"
  };
  return NameList(names);
}

std::string_view astfe::core::orderName(OrderKind kind) {
  return orderNames()[unsigned(kind)];
}

std::optional<OrderKind> astfe::core::parseOrder(std::string_view name) {
  if (std::optional<size_t> value = orderNames().find(name))
    return OrderKind(*value);
  return std::nullopt;
}

std::string Prefix::str() const {
  std::string text;
  for (unsigned i = 0; i < length; ++i)
    text += (bits >> (63 - i)) & 1 ? '1' : '0';
  return text;
}

bool Box::contains(ArrayRef<int64_t> point) const {
  for (unsigned k = 0; k < rank; ++k)
    if (point[k] < lower[k] || (point[k] - lower[k]) >> log2[k] != 0)
      return false;
  return true;
}

bool Box::operator==(const Box &other) const {
  return rank == other.rank &&
         std::equal(lower.begin(), lower.begin() + rank, other.lower.begin()) &&
         std::equal(log2.begin(), log2.begin() + rank, other.log2.begin());
}

/// The number of splits in each complete round, in order.
static std::vector<unsigned> roundWidths(const Order &order) {
  std::array<unsigned, kMaxRank> bits{};
  for (unsigned k = 0; k < order.rank(); ++k)
    bits[k] = order.bits(k);
  if (order.kind() == OrderKind::Rows)
    return std::vector<unsigned>(order.keyBits(), 1);

  std::vector<unsigned> widths;
  if (order.kind() == OrderKind::Panels) {
    unsigned inner = std::min(bits[0], order.panelLog2());
    widths.assign(bits[0] - inner, 1);
    bits[0] = inner;
  }
  for (unsigned level = *std::max_element(bits.begin(), bits.end());
       level-- > 0;)
    widths.push_back(unsigned(std::count_if(
        bits.begin(), bits.end(), [&](unsigned b) { return b > level; })));
  return widths;
}

Result<Order> Order::get(OrderKind kind, ArrayRef<int64_t> extents,
                         unsigned panelLog2) {
  if (extents.empty() || extents.size() > kMaxRank)
    return Error{"expected 1 to 8 modes but got " +
                 std::to_string(extents.size())};
  if (kind == OrderKind::Panels && panelLog2 > 62)
    return Error{"expected panels of at most 2^62 rows but got 2^" +
                 std::to_string(panelLog2)};
  Order order;
  order.orderKind = kind;
  order.panelBits = panelLog2;
  order.extentList.assign(extents.begin(), extents.end());
  for (unsigned k = 0; k < extents.size(); ++k) {
    int64_t extent = extents[k];
    if (extent < 0 || extent > kLargestExtent)
      return Error{"expected the extent of mode " + std::to_string(k) +
                   " in 0..2^62 but got " + std::to_string(extent)};
    order.modeBits[k] =
        extent < 2 ? 0 : uint8_t(llvm::Log2_64_Ceil(uint64_t(extent)));
    order.totalBits += order.modeBits[k];
  }
  order.roundEnds.push_back(0);
  unsigned end = 0;
  for (unsigned width : roundWidths(order)) {
    end = std::min(end + width, kMaxPrefixBits);
    order.roundEnds.push_back(uint8_t(end));
    if (end == kMaxPrefixBits)
      break;
  }
  return order;
}

uint64_t Order::key(ArrayRef<int64_t> point) const {
  assert(point.size() == rank() && "expected one coordinate per mode");
  Cursor cursor(*this);
  Prefix prefix;
  while (!cursor.done() && prefix.length < kMaxPrefixBits)
    prefix = prefix.child(cursor.descendTo(point));
  return prefix.bits;
}

/// The cursor at the box of `prefix`.
static Cursor walkTo(const Order &order, Prefix prefix) {
  assert(prefix.length <= order.prefixBits() && "a prefix longer than any key");
  Cursor cursor(order);
  for (unsigned i = 0; i < prefix.length; ++i)
    cursor.descend((prefix.bits >> (63 - i)) & 1);
  return cursor;
}

Box Order::box(Prefix prefix) const { return walkTo(*this, prefix).box(); }

Order::Split Order::split(Prefix prefix) const {
  return walkTo(*this, prefix).split();
}
