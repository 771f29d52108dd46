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
#include "ASTFE/Conversion/Outputs.h"
#include "Branch.h"
#include "ComplexOperands.h"
#include "HostBuilder.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
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
  Value workers();
  void stageOperands();
  Value extentsFit();
  void launchMain();
  void launchVariants(ArrayRef<Variant> variants);
  Value fits(Variant variant);
  void launch(StringRef kernel, ArrayRef<Argument> arguments, Value gridX,
              Value gridY);
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
  void fillPartials();
  void combinePartials();
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

/// Both are device memory afterwards; the output goes back in run().
void Launcher::stageOperands() {
  if (plan.view()) {
    auto view = plan.op->getOperand(0).getDefiningOp<ViewOp>();
    positions = view.getPositions();
    coordinates = view.getCoordinates();
  }
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
  auto view = plan.op->getOperand(0).getDefiningOp<ViewOp>();
  return view.getByColumns() ? view.getColumns() : view.getRows();
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
  case Role::ColumnCount:
    return host.convert(columns, argument.type);
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

/// i1: operands have the extents of the pattern and of each other (a kernel
/// would read beyond a shorter one), and 32 bits count them.
Value Launcher::extentsFit() {
  Value rows, depth, entries, result = host.isTrue();
  if (plan.view()) {
    auto view = plan.op->getOperand(0).getDefiningOp<ViewOp>();
    rows = view.getRows();
    depth = view.getColumns();
    if (plan.byColumns)
      std::swap(rows, depth);
  } else {
    auto ask = [&](StringRef name, ValueRange arguments) {
      return host.convert(host.runtime(name, host.b.getI64Type(), arguments),
                          host.b.getIndexType());
    };
    auto mode = [&](int64_t number) -> Value {
      return arith::ConstantIntOp::create(host.b, number, 64);
    };
    rows = ask("astfe_rt_extent", {pattern, mode(0)});
    depth = ask("astfe_rt_extent", {pattern, mode(1)});
    entries = ask("astfe_rt_slots", {pattern});
  }
  auto require = [&](Value size, Value expected) {
    result = host.both(result, host.equal(size, expected));
  };
  auto isSmall = [&](Value size) {
    result = host.both(result,
                       arith::CmpIOp::create(host.b, arith::CmpIPredicate::ule,
                                             size, host.index(INT32_MAX)));
  };
  for (Value extent : {rows, depth})
    isSmall(extent);
  if (columns)
    isSmall(columns);
  auto holdsEntries = [&](Value buffer) {
    if (entries)
      result = host.both(
          result, arith::CmpIOp::create(host.b, arith::CmpIPredicate::uge,
                                        host.dim(buffer, 0), entries));
  };
  if (plan.samples)
    holdsEntries(output);
  else
    require(host.dim(output, 0), rows);
  for (auto [operand, buffer] : llvm::zip_equal(plan.inputs, inputs)) {
    if (operand.values)
      holdsEntries(buffer);
    if (operand.lead != Lead::None)
      require(host.dim(buffer, 0), operand.lead == Lead::Row ? rows : depth);
    if (operand.dense)
      require(host.dim(buffer, operand.lead == Lead::None ? 0 : 1), columns);
  }
  return result;
}

void Launcher::launch(StringRef kernel, ArrayRef<Argument> arguments,
                      Value gridX, Value gridY) {
  Values operands;
  for (const Argument &argument : arguments)
    operands.push_back(argumentValue(argument));
  Value one = host.index(1);
  auto symbol =
      SymbolRefAttr::get(module.getSymNameAttr(),
                         {FlatSymbolRefAttr::get(host.b.getContext(), kernel)});
  gpu::LaunchFuncOp::create(
      host.b, symbol, gpu::KernelDim3{gridX, gridY, one},
      gpu::KernelDim3{host.index(kBlockThreads), one, one}, Value(), operands);
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
      result =
          host.both(result, host.aligned(inputs, output,
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
  Variant variant = variants.front();
  auto run = [&] {
    int64_t tile = variant.tile();
    Value gridY = plan.oneColumn || plan.samples
                      ? host.index(1)
                      : host.min(host.ceilDiv(columns, tile), 65535);
    Value workers = plan.walksRows() && variant.hasTeams()
                        ? groupsOfRows(variant)
                        : host.convert(workerCount, host.b.getIndexType());
    launch(mainName(plan, variant), mainArguments(plan),
           host.ceilDiv(workers, kBlockWarps), gridY);
  };
  if (variants.size() == 1)
    return run();
  branch(host.b, fits(variant), run,
         [&] { launchVariants(variants.drop_front()); });
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

/// All of it: atomics add to it.
void Launcher::clearOutput() {
  cleared = host.dim(output, 0);
  if (columns)
    cleared = arith::MulIOp::create(host.b, cleared, columns);
  fill(cleared);
  cleared = {};
}

void Launcher::fillPartials() { fill(host.dim(partials, 0)); }

void Launcher::fill(Value elements) {
  branch(host.b, host.greater(elements, host.index(0)), [&] {
    Value blocks = host.min(host.ceilDiv(elements, kBlockThreads), 1024);
    launch(kFillName, fillArguments(plan), blocks, host.index(1));
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
  workerCount = workers();
  Value some =
      arith::CmpIOp::create(host.b, arith::CmpIPredicate::sgt, workerCount,
                            arith::ConstantIntOp::create(host.b, 0, 64));
  prepareSizes();
  // Samples are sums over the columns: of none there are zeros to be stored.
  if (columns && !plan.samples)
    some = host.both(some, host.greater(columns, host.index(0)));
  auto compute = [&] {
    stageOperands();
    if (plan.partials())
      borrowPartials();
    branch(host.b, isThere(), [&] { launchAll(); });
    if (plan.partials())
      host.giveBack(partials);
    if (!deviceOperands)
      host.copyOut({{output, outputBuffer}});
  };
  branch(host.b, some, [&] {
    branch(host.b, extentsFit(), compute, [&] { host.reportExtents(); });
  });
}

void replaceByLaunch(RewriterBase &rewriter, ComputeOp op,
                     function_ref<void(Values, Value)> launch) {
  copyReusedOutputs(rewriter, op);
  rewriter.setInsertionPoint(op);
  auto buffer = [&](Value value, bool readOnly) -> Value {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return value;
    auto memref = MemRefType::get(type.getShape(), type.getElementType());
    return bufferization::ToBufferOp::create(rewriter, op.getLoc(), memref,
                                             value, readOnly);
  };
  Values inputs;
  for (Value input : op.getInputs())
    inputs.push_back(buffer(input, /*readOnly=*/true));
  Value output = buffer(op.getOutputs()[0], /*readOnly=*/false);
  launch(std::move(inputs), output);
  if (op.getNumResults() == 0)
    return rewriter.eraseOp(op);
  rewriter.replaceOp(
      op, resultTensor(rewriter, op.getLoc(), output, op.getOutputs()[0]));
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
