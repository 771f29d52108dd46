//===- ChainLaunch.cpp - the host side of a chain's kernel ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As Launch.cpp does for one computation: operands whose extents differ are an
// error before anything is written, and the kernel is launched only where all
// that it reads is in the device's memory.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "ASTFE/Conversion/Outputs.h"
#include "Branch.h"
#include "ChainKernel.h"
#include "DeviceOperands.h"
#include "Emitter.h"
#include "RowLengths.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace astfe::gpukernel {

namespace {
class ChainLauncher {
public:
  ChainLauncher(OpBuilder &builder, const ChainKernelPlans &plans,
                gpu::GPUModuleOp module, bool deviceOperands)
      : host(builder, FusedOp(plans.front().op).getLoc()), plans(plans),
        plan(plans.front()), module(module), deviceOperands(deviceOperands) {}

  /// `operands` are those of the chain, with buffers for tensors.
  void run(Values operands);

private:
  Value extentsFit();
  Value stridesFit();
  Value headsFit();
  Value memberFits(ComputeOp op);
  Value epilogueFits(linalg::GenericOp op);
  Value operandsFit(ValueRange given, ArrayRef<AffineMap> maps,
                    llvm::SmallDenseMap<unsigned, Value> extents);
  void countWorkers();
  void compute();
  void launchAll();
  void launchVariant(const ChainKernelPlan &variant);
  void launchCut(const ChainKernelPlan &variant);
  void launch(const ChainKernelPlan &variant, ChainPart part);
  Value haveVectors();
  Value partialRows();
  Value partialElements();
  Value argumentValue(const ChainArgument &argument);
  /// Index: elements from one, or from a row, to the next.
  Value strideOf(unsigned operand) {
    return memref::ExtractStridedMetadataOp::create(host.b, operands[operand])
        .getStrides()
        .front();
  }
  /// Index: an extent of the operand, as the chain sees it.
  Value extentOf(unsigned operand, unsigned dim) {
    return host.dim(operands[operand], plan.dimOf(operand, dim));
  }
  unsigned numberOf(Value origin) {
    return cast<BlockArgument>(origin).getArgNumber() - 1;
  }
  static int64_t rankOf(Value origin) {
    return cast<ShapedType>(origin.getType()).getRank();
  }
  Value isLeast(Value least, Value size) {
    return arith::CmpIOp::create(host.b, arith::CmpIPredicate::uge, size,
                                 least);
  }
  Value isSmall(Value size) {
    return arith::CmpIOp::create(host.b, arith::CmpIPredicate::ule, size,
                                 host.index(INT32_MAX));
  }

  HostBuilder host;
  const ChainKernelPlans &plans;
  const ChainKernelPlan &plan; ///< the first; others differ in vectors only
  gpu::GPUModuleOp module;
  const bool deviceOperands;
  Values operands;
  Value positions, coordinates, rows, columns;
  Value keys;    ///< rows of the view: columns of a CSC one
  Value heads;   ///< index: null where there is one
  Value workers; ///< i64
  // Where rows may be cut.
  std::optional<RowLengths> lengths;
  RowCut cut;
  Value partials;
};
} // namespace

/// i1: the extents of a member's operands agree with each other and with the
/// pattern's.
Value ChainLauncher::memberFits(ComputeOp op) {
  // Dimension 0 counts nonzeros, whose number is in the positions.
  return operandsFit(op->getOperands().drop_front(), op.getMapArray(),
                     {{0, Value()}, {1, rows}, {2, columns}});
}

Value ChainLauncher::epilogueFits(linalg::GenericOp op) {
  return operandsFit(op->getOperands(), op.getIndexingMapsArray(), {{0, keys}});
}

/// Of dimensions without an extent the first operand says it; one that is null
/// is not asked for.
Value ChainLauncher::operandsFit(ValueRange given, ArrayRef<AffineMap> maps,
                                 llvm::SmallDenseMap<unsigned, Value> extents) {
  Value fits = host.isTrue();
  for (auto [operand, map] : llvm::zip(given, maps)) {
    Value origin = FusedOp::getOrigin(operand);
    if (origin.getDefiningOp<LocalOp>())
      continue;
    for (unsigned r = 0; r < map.getNumResults(); ++r) {
      const unsigned dim = map.getDimPosition(r);
      if (extents.contains(dim) && !extents.lookup(dim))
        continue;
      Value size = extentOf(numberOf(origin), r);
      auto [known, isNew] = extents.try_emplace(dim, size);
      if (!isNew)
        fits = host.both(fits, host.equal(size, known->second));
      else
        fits = host.both(fits, isSmall(size));
    }
  }
  return fits;
}

Value ChainLauncher::extentsFit() {
  Value fits = host.both(isSmall(rows), isSmall(columns));
  for (const ChainStep &step : plan.chain.steps)
    fits = host.both(fits, memberFits(step.op));
  for (const ChainStep &step : plan.chain.steps)
    for (ArrayRef<Operation *> epilogues :
         {ArrayRef(step.epilogues), ArrayRef(step.followers)})
      for (Operation *epilogue : epilogues)
        fits = host.both(fits, epilogueFits(cast<linalg::GenericOp>(epilogue)));
  return fits;
}

/// i1: kernels can count rows that lie apart, and no two rows of an output
/// share memory.
Value ChainLauncher::stridesFit() {
  const auto inputs = unsigned(FusedOp(plan.op).getInputs().size());
  Value fits = host.isTrue();
  for (unsigned i = 0; i < operands.size(); ++i) {
    if (!plan.strided[i])
      continue;
    Value stride = strideOf(i);
    fits = host.both(fits, isSmall(stride));
    if (i < inputs)
      continue;
    const int64_t rank = rankOf(FusedOp(plan.op).getBody().getArgument(i + 1));
    Value least = rank > 1 ? extentOf(i, unsigned(rank - 1)) : host.index(1);
    fits = host.both(fits, isLeast(least, stride));
  }
  return fits;
}

/// i1: there are as many heads of each operand as the loop has iterations, and
/// 32 bits count their rows.
Value ChainLauncher::headsFit() {
  // The grid has so many along x.
  Value fits = isSmall(heads);
  for (unsigned i = 0; i < operands.size(); ++i) {
    auto head = plan.headDim(i);
    if (!head)
      continue;
    fits = host.both(fits, isLeast(heads, host.dim(operands[i], *head)));
    Value all = arith::MulIOp::create(host.b, host.dim(operands[i], 0),
                                      host.dim(operands[i], 1));
    fits = host.both(fits, isSmall(all));
  }
  return fits;
}

Value ChainLauncher::argumentValue(const ChainArgument &argument) {
  switch (argument.role) {
  case ChainArgumentRole::Positions:
    return host.pointer(positions);
  case ChainArgumentRole::Coordinates:
    return host.pointer(coordinates);
  case ChainArgumentRole::Operand: {
    Value operand = operands[argument.operand];
    return argument.isPointer ? host.pointer(operand) : operand;
  }
  case ChainArgumentRole::Extent: {
    const int64_t rank =
        rankOf(FusedOp(plan.op).getBody().getArgument(argument.operand + 1));
    return host.convert(extentOf(argument.operand, unsigned(rank - 1)),
                        argument.type);
  }
  case ChainArgumentRole::Offset:
    return host.convert(memref::ExtractStridedMetadataOp::create(
                            host.b, operands[argument.operand])
                            .getOffset(),
                        argument.type);
  case ChainArgumentRole::Stride:
    return host.convert(strideOf(argument.operand), argument.type);
  case ChainArgumentRole::HeadRows:
    return host.convert(host.dim(operands[argument.operand], 1), argument.type);
  case ChainArgumentRole::Workers:
    return host.convert(workers, argument.type);
  case ChainArgumentRole::Rows:
    return host.convert(keys, argument.type);
  case ChainArgumentRole::Partials:
    return host.pointer(partials);
  case ChainArgumentRole::PartialRows:
    return host.convert(partialRows(), argument.type);
  case ChainArgumentRole::Least:
    return host.convert(cut.least, argument.type);
  case ChainArgumentRole::Piece:
    return host.convert(cut.piece, argument.type);
  }
  llvm_unreachable("every role has a value");
}

void ChainLauncher::launch(const ChainKernelPlan &variant, ChainPart part) {
  Values values;
  for (const ChainArgument &argument : chainArguments(variant, part))
    values.push_back(argumentValue(argument));
  Value one = host.index(1);
  Value blocks =
      host.ceilDiv(host.convert(workers, host.b.getIndexType()), kBlockWarps);
  gpu::KernelDim3 grid{blocks, one, one};
  if (heads)
    grid = {heads, blocks, one};
  host.launch(module, variant.nameOf(part), grid, values);
}

/// Index: of a head. Two rows can lie in a piece.
Value ChainLauncher::partialRows() {
  return arith::MulIOp::create(host.b, cut.pieces, host.index(2));
}

Value ChainLauncher::partialElements() {
  Value width = host.index(plan.partialScalars());
  for (const ChainStep &step : plan.chain.steps)
    if (step.role == ChainRole::Product) {
      Value output = step.written();
      width = arith::AddIOp::create(
          host.b, width,
          extentOf(numberOf(output), unsigned(rankOf(output) - 1)));
    }
  Value number = partialRows();
  if (heads)
    number = arith::MulIOp::create(host.b, number, heads);
  return arith::MulIOp::create(host.b, number, width);
}

void ChainLauncher::launchCut(const ChainKernelPlan &variant) {
  auto type = MemRefType::get({ShapedType::kDynamic}, plan.chain.element);
  partials = host.allocate(type, partialElements());
  branch(host.b, host.isThere(partials), [&] {
    for (ChainPart part : partsOfCut(variant))
      launch(variant, part);
  });
  host.deallocate(partials);
}

void ChainLauncher::launchVariant(const ChainKernelPlan &variant) {
  auto whole = [&] { launch(variant, ChainPart()); };
  if (!lengths)
    return whole();
  cut = lengths->cut(host, core::rules::kChainPiece,
                     core::rules::kChainRowPieces);
  lengths->whereLong(
      host, cut, [&] { launchCut(variant); }, whole);
}

/// i1: rows of what is loaded in vectors begin where vectors do.
Value ChainLauncher::haveVectors() {
  const unsigned vector = plan.widestVector();
  Value fits = host.isTrue();
  for (unsigned i = 0; i < operands.size(); ++i) {
    if (!plan.hasVectorsOf(i))
      continue;
    auto type = cast<MemRefType>(operands[i].getType());
    fits = host.both(
        fits, host.aligned(operands[i],
                           vector * bytesInMemory(type.getElementType())));
    if (!plan.strided[i])
      continue;
    Value rest =
        arith::RemUIOp::create(host.b, strideOf(i), host.index(vector));
    fits = host.both(fits, host.equal(rest, host.index(0)));
  }
  return fits;
}

void ChainLauncher::launchAll() {
  if (plans.size() == 1)
    return launchVariant(plan);
  branch(
      host.b, haveVectors(), [&] { launchVariant(plan); },
      [&] { launchVariant(plans.back()); });
}

void ChainLauncher::compute() {
  FusedOp op = plan.op;
  if (deviceOperands) {
    if (plan.cuts)
      lengths = RowLengths::unread(host, host.dim(coordinates, 0), workers);
    const auto inputs = unsigned(op.getInputs().size());
    const ArrayRef<Value> all = operands;
    return whereReachable(host,
                          {Values(all.take_front(inputs)),
                           Values(all.drop_front(inputs)), positions,
                           coordinates},
                          [&] { launchAll(); });
  }
  lengths = RowLengths::read(host, positions, keys, workers);
  const Values onHost = operands;
  SmallVector<Value *> staged{&positions, &coordinates};
  for (Value &operand : operands)
    if (isa<MemRefType>(operand.getType()))
      staged.push_back(&operand);
  host.copyIn(staged);
  Value isThere = host.isTrue();
  for (Value buffer : host.copies())
    isThere = host.both(isThere, host.isThere(buffer));
  branch(host.b, isThere, [&] { launchAll(); });
  SmallVector<std::pair<Value, Value>> results;
  for (size_t i = op.getInputs().size(); i < operands.size(); ++i)
    results.push_back({operands[i], onHost[i]});
  host.copyOut(results);
}

/// The device's are those of kernels with fewer registers: all of a chain's
/// shall run at a time, of all heads, of which each has whole blocks.
void ChainLauncher::countWorkers() {
  workers = host.runtime("astfe_rt_device_workers", host.b.getI64Type(), {});
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(host.b, value, 64);
  };
  Value parts =
      arith::MulIOp::create(host.b, workers, constant(plan.residentBlocks()));
  workers =
      arith::CeilDivSIOp::create(host.b, parts, constant(kBlocksPerProcessor));
  if (!heads)
    return;
  Value some = arith::MaxSIOp::create(
      host.b, host.convert(heads, host.b.getI64Type()), constant(1));
  Value blocks = arith::DivSIOp::create(host.b, workers, constant(kBlockWarps));
  blocks = arith::DivSIOp::create(host.b, blocks, some);
  workers = arith::MulIOp::create(
      host.b, arith::MaxSIOp::create(host.b, blocks, constant(1)),
      constant(kBlockWarps));
}

void ChainLauncher::run(Values given) {
  operands = std::move(given);
  FusedOp op = plan.op;
  auto view = op.getPattern().getDefiningOp<ViewOp>();
  positions = view.getPositions();
  coordinates = view.getCoordinates();
  rows = view.getRows();
  columns = view.getColumns();
  keys = plan.chain.key == 1 ? rows : columns;
  if (plan.heads)
    heads = scf::ForOp(plan.heads->loop).getUpperBound();
  countWorkers();
  Value some =
      arith::CmpIOp::create(host.b, arith::CmpIPredicate::sgt, workers,
                            arith::ConstantIntOp::create(host.b, 0, 64));
  if (heads) // There may be none, or fewer.
    some =
        host.both(some, arith::CmpIOp::create(host.b, arith::CmpIPredicate::sgt,
                                              heads, host.index(0)));
  branch(host.b, some, [&] {
    auto computeThere = [&] {
      if (!llvm::is_contained(plan.strided, true))
        return compute();
      branch(
          host.b, stridesFit(), [&] { compute(); },
          [&] { host.reportStrides(); });
    };
    Value fits = extentsFit();
    if (heads)
      fits = host.both(fits, headsFit());
    branch(host.b, fits, computeThere, [&] { host.reportExtents(); });
  });
}

void lowerChainToLaunch(RewriterBase &rewriter, const ChainKernelPlans &plans,
                        gpu::GPUModuleOp module, bool deviceOperands) {
  const ChainKernelPlan &plan = plans.front();
  FusedOp op = plan.op;
  Operation *replaced = op;
  if (plan.heads)
    replaced = plan.heads->loop;
  else
    copyReusedOutputs(rewriter, op);
  rewriter.setInsertionPoint(replaced);
  Values buffers;
  const auto inputs = unsigned(op.getInputs().size());
  const Values given = plan.buffersOf();
  for (auto [i, operand] : llvm::enumerate(given)) {
    if (!isa<RankedTensorType>(operand.getType())) {
      buffers.push_back(operand);
      continue;
    }
    buffers.push_back(bufferization::ToBufferOp::create(
        rewriter, op.getLoc(), chainBufferType(operand, deviceOperands),
        operand, /*readOnly=*/i < inputs));
  }
  ChainLauncher(rewriter, plans, module, deviceOperands).run(buffers);
  Values results;
  for (unsigned i = 0; i < replaced->getNumResults(); ++i)
    results.push_back(resultTensor(rewriter, op.getLoc(), buffers[inputs + i],
                                   given[inputs + i]));
  rewriter.replaceOp(replaced, results);
}

} // namespace astfe::gpukernel
