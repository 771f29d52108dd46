//===- PackedCall.cpp - the arguments of a compiled entry, by address -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/PackedCall.h"

using namespace astfe::product;

Descriptor astfe::product::describe(void *data, llvm::ArrayRef<int64_t> shape) {
  const size_t rank = shape.size();
  Descriptor d{std::vector<int64_t>(3 + 2 * rank)};
  d.words[0] = d.words[1] = reinterpret_cast<int64_t>(data);
  int64_t stride = 1;
  for (size_t k = rank; k-- > 0;) {
    d.words[3 + k] = shape[k];
    d.words[3 + rank + k] = stride;
    stride *= shape[k];
  }
  return d;
}

void PackedCall::passPointer(void *pointer) {
  pointers.push_back(pointer);
  addresses.push_back(&pointers.back());
}

void PackedCall::passBuffer(Descriptor descriptor) {
  descriptors.push_back(std::move(descriptor));
  passPointer(descriptors.back().words.data());
}

void PackedCall::passNumber(int64_t number) {
  numbers.push_back(number);
  addresses.push_back(&numbers.back());
}
