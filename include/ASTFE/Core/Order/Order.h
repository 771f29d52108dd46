//===- Order.h - an order halves boxes ------------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An order of a space of D modes is a rule `split(box) -> (axis, which half
// comes first)`, applied from the whole space down to single cells. The space
// has extents n_k; mode k is padded to 2^b_k, b_k = ceil(log2 n_k) (0 for an
// extent of 0 or 1). The path of choices to a point is its key; a prefix of a
// key is a box with power-of-two sides, by construction, and siblings merge by
// dropping the last bit.
//
// Worked example, Hilbert on 4x4 (key of each cell, row by row):
//
//      0  3  4  5        prefix 00 (keys 0..3) is the upper left 2x2 box,
//      1  2  7  6        prefix 0  (keys 0..7) the upper half,
//     14 13  8  9        prefix 0010 the single cell (row 1, column 1).
//     15 12 11 10
//
// Keys and prefixes are held left-aligned in 64 bits, so that plain unsigned
// comparison is curve order and a prefix of length l covers the keys
// [bits, bits + 2^(64-l)). Deeper levels than 64 are never split.
//
// key, box and split walk the levels: O(keyBits) each. For many points use
// Encoder.h. docs/Algorithms/Orders.md defines the four orders.
//
// Source: Hamilton and Rau-Chaplin, "Compact Hilbert indices: space-filling
// curves for domains with unequal side lengths" (2008).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_ORDER_ORDER_H
#define ASTFE_CORE_ORDER_ORDER_H

#include "ASTFE/Core/Support/NameList.h"
#include "ASTFE/Core/Support/Status.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace astfe::core {

using llvm::ArrayRef;

/// The largest number of modes (any D from 1 to 8).
constexpr unsigned kMaxRank = 8;
/// The longest prefix that is ever split off.
constexpr unsigned kMaxPrefixBits = 64;

enum class OrderKind : uint8_t {
#define ASTFE_ORDER(Name, name) Name,
#include "ASTFE/Core/Order/Orders.def"
};

/// "rows", "morton", "hilbert" or "panels".
NameList orderNames();
std::string_view orderName(OrderKind kind);
std::optional<OrderKind> parseOrder(std::string_view name);

/// A prefix of keys: `length` leading bits of `bits`, the others zero.
struct Prefix {
  uint64_t bits = 0;
  uint8_t length = 0;

  /// The first and last key below this prefix.
  uint64_t first() const { return bits; }
  uint64_t last() const {
    return length == 64 ? bits : bits | (~uint64_t(0) >> length);
  }
  bool contains(uint64_t key) const { return first() <= key && key <= last(); }
  bool contains(const Prefix &other) const {
    return length <= other.length && contains(other.bits);
  }
  /// The half that comes first (false) or second (true); length must be < 64.
  Prefix child(bool second) const {
    return {second ? bits | (uint64_t(1) << (63 - length)) : bits,
            uint8_t(length + 1)};
  }
  /// Drops the last bit; length must be > 0.
  Prefix parent() const {
    return {bits & ~(uint64_t(1) << (64 - length)), uint8_t(length - 1)};
  }
  Prefix sibling() const {
    return {bits ^ (uint64_t(1) << (64 - length)), length};
  }
  /// "0110", as IR and messages show it ("" is the whole space).
  std::string str() const;
  /// Curve order; of two nested prefixes the longer one comes second.
  bool operator<(const Prefix &o) const {
    return bits != o.bits ? bits < o.bits : length < o.length;
  }
  bool operator==(const Prefix &o) const {
    return bits == o.bits && length == o.length;
  }
};

/// A box with power-of-two sides: lower corner and log2 of each side.
struct Box {
  std::array<int64_t, kMaxRank> lower{};
  std::array<uint8_t, kMaxRank> log2{};
  uint8_t rank = 0;

  bool contains(ArrayRef<int64_t> point) const;
  bool operator==(const Box &other) const;
};

/// Walks from the whole space to a cell, one halving at a time. This *is* the
/// definition of an order; encoders are tested against it.
class Order {
public:
  /// An order over `extents` (1 to 8 of them, each in 0..2^62). `panelLog2` is
  /// log2 of the rows in a panel and read by Panels only.
  static Result<Order> get(OrderKind kind, ArrayRef<int64_t> extents,
                           unsigned panelLog2 = 10);

  OrderKind kind() const { return orderKind; }
  unsigned rank() const { return unsigned(extentList.size()); }
  ArrayRef<int64_t> extents() const { return extentList; }
  unsigned panelLog2() const { return panelBits; }
  /// b_k, the bits of mode k.
  unsigned bits(unsigned mode) const { return modeBits[mode]; }
  /// The sum of b_k; may exceed 64.
  unsigned keyBits() const { return totalBits; }
  /// min(64, keyBits()): how deep a prefix can be.
  unsigned prefixBits() const {
    return totalBits < kMaxPrefixBits ? totalBits : kMaxPrefixBits;
  }
  /// Lengths after 0, 1, 2, ... complete rounds of the axes (ascending, first
  /// 0, last prefixBits()). Rows and Panels count a round where the curve
  /// finished an axis bit of every axis it still splits at that level; for Rows
  /// each single bit is one.
  ArrayRef<uint8_t> rounds() const { return roundEnds; }

  /// The leading 64 bits of the key of `point` (by definition: bit by bit).
  uint64_t key(ArrayRef<int64_t> point) const;
  /// The box of a prefix. Its length must be at most prefixBits().
  Box box(Prefix prefix) const;
  /// The axis that the box of `prefix` is halved along, and whether the upper
  /// half comes first.
  struct Split {
    unsigned axis;
    bool upperFirst;
  };
  Split split(Prefix prefix) const;

private:
  friend class Cursor;
  OrderKind orderKind = OrderKind::Rows;
  unsigned panelBits = 0;
  unsigned totalBits = 0;
  std::vector<int64_t> extentList;
  std::array<uint8_t, kMaxRank> modeBits{};
  std::vector<uint8_t> roundEnds;
};

} // namespace astfe::core

#endif // ASTFE_CORE_ORDER_ORDER_H
