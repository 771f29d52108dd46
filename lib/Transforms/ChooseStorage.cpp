//===- ChooseStorage.cpp - packed or stored, at run time ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/ComputePlan.h"
#include "ASTFE/Analysis/Remark.h"
#include "ASTFE/Analysis/StoredLevels.h"
#include "ASTFE/Core/Kernel/Kernel.h"
#include "ASTFE/Transforms/Passes.h"
#include "DenseColumns.h"
#include "GraphChain.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_CHOOSESTORAGEPASS
#include "ASTFE/Transforms/Passes.h.inc"

/// A packed matrix by rows which can be viewed, too.
static bool isPackedRows(PackOp pack) {
  auto matrix = CompressedMatrix::of(pack.getTensor().getType());
  const core::Layout layout = toCore(pack.getResult().getType().getLayout());
  return pack.getGraph() && matrix && !matrix->byColumns &&
         matrix->isReadAsIs() && layout.storage == core::Storage::Packed &&
         layout.target == core::PackTarget::Host &&
         !pack.getTensor().getDefiningOp<sparse_tensor::ReinterpretMapOp>();
}

/// The values of the pattern that `compute` reads nonzero by nonzero are those
/// of the tensor, which a view has, too.
static bool readsStoredValues(ComputeOp compute) {
  for (auto [input, map] :
       llvm::zip(compute.getInputs(), compute.getMapArray())) {
    auto values = input.getDefiningOp<ValuesOp>();
    if (map.isFunctionOfDim(0) &&
        (!values || values.getPattern() != compute.getPattern()))
      return false;
  }
  return true;
}

/// Nothing is read by the columns of the matrix, and there is no dense
/// dimension: rows of what is stored are summed up.
static bool sumsStored(ComputeOp compute) {
  return compute.getIterationRank() == 3 &&
         llvm::none_of(compute.getMapArray(), [](AffineMap map) {
           return map.isFunctionOfDim(2);
         });
}

/// Whether the rule for views is about it: a product into rows, or their sums.
static bool isProduct(ComputeOp compute) {
  PlanRefusal refusal;
  auto plan = planCompute(questionOf(compute, PlanTarget::Host), refusal);
  return plan && !isa<FusedOp>(compute->getParentOp()) &&
         compute->getNumResults() == 1 &&
         (denseColumns(compute, 1) || sumsStored(compute)) &&
         compute.getMapArray().back().isFunctionOfDim(1) &&
         !compute.getMapArray().back().isFunctionOfDim(0) &&
         readsStoredValues(compute);
}

/// Whether nobody but computations over the same pattern reads them: of what is
/// stored they are empty.
static bool areOfProducts(ValuesOp values) {
  return llvm::all_of(values->getUsers(), [&](Operation *reader) {
    auto compute = dyn_cast<ComputeOp>(reader);
    return compute && compute.getPattern() == values.getPattern();
  });
}

/// The computations over patterns of the tensor; none where one is no product.
static SmallVector<ComputeOp> productsOf(ArrayRef<PackOp> packs) {
  SmallVector<Operation *> users;
  for (PackOp pack : packs)
    llvm::append_range(users, pack->getUsers());
  SmallVector<ComputeOp> products;
  for (Operation *user : users) {
    auto compute = dyn_cast<ComputeOp>(user);
    auto values = dyn_cast<ValuesOp>(user);
    if (compute ? !isProduct(compute) : !values || !areOfProducts(values))
      return {};
    if (compute)
      products.push_back(compute);
  }
  return products;
}

/// A product as the rule counts it: parts of complex numbers are columns.
static ProductsAttr counted(ComputeOp compute, int64_t assumedColumns) {
  const Type element = getElementTypeOrSelf(compute.getOutputs().front());
  const int64_t parts = isa<ComplexType>(element) ? 2 : 1;
  const int64_t columns =
      sumsStored(compute) ? 0 : *denseColumns(compute, assumedColumns);
  return ProductsAttr::get(
      compute.getContext(),
      std::min(columns, std::numeric_limits<int64_t>::max() / parts) * parts,
      elementBytes(element) / parts);
}

/// The one of the products whose rows of a result take most bytes.
static ProductsAttr countWidest(ArrayRef<ComputeOp> products,
                                int64_t assumedColumns) {
  ProductsAttr widest;
  auto bytesOf = [](ProductsAttr products) {
    return double(products.getColumns()) * double(products.getElementBytes());
  };
  for (ComputeOp compute : products) {
    auto product = counted(compute, assumedColumns);
    if (!widest || bytesOf(widest) < bytesOf(product))
      widest = product;
  }
  return widest;
}

/// The same computation over the matrix as it is stored.
static ComputeOp cloneOverView(OpBuilder &b, ComputeOp compute, PackOp pack) {
  core::Layout layout;
  layout.storage = core::Storage::View;
  layout.classes = core::ClassSet::of(core::SegmentClass::RowSegments);
  const Location loc = compute.getLoc();
  auto view = PackOp::create(
      b, loc,
      BlockedType::get(b.getContext(), pack.getResult().getType().getShape(),
                       toAttr(b.getContext(), layout)),
      pack.getTensor(), Value(), ProductsAttr());
  IRMapping mapping;
  mapping.map(pack.getResult(), view.getResult());
  for (Value input : compute.getInputs())
    if (auto values = input.getDefiningOp<ValuesOp>();
        values && values.getPattern() == pack.getResult())
      mapping.map(input, ValuesOp::create(b, loc, input.getType(),
                                          values.getTensor(), view));
  auto stored = cast<ComputeOp>(b.clone(*compute, mapping));
  core::Kernel kernel = toCore(*compute.getKernel());
  kernel.classes = layout.classes;
  stored.setKernelAttr(toAttr(b.getContext(), kernel));
  return stored;
}

/// Whether every product has code over a view that sums into rows.
static bool canBeStored(ArrayRef<ComputeOp> products) {
  return llvm::all_of(products, [&](ComputeOp compute) {
    ComputeQuestion question = questionOf(compute, PlanTarget::Host);
    question.layout.storage = core::Storage::View;
    question.storedModes = {1, 2};
    PlanRefusal refusal;
    auto plan = planCompute(question, refusal);
    return compute.getKernel() && plan && !plan->isSerial() &&
           plan->walk == Walk::Segments;
  });
}

static void dispatch(ComputeOp compute) {
  auto pack = compute.getPattern().getDefiningOp<PackOp>();
  OpBuilder b(compute);
  const Location loc = compute.getLoc();
  auto isStored = IsStoredOp::create(b, loc, b.getI1Type(), pack);
  auto choice = scf::IfOp::create(b, loc, compute->getResultTypes(), isStored,
                                  /*withElseRegion=*/true);
  compute->getResult(0).replaceAllUsesWith(choice.getResult(0));
  b = choice.getThenBodyBuilder();
  ComputeOp stored = cloneOverView(b, compute, pack);
  scf::YieldOp::create(b, loc, stored->getResults());
  b = choice.getElseBodyBuilder();
  auto yield = scf::YieldOp::create(b, loc, compute->getResults());
  compute->moveBefore(yield);
}

namespace {
struct ChooseStoragePass : impl::ChooseStoragePassBase<ChooseStoragePass> {
  using ChooseStoragePassBase::ChooseStoragePassBase;

  void runOnOperation() override {
    // Packs of a tensor become one later on, so that they are marked alike.
    llvm::MapVector<Value, SmallVector<PackOp>> packs;
    getOperation()->walk([&](PackOp pack) {
      if (isPackedRows(pack))
        packs[pack.getTensor()].push_back(pack);
    });
    for (auto &[tensor, ofTensor] : packs)
      if (llvm::all_of(ofTensor, isUsedByOursOnly))
        leaveToRunTime(ofTensor);
  }

  void leaveToRunTime(ArrayRef<PackOp> packs) {
    const SmallVector<ComputeOp> products = productsOf(packs);
    if (products.empty() || !canBeStored(products))
      return;
    const ProductsAttr widest = countWidest(products, columns);
    for (ComputeOp compute : products)
      dispatch(compute);
    for (PackOp pack : packs) {
      pack.setUnlessStoredAttr(widest);
      remark::passed(pack.getLoc(), remarkOf(pack, getArgument(), "run-time"))
          << "packs unless the matrix is as fast where it is stored"
          << remark::metric("columns", widest.getColumns());
      ++numLeft;
    }
  }
};
} // namespace
} // namespace astfe
