//===- PassOption.cpp - options out of range are errors -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassOption.h"

using namespace mlir;

namespace astfe {

LogicalResult emitOptionError(MLIRContext *context, StringRef name,
                              StringRef expected, StringRef got) {
  return emitError(UnknownLoc::get(context))
         << "expected option '" << name << "' to be " << expected
         << " but got '" << got << "'";
}

LogicalResult checkAtLeast(MLIRContext *context, StringRef name, int64_t least,
                           int64_t got) {
  if (got >= least)
    return success();
  return emitOptionError(context, name, "at least " + std::to_string(least),
                         std::to_string(got));
}

LogicalResult checkPanel(MLIRContext *context, int64_t got) {
  if (got >= 0 && got <= kMaxPanel)
    return success();
  return emitOptionError(context, "panel", "in 0..62", std::to_string(got));
}

} // namespace astfe
