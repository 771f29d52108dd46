//===- MatrixTable.cpp - the matrices that callers hold -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixTable.h"
#include <mutex>

using namespace astfe;
using namespace astfe::capi;

static uintptr_t numberOf(const AstfeMatrix *name) {
  return reinterpret_cast<uintptr_t>(name);
}

AstfeMatrix *MatrixTable::add(std::shared_ptr<product::PackedMatrix> matrix) {
  // Like an address of something, for those who look at their bits.
  constexpr uintptr_t kStep = 64;
  std::unique_lock<std::shared_mutex> lock(mutex);
  byName.emplace(last += kStep, std::move(matrix));
  return reinterpret_cast<AstfeMatrix *>(last);
}

std::shared_ptr<product::PackedMatrix>
MatrixTable::find(const AstfeMatrix *name) const {
  std::shared_lock<std::shared_mutex> lock(mutex);
  auto found = byName.find(numberOf(name));
  return found == byName.end() ? nullptr : found->second;
}

void MatrixTable::remove(const AstfeMatrix *name) {
  std::shared_ptr<product::PackedMatrix> matrix; // goes outside of the lock
  std::unique_lock<std::shared_mutex> lock(mutex);
  auto found = byName.find(numberOf(name));
  if (found == byName.end())
    return;
  matrix = std::move(found->second);
  byName.erase(found);
}
