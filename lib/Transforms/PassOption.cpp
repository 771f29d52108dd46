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

FailureOr<core::Arrangement> parseArrangement(MLIRContext *context,
                                              StringRef order, int64_t panel,
                                              StringRef reorder,
                                              StringRef hubs) {
  std::optional<core::OrderKind> along = core::parseOrder(order);
  if (!along)
    return emitOptionError(context, "order", "rows, morton, hilbert or panels",
                           order);
  if (failed(checkPanel(context, panel)))
    return failure();
  std::optional<core::ReorderKind> kind = core::parseReorder(reorder);
  if (!kind)
    return emitOptionError(context, "reorder", "none, labels or rcm", reorder);
  std::optional<int64_t> most = core::parseHubs(hubs);
  if (!most)
    return emitOptionError(context, "hubs", "none, auto or a number from 1",
                           hubs);
  return core::Arrangement{*along, unsigned(panel), *kind, *most};
}

LogicalResult checkPanel(MLIRContext *context, int64_t got) {
  if (got >= 0 && got <= kMaxPanel)
    return success();
  return emitOptionError(context, "panel", "in 0..62", std::to_string(got));
}

} // namespace astfe
