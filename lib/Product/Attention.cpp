//===- Attention.cpp - sparse attention over one pattern ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/Attention.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace astfe;
using namespace astfe::product;

//===----------------------------------------------------------------------===//
// Pattern and values
//===----------------------------------------------------------------------===//

template <typename T>
static core::Status checkMask(const T *values, int64_t count, bool isAdded) {
  for (int64_t n = 0; n < count; ++n)
    if (!std::isfinite(values[n]) &&
        !(isAdded && values[n] == -std::numeric_limits<T>::infinity()))
      return core::Error{std::string("mask: expected finite values") +
                         (isAdded ? " or -inf" : "") + " but got " +
                         std::to_string(values[n]) + " at nonzero " +
                         std::to_string(n)};
  return core::Success();
}

core::Status Attention::checkValues(const void *given) const {
  const bool isRead = attentionShape.mask != Mask::Pattern;
  if (isRead && !given && nonzeros() > 0)
    return core::Error{"expected values of a mask that is not the pattern "
                       "alone but got null"};
  if (!isRead || nonzeros() == 0)
    return core::Success();
  const bool isAdded = attentionShape.mask == Mask::Add;
  if (attentionShape.isDouble)
    return checkMask(static_cast<const double *>(given), nonzeros(), isAdded);
  return checkMask(static_cast<const float *>(given), nonzeros(), isAdded);
}

/// Whether operands of so many rows have addresses.
static core::Status checkSize(int64_t rows, const AttentionShape &shape) {
  constexpr int64_t kMostElements = int64_t(1) << 59;
  if (rows > kMostElements / (shape.heads * shape.dim))
    return core::Error{"expected operands within the address space but got " +
                       std::to_string(rows) + " x " +
                       std::to_string(shape.heads) + " x " +
                       std::to_string(shape.dim) + " elements"};
  return core::Success();
}

core::Result<std::unique_ptr<Attention>>
Attention::create(const core::SparseView &view, const void *values,
                  const AttentionShape &shape, CompileChain compile) {
  if (auto status = shape.check(); !status)
    return status.error();
  auto pattern = ChainPattern::copy(view);
  if (!pattern)
    return pattern.error();
  const int64_t longest = std::max(pattern->rows, pattern->columns);
  if (auto status = checkSize(longest, shape); !status)
    return status.error();
  std::unique_ptr<Attention> made(new Attention(shape, std::move(compile)));
  made->pattern = std::move(*pattern);
  if (auto status = made->setValues(values); !status)
    return status.error();
  return made;
}

core::Status Attention::setValues(const void *given) {
  if (auto status = checkValues(given); !status)
    return status;
  if (attentionShape.mask == Mask::Pattern)
    return core::Success();
  std::unique_lock<std::shared_mutex> lock(valuesMutex);
  values.resize(size_t(nonzeros()) * elementBytes());
  if (!values.empty())
    std::memcpy(values.data(), given, values.size());
  if (!order.empty())
    valuesByColumn = inOrder(values.data(), order, elementBytes());
  return core::Success();
}

/// The rows of the transposed matrix, when they are first needed.
void Attention::makeTransposed() {
  std::call_once(transposedOnce, [&] {
    std::unique_lock<std::shared_mutex> lock(valuesMutex);
    byColumn = pattern.transposed(order);
    if (attentionShape.mask != Mask::Pattern)
      valuesByColumn = inOrder(values.data(), order, elementBytes());
  });
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

core::Status Attention::prepareChain(AttentionChain chain) {
  return programs.prepare(std::string(chainName(chain)), chainName(chain),
                          [&] { return attentionText(attentionShape, chain); });
}

core::Status Attention::prepare(bool backward) {
  if (!backward)
    return prepareChain(AttentionChain::Forward);
  makeTransposed();
  auto status = prepareChain(AttentionChain::Rows);
  return status ? prepareChain(AttentionChain::Columns) : status;
}

namespace {
/// Buffers of one call, (row, head, dim) or (row, head).
class Buffers {
public:
  Buffers(PackedCall &call, const AttentionShape &shape)
      : call(call), shape(shape) {}
  void add(const void *data, int64_t rows) {
    call.passBuffer(
        describe(const_cast<void *>(data), {rows, shape.heads, shape.dim}));
  }
  void addSums(const void *data, int64_t rows) {
    call.passBuffer(describe(const_cast<void *>(data), {rows, shape.heads}));
  }

private:
  PackedCall &call;
  const AttentionShape &shape;
};
} // namespace

core::Status Attention::forward(const AttentionOperands<const void> &in,
                                void *o, void *lse) {
  if (auto status = prepare(/*backward=*/false); !status)
    return status;
  std::shared_lock<std::shared_mutex> lock(valuesMutex);
  PackedCall call;
  pattern.pass(call, values.data());
  Buffers buffers(call, attentionShape);
  buffers.add(in.q, rows());
  buffers.add(in.k, columns());
  buffers.add(in.v, columns());
  buffers.add(o, rows());
  buffers.addSums(lse, rows());
  return programs.call(std::string(chainName(AttentionChain::Forward)), call);
}

core::Status Attention::backward(const AttentionOperands<const void> &in,
                                 const void *go, const void *lse,
                                 const AttentionOperands<void> &out) {
  if (auto status = prepare(/*backward=*/true); !status)
    return status;
  std::shared_lock<std::shared_mutex> lock(valuesMutex);
  std::vector<char> sums(size_t(rows() * attentionShape.heads) *
                         elementBytes());
  for (AttentionChain chain : {AttentionChain::Rows, AttentionChain::Columns}) {
    const bool isByRow = chain == AttentionChain::Rows;
    PackedCall call;
    if (isByRow)
      pattern.pass(call, values.data());
    else
      byColumn.pass(call, valuesByColumn.data());
    Buffers buffers(call, attentionShape);
    buffers.add(in.q, rows());
    buffers.add(in.k, columns());
    buffers.add(in.v, columns());
    buffers.add(go, rows());
    buffers.addSums(lse, rows());
    if (isByRow) {
      buffers.add(out.q, rows());
      buffers.addSums(sums.data(), rows());
    } else {
      buffers.addSums(sums.data(), rows());
      buffers.add(out.k, columns());
      buffers.add(out.v, columns());
    }
    if (auto status = programs.call(std::string(chainName(chain)), call);
        !status)
      return status;
  }
  return core::Success();
}
