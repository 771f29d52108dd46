//===- AttentionText.h - sparse attention as chains in MLIR ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three functions, each one astfe.fused for a head, with
// s_ij = mask_ij(<Q_i, K_j> / sqrt(dim)) for stored entries and
// p_ij = exp(s_ij - lse_i):
//
//   forward  m_i = max s_ij, l_i = sum of exp(s_ij - m_i),
//            lse_i = m_i + ln l_i, O_i = sum of exp(s_ij - m_i) / l_i V_j
//   rows     g_ij = <G_i, V_j>, D_i = sum of p_ij g_ij,
//            dQ_i = sum of p_ij (g_ij - D_i) / sqrt(dim) [mask_ij] K_j
//   columns  dV_j = sum of p_ij G_i,
//            dK_j = sum of p_ij (g_ij - D_i) / sqrt(dim) [mask_ij] Q_i
//
// where G is the gradient of O. D_i equals <G_i, O_i>, and is summed over the
// row's entries, which the chain has at hand, so that O is not read again. The
// third is over the transposed matrix: its rows are the columns j.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_ATTENTIONTEXT_H
#define ASTFE_PRODUCT_ATTENTIONTEXT_H

#include "ASTFE/Core/Support/Element.h"
#include "ASTFE/Core/Support/Status.h"
#include <cstdint>
#include <string>

namespace astfe::product {

enum class Mask {
#define ASTFE_MASK(Name, name, What) Name,
#include "ASTFE/Product/Masks.def"
};
core::NameList maskNames();

/// What the code of attention depends on.
struct AttentionShape {
  int64_t heads = 1, dim = 64;
  core::Element element = core::Element::F32; ///< a float
  Mask mask = Mask::Pattern;

  /// Heads and dimensions are 1 to 2^20.
  core::Status check() const;
  /// 1 / sqrt(dim).
  double scale() const;
  /// Of scores, sums and lse: f32 for halves.
  core::Element sums() const {
    return core::isHalf(element) ? core::Element::F32 : element;
  }
};

enum class AttentionChain { Forward, Rows, Columns };
/// The function's name.
std::string_view chainName(AttentionChain chain);

/// Which heads a function computes, and how the rows of their buffers lie.
enum class Heads {
  OneOfMany, ///< one; what nonzeros gather lies side by side, others apart
  TheOnly,   ///< one; rows lie side by side
  All        ///< all, of buffers (row, head, dim) and (row, head)
};

/// A module with one function, whose arguments are a matrix in compressed rows
/// with indices of 32 bits, and then, in this order, buffers, of which those in
/// brackets are gathered by the nonzeros:
///
///   forward  Q [K V], O lse
///   rows     Q [K V] G lse, dQ D
///   columns  [Q] K V [G lse D], dK dV
///
/// The code is the same for any number of heads from two on. Of all heads a
/// loop runs the chain on slices, which for a GPU becomes one kernel.
std::string attentionText(const AttentionShape &shape, AttentionChain chain,
                          Heads heads = Heads::OneOfMany);

} // namespace astfe::product

#endif // ASTFE_PRODUCT_ATTENTIONTEXT_H
