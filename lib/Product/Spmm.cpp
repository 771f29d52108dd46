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
                                                 core::Element element,
                                                 CompileChain compile,
                                                 const ChainPlace &place) {
  auto matrix =
      ChainMatrix::create(view, size_t(core::elementBytes(element)), place);
  if (!matrix)
    return matrix.error();
  if (!values && (*matrix)->nonzeros() > 0)
    return core::Error{"expected values but got null"};
  if (auto status = (*matrix)->setValues(values); !status)
    return status.error();
  return std::unique_ptr<Spmm>(
      new Spmm(element, std::move(*matrix), std::move(compile)));
}

core::Status Spmm::checkColumns(int64_t columns) const {
  const int64_t longest = std::max({rows(), this->columns(), int64_t(1)});
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

core::Status Spmm::prepare(const std::string &key, std::string_view symbol,
                           ChainMatrix::Walk walk,
                           const std::function<std::string()> &text) {
  return programs.prepare(
      key, symbol, [&] { return matrix->target(walk); }, text);
}

core::Status Spmm::run(const std::string &key, ChainMatrix::Walk walk,
                       llvm::ArrayRef<Descriptor> operands) {
  auto held = matrix->holdValues();
  PackedCall call;
  if (auto status = matrix->pass(call, walk); !status)
    return status;
  for (const Descriptor &operand : operands)
    call.passBuffer(operand);
  return programs.call(key, call);
}

core::Status Spmm::runForward(int64_t n, const void *b, const void *bias,
                              Activation activation, void *c) {
  const std::string key = "product " + std::to_string(n) +
                          (bias ? " bias " : " ") +
                          std::string(activationNames()[size_t(activation)]);
  auto status = prepare(key, "product", ChainMatrix::Walk::Rows, [&] {
    return spmmText(n, element, bias != nullptr, activation);
  });
  if (!status)
    return status;
  std::vector<Descriptor> operands = {rowsOf(b, columns(), n)};
  if (bias)
    operands.push_back(describe(const_cast<void *>(bias), {n}));
  operands.push_back(rowsOf(c, rows(), n));
  return run(key, ChainMatrix::Walk::Rows, operands);
}

core::Status Spmm::sample(int64_t n, const void *b, const void *g, void *da) {
  const std::string key = "samples " + std::to_string(n);
  auto status = prepare(key, "samples", ChainMatrix::Walk::Rows,
                        [&] { return samplesText(n, element); });
  if (!status)
    return status;
  return run(key, ChainMatrix::Walk::Rows,
             {rowsOf(g, rows(), n), rowsOf(b, columns(), n),
              describe(da, {nonzeros()})});
}

core::Status Spmm::multiplyTransposed(int64_t n, const void *g, void *db) {
  auto status = matrix->makeColumns();
  if (!status)
    return status;
  const std::string key = "transposed " + std::to_string(n);
  status = prepare(key, "product", ChainMatrix::Walk::Columns, [&] {
    return spmmText(n, element, /*hasBias=*/false, Activation::None);
  });
  if (!status)
    return status;
  return run(key, ChainMatrix::Walk::Columns,
             {rowsOf(g, rows(), n), rowsOf(db, columns(), n)});
}

core::Status Spmm::runBackward(int64_t n, const void *b, const void *g,
                               void *da, void *db) {
  if (da)
    if (auto status = sample(n, b, g, da); !status)
      return status;
  return db ? multiplyTransposed(n, g, db) : core::Status(core::Success());
}

static core::Status checkOnHost(const ChainMatrix &matrix) {
  if (matrix.device())
    return core::Error{
        "expected a product of the host but got one on a device"};
  return core::Success();
}

core::Status Spmm::forward(int64_t n, const void *b, const void *bias,
                           Activation activation, void *c) {
  auto status = checkOnHost(*matrix);
  if (status)
    status = checkColumns(n);
  if (!status || n == 0)
    return status;
  return runForward(n, b, bias, activation, c);
}

core::Status Spmm::backward(int64_t n, const void *b, const void *g, void *da,
                            void *db) {
  auto status = checkOnHost(*matrix);
  if (status)
    status = checkColumns(n);
  if (!status)
    return status;
  if (n > 0)
    return runBackward(n, b, g, da, db);
  if (da)
    std::memset(da, 0, size_t(nonzeros() * core::elementBytes(element)));
  return core::Success();
}
