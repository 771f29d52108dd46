//===- EntryList.h - the entries of a file being read ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the readers of both formats share: one line per entry, D indices and a
// value; how much memory may be reserved for a declared number of entries; and
// duplicates. Lines are not remembered: when two entries clash, the text is
// read again to name theirs.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_TENSOR_ENTRYLIST_H
#define ASTFE_LIB_CORE_TENSOR_ENTRYLIST_H

#include "ASTFE/Core/Tensor/MatrixMarket.h"
#include "Support/TextScanner.h"

namespace astfe::core {

/// Reserves room for `entries`, but never more than what is left of the text
/// can hold: a declared count is only a claim.
void reserveEntries(CooTensor &tensor, int64_t entries,
                    const TextScanner &scanner);

/// Sums duplicates, or sets the scanner's error, naming the lines of both, or
/// of the first of those whose sum does not fit.
/// `body` stands where the first entry was read from.
bool settleDuplicates(CooTensor &tensor, const ReadOptions &options,
                      TextScanner body, TextScanner &scanner);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_TENSOR_ENTRYLIST_H
