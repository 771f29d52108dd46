//===- Deposit.h - keys whose bits are the coordinates' bits --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In Rows and Morton every half is split the same way and the lower half comes
// first, so each bit of a coordinate has one fixed place in the key. A mode
// then is a mask of the key: where the mask is one run of bits, a shift puts
// the coordinate there; else x86's pdep does, or a table for each byte of it.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_ORDER_DEPOSIT_H
#define ASTFE_LIB_CORE_ORDER_DEPOSIT_H

#include "ASTFE/Core/Order/Order.h"

namespace astfe::core {

class Deposit {
public:
  /// True where this way of encoding gives the order's keys: Rows, Morton, and
  /// any order of one mode.
  static bool handles(const Order &order);
  /// Whether this processor has a pdep instruction.
  static bool processorHasPdep();

  Deposit(const Order &order, bool usePdep);

  void encode(ArrayRef<const int32_t *> coordinates, size_t count,
              uint64_t *keys) const;
  void encode(ArrayRef<const int64_t *> coordinates, size_t count,
              uint64_t *keys) const;

private:
  struct Mode {
    uint64_t mask = 0; ///< where the bits go
    unsigned drop = 0; ///< low bits that a key of 64 bits has no room for
    unsigned shift = 0;
    bool contiguous = true;
    /// spread[byte][value]: used when neither a shift nor pdep does.
    std::vector<std::array<uint64_t, 256>> spread;
  };

  template <typename T>
  void encodeAll(ArrayRef<const T *> coordinates, size_t count,
                 uint64_t *keys) const;

  bool usePdep;
  std::vector<Mode> modes;
};

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_ORDER_DEPOSIT_H
