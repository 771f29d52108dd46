//===- HoistFields.cpp - what parallel regions read of descriptors --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Pipelines/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_HOISTFIELDSPASS
#include "ASTFE/Pipelines/Passes.h.inc"

namespace {

/// A field of a value: the value and the field's position in it.
using Field = std::pair<Value, Attribute>;

/// The fields that one region reads of values from outside, each taken once.
class RegionFields {
public:
  explicit RegionFields(omp::ParallelOp region) : region(region) {}

  /// Returns how many the region is handed.
  size_t hoist() {
    SmallVector<LLVM::ExtractValueOp> reads;
    region.walk([&](LLVM::ExtractValueOp op) { reads.push_back(op); });
    for (LLVM::ExtractValueOp op : reads)
      if (Value field = find(op))
        op.replaceAllUsesWith(field);
    for (LLVM::ExtractValueOp op : reads)
      if (op.use_empty())
        eraseWithSource(op);
    return fields.size();
  }

private:
  bool isOutside(Value value) {
    return !region.getRegion().isAncestor(value.getParentRegion());
  }

  /// What `op` reads, if that is known before the region or is a choice of two
  /// such values.
  Value find(LLVM::ExtractValueOp op) {
    Value source = op.getContainer();
    if (isOutside(source))
      return before(source, op);
    auto choice = source.getDefiningOp<LLVM::SelectOp>();
    if (!choice || !isOutside(choice.getTrueValue()) ||
        !isOutside(choice.getFalseValue()))
      return {};
    OpBuilder b(op);
    return LLVM::SelectOp::create(b, op.getLoc(), choice.getCondition(),
                                  before(choice.getTrueValue(), op),
                                  before(choice.getFalseValue(), op));
  }

  Value before(Value source, LLVM::ExtractValueOp op) {
    Value &field = fields[Field(source, op.getPositionAttr())];
    if (!field) {
      OpBuilder b(region);
      field = b.createOrFold<LLVM::ExtractValueOp>(op.getLoc(), source,
                                                   op.getPosition());
    }
    return field;
  }

  void eraseWithSource(LLVM::ExtractValueOp op) {
    Operation *source = op.getContainer().getDefiningOp<LLVM::SelectOp>();
    op.erase();
    if (source && source->use_empty())
      source->erase();
  }

  omp::ParallelOp region;
  llvm::DenseMap<Field, Value> fields;
};

struct HoistFieldsPass : impl::HoistFieldsPassBase<HoistFieldsPass> {
  void runOnOperation() override {
    getOperation().walk([&](omp::ParallelOp region) {
      numHoisted += RegionFields(region).hoist();
    });
  }
};
} // namespace

} // namespace astfe
