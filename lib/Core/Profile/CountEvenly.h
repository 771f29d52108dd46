//===- CountEvenly.h - the bins of evenly spread keys ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys that are spread evenly need not be kept: counted by a few more leading
// bits than the bins have, they yield the whole tree. Whether they are is asked
// of a sample. The answer decides the time only; whoever gets false counts the
// bins in another way (CountBins.h).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PROFILE_COUNTEVENLY_H
#define ASTFE_LIB_CORE_PROFILE_COUNTEVENLY_H

#include "Profile/CountBins.h"
#include "Tensor/NonzeroEncoder.h"

namespace astfe::core {

/// Counts the bins of a view's nonzeros, whose coordinates nobody has checked,
/// in a space of one part; `hash` becomes the sum of their hashes. False where
/// the sample is not spread evenly, where some bin is longer than the bits that
/// were counted, or where a coordinate is out of range.
bool countEvenly(const SparseView &view, const NonzeroEncoder &encoder,
                 const BinRule &rule, unsigned threads, uint64_t &hash,
                 std::vector<CountedBox> &bins);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PROFILE_COUNTEVENLY_H
