//===- Profile.h - work along the order, as a histogram -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A profile C(t) is a sorted, disjoint list of bins (part, prefix) with their
// nonzeros and, where measured, cycles and bytes. It is adaptive: counting
// splits a bin until it holds fewer than `min` nonzeros or is a single cell.
// Empty bins are left out. The intensity of any box is the sum of the bins
// inside it; a bin coarser than the box is shared by volume (or by nonzeros
// where the caller knows them). Profiles therefore outlive graphs.
//
// Worked example, min = 2, rows on 4x4, nonzeros (0,0) (0,1) (0,1) (3,3): keys
// 0000 0001 0001 1111. The whole holds 4 and splits into 0 (3 nonzeros) and 1
// (1, a bin). 0 holds 3 and splits, on and on, down to the cells 0000 (1) and
// 0001 (2: a single cell, not split). So the bins are 0000:1 0001:2 1:1.
//
// Source: the profile C of the graph recursion V(t+1) = f(V(t), C(t));
// docs/Algorithms/Profile.md.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_PROFILE_PROFILE_H
#define ASTFE_CORE_PROFILE_PROFILE_H

#include "ASTFE/Core/Order/Space.h"
#include "ASTFE/Core/Target/Constants.h"
#include "ASTFE/Core/Tensor/SparseView.h"

namespace astfe::core {

struct Profile {
  Space space;
  /// What was measured on what; empty when counted.
  std::string kernel, target;
  /// A hash of the pattern that was counted; 0 when unknown.
  uint64_t fingerprint = 0;
  /// One entry per bin, in curve order (parts ascending, then prefixes).
  std::vector<uint32_t> part;
  std::vector<uint8_t> length;
  std::vector<uint64_t> prefix;
  std::vector<int64_t> nonzeros;
  /// Empty when nothing was measured; else one per bin, -1 where unknown.
  std::vector<int64_t> cycles, bytes;

  size_t size() const { return prefix.size(); }
  Prefix bin(size_t i) const { return {prefix[i], length[i]}; }
  int64_t totalNonzeros() const;
  /// True where every bin has cycles: then C is cycles, else nonzeros.
  bool measured() const;
  /// Sorted, disjoint, within the order's depth, counts positive, and the
  /// space is sound.
  Status check() const;
};

struct ProfileOptions {
  /// Bins with fewer nonzeros than this are not split further; at least 1.
  int64_t min = rules::kLeastSplit;
  unsigned threads = 1;
};

/// Counts the nonzeros of `view` along the orders of `space`. O(nonzeros) with
/// a radix partition of the leading key bits; the result does not depend on
/// `threads`. Fails if the shapes differ, or if the view, the space or `min` is
/// not sound.
Result<Profile> countProfile(const SparseView &view, const Space &space,
                             const ProfileOptions &options = {});

} // namespace astfe::core

#endif // ASTFE_CORE_PROFILE_PROFILE_H
