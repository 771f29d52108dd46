//===- Attention.cpp - sparse attention over one pattern ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/Attention.h"
#include "ASTFE/Runtime/Parallel.h"
#include "llvm/Support/MathExtras.h"
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
static double widened(T value) {
  return value;
}

/// The bits of a half with so many of them for its fraction: exact.
template <int Fraction>
static double widenedHalf(uint16_t bits) {
  constexpr int kExponents = 1 << (15 - Fraction);
  const int exponent = (bits >> Fraction) & (kExponents - 1);
  const double fraction = bits & ((1 << Fraction) - 1);
  const double sign = bits >> 15 ? -1 : 1;
  if (exponent == kExponents - 1)
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  const int scale = std::max(exponent, 1) - (kExponents / 2 - 1) - Fraction;
  return sign * std::ldexp(fraction + (exponent ? 1 << Fraction : 0), scale);
}

template <typename T>
static core::Status checkMask(const void *values, int64_t count, bool isAdded,
                              double (*widen)(T)) {
  for (int64_t n = 0; n < count; ++n) {
    const double value = widen(static_cast<const T *>(values)[n]);
    if (!std::isfinite(value) &&
        !(isAdded && value == -std::numeric_limits<double>::infinity()))
      return core::Error{std::string("mask: expected finite values") +
                         (isAdded ? " or -inf" : "") + " but got " +
                         std::to_string(value) + " at nonzero " +
                         std::to_string(n)};
  }
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
  switch (attentionShape.element) {
  case core::Element::F64:
    return checkMask<double>(given, nonzeros(), isAdded, widened);
  case core::Element::F16:
    return checkMask<uint16_t>(given, nonzeros(), isAdded, widenedHalf<10>);
  case core::Element::BF16:
    return checkMask<uint16_t>(given, nonzeros(), isAdded, widenedHalf<7>);
  default:
    return checkMask<float>(given, nonzeros(), isAdded, widened);
  }
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
                  const AttentionShape &shape, CompileChain compile,
                  const ChainPlace &place) {
  if (auto status = shape.check(); !status)
    return status.error();
  auto matrix = ChainMatrix::create(
      view, size_t(core::elementBytes(shape.element)), place);
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
  if (attentionShape.mask == Mask::Pattern)
    return core::Success();
  return matrix->setValues(given);
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

Heads Attention::headsOfCall() const {
  if (!matrix->runsOnGPU())
    return Heads::OneOfMany;
  return attentionShape.heads == 1 ? Heads::TheOnly : Heads::All;
}

core::Status Attention::prepareChain(AttentionChain chain,
                                     ChainMatrix::Walk walk) {
  return programs.prepare(
      std::string(chainName(chain)), chainName(chain),
      [&] { return matrix->target(walk, /*together=*/attentionShape.heads); },
      [&] { return attentionText(attentionShape, chain, headsOfCall()); });
}

core::Status Attention::prepare(bool backward) {
  using Walk = ChainMatrix::Walk;
  if (!backward)
    return prepareChain(AttentionChain::Forward, Walk::Rows);
  auto status = matrix->makeColumns();
  if (status)
    status = prepareChain(AttentionChain::Rows, Walk::Rows);
  return status ? prepareChain(AttentionChain::Columns, Walk::Columns) : status;
}

std::shared_ptr<char> HeadCopies::take(size_t bytes) {
  std::unique_ptr<char[], Free> room;
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
    // Not touched: the first copy does.
    room.reset(new (std::align_val_t(kLine)) char[bytes]);
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
  /// `room` is null on a GPU.
  HeadCall(PackedCall &call, const AttentionShape &shape, Heads heads,
           int64_t head, char *room, int64_t nonzeros)
      : call(call), shape(shape), heads(heads), head(head), room(room),
        nonzeros(nonzeros) {}

  void add(const void *data, int64_t rows) {
    if (heads == Heads::OneOfMany)
      call.passBuffer(rowsOf(data, rows).strided({rows, shape.dim}));
    else
      addWhole(data, {rows, shape.heads, shape.dim});
  }
  void addSums(const void *data, int64_t rows) {
    if (heads == Heads::OneOfMany)
      call.passBuffer(sumsOf(data, rows).strided({rows}));
    else
      addWhole(data, {rows, shape.heads});
  }
  /// On a GPU they stay where they are.
  void gather(const void *data, int64_t rows) {
    if (!room)
      return add(data, rows);
    call.passBuffer(
        describe(sideBySide(rowsOf(data, rows)), {rows, shape.dim}));
  }
  void gatherSums(const void *data, int64_t rows) {
    if (!room)
      return addSums(data, rows);
    call.passBuffer(describe(sideBySide(sumsOf(data, rows)), {rows}));
  }

private:
  /// The array itself, whose shape has no heads where there is but one.
  void addWhole(const void *data, std::vector<int64_t> extents) {
    if (heads == Heads::TheOnly)
      extents.erase(extents.begin() + 1);
    call.passBuffer(describe(const_cast<void *>(data), extents));
  }
  HeadRows rowsOf(const void *data, int64_t rows) const {
    return partOf(data, rows, shape.dim, shape.element);
  }
  HeadRows sumsOf(const void *data, int64_t rows) const {
    return partOf(data, rows, 1, shape.sums());
  }
  HeadRows partOf(const void *data, int64_t rows, int64_t elements,
                  core::Element element) const {
    const auto bytes = size_t(core::elementBytes(element));
    return {static_cast<const char *>(data) + size_t(head * elements) * bytes,
            rows, shape.heads, elements, bytes};
  }
  /// The array itself, where there is one head whose rows begin lines, or would
  /// not begin lines in a copy either, or are not read often enough: vectors
  /// that cross lines take up to 1.4 times as long, and a copy of a row takes
  /// as long as reading it some ten times.
  void *sideBySide(const HeadRows &from) {
    constexpr int64_t kReads = 64;
    const bool isOff =
        reinterpret_cast<uintptr_t>(from.data) % HeadCopies::kLine != 0 &&
        from.rowBytes() % HeadCopies::kLine == 0;
    if (shape.heads == 1 && !(isOff && nonzeros / kReads >= from.rows))
      return const_cast<char *>(from.data);
    char *copy = room;
    room += llvm::alignTo(from.bytes(), HeadCopies::kLine);
    from.copyTo(copy);
    return copy;
  }

  PackedCall &call;
  const AttentionShape &shape;
  const Heads heads;
  const int64_t head;
  char *room; ///< what is left of it
  const int64_t nonzeros;
};

/// What is gathered by one call, at most: two arrays of dims, and two of sums.
static size_t roomOf(const AttentionShape &shape, int64_t rows,
                     int64_t columns) {
  const auto longest = size_t(std::max(rows, columns));
  auto bytes = [&](core::Element element, int64_t elements) {
    return llvm::alignTo(longest * size_t(elements) *
                             size_t(core::elementBytes(element)),
                         HeadCopies::kLine);
  };
  return 2 * (bytes(shape.element, shape.dim) + bytes(shape.sums(), 1));
}

core::Status Attention::run(AttentionChain chain,
                            llvm::function_ref<void(HeadCall &)> pass) {
  const auto walk = chain == AttentionChain::Columns
                        ? ChainMatrix::Walk::Columns
                        : ChainMatrix::Walk::Rows;
  const Heads heads = headsOfCall();
  const bool isHost = heads == Heads::OneOfMany;
  std::shared_ptr<char> room;
  if (isHost)
    room = copies.take(roomOf(attentionShape, rows(), columns()));
  const int64_t calls = isHost ? attentionShape.heads : 1;
  for (int64_t head = 0; head < calls; ++head) {
    PackedCall call;
    if (auto status = matrix->pass(call, walk); !status)
      return status;
    HeadCall operands(call, attentionShape, heads, head, room.get(),
                      nonzeros());
    pass(operands);
    if (auto status = programs.call(std::string(chainName(chain)), call);
        !status)
      return status;
  }
  return core::Success();
}

core::Status Attention::runForward(const AttentionOperands<const void> &in,
                                   void *o, void *lse) {
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
core::Status Attention::runBackward(const AttentionOperands<const void> &in,
                                    const void *go, const void *lse,
                                    const AttentionOperands<void> &out,
                                    void *sums) {
  auto held = matrix->holdValues();
  auto status = run(AttentionChain::Rows, [&](HeadCall &head) {
    head.add(in.q, rows());
    head.gather(in.k, columns());
    head.gather(in.v, columns());
    head.add(go, rows());
    head.addSums(lse, rows());
    head.add(out.q, rows());
    head.addSums(sums, rows());
  });
  if (!status)
    return status;
  return run(AttentionChain::Columns, [&](HeadCall &head) {
    head.gather(in.q, rows());
    head.add(in.k, columns());
    head.add(in.v, columns());
    head.gather(go, rows());
    head.gatherSums(lse, rows());
    head.gatherSums(sums, rows());
    head.add(out.k, columns());
    head.add(out.v, columns());
  });
}

static core::Status checkOnHost(const ChainMatrix &matrix) {
  if (matrix.device())
    return core::Error{
        "expected an attention of the host but got one on a device"};
  return core::Success();
}

core::Status Attention::forward(const AttentionOperands<const void> &in,
                                void *o, void *lse) {
  auto status = checkOnHost(*matrix);
  if (status)
    status = prepare(/*backward=*/false);
  return status ? runForward(in, o, lse) : status;
}

core::Status Attention::backward(const AttentionOperands<const void> &in,
                                 const void *go, const void *lse,
                                 const AttentionOperands<void> &out) {
  auto status = checkOnHost(*matrix);
  if (status)
    status = prepare(/*backward=*/true);
  if (!status)
    return status;
  std::vector<char> sums(sumBytes());
  return runBackward(in, go, lse, out, sums.data());
}
