//===- SelectKernels.cpp - layouts and kernels ----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/ComputePlan.h"
#include "ASTFE/Analysis/NeutralZeros.h"
#include "ASTFE/Analysis/PassOption.h"
#include "ASTFE/Analysis/Remark.h"
#include "ASTFE/Core/Cost/DenseOnGPU.h"
#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "ASTFE/Core/Pack/GPUGrid.h"
#include "ASTFE/Core/Target/Chip.h"
#include "ASTFE/Dialect/PackAttrs.h"
#include "ASTFE/Transforms/Passes.h"
#include "DenseColumns.h"
#include "GraphChain.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_SELECTKERNELSPASS
#include "ASTFE/Transforms/Passes.h.inc"

/// Whether the module says that it is compiled for a GPU.
static bool targetsGPU(ModuleOp module) {
  auto system = module->getAttrOfType<TargetSystemSpecInterface>(
      DLTIDialect::kTargetSystemDescAttrName);
  if (system && system.getDeviceSpecForDeviceID(
                    StringAttr::get(module.getContext(), "GPU")))
    return true;
  auto isNVVM = [](Attribute target) {
    return isa<NVVM::NVVMTargetAttr>(target);
  };
  auto result = module.walk([&](gpu::GPUModuleOp kernels) {
    ArrayAttr targets = kernels.getTargetsAttr();
    return targets && llvm::any_of(targets, isNVVM) ? WalkResult::interrupt()
                                                    : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// The graph that a pattern is packed by, if it is constant.
static std::optional<core::Graph> constantGraph(PackOp pack) {
  if (auto graph = pack.getGraph() ? pack.getGraph().getDefiningOp<GraphOp>()
                                   : GraphOp())
    return toCore(graph.getValue());
  return std::nullopt;
}

/// The dense operands of the computations over a pattern.
static core::DenseUse denseUse(PackOp pack, int64_t assumed) {
  core::DenseUse use;
  bool first = true;
  for (Operation *user : pack->getUsers()) {
    auto compute = dyn_cast<ComputeOp>(user);
    if (!compute)
      continue;
    auto output = cast<ShapedType>(compute.getOutputs().front().getType());
    // Vectors of complex numbers run as a dense column.
    const int64_t least = isa<ComplexType>(output.getElementType()) ? 1 : 0;
    auto bytes = [&](int64_t columns) {
      return denseColumns(compute, columns).value_or(least) *
             elementBytes(output.getElementType());
    };
    use.least = first ? bytes(assumed) : std::min(use.least, bytes(assumed));
    use.most = std::max(use.most, bytes(assumed));
    // Samples have no rows of an output.
    if (!compute.getMapArray().back().isFunctionOfDim(0))
      use.known = std::max(use.known, bytes(0));
    bool oneColumn = bytes(1) == 0;
    use.oneColumn = oneColumn && (first || use.oneColumn);
    first = false;
  }
  return use;
}

/// Whether zeros that are stored for entries which the tensor does not have
/// would change nothing in the computations over a pattern.
static bool ignoresZeros(PackOp pack) {
  auto ignores = [](ComputeOp compute) {
    Block &body = compute.getBody().front();
    auto yield = cast<YieldOp>(body.getTerminator());
    for (auto [input, argument] :
         llvm::zip(compute.getInputs(), body.getArguments()))
      if (input.getDefiningOp<ValuesOp>() && yield.getValues().size() == 1)
        return isIgnored(yield.getKind(0),
                         valueAtZero(yield.getValues()[0], argument));
    return false;
  };
  return llvm::all_of(pack->getUsers(), [&](Operation *user) {
    auto compute = dyn_cast<ComputeOp>(user);
    return !compute || ignores(compute);
  });
}

/// The classes of a layout that all computations over a pattern have code for:
/// one that lacks some would refuse what was packed for the others.
static core::ClassSet runnableByAll(PackOp pack, const core::Layout &layout) {
  core::ClassSet classes = layout.classes;
  for (Operation *user : pack->getUsers())
    if (auto compute = dyn_cast<ComputeOp>(user))
      classes = classes & runnableClasses(compute, layout);
  return classes;
}

/// Whether a computation over a pattern has no atomic form on a GPU.
static bool needsPartialRows(PackOp pack) {
  return llvm::any_of(pack->getUsers(), [](Operation *user) {
    auto compute = dyn_cast<ComputeOp>(user);
    return compute && needsPartialRows(questionOf(compute, PlanTarget::GPU));
  });
}

/// Leaves fewer classes, where these can do without the others.
static void narrow(core::Layout &layout, core::ClassSet fewer) {
  core::Layout narrowed = layout;
  narrowed.classes = fewer;
  if (narrowed.check())
    layout = narrowed;
}

/// The launch of a kernel passes operands, and scalars as the elements are, or
/// as the parts of complex elements.
static LogicalResult checkCaptures(ComputeOp compute) {
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(compute->getRegions(), captured);
  const Type element = getElementTypeOrSelf(compute.getOutputs()[0].getType());
  Type part = element;
  if (auto complex = dyn_cast<ComplexType>(element))
    part = complex.getElementType();
  for (Value value : captured)
    if (value.getType() != element && value.getType() != part)
      return compute.emitOpError("expected a body that reads scalars of type ")
             << element
             << " from outside on a GPU but it reads a value of type "
             << value.getType();
  return success();
}

/// No later pass asks for profiles and steps, and code generation knows no such
/// attributes.
static void dropProfiles(ModuleOp module) {
  module.walk([](GraphOp graph) {
    for (StringRef name : {kProfileAttrName, kRefinedAttrName, kFusedAttrName})
      graph->removeAttr(name);
  });
  module.walk([](FunctionOpInterface function) {
    for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
      function.removeArgAttr(i, kProfileAttrName);
  });
}

namespace {
struct SelectKernelsPass
    : CheckedOptions<impl::SelectKernelsPassBase<SelectKernelsPass>> {
  using CheckedOptions::CheckedOptions;

  core::Status checkOptions() override {
    if (!chip.empty() && !core::findChip(chip))
      return optionError("chip", core::chipNames(), chip);
    core::ClassSet known;
    for (const std::string &name : classes) {
      std::optional<core::SegmentClass> kind = core::parseClass(name);
      if (!kind)
        return optionError("classes", core::classNames(core::ClassSet::all()),
                           name);
      known = known.with(*kind);
    }
    if (known.bits)
      permitted = known;
    return allOf(
        {checkAtLeast("columns", 1, columns), checkAtLeast("width", 0, width)});
  }

  void runOnOperation() override {
    bool gpu = !chip.empty() || targetsGPU(getOperation());
    getOperation().walk([&](PackOp pack) { chooseLayout(pack, gpu); });
    auto result = getOperation().walk([&](ComputeOp compute) {
      // A chain is for views, whose kernels need no choice.
      if (isa<FusedOp>(compute->getParentOp()))
        return WalkResult::advance();
      if (gpu && failed(checkCaptures(compute)))
        return WalkResult::interrupt();
      derive(compute, gpu);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    dropProfiles(getOperation());
  }

  void chooseLayout(PackOp pack, bool gpu);
  int64_t columnTile(ComputeOp compute, bool gpu);
  int64_t widestTile(PackOp pack);
  void noteTiles(PackOp pack, int64_t tile);
  void derive(ComputeOp compute, bool gpu);
  void reportDense(ComputeOp compute);

  /// What patterns may hold: all, or the option's.
  core::ClassSet permitted = core::ClassSet::all();
};
} // namespace

int64_t SelectKernelsPass::columnTile(ComputeOp compute, bool gpu) {
  auto output = cast<ShapedType>(compute.getOutputs().front().getType());
  return core::chooseColumnTile(denseColumns(compute, columns),
                                elementBytes(output.getElementType()), gpu);
}

/// Of the computations over a pattern, on a GPU; where there are none, as for
/// one that nothing is known of.
int64_t SelectKernelsPass::widestTile(PackOp pack) {
  std::optional<int64_t> widest;
  for (Operation *user : pack->getUsers())
    if (auto compute = dyn_cast<ComputeOp>(user))
      widest = std::max(widest.value_or(0), columnTile(compute, /*gpu=*/true));
  return widest.value_or(core::kWidestTile);
}

/// Tiles of columns of what is computed over a pattern, where there are
/// several: a GPU's warps are theirs in parts (core::cutForGPU). Samples, one
/// for each nonzero, take all columns at once.
void SelectKernelsPass::noteTiles(PackOp pack, int64_t tile) {
  auto hasTiles = [](ComputeOp compute) {
    return cast<ShapedType>(compute.getOutputs().front().getType()).getRank() >
           1;
  };
  int64_t most = 1;
  for (Operation *user : pack->getUsers())
    if (auto compute = dyn_cast<ComputeOp>(user); compute && hasTiles(compute))
      most = std::max(
          most,
          core::columnTiles(denseColumns(compute, columns).value_or(1), tile));
  if (most > 1)
    pack->setAttr(kColumnTilesAttr,
                  Builder(pack.getContext()).getI64IntegerAttr(most));
}

/// Whether something over a pattern has an element for each nonzero.
static bool makesSamples(PackOp pack) {
  return llvm::any_of(pack->getUsers(), [](Operation *user) {
    auto compute = dyn_cast<ComputeOp>(user);
    return compute && compute.getMapArray().back().isFunctionOfDim(0);
  });
}

void SelectKernelsPass::chooseLayout(PackOp pack, bool gpu) {
  auto type = cast<BlockedType>(pack.getResult().getType());
  core::Layout layout = toCore(type.getLayout());
  // Bricks, of tensors of other ranks, have one layout.
  if (layout.storage == core::Storage::View || type.getShape().size() != 2)
    return;
  if (!isUsedByOursOnly(pack)) {
    remark::missed(pack.getLoc(), remarkOf(pack, getArgument(), "kept"))
        << remark::reason("the pattern leaves the function");
    return;
  }
  int64_t width = ShapedType::isDynamic(type.getShape().back())
                      ? this->width
                      : type.getShape().back();
  if (std::optional<core::Graph> graph = constantGraph(pack)) {
    width = core::widestGroup(*graph);
    if (core::fullestBlock(*graph) < 0.25)
      layout.classes = layout.classes.without(core::SegmentClass::DenseTile);
  }
  layout.columnBits = core::bitsForColumns(width);
  const core::ClassSet given = layout.classes;
  if (gpu) {
    // Its rule is another, and the runtime does not know it.
    pack.removeUnlessStoredAttr();
    const int64_t tile = widestTile(pack);
    core::chooseForGPU(layout, tile);
    noteTiles(pack, tile);
    if (makesSamples(pack))
      narrow(layout, layout.classes & core::classesOfSamples());
  } else {
    core::chooseForHost(layout, denseUse(pack, columns));
    // What is left out for its speed stays where nothing else stores all.
    if (!permitted.contains(core::SegmentClass::RowSegments) &&
        given.contains(core::SegmentClass::Scattered))
      layout.classes = layout.classes.with(core::SegmentClass::Scattered);
  }
  narrow(layout, layout.classes & permitted);
  narrow(layout, layout.classes & runnableByAll(pack, layout));
  layout.deterministic |= deterministic || (gpu && needsPartialRows(pack));
  layout.assumeFinite |= assumeFinite && ignoresZeros(pack);
  pack.getResult().setType(BlockedType::get(&getContext(), type.getShape(),
                                            toAttr(&getContext(), layout)));
  remark::analysis(pack.getLoc(), remarkOf(pack, getArgument(), "layout"))
      << remark::metric("column-bits", int(layout.columnBits))
      << remark::metric("classes", core::classNames(layout.classes))
      << remark::metric("target", std::string(core::targetName(layout.target)));
}

/// Says where dense matrices would be multiplied faster, as far as is known
/// which nonzeros there are. Whoever stores the matrix decides.
void SelectKernelsPass::reportDense(ComputeOp compute) {
  auto pack = compute.getPattern().getDefiningOp<PackOp>();
  const std::optional<core::Graph> graph =
      pack ? constantGraph(pack) : std::nullopt;
  auto output = cast<ShapedType>(compute.getOutputs().front().getType());
  const Type element = output.getElementType();
  auto yield = cast<YieldOp>(compute.getBody().front().getTerminator());
  if (!graph || graph->space.rank() != 2 ||
      !(element.isF32() || element.isF64()) ||
      yield.getKind(0) != arith::AtomicRMWKind::addf ||
      !yield.getValues().front().getDefiningOp<arith::MulFOp>() ||
      compute.getMapArray().back().isFunctionOfDim(0))
    return;
  core::Product product;
  product.columns = denseColumns(compute, columns).value_or(1);
  product.elementBytes = elementBytes(element);
  product.columnTile = std::max<int64_t>(1, columnTile(compute, /*gpu=*/true));
  const double sparse = core::packedSecondsOnGPU(product, *graph);
  const double dense = core::denseSecondsOnGPU(product, graph->space.shape);
  if (dense >= sparse)
    return;
  auto nanoseconds = [](double seconds) { return int64_t(seconds * 1e9); };
  remark::missed(compute.getLoc(), remarkOf(compute, getArgument(), "sparse"))
      << remark::reason("a product of dense matrices is predicted to be "
                        "faster on a GPU")
      << remark::metric("sparse-ns", nanoseconds(sparse))
      << remark::metric("dense-ns", nanoseconds(dense));
}

void SelectKernelsPass::derive(ComputeOp compute, bool gpu) {
  auto type = cast<BlockedType>(compute.getPattern().getType());
  core::Layout layout = toCore(type.getLayout());
  if (layout.storage == core::Storage::View)
    layout.classes = core::ClassSet::of(core::SegmentClass::RowSegments);
  else
    narrow(layout, compiledClasses(compute) & permitted);
  int64_t tile = columnTile(compute, gpu);
  compute.setKernelAttr(
      toAttr(&getContext(), core::Kernel{layout.classes, tile}));
  remark::passed(compute.getLoc(), remarkOf(compute, getArgument(), "derived"))
      << remark::metric("target", gpu ? "gpu" : "host")
      << remark::metric("column-tile", tile);
  ++numDerived;
  if (gpu)
    reportDense(compute);
}

} // namespace astfe
