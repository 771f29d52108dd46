//===- AttachProfile.cpp - profiles from files to IR ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/PassOption.h"
#include "ASTFE/Analysis/Remark.h"
#include "ASTFE/Core/Profile/ProfileFile.h"
#include "ASTFE/Core/Tensor/Frostt.h"
#include "ASTFE/Dialect/CoreValues.h"
#include "ASTFE/Transforms/Passes.h"
#include "GraphChain.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_ATTACHPROFILEPASS
#include "ASTFE/Transforms/Passes.h.inc"

/// Counts the tensor in a file under an arrangement.
static core::Result<core::Profile>
countFile(const std::string &path, const core::Arrangement &arrangement,
          int64_t min) {
  auto tensor = core::readTensor(path);
  if (!tensor)
    return tensor.error();
  auto space = core::arrange(tensor->view(), arrangement);
  if (!space)
    return space.error();
  core::ProfileOptions options;
  options.min = min;
  return core::countProfile(tensor->view(), *space, options);
}

namespace {
struct AttachProfilePass
    : CheckedOptions<impl::AttachProfilePassBase<AttachProfilePass>> {
  using CheckedOptions::CheckedOptions;

  core::Status checkOptions() override {
    auto parsed = parseArrangement(order, panel, reorder, hubs);
    if (!parsed)
      return parsed.error();
    arrangement = *parsed;
    if (file.empty() == matrix.empty())
      return core::Error{"expected one of the options 'file' and 'matrix'"};
    return allOf({checkAtLeast("arg", -1, arg), checkAtLeast("min", 1, min)});
  }

  void runOnOperation() override {
    if (failed(checkArgument()))
      return signalPassFailure();
    auto profile = readOrCount();
    if (!profile) {
      emitError(getOperation().getLoc()) << profile.message();
      return signalPassFailure();
    }
    ProfileAttr known = toAttr(&getContext(), *profile);
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(attach(function, known)))
        return signalPassFailure();
  }

  core::Result<core::Profile> readOrCount() {
    if (!file.empty())
      return core::readProfile(file);
    return countFile(matrix, arrangement, min);
  }

  /// `arg` names a sparse argument of at least one function.
  LogicalResult checkArgument() {
    if (arg < 0)
      return success();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (llvm::any_of(function.getArguments(), [&](BlockArgument argument) {
            return isSparse(argument) && isWanted(argument);
          }))
        return success();
    return emitError(getOperation().getLoc())
           << "expected a function whose argument " << arg.getValue()
           << " is sparse but got none";
  }

  static bool isSparse(Value value) {
    // Specifiers of bufferized tensors have an encoding too.
    return isa<RankedTensorType>(value.getType()) &&
           sparse_tensor::getSparseTensorEncoding(value.getType());
  }

  LogicalResult attach(func::FuncOp function, ProfileAttr known) {
    for (BlockArgument argument : function.getArguments()) {
      if (!isSparse(argument) || !isWanted(argument))
        continue;
      if (auto fits = checkFits(argument.getType(), known); !fits)
        return emitError(argument.getLoc(), unfitText(fits));
      function.setArgAttr(argument.getArgNumber(), kProfileAttrName, known);
      ++numAttached;
      remark::passed(function.getLoc(),
                     remarkOf(function, getArgument(), "attached"))
          << remark::metric("argument", argument.getArgNumber())
          << remark::metric("bins", int64_t(known.getPrefix().size()));
    }
    auto result = function.walk([&](ProfileOp op) {
      auto argument = dyn_cast<BlockArgument>(op.getTensor());
      if (arg >= 0 && (!argument || !isWanted(argument)))
        return WalkResult::advance();
      // Of a transpose it says nothing.
      if (op.getTensor().getDefiningOp<sparse_tensor::ReinterpretMapOp>())
        return WalkResult::advance();
      auto fits = checkFits(op.getTensor().getType(), known);
      if (fits)
        fits = checkOrder(known, op.getOrder(), op.getPanel());
      if (!fits)
        return WalkResult(emitError(op.getLoc(), unfitText(fits)));
      op.setKnownAttr(known);
      op.removeSearchAttr();
      ++numAttached;
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  bool isWanted(BlockArgument argument) {
    return arg < 0 || int64_t(argument.getArgNumber()) == arg;
  }

  /// "the profile in 'a.mtx' does not fit: <why>".
  std::string unfitText(const core::Status &fits) {
    return "the profile in '" + (file.empty() ? matrix : file) +
           "' does not fit: " + fits.message();
  }

  static core::Status checkFits(Type tensor, ProfileAttr known) {
    return checkExtents(cast<RankedTensorType>(tensor).getShape(),
                        known.getSpace().getShape());
  }

  core::Arrangement arrangement;
};
} // namespace
} // namespace astfe
