//===- Launch.cpp - the host side of a GPU compute ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// workers = of the pattern, 0 for a null handle: then nothing happens
// copy operands to the device, or take them as they are; a packed pattern
//   lends the memory, so that a call that comes again allocates none
// nothing more where a table or a copy found no memory: a kernel that reads
//   through a null pointer ends the context, for all of the process
// launch the variant whose vectors divide the columns and fit the alignment
// copy the output back
//
//===----------------------------------------------------------------------===//

#include "Launch.h"
#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "ASTFE/Core/Target/GPUConstants.h"
#include "Branch.h"
#include "ComplexOperands.h"
#include "DeviceOperands.h"
#include "LaunchArguments.h"
#include "LaunchExtents.h"
#include "RowLengths.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace astfe::gpukernel {

namespace {

/// The launches of one compute, built in order.
class Launcher {
public:
  Launcher(OpBuilder &builder, const KernelPlan &plan, gpu::GPUModuleOp module,
           bool deviceOperands)
      : host(builder, plan.op->getLoc()), plan(plan), module(module),
        deviceOperands(deviceOperands), given(host, plan) {}

  /// Emits everything; the buffers are those of inputs and output.
  void run(Values inputBuffers, Value outputBuffer);

private:
  Value workers();
  void readLengths();
  void stageOperands();
  void launchVariants(ArrayRef<Variant> variants);
  void launchVariant(Variant variant);
  Value walkers(Variant variant);
  void launchCut(Variant variant);
  Values vectors();
  Value fits(Variant variant);
  void launch(StringRef kernel, ArrayRef<Argument> arguments,
              gpu::KernelDim3 grid);
  void launch(StringRef kernel, ArrayRef<Argument> arguments, Value gridX,
              Value gridY) {
    launch(kernel, arguments, {gridX, gridY, host.index(1)});
  }
  void launchWorkers(StringRef kernel, ArrayRef<Argument> arguments,
                     Variant variant, Value warps);
  Value groupsOfRows(Variant variant);
  void prepareSizes();
  void start();
  void borrowPartials();
  void clearOutput();
  void fill(Value elements);
  void launchEach(StringRef kernel, ArrayRef<Argument> arguments,
                  Value elements);
  Value outputSize();
  void fillPartials();
  void combinePartials();
  void launchApart();
  void launchAll();

  HostBuilder host;
  const KernelPlan &plan;
  gpu::GPUModuleOp module;
  bool deviceOperands;
  LaunchArguments given;
  Value depth;       ///< index: rows of the dense operands
  Value partialRows; ///< index: of the private partials
  /// Where rows of a view may be cut.
  std::optional<RowLengths> lengths;
};

} // namespace

Value Launcher::workers() {
  if (plan.view())
    return host.runtime("astfe_rt_device_workers", host.b.getI64Type(), {});
  given.pattern = host.lender = handleOf(host.b, plan.op->getOperand(0));
  Value count = host.runtime("astfe_rt_pattern_workers", host.b.getI64Type(),
                             {given.pattern});
  Value none = arith::ConstantOp::create(host.b, host.b.getI64IntegerAttr(0));
  return arith::SelectOp::create(
      host.b, patternFits(host.b, given.pattern, plan.op), count, none);
}

void Launcher::prepareSizes() {
  if (plan.oneColumn)
    return;
  if (!plan.samples)
    given.columns = host.dim(given.output, 1);
  for (auto [operand, buffer] : llvm::zip_equal(plan.inputs, given.inputs))
    if (operand.dense && !given.columns)
      given.columns = host.dim(buffer, operand.lead == Lead::None ? 0 : 1);
  depth = host.index(1);
  for (auto [operand, buffer] : llvm::zip_equal(plan.inputs, given.inputs))
    if (operand.dense && operand.lead == Lead::Column)
      depth = arith::MaxSIOp::create(host.b, depth, host.dim(buffer, 0));
}

/// Before the positions are copied.
void Launcher::readLengths() {
  if (!plan.cuts)
    return;
  if (deviceOperands)
    lengths = RowLengths::unread(host, host.dim(given.coordinates, 0),
                                 given.workerCount);
  else
    lengths = RowLengths::read(host, given.positions, given.viewRows(),
                               given.workerCount);
}

/// Both are device memory afterwards; the output goes back in run().
void Launcher::stageOperands() {
  if (deviceOperands)
    return;
  SmallVector<Value *> staged{&given.output};
  for (auto [operand, input] : llvm::zip_equal(plan.inputs, given.inputs))
    if (operand.part.value_or(0) == 0)
      staged.push_back(&input);
  if (plan.view())
    staged.append({&given.positions, &given.coordinates});
  host.copyIn(staged);
  // Both parts are in one buffer.
  for (size_t i = 0; i < given.inputs.size(); ++i)
    if (plan.inputs[i].part.value_or(0) == 1)
      given.inputs[i] = given.inputs[i - 1];
}

/// What a warp takes at a time (emitViewRows); index.
Value Launcher::groupsOfRows(Variant variant) {
  const int64_t teams = kLanes / int64_t(variant.lanes);
  Value log = arith::MinSIOp::create(
      host.b, given.rowTeams(), host.index(llvm::Log2_64(uint64_t(teams))));
  Value together = arith::ShRUIOp::create(host.b, host.index(teams), log);
  return arith::CeilDivSIOp::create(host.b, given.viewRows(), together);
}

void Launcher::launch(StringRef kernel, ArrayRef<Argument> arguments,
                      gpu::KernelDim3 grid) {
  Values operands;
  for (const Argument &argument : arguments)
    operands.push_back(given.valueOf(argument));
  host.launch(module, kernel, grid, operands);
}

/// A kernel whose warps have a worker each (forEachWorker).
void Launcher::launchWorkers(StringRef kernel, ArrayRef<Argument> arguments,
                             Variant variant, Value warps) {
  Value tiles = plan.oneColumn || plan.samples
                    ? host.index(1)
                    : host.ceilDiv(given.columns, variant.tile());
  Value blocks = host.ceilDiv(warps, kBlockWarps);
  if (!groupsWorkers(plan, variant))
    return launch(kernel, arguments, blocks, host.min(tiles, kGPUGridLimit));
  Type i64 = host.b.getI64Type(), index = host.b.getIndexType();
  Value together =
      plan.view()
          ? arith::ConstantIntOp::create(host.b, 0, 64).getResult()
          : host.runtime("astfe_rt_tiles_together", i64, {given.pattern});
  Values asked{host.convert(blocks, i64), host.convert(tiles, i64), together};
  auto extent = [&](int64_t axis) {
    Value number = arith::ConstantIntOp::create(host.b, axis, 64);
    return host.convert(host.runtime("astfe_rt_grid", i64,
                                     {asked[0], asked[1], asked[2], number}),
                        index);
  };
  Value x = extent(0), y = extent(1), z = extent(2);
  launch(kernel, arguments, {x, y, z});
}

/// The buffers of which lanes load or store vectors.
Values Launcher::vectors() {
  Values buffers;
  for (auto [operand, input] : llvm::zip_equal(plan.inputs, given.inputs))
    if (operand.dense)
      buffers.push_back(input);
  if (!plan.samples)
    buffers.push_back(plan.sumsApart() ? given.partials : given.output);
  return buffers;
}

/// Whether a variant may run: columns divisible, pointers aligned, not mostly
/// idle lanes, and offsets that fit.
Value Launcher::fits(Variant variant) {
  Value result = host.isTrue();
  if (variant.vector > plan.minVector() ||
      (variant.vector > 1 && variant.hasTeams())) {
    Value rest = arith::RemUIOp::create(host.b, given.columns,
                                        host.index(variant.vector));
    result = host.both(result, host.equal(rest, host.index(0)));
    if (variant.lanes == kLanes) {
      Value narrower =
          host.index((plan.samples ? 2 : kLanes) * variant.vector / 2);
      result = host.both(result, host.greater(given.columns, narrower));
    }
    if (deviceOperands)
      result = host.both(
          result, host.aligned(vectors(), variant.vector * plan.widestBytes()));
  }
  if (variant.wide)
    return result;
  Value vectors =
      arith::DivUIOp::create(host.b, given.columns, host.index(variant.vector));
  Value offsets = arith::MulIOp::create(host.b, depth, vectors);
  return host.both(result, host.greater(host.index(int64_t(1) << 32), offsets));
}

void Launcher::launchVariants(ArrayRef<Variant> variants) {
  auto run = [&] { launchVariant(variants.front()); };
  if (variants.size() == 1)
    return run();
  branch(host.b, fits(variants.front()), run,
         [&] { launchVariants(variants.drop_front()); });
}

void Launcher::launchVariant(Variant variant) {
  auto whole = [&] {
    launchWorkers(mainName(plan, variant), mainArguments(plan), variant,
                  walkers(variant));
  };
  if (!lengths)
    return whole();
  given.cut = lengths->cut(host, core::smallestGPUPiece(variant.lanes),
                           core::rules::kChainPieces);
  lengths->whereLong(
      host, given.cut, [&] { launchCut(variant); }, whole);
}

/// Warps that walk rows or spans; index.
Value Launcher::walkers(Variant variant) {
  if (plan.walksRows())
    return variant.hasTeams() ? groupsOfRows(variant) : given.viewRows();
  return host.convert(given.workerCount, host.b.getIndexType());
}

/// Rows and pieces of long ones, and then what these have summed up.
void Launcher::launchCut(Variant variant) {
  // Two rows can lie in a piece.
  Value elements =
      arith::MulIOp::create(host.b, given.cut.pieces, host.index(2));
  if (given.columns)
    elements = arith::MulIOp::create(host.b, elements, given.columns);
  auto allocate = [&](Type element, Value size) {
    return host.allocate(MemRefType::get({ShapedType::kDynamic}, element),
                         size);
  };
  given.partials = allocate(plan.element, elements);
  given.pieceRows = allocate(host.b.getI32Type(), given.cut.pieces);
  Value isThere =
      host.both(host.isThere(given.partials), host.isThere(given.pieceRows));
  branch(host.b, isThere, [&] {
    Value warps =
        arith::MaxUIOp::create(host.b, walkers(variant), given.cut.pieces);
    launchWorkers(cutName(plan, variant), cutArguments(plan), variant, warps);
    Value tiles = given.columns ? host.min(host.ceilDiv(given.columns, kLanes),
                                           kGPUGridLimit)
                                : host.index(1);
    launch(kCombineRowsName, combineRowsArguments(plan),
           host.ceilDiv(given.cut.pieces, core::rules::kPartsTogether), tiles);
  });
  host.deallocate(given.pieceRows);
  host.deallocate(given.partials);
}

/// Clears the rows that no segment stores.
void Launcher::start() {
  Value items = given.tableSize(ASTFE_GAP_BEGIN, 32);
  Value shared = host.index(0);
  if (!plan.partials())
    shared = given.tableSize(ASTFE_COMBINE_ROW, 32);
  items = arith::AddIOp::create(host.b, items, shared);
  branch(host.b, host.greater(items, host.index(0)), [&] {
    launch(kStartName, startArguments(plan),
           host.min(host.ceilDiv(items, plan.oneColumn ? kBlockWarps * kLanes
                                                       : kBlockWarps),
                    kGPUGridLimit),
           host.index(1));
  });
}

void Launcher::borrowPartials() {
  partialRows = host.convert(host.runtime("astfe_rt_partial_rows",
                                          host.b.getI64Type(), {given.pattern}),
                             host.b.getIndexType());
  Value elements = partialRows;
  if (given.columns)
    elements = arith::MulIOp::create(host.b, partialRows, given.columns);
  given.partials = host.borrow(elements, plan.element);
}

/// Elements of the output; index.
Value Launcher::outputSize() {
  Value size = host.dim(given.output, 0);
  return given.columns ? arith::MulIOp::create(host.b, size, given.columns)
                       : size;
}

/// All of it: atomics add to it.
void Launcher::clearOutput() {
  given.cleared = outputSize();
  fill(given.cleared);
  given.cleared = {};
}

/// Sums in memory of their own, and then the output.
void Launcher::launchApart() {
  given.partials = host.allocate(
      MemRefType::get({ShapedType::kDynamic}, plan.element), outputSize());
  branch(host.b, host.isThere(given.partials), [&] {
    fillPartials();
    launchVariants(variantsOf(plan));
    launchEach(kStoreName, storeArguments(plan), host.dim(given.partials, 0));
  });
  host.deallocate(given.partials);
}

void Launcher::fillPartials() { fill(host.dim(given.partials, 0)); }

void Launcher::fill(Value elements) {
  launchEach(kFillName, fillArguments(plan), elements);
}

/// A thread for each element, of many blocks at most.
void Launcher::launchEach(StringRef kernel, ArrayRef<Argument> arguments,
                          Value elements) {
  branch(host.b, host.greater(elements, host.index(0)), [&] {
    Value blocks = host.min(host.ceilDiv(elements, kBlockThreads), 1024);
    launch(kernel, arguments, blocks, host.index(1));
  });
}

void Launcher::combinePartials() {
  branch(host.b, host.greater(partialRows, host.index(0)), [&] {
    int64_t perBlock = plan.oneColumn ? kBlockThreads : kBlockWarps;
    launch(kCombineName, combineArguments(plan),
           host.min(host.ceilDiv(partialRows, perBlock), kGPUGridLimit),
           host.index(1));
  });
}

void Launcher::launchAll() {
  if (plan.sumsApart())
    return launchApart();
  if (plan.overwrites && !plan.view())
    start();
  if (plan.overwrites && plan.scatters)
    clearOutput();
  if (plan.partials() && !plan.overwrites)
    fillPartials();
  launchVariants(variantsOf(plan));
  if (plan.partials())
    combinePartials();
}

void Launcher::run(Values inputBuffers, Value outputBuffer) {
  given.inputs = std::move(inputBuffers);
  given.output = outputBuffer;
  if (plan.view()) {
    given.positions = given.view().getPositions();
    given.coordinates = given.view().getCoordinates();
  }
  given.workerCount = workers();
  Value some = arith::CmpIOp::create(
      host.b, arith::CmpIPredicate::sgt, given.workerCount,
      arith::ConstantIntOp::create(host.b, 0, 64));
  prepareSizes();
  // Samples are sums over the columns: of none there are zeros to be stored.
  if (given.columns && !plan.samples)
    some = host.both(some, host.greater(given.columns, host.index(0)));
  auto compute = [&] {
    readLengths();
    stageOperands();
    if (plan.partials())
      borrowPartials();
    branch(host.b, given.isThere(), [&] { launchAll(); });
    if (plan.partials())
      host.giveBack(given.partials);
    if (!deviceOperands)
      host.copyOut({{given.output, outputBuffer}});
  };
  auto computeThere = [&] {
    if (!deviceOperands)
      return compute();
    whereReachable(
        host,
        {given.inputs, {given.output}, given.positions, given.coordinates},
        compute);
  };
  branch(host.b, some, [&] {
    branch(
        host.b,
        extentsFit(host, plan,
                   {given.pattern, given.inputs, given.output, given.columns}),
        computeThere, [&] { host.reportExtents(); });
  });
}

void lowerToLaunch(RewriterBase &rewriter, const KernelPlan &plan,
                   gpu::GPUModuleOp module, bool deviceOperands) {
  replaceByLaunch(rewriter, plan.op, [&](Values inputs, Value output) {
    if (plan.complex)
      readFloats(rewriter, plan, inputs, output);
    Launcher(rewriter, plan, module, deviceOperands)
        .run(std::move(inputs), output);
  });
}

} // namespace astfe::gpukernel
