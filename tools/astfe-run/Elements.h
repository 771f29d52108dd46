//===- Elements.h - arrays of a type's elements -----------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments and results of a file's function: floats of 16 to 64 bits,
// integers of 1 (a byte in memory) to 64 and complex numbers of f32 or f64,
// read and written as numbers: of complex ones a part at a time.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_ELEMENTS_H
#define ASTFE_TOOLS_RUN_ELEMENTS_H

#include "Dense.h"
#include "mlir/IR/BuiltinTypes.h"

namespace astfe::run {

/// Whether arrays of `type` can be made.
bool isElement(mlir::Type type);
/// What errors say that such types are.
constexpr const char kElementTypes[] =
    "floats of 16 to 64 bits, of integers of 1, 8, 16, 32 or 64 or of complex "
    "numbers of floats of 32 or 64 bits";
/// Numbers that an element has: 2 if it is complex.
int64_t partsOf(mlir::Type type);
/// The bytes that an element takes.
size_t bytesOfElement(mlir::Type type);
/// Element `i` of an array of `type`, or its imaginary part (1).
double loadElement(mlir::Type type, const void *from, int64_t i = 0,
                   int64_t part = 0);
/// The same of integers, exactly.
int64_t loadInteger(mlir::Type type, const void *from, int64_t i = 0);
/// The nearest number that `type`, or a part of it, has; truth values are 0 or
/// 1.
double roundedTo(mlir::Type type, double number);

/// An array that owns its elements.
class Elements {
public:
  Elements() = default;
  /// Zeros.
  Elements(mlir::Type type, int64_t count);
  /// The same for the same seed on every machine: floats in [-1, 1), integers
  /// in [-8, 8), truth values of both kinds.
  static Elements random(mlir::Type type, int64_t count, uint64_t seed);

  int64_t size() const { return count; }
  void *data() { return bytes.data(); }
  double at(int64_t i, int64_t part = 0) const {
    return loadElement(type, bytes.data(), i, part);
  }
  void set(int64_t i, double number, int64_t part = 0);
  /// The same of integers of 64 bits, exactly.
  void setInteger(int64_t i, int64_t number);
  /// All imaginary parts; none where numbers are real.
  std::vector<double> imaginaries() const;
  /// Takes the elements of an array of the same type and size.
  void copy(const Elements &other) {
    std::copy(other.bytes.begin(), other.bytes.end(), bytes.begin());
  }

  /// Whether all bytes are those of another array.
  bool equals(const Elements &other) const { return bytes == other.bytes; }

  /// The memory, which is left empty.
  std::vector<char, AlignedAllocator<char>> take() { return std::move(bytes); }

private:
  mlir::Type type;
  int64_t count = 0;
  std::vector<char, AlignedAllocator<char>> bytes;
};

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_ELEMENTS_H
