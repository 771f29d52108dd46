//===- Spmm.cpp - a product with bias and activation, and its gradients ---===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/Spmm.h"
#include <algorithm>
#include <cstring>

using namespace astfe;
using namespace astfe::product;

core::Result<std::unique_ptr<Spmm>> Spmm::create(const core::SparseView &view,
                                                 const void *values,
                                                 bool isDouble,
                                                 CompileChain compile) {
  auto pattern = ChainPattern::copy(view);
  if (!pattern)
    return pattern.error();
  if (!values && pattern->nonzeros() > 0)
    return core::Error{"expected values but got null"};
  std::unique_ptr<Spmm> made(new Spmm(isDouble, std::move(compile)));
  made->pattern = std::move(*pattern);
  made->setValues(values);
  return made;
}

void Spmm::setValues(const void *given) {
  std::unique_lock<std::shared_mutex> lock(valuesMutex);
  values.resize(size_t(nonzeros()) * elementBytes());
  if (!values.empty())
    std::memcpy(values.data(), given, values.size());
  if (!order.empty())
    valuesByColumn = inOrder(values.data(), order, elementBytes());
}

core::Status Spmm::checkColumns(int64_t columns) const {
  const int64_t longest = std::max({pattern.rows, pattern.columns, int64_t(1)});
  if (columns < 0 || columns > (int64_t(1) << 59) / longest)
    return core::Error{
        "expected columns from 0 and operands within the address "
        "space but got " +
        std::to_string(columns) + " columns"};
  return core::Success();
}

static Descriptor rowsOf(const void *data, int64_t rows, int64_t columns) {
  return describe(const_cast<void *>(data), {rows, columns});
}

core::Status Spmm::forward(int64_t n, const void *b, const void *bias,
                           Activation activation, void *c) {
  if (auto status = checkColumns(n); !status || n == 0)
    return status;
  const std::string key = "product " + std::to_string(n) +
                          (bias ? " bias " : " ") +
                          std::string(activationNames()[size_t(activation)]);
  auto status = programs.prepare(key, "product", [&] {
    return spmmText(n, isDouble, bias != nullptr, activation);
  });
  if (!status)
    return status;
  std::shared_lock<std::shared_mutex> lock(valuesMutex);
  PackedCall call;
  pattern.pass(call, values.data());
  call.passBuffer(rowsOf(b, columns(), n));
  if (bias)
    call.passBuffer(describe(const_cast<void *>(bias), {n}));
  call.passBuffer(rowsOf(c, rows(), n));
  return programs.call(key, call);
}

core::Status Spmm::sample(int64_t n, const void *b, const void *g, void *da) {
  const std::string key = "samples " + std::to_string(n);
  auto status = programs.prepare(key, "samples",
                                 [&] { return samplesText(n, isDouble); });
  if (!status)
    return status;
  std::shared_lock<std::shared_mutex> lock(valuesMutex);
  PackedCall call;
  pattern.pass(call, values.data());
  call.passBuffer(rowsOf(g, rows(), n));
  call.passBuffer(rowsOf(b, columns(), n));
  call.passBuffer(describe(da, {nonzeros()}));
  return programs.call(key, call);
}

core::Status Spmm::multiplyTransposed(int64_t n, const void *g, void *db) {
  std::call_once(transposedOnce, [&] {
    std::unique_lock<std::shared_mutex> lock(valuesMutex);
    byColumn = pattern.transposed(order);
    valuesByColumn = inOrder(values.data(), order, elementBytes());
  });
  const std::string key = "transposed " + std::to_string(n);
  auto status = programs.prepare(key, "product", [&] {
    return spmmText(n, isDouble, /*hasBias=*/false, Activation::None);
  });
  if (!status)
    return status;
  std::shared_lock<std::shared_mutex> lock(valuesMutex);
  PackedCall call;
  byColumn.pass(call, valuesByColumn.data());
  call.passBuffer(rowsOf(g, rows(), n));
  call.passBuffer(rowsOf(db, columns(), n));
  return programs.call(key, call);
}

core::Status Spmm::backward(int64_t n, const void *b, const void *g, void *da,
                            void *db) {
  if (auto status = checkColumns(n); !status)
    return status;
  if (n == 0) {
    if (da)
      std::memset(da, 0, size_t(nonzeros()) * elementBytes());
    return core::Success();
  }
  if (da)
    if (auto status = sample(n, b, g, da); !status)
      return status;
  return db ? multiplyTransposed(n, g, db) : core::Status(core::Success());
}
