//===- ChainMatrix.cpp - a matrix that chains walk, both ways -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/ChainMatrix.h"
#include <cstring>

using namespace astfe;
using namespace astfe::product;

core::Result<std::unique_ptr<ChainMatrix>>
ChainMatrix::create(const core::SparseView &view, size_t elementBytes) {
  auto pattern = ChainPattern::copy(view);
  if (!pattern)
    return pattern.error();
  return std::unique_ptr<ChainMatrix>(
      new ChainMatrix(std::move(*pattern), elementBytes));
}

/// Values of the columns: element k is that of nonzero order[k].
void ChainMatrix::orderValues() {
  if (values.empty() || order.empty())
    return;
  valuesByColumn.resize(values.size());
  for (size_t k = 0; k < order.size(); ++k)
    std::memcpy(&valuesByColumn[k * elementBytes],
                &values[size_t(order[k]) * elementBytes], elementBytes);
}

void ChainMatrix::setValues(const void *given) {
  std::unique_lock<std::shared_mutex> lock(mutex);
  values.resize(size_t(nonzeros()) * elementBytes);
  if (!values.empty())
    std::memcpy(values.data(), given, values.size());
  orderValues();
}

void ChainMatrix::makeColumns() {
  std::call_once(columnsOnce, [&] {
    std::unique_lock<std::shared_mutex> lock(mutex);
    byColumn = byRow.transposed(order);
    orderValues();
  });
}

void ChainMatrix::pass(PackedCall &call, Walk walk) const {
  if (walk == Walk::Rows)
    byRow.pass(call, values.data());
  else
    byColumn.pass(call, valuesByColumn.data());
}
