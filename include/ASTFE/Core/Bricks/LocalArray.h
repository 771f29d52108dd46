//===- LocalArray.h - coordinates relative to an origin -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An array of unsigned integers of 8, 16 or 32 bits; its width is known when
// the program runs. Loops over it take the typed entries by visit(). Kernels
// look ahead without asking where the end is: kAhead entries may be loaded
// behind the last one, whatever they hold.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_BRICKS_LOCALARRAY_H
#define ASTFE_CORE_BRICKS_LOCALARRAY_H

#include "ASTFE/Core/Support/Table.h"
#include <cstdint>

namespace astfe::core {

class LocalArray {
public:
  static constexpr int64_t kAhead = 16;

  LocalArray() = default;
  /// Entries that are to be written before they are read.
  LocalArray(unsigned bits, size_t size)
      : width(bits), bytes8(bits == 8 ? size : 0),
        words16(bits == 16 ? size : 0), words32(bits == 32 ? size : 0) {}

  /// The fewest bits that hold 0..largest.
  static unsigned bitsFor(uint32_t largest) {
    return largest < 256 ? 8 : largest < 65536 ? 16 : 32;
  }

  unsigned bits() const { return width; }
  size_t size() const {
    return bytes8.size() + words16.size() + words32.size();
  }
  int64_t bytes() const { return int64_t(size()) * width / 8; }

  /// Calls body(data) with the entries' own type.
  template <typename Body>
  auto visit(Body body) const {
    return width == 8    ? body(bytes8.data())
           : width == 16 ? body(words16.data())
                         : body(words32.data());
  }
  template <typename Body>
  auto visit(Body body) {
    return width == 8    ? body(bytes8.data())
           : width == 16 ? body(words16.data())
                         : body(words32.data());
  }
  uint32_t operator[](size_t i) const {
    return visit([&](const auto *data) { return uint32_t(data[i]); });
  }

  bool operator==(const LocalArray &o) const {
    return width == o.width && bytes8 == o.bytes8 && words16 == o.words16 &&
           words32 == o.words32;
  }

private:
  unsigned width = 32;
  Table<uint8_t> bytes8;
  Table<uint16_t> words16;
  Table<uint32_t> words32;
};

} // namespace astfe::core

#endif // ASTFE_CORE_BRICKS_LOCALARRAY_H
