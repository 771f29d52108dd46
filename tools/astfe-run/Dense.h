//===- Dense.h - a dense operand or result --------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_DENSE_H
#define ASTFE_TOOLS_RUN_DENSE_H

#include "ASTFE/Core/Support/Element.h"
#include "ASTFE/Core/Support/LargePages.h"
#include <new>
#include <vector>

namespace astfe::run {

/// Memory that begins at a cache line, as that of PyTorch and of most
/// allocators for numerical data does: rows of 16 floats then never straddle
/// two lines.
template <typename T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t Line{64};

  AlignedAllocator() = default;
  template <typename U>
  AlignedAllocator(const AlignedAllocator<U> &) {}
  T *allocate(size_t n) {
    void *memory = ::operator new(n * sizeof(T), Line);
    core::adviseLargePages(memory, n * sizeof(T));
    return static_cast<T *>(memory);
  }
  void deallocate(T *p, size_t) { ::operator delete(p, Line); }
  friend bool operator==(AlignedAllocator, AlignedAllocator) { return true; }
  friend bool operator!=(AlignedAllocator, AlignedAllocator) { return false; }
};

/// A dense row-major matrix.
struct Dense {
  int64_t rows = 0, columns = 0;
  core::Element element = core::Element::F32;
  std::vector<char, AlignedAllocator<char>> bytes;

  static Dense zero(int64_t rows, int64_t columns, core::Element element);
  /// Uniform in [-1, 1), integers in [-8, 8), the same for the same seed on
  /// every machine.
  static Dense random(int64_t rows, int64_t columns, core::Element element,
                      uint64_t seed);
  int64_t size() const { return rows * columns; }
  /// Numbers that an element has: 2 if it is complex.
  int64_t parts() const { return core::isComplex(element) ? 2 : 1; }
  /// This word in each 32 bits: 0 for zeros.
  void fill(uint32_t word);
  void *data() { return bytes.data(); }
  const void *data() const { return bytes.data(); }
  /// The elements, of which T is the type.
  template <typename T>
  T *as() {
    return reinterpret_cast<T *>(bytes.data());
  }
  template <typename T>
  const T *as() const {
    return reinterpret_cast<const T *>(bytes.data());
  }
  /// Of a complex element the real part (0) or the imaginary one (1).
  double at(int64_t i, int64_t part = 0) const {
    return element == core::Element::F32   ? double(as<float>()[i])
           : element == core::Element::F64 ? as<double>()[i]
                                           : otherAt(i, part);
  }
  /// The same of integers, exactly.
  int64_t integerAt(int64_t i) const;
  /// The nearest element, or part of it.
  void set(int64_t i, double number, int64_t part = 0);

private:
  double otherAt(int64_t i, int64_t part) const;
};

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_DENSE_H
