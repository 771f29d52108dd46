//===- Patterns.cpp - ops on handles as calls -----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "ASTFE/Analysis/StoredLevels.h"
#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "ASTFE/Core/Pack/Pack.h"
#include "ASTFE/Dialect/PackAttrs.h"
#include "ASTFE/Runtime/ABI.h"
#include "ConstantText.h"
#include "ValuePatterns.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"
#include <limits>

using namespace mlir;
using namespace astfe;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

Value astfe::integer(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
}

/// NaN stands for an absent threshold.
static Value thresholdOf(ImplicitLocOpBuilder &b, FloatAttr threshold) {
  double value = threshold ? threshold.getValueAsDouble()
                           : std::numeric_limits<double>::quiet_NaN();
  return arith::ConstantOp::create(b, b.getF64FloatAttr(value));
}

static Type handleType(OpBuilder &b) {
  return LLVM::LLVMPointerType::get(b.getContext());
}

/// The runtime's functions take integers: `index` is 64 bits there.
static Value asIntegers(ImplicitLocOpBuilder &b, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.getElementType().isIndex())
    return buffer;
  auto integers = MemRefType::get(type.getShape(), b.getI64Type());
  return UnrealizedConversionCastOp::create(b, integers, buffer).getResult(0);
}

Value astfe::asDynamic(ImplicitLocOpBuilder &b, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  auto dynamic = MemRefType::get({ShapedType::kDynamic}, type.getElementType());
  if (type == dynamic)
    return buffer;
  return memref::CastOp::create(b, dynamic, buffer);
}

/// positions, coordinates, rows, columns, format.
static SmallVector<Value> matrixArguments(ImplicitLocOpBuilder &b, Value tensor,
                                          const CompressedMatrix &matrix) {
  auto [positions, coordinates] = getCompressedBuffers(b, tensor);
  auto extent = [&](int64_t mode) -> Value {
    return arith::IndexCastOp::create(b, b.getI64Type(),
                                      getExtent(b, tensor, mode));
  };
  Value rows = extent(0), columns = extent(1);
  return {asIntegers(b, positions), asIntegers(b, coordinates), rows, columns,
          integer(b, matrix.byColumns ? ASTFE_CSC : ASTFE_CSR)};
}

bool astfe::isMatrix(Type tensor) {
  return cast<RankedTensorType>(tensor).getRank() == 2;
}

/// "p32c64".
static std::string widthsOf(const CompressedMatrix &matrix) {
  return ("p" + Twine(matrix.positionWidth) + "c" +
          Twine(matrix.coordinateWidth))
      .str();
}

/// Calls astfe_rt_<verb>, which takes the tensor first: CSR and CSC with
/// indices of 32 or 64 bits as their two arrays, other formats as their levels
/// and extents by the function of that suffix. The other arguments come behind.
static FailureOr<Value>
callOnTensor(ImplicitLocOpBuilder &b, Operation *op, Value tensor, Type type,
             StringRef verb, StringRef suffix,
             llvm::function_ref<void(SmallVectorImpl<Value> &)> addOthers) {
  const std::string function = ("astfe_rt_" + verb + "_").str();
  SmallVector<Value> arguments;
  auto call = [&](const std::string &name) -> Value {
    addOthers(arguments);
    return callRuntime(b, name, handleType(b), arguments).getResult(0);
  };
  if (auto matrix = CompressedMatrix::of(type);
      matrix && matrix->isReadAsIs()) {
    arguments = matrixArguments(b, tensor, *matrix);
    return call(function + widthsOf(*matrix));
  }
  FailureOr<LevelBuffers> buffers = LevelBuffers::get(b, op, tensor, type);
  if (failed(buffers))
    return failure();
  arguments = {asDynamic(b, buffers->levels), asDynamic(b, buffers->extents)};
  Value handle = call(function + suffix.str());
  buffers->release(b);
  return handle;
}

//===----------------------------------------------------------------------===//
// Profiles and graphs
//===----------------------------------------------------------------------===//

/// A set of AstfeSearch.
static int64_t flagsOf(SearchAttr search) {
  int64_t flags = 0;
  for (auto [is, flag] : {std::pair(search.getOrders(), ASTFE_SEARCH_ORDERS),
                          {search.getReorderings(), ASTFE_SEARCH_REORDERINGS},
                          {search.getSamples(), ASTFE_SEARCH_SAMPLES},
                          {search.getGpu(), ASTFE_SEARCH_GPU},
                          {search.getWhole(), ASTFE_SEARCH_WHOLE}})
    if (is)
      flags |= flag;
  return flags;
}

namespace {
struct ProfileLowering : OpConversionPattern<ProfileOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ProfileOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type type = op.getTensor().getType();
    if (ProfileAttr known = op.getKnownAttr()) {
      rewriter.replaceOp(op, callRuntime(b, "astfe_rt_known_profile",
                                         handleType(b), textOf(b, known)));
      return success();
    }
    const std::optional<SearchAttr> search = op.getSearch();
    const bool isPlain =
        !search && op.getReorder() == Reorder::None && op.getHubs() == 0;
    FailureOr<Value> profile = callOnTensor(
        b, op, adaptor.getTensor(), type,
        search    ? "searched_profile"
        : isPlain ? "profile"
                  : "reordered_profile",
        "levels", [&](SmallVectorImpl<Value> &arguments) {
          SmallVector<int64_t> numbers = {int64_t(op.getOrder()),
                                          int64_t(op.getPanel()),
                                          int64_t(op.getMin())};
          if (!isPlain)
            numbers.append({int64_t(op.getReorder()), int64_t(op.getHubs())});
          if (search)
            numbers.append({search->getColumns(), search->getElementBytes(),
                            search->getRuns(), flagsOf(*search)});
          for (int64_t number : numbers)
            arguments.push_back(integer(b, number));
        });
    if (failed(profile))
      return failure();
    rewriter.replaceOp(op, *profile);
    return success();
  }
};
} // namespace

static SmallVector<Value> argumentsOf(ImplicitLocOpBuilder &b, PartitionOp op,
                                      PartitionOp::Adaptor adaptor) {
  return {adaptor.getProfile(), integer(b, op.getLeaf()),
          integer(b, op.getWorkers())};
}

static SmallVector<Value> argumentsOf(ImplicitLocOpBuilder &b, RefineOp op,
                                      RefineOp::Adaptor adaptor) {
  return {adaptor.getGraph(),
          adaptor.getProfile(),
          thresholdOf(b, op.getThresholdAttr()),
          integer(b, op.getWorkers()),
          integer(b, op.getWaves()),
          integer(b, op.getMin()),
          integer(b, op.getSteps())};
}

static SmallVector<Value> argumentsOf(ImplicitLocOpBuilder &b, FuseOp op,
                                      FuseOp::Adaptor adaptor) {
  return {adaptor.getGraph(),
          adaptor.getProfile(),
          thresholdOf(b, op.getThresholdAttr()),
          integer(b, op.getWorkers()),
          integer(b, op.getWaves()),
          integer(b, op.getCache()),
          integer(b, op.getColumns()),
          integer(b, op.getElementBytes())};
}

static SmallVector<Value> argumentsOf(ImplicitLocOpBuilder &b, GraphOp op,
                                      GraphOp::Adaptor) {
  return {textOf(b, op.getValue())};
}

namespace {
/// An op that makes a graph is one call of the runtime.
template <typename Op>
struct GraphStepLowering : OpConversionPattern<Op> {
  GraphStepLowering(const TypeConverter &converter, MLIRContext *context,
                    StringRef function)
      : OpConversionPattern<Op>(converter, context), function(function) {}

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, callRuntime(b, function, handleType(b),
                                       argumentsOf(b, op, adaptor)));
    return success();
  }

private:
  StringRef function;
};

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

struct PackLowering : OpConversionPattern<PackOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(PackOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getResult().getType().getLayout().isView()) {
      rewriter.replaceOpWithMultiple(op, {ValueRange()});
      return success();
    }
    if (!adaptor.getGraph())
      return op.emitOpError("expected a graph to pack by");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type type = op.getTensor().getType();
    const std::optional<CompressedMatrix> matrix = CompressedMatrix::of(type);
    std::optional<ProductsAttr> products;
    if (matrix && matrix->isReadAsIs())
      products = op.getUnlessStored();
    FailureOr<Value> pattern = callOnTensor(
        b, op, adaptor.getTensor(), type,
        products ? "pack_unless_stored" : "pack",
        isMatrix(type) ? "matrix" : "levels",
        [&](SmallVectorImpl<Value> &arguments) {
          arguments.push_back(adaptor.getGraph());
          if (!isMatrix(type))
            return;
          core::Layout layout = packedLayout(op);
          arguments.push_back(textOf(b, layout));
          arguments.push_back(workers(b, layout.target));
          auto tiles = op->getAttrOfType<IntegerAttr>(kColumnTilesAttr);
          arguments.push_back(integer(b, tiles ? tiles.getInt() : 1));
          if (products)
            for (int64_t number :
                 {products->getColumns(), products->getElementBytes()})
              arguments.push_back(integer(b, number));
        });
    if (failed(pattern))
      return failure();
    if (op->hasAttr(kForGPUAttr))
      callRuntime(b, "astfe_rt_bricks_expect_gpu", TypeRange(), {*pattern});
    rewriter.replaceOp(op, *pattern);
    return success();
  }

private:
  /// 0 leaves the number to the host's setting.
  static Value workers(ImplicitLocOpBuilder &b, core::PackTarget target) {
    if (target == core::PackTarget::Host)
      return integer(b, 0);
    return callRuntime(b, "astfe_rt_device_workers", b.getI64Type(), {})
        .getResult(0);
  }
};

struct IsStoredLowering : OpConversionPattern<IsStoredOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(IsStoredOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    // A view has no handle.
    if (adaptor.getPattern().empty()) {
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, b.getBoolAttr(false));
      return success();
    }
    Value stored = callRuntime(b, "astfe_rt_is_stored", b.getI64Type(),
                               adaptor.getPattern())
                       .getResult(0);
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, arith::CmpIPredicate::ne,
                                               stored, integer(b, 0));
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// The conversion
//===----------------------------------------------------------------------===//

void astfe::populateASTFEToRuntimeConversions(TypeConverter &converter) {
  converter.addConversion([](Type type) { return type; });
  auto toHandle = [](Type type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext());
  };
  converter.addConversion([=](ProfileType type) { return toHandle(type); });
  converter.addConversion([=](GraphType type) { return toHandle(type); });
  converter.addConversion(
      [=](BlockedType type, SmallVectorImpl<Type> &types) -> LogicalResult {
        if (!type.getLayout().isView())
          types.push_back(toHandle(type));
        return success();
      });
  auto materialize = [](OpBuilder &builder, Type type, ValueRange inputs,
                        Location loc) -> Value {
    return UnrealizedConversionCastOp::create(builder, loc, type, inputs)
        .getResult(0);
  };
  converter.addSourceMaterialization(materialize);
  converter.addTargetMaterialization(materialize);
}

void astfe::populateASTFEToRuntimePatterns(TypeConverter &converter,
                                           RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ProfileLowering, PackLowering, IsStoredLowering>(converter,
                                                                context);
  populateValuePatterns(converter, patterns);
  patterns.add<GraphStepLowering<PartitionOp>>(converter, context,
                                               "astfe_rt_partition");
  patterns.add<GraphStepLowering<RefineOp>>(converter, context,
                                            "astfe_rt_refine");
  patterns.add<GraphStepLowering<FuseOp>>(converter, context, "astfe_rt_fuse");
  patterns.add<GraphStepLowering<GraphOp>>(converter, context,
                                           "astfe_rt_graph");
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                 converter);
  populateCallOpTypeConversionPattern(patterns, converter);
  populateReturnOpTypeConversionPattern(patterns, converter);
  scf::populateSCFStructuralTypeConversions(converter, patterns);
}

void astfe::configureASTFEToRuntimeTarget(TypeConverter &converter,
                                          ConversionTarget &target) {
  target.addIllegalDialect<ASTFEDialect>();
  // Readers of a matricized tensor read the tensor; nobody reads it then.
  target.addLegalOp<ComputeOp, YieldOp, ViewOp, FusedOp, LocalOp, ReturnOp,
                    MatricizeOp>();
  target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
    return converter.isSignatureLegal(op.getFunctionType());
  });
  scf::populateSCFStructuralTypeConversionTarget(converter, target);
  target.addDynamicallyLegalOp<func::CallOp, func::ReturnOp>(
      [&](Operation *op) { return converter.isLegal(op); });
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
}

static LogicalResult convertToRuntime(ModuleOp module) {
  TypeConverter converter;
  populateASTFEToRuntimeConversions(converter);
  RewritePatternSet patterns(module.getContext());
  populateASTFEToRuntimePatterns(converter, patterns);
  ConversionTarget target(*module.getContext());
  configureASTFEToRuntimeTarget(converter, target);
  if (failed(applyPartialConversion(module, target, std::move(patterns))))
    return failure();
  module.walk([](MatricizeOp op) {
    if (op->use_empty())
      op->erase();
  });
  foldHandles(module);
  return success();
}

/// Whether a value stands for a profile, a graph or a pattern; views that are
/// lowered and handles that are cast back do not.
static bool hasInspectors(ModuleOp module) {
  auto isOurs = [](Type type) {
    return isa<ProfileType, astfe::GraphType, BlockedType>(type);
  };
  return module
      .walk([&](Operation *op) {
        bool found = !isa<ViewOp, UnrealizedConversionCastOp>(op) &&
                     llvm::any_of(op->getResultTypes(), isOurs);
        for (Region &region : op->getRegions())
          for (Block &block : region)
            found |= !isa<FusedOp>(op) &&
                     llvm::any_of(block.getArgumentTypes(), isOurs);
        found |= isa<ValuesOp, UnpackOp, UnpackValuesOp>(op);
        if (auto function = dyn_cast<FunctionOpInterface>(op))
          found |= llvm::any_of(function.getArgumentTypes(), isOurs) ||
                   llvm::any_of(function.getResultTypes(), isOurs);
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult astfe::lowerInspectors(ModuleOp module) {
  if (!hasInspectors(module))
    return success();
  if (failed(insertReleases(module)))
    return failure();
  WalkResult checked = module.walk([](ComputeOp op) {
    return failed(checkClasses(op)) ? WalkResult::interrupt()
                                    : WalkResult::advance();
  });
  if (checked.wasInterrupted() || failed(lowerUnpackedValues(module)) ||
      failed(lowerViews(module)))
    return failure();
  keepPackedLayouts(module);
  if (failed(convertToRuntime(module)))
    return failure();
  // Their levels are read where they are stored.
  module.walk([](sparse_tensor::ReinterpretMapOp op) {
    if (op->use_empty())
      op.erase();
  });
  return success();
}

void astfe::foldHandles(ModuleOp module) {
  module.walk([](ViewOp view) {
    if (view->use_empty())
      view.erase();
  });
  SmallVector<UnrealizedConversionCastOp> casts;
  module.walk([&](UnrealizedConversionCastOp op) { casts.push_back(op); });
  reconcileUnrealizedCasts(casts);
}
