//===- PackedCall.h - the arguments of a compiled entry, by address -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_PACKEDCALL_H
#define ASTFE_PRODUCT_PACKEDCALL_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <deque>
#include <vector>

namespace astfe::product {

/// A memref descriptor, as words: two pointers, an offset, sizes, strides.
struct Descriptor {
  std::vector<int64_t> words;
};

/// That of a row-major array.
Descriptor describe(void *data, llvm::ArrayRef<int64_t> shape);

/// What a packed call takes: the address of each argument, which stays where it
/// is.
class PackedCall {
public:
  void passBuffer(Descriptor descriptor);
  /// An integer, or a float's bits.
  void passNumber(int64_t number);
  void passPointer(void *pointer);
  /// Where a result goes that is a number; the last argument.
  void passAddress(void *address) { addresses.push_back(address); }
  void **arguments() { return addresses.data(); }

private:
  std::deque<Descriptor> descriptors;
  std::deque<void *> pointers;
  std::deque<int64_t> numbers;
  std::vector<void *> addresses;
};

} // namespace astfe::product

#endif // ASTFE_PRODUCT_PACKEDCALL_H
