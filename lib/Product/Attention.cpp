//===- Attention.cpp - sparse attention over one pattern ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/Attention.h"
#include "ASTFE/Runtime/Parallel.h"
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
  auto matrix = ChainMatrix::create(view, shape.isDouble ? 8 : 4);
  if (!matrix)
    return matrix.error();
  const int64_t longest = std::max((*matrix)->rows(), (*matrix)->columns());
  if (auto status = checkSize(longest, shape); !status)
    return status.error();
  std::unique_ptr<Attention> made(
      new Attention(shape, std::move(*matrix), std::move(compile)));
  if (auto status = made->setValues(values); !status)
    return status.error();
  return made;
}

core::Status Attention::setValues(const void *given) {
  if (auto status = checkValues(given); !status)
    return status;
  if (attentionShape.mask != Mask::Pattern)
    matrix->setValues(given);
  return core::Success();
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
  matrix->makeColumns();
  auto status = prepareChain(AttentionChain::Rows);
  return status ? prepareChain(AttentionChain::Columns) : status;
}

std::shared_ptr<char> HeadCopies::take(size_t bytes) {
  std::unique_ptr<char[]> room;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!idle.empty()) {
      room = std::move(idle.back());
      idle.pop_back();
    }
  }
  if (!room) {
    {
      // Giving back must not fail.
      std::lock_guard<std::mutex> lock(mutex);
      idle.reserve(++made);
    }
    room.reset(new char[bytes]); // Not touched: the first copy does.
  }
  char *data = room.release();
  return {data, [this](char *done) {
            std::lock_guard<std::mutex> lock(mutex);
            idle.emplace_back(done);
          }};
}

namespace {
/// Rows of one head of an array (row, head, dim), or of (row, head) where
/// `elements` is 1.
struct HeadRows {
  const char *data;
  int64_t rows, heads, elements;
  size_t elementBytes;

  size_t rowBytes() const { return size_t(elements) * elementBytes; }
  size_t bytes() const { return size_t(rows) * rowBytes(); }

  /// In place: rows are those of all heads. `shape` begins with the rows.
  Descriptor strided(llvm::ArrayRef<int64_t> shape) const {
    Descriptor d = describe(const_cast<char *>(data), shape);
    d.words[3 + shape.size()] = heads * elements;
    return d;
  }
  void copyTo(char *target) const;
};
} // namespace

/// By all threads, in shares of as many rows.
void HeadRows::copyTo(char *target) const {
  constexpr int64_t kRows = 1024;
  struct Copy {
    const HeadRows &from;
    char *to;
  } copy{*this, target};
  rt::parallel(
      [](void *context, int64_t share) {
        const auto &[from, to] = *static_cast<Copy *>(context);
        const size_t bytes = from.rowBytes();
        const int64_t last = std::min(from.rows, (share + 1) * kRows);
        for (int64_t i = share * kRows; i < last; ++i)
          std::memcpy(to + size_t(i) * bytes,
                      from.data + size_t(i * from.heads) * bytes, bytes);
      },
      &copy, (rows + kRows - 1) / kRows);
}

class Attention::HeadCall {
public:
  HeadCall(PackedCall &call, const AttentionShape &shape, int64_t head,
           char *room)
      : call(call), shape(shape), head(head), room(room) {}

  void add(const void *data, int64_t rows) {
    call.passBuffer(rowsOf(data, rows, shape.dim).strided({rows, shape.dim}));
  }
  void addSums(const void *data, int64_t rows) {
    call.passBuffer(rowsOf(data, rows, 1).strided({rows}));
  }
  void gather(const void *data, int64_t rows) {
    call.passBuffer(
        describe(sideBySide(rowsOf(data, rows, shape.dim)), {rows, shape.dim}));
  }
  void gatherSums(const void *data, int64_t rows) {
    call.passBuffer(describe(sideBySide(rowsOf(data, rows, 1)), {rows}));
  }

private:
  HeadRows rowsOf(const void *data, int64_t rows, int64_t elements) const {
    const size_t bytes = shape.isDouble ? 8 : 4;
    return {static_cast<const char *>(data) + size_t(head * elements) * bytes,
            rows, shape.heads, elements, bytes};
  }
  /// The array itself, where there is one head.
  void *sideBySide(const HeadRows &from) {
    if (shape.heads == 1)
      return const_cast<char *>(from.data);
    char *copy = room;
    room += from.bytes();
    from.copyTo(copy);
    return copy;
  }

  PackedCall &call;
  const AttentionShape &shape;
  const int64_t head;
  char *room; ///< what is left of it
};

/// What is gathered by one call, at most: two arrays of dims, and two of sums.
static size_t roomOf(const AttentionShape &shape, int64_t rows,
                     int64_t columns) {
  return size_t(2 * std::max(rows, columns) * (shape.dim + 1)) *
         (shape.isDouble ? 8 : 4);
}

core::Status Attention::run(AttentionChain chain,
                            llvm::function_ref<void(HeadCall &)> pass) {
  const auto walk = chain == AttentionChain::Columns
                        ? ChainMatrix::Walk::Columns
                        : ChainMatrix::Walk::Rows;
  auto room = copies.take(roomOf(attentionShape, rows(), columns()));
  for (int64_t head = 0; head < attentionShape.heads; ++head) {
    PackedCall call;
    matrix->pass(call, walk);
    HeadCall operands(call, attentionShape, head, room.get());
    pass(operands);
    if (auto status = programs.call(std::string(chainName(chain)), call);
        !status)
      return status;
  }
  return core::Success();
}

core::Status Attention::forward(const AttentionOperands<const void> &in,
                                void *o, void *lse) {
  if (auto status = prepare(/*backward=*/false); !status)
    return status;
  auto held = matrix->holdValues();
  return run(AttentionChain::Forward, [&](HeadCall &head) {
    head.add(in.q, rows());
    head.gather(in.k, columns());
    head.gather(in.v, columns());
    head.add(o, rows());
    head.addSums(lse, rows());
  });
}

/// By rows dQ, and the sums of both gradients; by columns dK and dV.
core::Status Attention::backward(const AttentionOperands<const void> &in,
                                 const void *go, const void *lse,
                                 const AttentionOperands<void> &out) {
  if (auto status = prepare(/*backward=*/true); !status)
    return status;
  auto held = matrix->holdValues();
  std::vector<char> sums(size_t(rows() * attentionShape.heads) *
                         elementBytes());
  auto status = run(AttentionChain::Rows, [&](HeadCall &head) {
    head.add(in.q, rows());
    head.gather(in.k, columns());
    head.gather(in.v, columns());
    head.add(go, rows());
    head.addSums(lse, rows());
    head.add(out.q, rows());
    head.addSums(sums.data(), rows());
  });
  if (!status)
    return status;
  return run(AttentionChain::Columns, [&](HeadCall &head) {
    head.gather(in.q, rows());
    head.add(in.k, columns());
    head.add(in.v, columns());
    head.gather(go, rows());
    head.gatherSums(lse, rows());
    head.gatherSums(sums.data(), rows());
    head.add(out.k, columns());
    head.add(out.v, columns());
  });
}
