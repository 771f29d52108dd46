//===- Spans.cpp - the emitter of each class ----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One branch for each class that is compiled in; the last needs no test, as the
// kernel was asked before whether the pattern has others.
//
//===----------------------------------------------------------------------===//

#include "PackedLoops.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

const ClassEmitter &host::emitterOf(core::SegmentClass kind) {
  static const ClassEmitter *const all[] = {
#define ASTFE_CLASS(Name, name, Rest) &k##Name##Emitter,
#include "ASTFE/Core/Kernel/Classes.def"
  };
  return *all[unsigned(kind)];
}

/// Whether rows that a class leaves go through the code for row segments, which
/// would be there twice.
static bool sharesRows(PackedKernel &kernel, core::ClassSet classes) {
  return classes.contains(core::SegmentClass::RowSegments) &&
         llvm::any_of(classes.list(),
                      [](core::SegmentClass kind) {
                        return emitterOf(kind).leavesRows;
                      }) &&
         denseColumns(kernel.body);
}

void host::emitByClass(PackedKernel &kernel, const Span &span,
                       core::ClassSet classes) {
  ImplicitLocOpBuilder &b = kernel.body.b;
  SmallVector<int64_t> kinds;
  for (core::SegmentClass kind : classes.list())
    kinds.push_back(int64_t(kind));
  auto last = core::SegmentClass(kinds.pop_back_val());
  kernel.sharesRows = sharesRows(kernel, classes);
  if (kinds.empty()) {
    emitterOf(last).emit(kernel, span);
    return;
  }
  SmallVector<Type> left(kernel.sharesRows ? 2 : 0, b.getIndexType());
  auto choice =
      scf::IndexSwitchOp::create(b, left, span.kind, kinds, kinds.size());
  auto fill = [&](Region &region, core::SegmentClass kind) {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&region);
    SegmentStart rest = emitterOf(kind).emit(kernel, span);
    if (kernel.sharesRows)
      scf::YieldOp::create(b, ValueRange{rest.segment, rest.slot});
    else
      scf::YieldOp::create(b);
  };
  fill(choice.getDefaultRegion(), last);
  for (auto [kind, region] : llvm::zip(kinds, choice.getCaseRegions()))
    fill(region, core::SegmentClass(kind));
  if (kernel.sharesRows)
    emitRows(kernel, span, {choice.getResult(0), choice.getResult(1)});
}
