//===- Kernels.cpp - the gpu.module of one compute ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers are rank-0 memrefs, which the kernel reinterprets: bare pointers
// need static shapes, and only bare pointers carry llvm.noalias, without which
// there is no ld.global.nc.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "ASTFE/Analysis/GraphBridge.h"
#include "ASTFE/Conversion/KernelAttrs.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace astfe::gpukernel {

/// Nothing reads the size of a view; bounds are in the tables.
static constexpr int64_t kUnknownSize = std::numeric_limits<int32_t>::max();

std::string mainName(const KernelPlan &plan, Variant variant) {
  const llvm::StringRef rows =
      plan.walksRows() && variant.hasTeams() ? "_rows" : "";
  if (plan.oneColumn)
    return plan.samples ? "samples" : ("one_column" + rows).str();
  std::string name =
      (plan.samples ? "samples" : "tile") + std::to_string(variant.tile());
  // A whole warp with a column a lane has as many.
  if (variant.lanes < kLanes && variant.tile() == kLanes)
    name += "_teams";
  name += rows;
  return variant.wide ? name + "_wide" : name;
}

std::string cutName(const KernelPlan &plan, Variant variant) {
  return mainName(plan, variant) + "_cut";
}

Value viewOf(ImplicitLocOpBuilder &b, Value pointer) {
  auto type =
      MemRefType::get({ShapedType::kDynamic},
                      cast<MemRefType>(pointer.getType()).getElementType());
  Value size = arith::ConstantIndexOp::create(b, kUnknownSize);
  return memref::ReinterpretCastOp::create(
      b, type, pointer, OpFoldResult(b.getIndexAttr(0)),
      ArrayRef<OpFoldResult>{size},
      ArrayRef<OpFoldResult>{OpFoldResult(b.getIndexAttr(1))});
}

static void annotate(gpu::GPUFuncOp function,
                     ArrayRef<KernelArgument> arguments) {
  Builder b(function.getContext());
  SmallVector<Attribute> roles;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    roles.push_back(b.getStringAttr(argument.role));
    if (argument.isPointer)
      function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                          b.getUnitAttr());
  }
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  function.setKnownBlockSize(ArrayRef<int32_t>{kBlockThreads, 1, 1});
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    b.getI32IntegerAttr(kBlocksPerProcessor));
  function->setAttr(kArgumentsAttr, b.getArrayAttr(roles));
}

gpu::GPUFuncOp
emitFunction(OpBuilder &builder, Location loc, StringRef name,
             ArrayRef<KernelArgument> arguments,
             function_ref<void(ImplicitLocOpBuilder &, ValueRange)> body) {
  ImplicitLocOpBuilder b(loc, builder);
  SmallVector<Type> types;
  for (const KernelArgument &argument : arguments)
    types.push_back(argument.isPointer ? MemRefType::get({}, argument.type)
                                       : argument.type);
  auto function = gpu::GPUFuncOp::create(b, name, b.getFunctionType(types, {}));
  annotate(function, arguments);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function.getBody().front());
  body(b, function.getArguments());
  gpu::ReturnOp::create(b);
  return function;
}

gpu::GPUFuncOp
emitKernel(OpBuilder &builder, const KernelPlan &plan, StringRef name,
           ArrayRef<Argument> arguments,
           function_ref<void(ImplicitLocOpBuilder &, ValueRange)> body) {
  SmallVector<KernelArgument> described;
  for (const Argument &argument : arguments)
    described.push_back(
        {argument.type, argument.pointer, roleName(argument, plan)});
  return emitFunction(builder, plan.op->getLoc(), name, described, body);
}

Counts bindArguments(Emitter &e, ArrayRef<Argument> arguments,
                     ValueRange values) {
  Counts counts;
  for (auto [argument, value] : llvm::zip_equal(arguments, values)) {
    Value bound = argument.pointer ? viewOf(e.b, value) : value;
    switch (argument.role) {
    case Role::Input:
      e.wholeInputs.push_back(bound);
      break;
    case Role::Output:
      e.output = bound;
      break;
    case Role::Partials:
      e.partials = bound;
      break;
    case Role::Workers:
      counts.workers = bound;
      break;
    case Role::Rows:
      counts.rows = bound;
      break;
    case Role::RowTeams:
      counts.rowTeams = bound;
      break;
    case Role::Least:
      e.least = bound;
      break;
    case Role::Piece:
      counts.piece = bound;
      break;
    case Role::ColumnCount:
      e.columnCount = bound;
      break;
    case Role::Stride:
      e.strides[argument.input] = bound;
      break;
    case Role::Marks:
      e.marks = bound;
      break;
    case Role::Scalar:
      e.scalars.push_back(bound);
      break;
    default:
      e.tables[argument.role] = bound;
    }
  }
  return counts;
}

/// Whether any class of the kernel keeps nonzeros in shared memory.
static bool stages(const Emitter &e) {
  const KernelPlan &plan = e.plan;
  const bool keeps = e.variant.lanes == kLanes || e.teamsStage();
  return keeps && !plan.samples && !plan.scatters &&
         (plan.view() ||
          plan.classes.contains(core::SegmentClass::RowSegments) ||
          plan.classes.contains(core::SegmentClass::DenseTile));
}

static void emitMain(OpBuilder &builder, const KernelPlan &plan,
                     Variant variant, bool cut) {
  SmallVector<Argument> arguments =
      cut ? cutArguments(plan) : mainArguments(plan);
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange values) {
    Emitter e(b, b.getLoc(), plan, variant);
    const Counts counts = bindArguments(e, arguments, values);
    Value thread = e.toI32(gpu::ThreadIdOp::create(e.b, gpu::Dimension::x));
    e.lane = e.team = e.bitAnd(thread, kLanes - 1);
    if (variant.lanes > 1)
      e.team = arith::ShRUIOp::create(e.b, e.lane,
                                      e.i32(llvm::Log2_64(variant.lanes)));
    if (stages(e))
      e.makeStage();
    if (plan.walksRows())
      emitViewRows(e, counts.rows, counts.rowTeams);
    else if (plan.view())
      emitViewWorkers(e, counts.workers, counts.rows);
    else
      emitPackedWorkers(e, counts.workers);
    if (cut)
      emitViewPieces(e, counts.rows, counts.piece);
    b.setInsertionPointToEnd(b.getInsertionBlock());
  };
  const std::string name =
      cut ? cutName(plan, variant) : mainName(plan, variant);
  gpu::GPUFuncOp function = emitKernel(builder, plan, name, arguments, body);
  Builder b(function.getContext());
  function->setAttr(kColumnTileAttr,
                    b.getI64IntegerAttr(plan.oneColumn ? 0 : variant.tile()));
  if (variant.wide)
    function->setAttr(kWideAttr, b.getUnitAttr());
  if (!plan.oneColumn && variant.hasTeams())
    function->setAttr(kVectorAttr, b.getI64IntegerAttr(variant.vector));
}

void describe(gpu::GPUModuleOp module, const KernelPlan &plan,
              ArrayRef<Type> elements) {
  std::string layout;
  llvm::raw_string_ostream(layout) << toAttr(module.getContext(), plan.layout);
  module->setAttr(kLayoutAttr, StringAttr::get(module.getContext(), layout));
  module->setAttr(kCombinerAttr, StringAttr::get(module.getContext(),
                                                 stringifyEnum(plan.combiner)));
  const bool isUniform = llvm::all_equal(elements) &&
                         (elements.empty() || elements.front() == plan.stored);
  // Who launches saved kernels knows rows of the output.
  const bool isPlain = isUniform && !plan.scatters && !plan.byColumns &&
                       !plan.complex &&
                       llvm::none_of(plan.inputs, std::mem_fn(&Operand::cell));
  module->setAttr(kElementAttr,
                  TypeAttr::get(isPlain ? plan.stored
                                        : NoneType::get(module.getContext())));
}

gpu::GPUModuleOp emitKernels(OpBuilder &builder, const KernelPlan &plan,
                             StringRef moduleName) {
  auto module =
      gpu::GPUModuleOp::create(builder, plan.op->getLoc(), moduleName);
  SmallVector<Type> elements;
  for (const Operand &input : plan.inputs)
    elements.push_back(input.element);
  describe(module, plan, elements);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  for (Variant variant : variantsOf(plan)) {
    emitMain(builder, plan, variant, /*cut=*/false);
    if (plan.cuts)
      emitMain(builder, plan, variant, /*cut=*/true);
  }
  if (plan.cuts)
    emitCombineRows(builder, plan);
  if (plan.overwrites && !plan.view())
    emitStart(builder, plan);
  if (plan.scatters && (plan.overwrites || plan.sumsApart()))
    emitFill(builder, plan);
  if (plan.sumsApart())
    emitStore(builder, plan);
  if (plan.partials()) {
    if (!plan.overwrites)
      emitFill(builder, plan);
    emitCombine(builder, plan);
  }
  return module;
}

} // namespace astfe::gpukernel
