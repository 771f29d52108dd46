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
#include "Branch.h"
#include "ComplexOperands.h"
#include "DeviceOperands.h"
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
        deviceOperands(deviceOperands) {}

  /// Emits everything; the buffers are those of inputs and output.
  void run(Values inputBuffers, Value outputBuffer);

private:
  ViewOp view() const { return plan.op->getOperand(0).getDefiningOp<ViewOp>(); }
  Value workers();
  void readLengths();
  void stageOperands();
  void launchMain();
  void launchVariants(ArrayRef<Variant> variants);
  void launchVariant(Variant variant);
  Value walkers(Variant variant);
  void launchCut(Variant variant);
  Value fits(Variant variant);
  void launch(StringRef kernel, ArrayRef<Argument> arguments,
              gpu::KernelDim3 grid);
  void launch(StringRef kernel, ArrayRef<Argument> arguments, Value gridX,
              Value gridY) {
    launch(kernel, arguments, {gridX, gridY, host.index(1)});
  }
  void launchWorkers(StringRef kernel, ArrayRef<Argument> arguments,
                     Variant variant, Value warps);
  Value deviceTable(int64_t table, Type element);
  Value viewRows();
  Value rowTeams();
  Value groupsOfRows(Variant variant);
  Value tableSize(int64_t table, unsigned bits);
  SmallVector<Argument> launchArguments() const;
  Value isThere();
  Value argumentValue(const Argument &argument);
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
  Value pattern; ///< !llvm.ptr; null for a view
  Values inputs;
  Value output;
  Value workerCount; ///< i64
  Value columns;     ///< index; null for one column
  Value depth;       ///< index: rows of the dense operands
  Value partials, partialRows;
  Value cleared; ///< index: elements of the output, while it is filled
  Value positions, coordinates;
  // Where rows of a view may be cut.
  std::optional<RowLengths> lengths;
  RowCut cut;
  Value pieceRows;
  /// Memrefs of tables in device memory, by their numbers.
  llvm::DenseMap<int64_t, Value> tables;
};

} // namespace

Value Launcher::workers() {
  if (plan.view())
    return host.runtime("astfe_rt_device_workers", host.b.getI64Type(), {});
  pattern = host.lender = handleOf(host.b, plan.op->getOperand(0));
  Value count =
      host.runtime("astfe_rt_pattern_workers", host.b.getI64Type(), {pattern});
  Value none = arith::ConstantOp::create(host.b, host.b.getI64IntegerAttr(0));
  return arith::SelectOp::create(host.b, patternFits(host.b, pattern, plan.op),
                                 count, none);
}

void Launcher::prepareSizes() {
  if (plan.oneColumn)
    return;
  if (!plan.samples)
    columns = host.dim(output, 1);
  for (auto [operand, buffer] : llvm::zip_equal(plan.inputs, inputs))
    if (operand.dense && !columns)
      columns = host.dim(buffer, operand.lead == Lead::None ? 0 : 1);
  depth = host.index(1);
  for (auto [operand, buffer] : llvm::zip_equal(plan.inputs, inputs))
    if (operand.dense && operand.lead == Lead::Column)
      depth = arith::MaxSIOp::create(host.b, depth, host.dim(buffer, 0));
}

/// Before the positions are copied.
void Launcher::readLengths() {
  if (!plan.cuts)
    return;
  if (deviceOperands)
    lengths = RowLengths::unread(host, host.dim(coordinates, 0), workerCount);
  else
    lengths = RowLengths::read(host, positions, viewRows(), workerCount);
}

/// Both are device memory afterwards; the output goes back in run().
void Launcher::stageOperands() {
  if (deviceOperands)
    return;
  SmallVector<Value *> staged{&output};
  for (auto [operand, input] : llvm::zip_equal(plan.inputs, inputs))
    if (operand.part.value_or(0) == 0)
      staged.push_back(&input);
  if (plan.view())
    staged.append({&positions, &coordinates});
  host.copyIn(staged);
  // Both parts are in one buffer.
  for (size_t i = 0; i < inputs.size(); ++i)
    if (plan.inputs[i].part.value_or(0) == 1)
      inputs[i] = inputs[i - 1];
}

/// Asked for once: isThere() comes before all launches.
Value Launcher::deviceTable(int64_t table, Type element) {
  Value &known = tables[table];
  if (!known)
    known = host.deviceTable(pattern, table, element);
  return known;
}

/// The rows of a view, as it is stored; index.
Value Launcher::viewRows() {
  if (!plan.samples && !plan.scatters)
    return host.dim(output, 0);
  return view().getByColumns() ? view().getColumns() : view().getRows();
}

/// log2 of the teams that share a row (core::teamsOfRow); index. Of the
/// coordinates there may be more than nonzeros, which makes rows seem longer.
Value Launcher::rowTeams() {
  int64_t lanes = kLanes;
  for (const Variant &variant : variantsOf(plan))
    lanes = std::min<int64_t>(lanes, variant.lanes);
  Type i64 = host.b.getI64Type();
  auto wide = [&](Value number) { return host.convert(number, i64); };
  Value log = host.runtime("astfe_rt_row_teams", i64,
                           {wide(viewRows()), wide(host.dim(coordinates, 0)),
                            wide(host.index(lanes)), workerCount});
  return host.convert(log, host.b.getIndexType());
}

/// What a warp takes at a time (emitViewRows); index.
Value Launcher::groupsOfRows(Variant variant) {
  const int64_t teams = kLanes / int64_t(variant.lanes);
  Value log = arith::MinSIOp::create(
      host.b, rowTeams(), host.index(llvm::Log2_64(uint64_t(teams))));
  Value together = arith::ShRUIOp::create(host.b, host.index(teams), log);
  return arith::CeilDivSIOp::create(host.b, viewRows(), together);
}

/// The entries of a table, whose elements have so many bits; index.
Value Launcher::tableSize(int64_t table, unsigned bits) {
  return host.dim(deviceTable(table, host.b.getIntegerType(bits)), 0);
}

/// Those of every kernel that a computation may launch.
SmallVector<Argument> Launcher::launchArguments() const {
  SmallVector<Argument> all = mainArguments(plan);
  if (plan.overwrites && !plan.view())
    llvm::append_range(all, startArguments(plan));
  if (plan.partials())
    llvm::append_range(all, combineArguments(plan));
  return all;
}

/// i1: all that was allocated here is there. What is not has left its error.
Value Launcher::isThere() {
  Value result = host.isTrue();
  auto require = [&](Value buffer) {
    result = host.both(result, host.isThere(buffer));
  };
  for (const Argument &argument : launchArguments())
    if (int64_t table = tableOf(argument);
        table >= 0 && !tables.contains(table))
      require(deviceTable(table, argument.type));
  if (plan.partials())
    require(partials);
  for (Value buffer : host.copies())
    require(buffer);
  return result;
}

/// Device pointer, table or scalar for one argument of a kernel.
Value Launcher::argumentValue(const Argument &argument) {
  if (int64_t table = tableOf(argument); table >= 0)
    return host.pointer(deviceTable(table, argument.type));
  switch (argument.role) {
  case Role::Positions:
    return host.pointer(positions);
  case Role::Coordinates:
    return host.pointer(coordinates);
  case Role::Input:
    return host.pointer(inputs[argument.input]);
  case Role::Output:
    return host.pointer(output);
  case Role::Partials:
    return host.pointer(cleared ? output : partials);
  case Role::Workers:
    return host.convert(workerCount, argument.type);
  case Role::Rows:
    return host.convert(viewRows(), argument.type);
  case Role::RowTeams:
    return host.convert(rowTeams(), argument.type);
  case Role::PieceRow:
    return host.pointer(pieceRows);
  case Role::Least:
    return host.convert(cut.least, argument.type);
  case Role::Piece:
    return host.convert(cut.piece, argument.type);
  case Role::ColumnCount:
    return host.convert(columns, argument.type);
  case Role::Stride:
    return host.convert(host.dim(inputs[argument.input], 1), argument.type);
  case Role::SharedRows:
    return host.convert(tableSize(ASTFE_COMBINE_ROW, 32), argument.type);
  case Role::Marks:
    return host.convert(tableSize(ASTFE_SEGMENT_FIRST, 8), argument.type);
  case Role::Gaps:
    return host.convert(tableSize(ASTFE_GAP_BEGIN, 32), argument.type);
  case Role::Scalar:
    return plan.scalars[argument.input];
  case Role::Count:
    return host.convert(cleared ? cleared : host.dim(partials, 0),
                        argument.type);
  default:
    llvm_unreachable("tables were handled above");
  }
}

void Launcher::launch(StringRef kernel, ArrayRef<Argument> arguments,
                      gpu::KernelDim3 grid) {
  Values operands;
  for (const Argument &argument : arguments)
    operands.push_back(argumentValue(argument));
  Value one = host.index(1);
  auto symbol =
      SymbolRefAttr::get(module.getSymNameAttr(),
                         {FlatSymbolRefAttr::get(host.b.getContext(), kernel)});
  gpu::LaunchFuncOp::create(
      host.b, symbol, grid,
      gpu::KernelDim3{host.index(kBlockThreads), one, one}, Value(), operands);
}

/// A kernel whose warps have a worker each (forEachWorker).
void Launcher::launchWorkers(StringRef kernel, ArrayRef<Argument> arguments,
                             Variant variant, Value warps) {
  Value tiles = plan.oneColumn || plan.samples
                    ? host.index(1)
                    : host.ceilDiv(columns, variant.tile());
  Value blocks = host.ceilDiv(warps, kBlockWarps);
  if (!groupsWorkers(plan, variant))
    return launch(kernel, arguments, blocks, host.min(tiles, 65535));
  Type i64 = host.b.getI64Type(), index = host.b.getIndexType();
  Values asked{host.convert(blocks, i64), host.convert(tiles, i64)};
  auto extent = [&](int64_t axis) {
    Value number = arith::ConstantIntOp::create(host.b, axis, 64);
    return host.convert(
        host.runtime("astfe_rt_grid", i64, {asked[0], asked[1], number}),
        index);
  };
  Value x = extent(0), y = extent(1), z = extent(2);
  launch(kernel, arguments, {x, y, z});
}

/// Whether a variant may run: columns divisible, pointers aligned, not mostly
/// idle lanes, and offsets that fit.
Value Launcher::fits(Variant variant) {
  Value result = host.isTrue();
  if (variant.vector > plan.minVector() ||
      (variant.vector > 1 && variant.hasTeams())) {
    Value rest =
        arith::RemUIOp::create(host.b, columns, host.index(variant.vector));
    result = host.both(result, host.equal(rest, host.index(0)));
    if (variant.lanes == kLanes) {
      Value narrower =
          host.index((plan.samples ? 2 : kLanes) * variant.vector / 2);
      result = host.both(result, host.greater(columns, narrower));
    }
    if (deviceOperands)
      result = host.both(
          result, host.aligned(inputs, plan.sumsApart() ? partials : output,
                               variant.vector * plan.widestBytes()));
  }
  if (variant.wide)
    return result;
  Value vectors =
      arith::DivUIOp::create(host.b, columns, host.index(variant.vector));
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
  cut = lengths->cut(host, core::smallestGPUPiece(variant.lanes));
  lengths->whereLong(
      host, cut, [&] { launchCut(variant); }, whole);
}

/// Warps that walk rows or spans; index.
Value Launcher::walkers(Variant variant) {
  return plan.walksRows() && variant.hasTeams()
             ? groupsOfRows(variant)
             : host.convert(workerCount, host.b.getIndexType());
}

/// Rows and pieces of long ones, and then what these have summed up.
void Launcher::launchCut(Variant variant) {
  // Two rows can lie in a piece.
  Value elements = arith::MulIOp::create(host.b, cut.pieces, host.index(2));
  if (columns)
    elements = arith::MulIOp::create(host.b, elements, columns);
  auto allocate = [&](Type element, Value size) {
    return host.allocate(MemRefType::get({ShapedType::kDynamic}, element),
                         size);
  };
  partials = allocate(plan.element, elements);
  pieceRows = allocate(host.b.getI32Type(), cut.pieces);
  Value isThere = host.both(host.isThere(partials), host.isThere(pieceRows));
  branch(host.b, isThere, [&] {
    Value warps = arith::MaxUIOp::create(host.b, walkers(variant), cut.pieces);
    launchWorkers(cutName(plan, variant), cutArguments(plan), variant, warps);
    Value tiles = columns ? host.min(host.ceilDiv(columns, kLanes), 65535)
                          : host.index(1);
    launch(kCombineRowsName, combineRowsArguments(plan),
           host.ceilDiv(cut.pieces, kLanes), tiles);
  });
  host.deallocate(pieceRows);
  host.deallocate(partials);
}

/// Clears the rows that no segment stores.
void Launcher::start() {
  Value items = tableSize(ASTFE_GAP_BEGIN, 32);
  Value shared = host.index(0);
  if (!plan.partials())
    shared = tableSize(ASTFE_COMBINE_ROW, 32);
  items = arith::AddIOp::create(host.b, items, shared);
  branch(host.b, host.greater(items, host.index(0)), [&] {
    launch(kStartName, startArguments(plan),
           host.min(host.ceilDiv(items, kBlockWarps), 65535), host.index(1));
  });
}

void Launcher::borrowPartials() {
  partialRows = host.convert(
      host.runtime("astfe_rt_partial_rows", host.b.getI64Type(), {pattern}),
      host.b.getIndexType());
  Value elements = partialRows;
  if (columns)
    elements = arith::MulIOp::create(host.b, partialRows, columns);
  partials = host.borrow(elements, plan.element);
}

/// Elements of the output; index.
Value Launcher::outputSize() {
  Value size = host.dim(output, 0);
  return columns ? arith::MulIOp::create(host.b, size, columns) : size;
}

/// All of it: atomics add to it.
void Launcher::clearOutput() {
  cleared = outputSize();
  fill(cleared);
  cleared = {};
}

/// Sums in memory of their own, and then the output.
void Launcher::launchApart() {
  partials = host.allocate(
      MemRefType::get({ShapedType::kDynamic}, plan.element), outputSize());
  branch(host.b, host.isThere(partials), [&] {
    fillPartials();
    launchVariants(variantsOf(plan));
    launchEach(kStoreName, storeArguments(plan), host.dim(partials, 0));
  });
  host.deallocate(partials);
}

void Launcher::fillPartials() { fill(host.dim(partials, 0)); }

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
           host.min(host.ceilDiv(partialRows, perBlock), 65535), host.index(1));
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
  inputs = std::move(inputBuffers);
  output = outputBuffer;
  if (plan.view()) {
    positions = view().getPositions();
    coordinates = view().getCoordinates();
  }
  workerCount = workers();
  Value some =
      arith::CmpIOp::create(host.b, arith::CmpIPredicate::sgt, workerCount,
                            arith::ConstantIntOp::create(host.b, 0, 64));
  prepareSizes();
  // Samples are sums over the columns: of none there are zeros to be stored.
  if (columns && !plan.samples)
    some = host.both(some, host.greater(columns, host.index(0)));
  auto compute = [&] {
    readLengths();
    stageOperands();
    if (plan.partials())
      borrowPartials();
    branch(host.b, isThere(), [&] { launchAll(); });
    if (plan.partials())
      host.giveBack(partials);
    if (!deviceOperands)
      host.copyOut({{output, outputBuffer}});
  };
  auto computeThere = [&] {
    if (!deviceOperands)
      return compute();
    whereReachable(host, {inputs, {output}, positions, coordinates}, compute);
  };
  branch(host.b, some, [&] {
    branch(host.b, extentsFit(host, plan, {pattern, inputs, output, columns}),
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
