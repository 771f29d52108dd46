//===- OperandMemory.h - bytes of operands, before they are ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A system that lends more memory than it has ends the process that fills it,
// without a word: what all operands take together is compared with the
// machine's memory before any of them is allocated.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_OPERANDMEMORY_H
#define ASTFE_TOOLS_RUN_OPERANDMEMORY_H

#include "ASTFE/Core/Support/Status.h"
#include <cstdint>
#include <string>
#include <vector>

namespace astfe::run {

class OperandMemory {
public:
  /// `what` names it in the error, behind its bytes. Bytes are doubles, which
  /// no extents overflow.
  void add(const std::string &what, const std::vector<int64_t> &extents,
           double bytesEach);
  /// An error that names the bytes of all, largest first, where the machine has
  /// fewer.
  core::Status check() const;

private:
  struct Part {
    std::string what;
    double bytes;
  };
  std::vector<Part> parts;
};

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_OPERANDMEMORY_H
