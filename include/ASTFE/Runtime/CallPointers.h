//===- CallPointers.h - calls of entries with any number of operands ------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries of compiled code take pointers to descriptors of memrefs, and
// integers, which go where pointers go. How many there are depends on the rank
// of a tensor.
//
// Worked example: void entry(void *bricks, Vector *values, Matrix *output) is
// called by callPointers(entry, {bricks, &values, &output}).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_RUNTIME_CALLPOINTERS_H
#define ASTFE_RUNTIME_CALLPOINTERS_H

#include "ASTFE/Core/Support/Status.h"
#include <utility>
#include <vector>

namespace astfe::rt {

/// A tensor of rank 8 by levels, with as many dense operands, and then some.
constexpr size_t kMostPointers = 48;

template <size_t... I>
void callWith(void *entry, void *const *arguments, std::index_sequence<I...>) {
  reinterpret_cast<void (*)(decltype((void)I, (void *)nullptr)...)>(entry)(
      arguments[I]...);
}

/// Fails where there are more than kMostPointers.
template <size_t Count = 0>
core::Status callPointers(void *entry, const std::vector<void *> &arguments) {
  if (arguments.size() == Count) {
    callWith(entry, arguments.data(), std::make_index_sequence<Count>());
    return core::Success();
  }
  if constexpr (Count < kMostPointers)
    return callPointers<Count + 1>(entry, arguments);
  return core::Error{"expected at most " + std::to_string(kMostPointers) +
                     " arguments but got " + std::to_string(arguments.size())};
}

} // namespace astfe::rt

#endif // ASTFE_RUNTIME_CALLPOINTERS_H
