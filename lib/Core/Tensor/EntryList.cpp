//===- EntryList.cpp - the entries of a file being read -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensor/EntryList.h"
#include "Tensor/Duplicates.h"
#include <algorithm>

namespace astfe::core {

void reserveEntries(CooTensor &tensor, int64_t entries,
                    const TextScanner &scanner) {
  // An index and what separates it take two bytes at least.
  int64_t bytes = 2 * int64_t(tensor.coordinates.size());
  size_t count = size_t(std::min(entries, scanner.remaining() / bytes + 1));
  for (auto &mode : tensor.coordinates)
    mode.reserve(count);
  tensor.values.reserve(count);
}

/// The line of entry number `entry`, counted from where `body` stands.
static int64_t lineOfEntry(TextScanner body, int64_t entry) {
  while (body.nextFilledLine() && entry-- > 0)
    body.nextLine();
  return body.line();
}

bool settleDuplicates(CooTensor &tensor, const ReadOptions &options,
                      TextScanner body, TextScanner &scanner) {
  if (options.duplicates == Duplicates::Sum) {
    std::optional<int64_t> wrong = sumDuplicates(tensor, options.integerBits);
    return !wrong ||
           scanner.failAt(lineOfEntry(body, *wrong),
                          "expected entries of the same indices whose sum i" +
                              std::to_string(options.integerBits) + " holds");
  }
  std::optional<DuplicatePair> pair = findDuplicate(tensor);
  if (!pair)
    return true;
  std::string indices;
  for (const auto &coordinates : tensor.coordinates)
    indices += (indices.empty() ? "" : ", ") +
               std::to_string(coordinates[size_t(pair->first)] + 1);
  return scanner.failAt(lineOfEntry(body, pair->second),
                        "expected each entry once but got (" + indices +
                            ") again, first on line " +
                            std::to_string(lineOfEntry(body, pair->first)));
}

} // namespace astfe::core
