//===- Attention.h - sparse attention over one pattern --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// softmax(mask(Q K^T / sqrt(dim))) V over the stored entries of a matrix, for
// every head, and its gradients, as AttentionText.h says. Operands are
// contiguous arrays (row, head, dim). Q, O and their gradients have a row for
// each row of the matrix, K, V and theirs one for each column; lse is (row,
// head).
//
// Worked example, for a checked view of a CSR matrix:
//
//   AttentionShape shape{/*heads=*/8, /*dim=*/64};
//   auto attention = Attention::create(view, nullptr, shape, compile);
//   auto status = (*attention)->forward({q, k, v}, o, lse);
//   status = (*attention)->backward({q, k, v}, go, lse, {dq, dk, dv});
//
// On a GPU, with operands in its memory, forwardOn() and backwardOn() put the
// same on a stream.
//
// Rows without entries get O = 0 and lse = -inf, and so do rows that an added
// mask masks whole. The same operands give the same bits on one machine,
// whatever the number of threads: sums of a row, or in gradients by column of a
// column, have a fixed order.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_ATTENTION_H
#define ASTFE_PRODUCT_ATTENTION_H

#include "ASTFE/Product/AttentionText.h"
#include "ASTFE/Product/ChainMatrix.h"
#include "ASTFE/Product/ChainPrograms.h"
#include "ASTFE/Product/DeviceOperand.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace astfe::product {

/// Memory for the head that a call is at. What the nonzeros gather is copied
/// there: rows of one head among those of others are a power of two apart more
/// often than not, and would use a few sets of the caches only. It stays for
/// the next call; as many as run at a time are made. It begins at a cache line.
class HeadCopies {
public:
  static constexpr size_t kLine = 64;
  /// Room for so many bytes, the same for each call; given back when it goes.
  std::shared_ptr<char> take(size_t bytes);

private:
  std::mutex mutex;
  size_t made = 0;
  struct Free {
    void operator()(char *room) const {
      operator delete[](room, std::align_val_t(kLine));
    }
  };
  std::vector<std::unique_ptr<char[], Free>> idle;
};

/// Q, K and V, or their gradients.
template <typename Data>
struct AttentionOperands {
  Data *q, *k, *v;
};

class Attention {
public:
  /// Copies the pattern, and `values`, which may be null where the mask is the
  /// pattern alone. Fails for values that are not finite, but for -inf of an
  /// added mask.
  static core::Result<std::unique_ptr<Attention>>
  create(const core::SparseView &view, const void *values,
         const AttentionShape &shape, CompileChain compile,
         const ChainPlace &place = {});

  /// Other values of the mask; waits for what runs.
  core::Status setValues(const void *values);

  /// Compiles what the first forward(), or the first backward(), would.
  core::Status prepare(bool backward);
  core::Status forward(const AttentionOperands<const void> &in, void *o,
                       void *lse);
  /// Gradients for `go`, that of O, from what forward() wrote into `lse`.
  core::Status backward(const AttentionOperands<const void> &in, const void *go,
                        const void *lse, const AttentionOperands<void> &out);
  /// The same on a GPU's stream, for which nothing waits and nothing is copied.
  /// Operands are checked first.
  core::Status forwardOn(void *stream, const AttentionOperands<const void> &in,
                         void *o, void *lse);
  core::Status backwardOn(void *stream, const AttentionOperands<const void> &in,
                          const void *go, const void *lse,
                          const AttentionOperands<void> &out);

  const AttentionShape &shape() const { return attentionShape; }
  int64_t rows() const { return matrix->rows(); }
  int64_t columns() const { return matrix->columns(); }
  int64_t nonzeros() const { return matrix->nonzeros(); }

private:
  /// The operands of one head, or of all, as a chain takes them.
  class HeadCall;

  Attention(const AttentionShape &shape, std::unique_ptr<ChainMatrix> matrix,
            CompileChain compile)
      : attentionShape(shape), matrix(std::move(matrix)),
        programs(std::move(compile)) {}
  core::Status prepareChain(AttentionChain chain, ChainMatrix::Walk walk);
  core::Status checkValues(const void *values) const;
  /// What a call of a chain computes.
  Heads headsOfCall() const;
  /// Calls the chain for each head, or for all at once, with what `pass` adds
  /// behind the matrix, whose values are held.
  core::Status run(AttentionChain chain,
                   llvm::function_ref<void(HeadCall &)> pass);
  core::Status runForward(const AttentionOperands<const void> &in, void *o,
                          void *lse);
  /// `sums`: room for an element of each row and head.
  core::Status runBackward(const AttentionOperands<const void> &in,
                           const void *go, const void *lse,
                           const AttentionOperands<void> &out, void *sums);
  size_t sumBytes() const {
    return size_t(rows() * attentionShape.heads) *
           size_t(core::elementBytes(attentionShape.sums()));
  }
  /// Operands by the names that errors have for them, and the checks before
  /// anything is put on a stream.
  DeviceOperand operandOf(const char *name, const void *data,
                          int64_t rows) const;
  DeviceOperand sumsOf(const char *name, const void *data) const;
  core::Status checkOn(void *stream, llvm::ArrayRef<DeviceOperand> inputs,
                       llvm::ArrayRef<DeviceOperand> outputs) const;

  const AttentionShape attentionShape;
  const std::unique_ptr<ChainMatrix> matrix;
  ChainPrograms programs;
  HeadCopies copies;
  rt::DeviceLoans loans; ///< sums of gradients
};

} // namespace astfe::product

#endif // ASTFE_PRODUCT_ATTENTION_H
