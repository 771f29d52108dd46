//===- BrickLaunch.cpp - the host side of kernels over bricks -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As Launch.cpp does for matrices: nothing happens for a null handle, operands
// whose extents differ are an error before anything is written, and a kernel is
// launched only where all its tables are in the device's memory.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "ASTFE/Conversion/ComplexBuffers.h"
#include "ASTFE/Conversion/Outputs.h"
#include "ASTFE/Core/Target/GPUConstants.h"
#include "Branch.h"
#include "BrickKernel.h"
#include "DeviceOperands.h"
#include "HostBuilder.h"
#include "Kernels.h"
#include "Launch.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace astfe::gpukernel {

namespace {
class BrickLauncher {
public:
  BrickLauncher(OpBuilder &builder, const BrickPlan &plan,
                gpu::GPUModuleOp module, bool deviceOperands)
      : host(builder, plan.kernel.op->getLoc()), plan(plan), module(module),
        deviceOperands(deviceOperands) {}

  void run(Values inputBuffers, Value outputBuffer);

private:
  Value number(int64_t value) {
    return arith::ConstantIntOp::create(host.b, value, 64);
  }
  Value ask(StringRef function, ValueRange arguments) {
    return host.runtime(function, host.b.getI64Type(), arguments);
  }
  Value toIndex(Value value) {
    return host.convert(value, host.b.getIndexType());
  }
  void readExtents();
  Value extentsFit();
  void borrowSums();
  void borrowPartials();
  void launch(unsigned bits);
  void launchKernels(unsigned bits);
  void launchVariants(unsigned bits, ArrayRef<Variant> variants);
  Value fits(Variant variant);
  void launchKernel(StringRef name, ArrayRef<BrickArgument> arguments,
                    Value gridX, Value gridY);
  Value argumentValue(const BrickArgument &argument);

  HostBuilder host;
  const BrickPlan &plan;
  gpu::GPUModuleOp module;
  const bool deviceOperands;
  Value handle, workers, ranges, bricks; ///< all but the first are i64
  Value rowParts; ///< index: ranges that are parts of rows
  Values inputs;
  Value output;
  Value sums;     ///< null where the output is added to
  Value partials; ///< of parts of rows
  Values extents; ///< index, by dimension; null where nothing has it
  llvm::DenseMap<int64_t, Value> tables;
};
} // namespace

/// Those of modes are the pattern's, those of dense dimensions the first
/// operand's that has it.
void BrickLauncher::readExtents() {
  extents.resize(plan.dims());
  for (unsigned mode = 0; mode < plan.rank; ++mode)
    extents[1 + mode] = toIndex(ask("astfe_rt_extent", {handle, number(mode)}));
  auto read = [&](AffineMap map, Value buffer) {
    for (unsigned r = 0; r < map.getNumResults(); ++r)
      if (Value &extent = extents[map.getDimPosition(r)];
          !extent && map.getDimPosition(r) != 0)
        extent = host.dim(buffer, r);
  };
  for (auto [map, buffer] : llvm::zip_equal(plan.inputs, inputs))
    read(map, buffer);
  read(plan.output, output);
}

/// i1: operands have the extents of the pattern and of each other.
Value BrickLauncher::extentsFit() {
  Value slots = toIndex(ask("astfe_rt_slots", {handle})), fits = host.isTrue();
  auto check = [&](AffineMap map, Value buffer) {
    for (unsigned r = 0; r < map.getNumResults(); ++r) {
      const unsigned dim = map.getDimPosition(r);
      Value size = host.dim(buffer, r);
      Value holds = dim == 0
                        ? Value(arith::CmpIOp::create(
                              host.b, arith::CmpIPredicate::uge, size, slots))
                        : host.equal(size, extents[dim]);
      fits = host.both(fits, holds);
    }
  };
  for (auto [map, buffer] : llvm::zip_equal(plan.inputs, inputs))
    check(map, buffer);
  check(plan.output, output);
  return fits;
}

Value BrickLauncher::argumentValue(const BrickArgument &argument) {
  switch (argument.role) {
  case BrickRole::Table:
    return host.pointer(tables.lookup(argument.number));
  case BrickRole::Input:
    return host.pointer(inputs[size_t(argument.number)]);
  case BrickRole::Output:
    return host.pointer(output);
  case BrickRole::Sums:
    return host.pointer(sums);
  case BrickRole::Partials:
    return host.pointer(partials);
  case BrickRole::Bricks:
    return bricks;
  case BrickRole::Ranges:
    return ranges;
  case BrickRole::Extent:
    return host.convert(extents[size_t(argument.number)], argument.type);
  case BrickRole::Scalar:
    return plan.kernel.scalars[size_t(argument.number)];
  }
  llvm_unreachable("every role has a value");
}

/// As many elements as the output has.
void BrickLauncher::borrowSums() {
  Value elements = host.index(1);
  for (unsigned r = 0; r < plan.output.getNumResults(); ++r)
    elements = arith::MulIOp::create(host.b, elements,
                                     extents[plan.output.getDimPosition(r)]);
  sums = host.borrow(elements, plan.kernel.element);
}

/// A row of sums for each range; the memory is there even if nothing is cut.
void BrickLauncher::borrowPartials() {
  Value isCut = host.greater(rowParts, host.index(0));
  Value rows =
      arith::SelectOp::create(host.b, isCut, toIndex(ranges), host.index(1));
  if (plan.laneDim)
    rows = arith::MulIOp::create(host.b, rows, extents[*plan.laneDim]);
  partials = host.borrow(rows, plan.kernel.element);
}

void BrickLauncher::launchKernel(StringRef name,
                                 ArrayRef<BrickArgument> arguments, Value gridX,
                                 Value gridY) {
  Values operands;
  for (const BrickArgument &argument : arguments)
    operands.push_back(argumentValue(argument));
  host.launch(module, name, {gridX, gridY, host.index(1)}, operands);
}

/// i1: vectors divide the columns and begin where they may.
Value BrickLauncher::fits(Variant variant) {
  Value rest = arith::RemUIOp::create(host.b, extents[*plan.laneDim],
                                      host.index(variant.vector));
  Value result = host.equal(rest, host.index(0));
  if (!deviceOperands)
    return result;
  Values buffers{output};
  unsigned bytes = plan.kernel.elementBytes();
  for (auto [map, element, input] :
       llvm::zip_equal(plan.inputs, plan.elements, inputs)) {
    if (!plan.hasColumns(map))
      continue;
    buffers.push_back(input);
    bytes = std::max(bytes, element.getIntOrFloatBitWidth() / 8);
  }
  return host.both(result, host.aligned(buffers, variant.vector * bytes));
}

void BrickLauncher::launchVariants(unsigned bits, ArrayRef<Variant> variants) {
  const Variant variant = variants.front();
  auto run = [&] {
    Value tiles = host.index(1);
    if (plan.laneDim)
      tiles = host.min(host.ceilDiv(extents[*plan.laneDim], variant.tile()),
                       kGPUGridLimit);
    launchKernel(brickKernelName(bits, variant), brickArguments(plan, bits),
                 host.ceilDiv(toIndex(ranges), kBlockWarps), tiles);
  };
  if (variants.size() == 1)
    return run();
  branch(host.b, fits(variant), run,
         [&] { launchVariants(bits, variants.drop_front()); });
}

void BrickLauncher::launchKernels(unsigned bits) {
  launchVariants(bits, plan.variants(/*aligned=*/!deviceOperands));
  if (!plan.cuts())
    return;
  branch(host.b, host.greater(rowParts, host.index(0)), [&] {
    Value tiles = host.index(1);
    if (plan.laneDim)
      tiles =
          host.min(host.ceilDiv(extents[*plan.laneDim], kLanes), kGPUGridLimit);
    launchKernel(kCombinePartsName, partArguments(plan),
                 host.ceilDiv(toIndex(ranges), core::rules::kPartsTogether),
                 tiles);
  });
}

void BrickLauncher::launch(unsigned bits) {
  tables.clear();
  Value isThere = host.isTrue();
  auto require = [&](Value buffer) {
    isThere = host.both(isThere, host.isThere(buffer));
  };
  for (const BrickArgument &argument : brickArguments(plan, bits)) {
    if (argument.role != BrickRole::Table)
      continue;
    Value &table = tables[argument.number];
    table = host.runtime(
        ("astfe_rt_brick_device_table_i" +
         Twine(argument.type.getIntOrFloatBitWidth()))
            .str(),
        MemRefType::get({ShapedType::kDynamic}, argument.type),
        {handle, number(plan.key), workers, number(argument.number)});
    require(table);
  }
  for (Value buffer : host.copies())
    require(buffer);
  for (Value buffer : {sums, partials})
    if (buffer)
      require(buffer);
  branch(host.b, isThere, [&] { launchKernels(bits); });
}

void BrickLauncher::run(Values inputBuffers, Value outputBuffer) {
  inputs = std::move(inputBuffers);
  output = outputBuffer;
  handle = host.lender = handleOf(host.b, plan.kernel.op->getOperand(0));
  Value fits =
      ask("astfe_rt_bricks_fit", {handle, number(plan.rank), number(plan.key)});
  workers = ranges = ask("astfe_rt_device_workers", {});
  auto positive = [&](Value value) -> Value {
    return arith::CmpIOp::create(host.b, arith::CmpIPredicate::sgt, value,
                                 number(0));
  };
  auto compute = [&] {
    Value some = host.isTrue();
    for (unsigned dim = 1 + plan.rank; dim < plan.dims(); ++dim)
      if (plan.output.isFunctionOfDim(dim))
        some = host.both(some, host.greater(extents[dim], host.index(0)));
    branch(host.b, some, [&] {
      if (!deviceOperands) {
        SmallVector<Value *> staged{&output};
        for (Value &input : inputs)
          staged.push_back(&input);
        host.copyIn(staged);
      }
      if (plan.keepsSums())
        borrowSums();
      if (plan.cuts()) {
        const Values of{handle, number(plan.key), workers};
        ranges = ask("astfe_rt_brick_parts", of);
        rowParts = toIndex(ask("astfe_rt_brick_row_parts", of));
        borrowPartials();
      }
      bricks = ask("astfe_rt_brick_count", {handle, number(plan.key)});
      Value bits = ask("astfe_rt_brick_bits", {handle, number(plan.key)});
      Value isNarrow = arith::CmpIOp::create(host.b, arith::CmpIPredicate::eq,
                                             bits, number(16));
      branch(
          host.b, isNarrow, [&] { launch(16); }, [&] { launch(32); });
      for (Value buffer : {sums, partials})
        if (buffer)
          host.giveBack(buffer);
      if (!deviceOperands)
        host.copyOut({{output, outputBuffer}});
    });
  };
  auto computeThere = [&] {
    if (!deviceOperands)
      return compute();
    whereReachable(host, {inputs, {output}, Value(), Value()}, compute);
  };
  branch(host.b, host.both(positive(fits), positive(workers)), [&] {
    readExtents();
    branch(host.b, extentsFit(), computeThere, [&] { host.reportExtents(); });
  });
}

void lowerBricksToLaunch(RewriterBase &rewriter, const BrickPlan &plan,
                         gpu::GPUModuleOp module, bool deviceOperands) {
  replaceByLaunch(rewriter, plan.kernel.op, [&](Values inputs, Value output) {
    auto split = [&](Value &buffer, bool isComplex) {
      if (isComplex)
        buffer = floatsOf(rewriter, plan.kernel.op->getLoc(), buffer,
                          /*merged=*/false);
    };
    for (auto [input, isComplex] : llvm::zip_equal(inputs, plan.complex))
      split(input, isComplex);
    split(output, plan.kernel.complex);
    BrickLauncher(rewriter, plan, module, deviceOperands)
        .run(std::move(inputs), output);
  });
}

} // namespace astfe::gpukernel
