//===- Checks.h - what must hold on a GPU --------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every check has a line of its own where it fails; they are counted.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_GPUCHECK_CHECKS_H
#define ASTFE_TOOLS_GPUCHECK_CHECKS_H

#include "Product.h"

namespace astfe::gpucheck {

/// Counts what passed and prints what failed.
class Tally {
public:
  void add(const std::string &name, const core::Status &status);
  /// What this device has no room for, which is no failure.
  void skip(const std::string &name, const std::string &why);
  int64_t passed = 0, failed = 0;
};

struct Suite {
  rt::Device &device;
  std::string folder;
  std::vector<Case> cases; ///< products
  std::vector<Sample> samples;
  Tally &tally;

  /// The first case with these properties, or null.
  const Case *find(bool view, bool deterministic, bool isVector,
                   bool isDouble) const;
};

/// One product on fresh operands, against float64.
core::Status checkProduct(rt::Device &device, const Product &product,
                          const LoadedCase &which, const Sample &sample,
                          int64_t columns, size_t shift = 0);

/// Every case with every sample and several numbers of columns; deterministic
/// ones `repeats` times, with the same bits.
void checkProducts(Suite &suite, int64_t repeats);
/// Sparse attention with every sample.
void checkAttention(Suite &suite, const Case &which);
/// What must be an error with a text, after which all goes on.
void checkErrors(Suite &suite);
/// Threads, streams, numbers that are nearly zero.
void checkUses(Suite &suite);
/// Grids beyond what CUDA counts in y, offsets beyond 32 bits. They take up to
/// 20 GB of the device's memory.
void checkLarge(Suite &suite);

} // namespace astfe::gpucheck

#endif // ASTFE_TOOLS_GPUCHECK_CHECKS_H
