//===- ExposeBuffers.cpp - entries that C can call ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry assembles each sparse tensor as upstream's code generation holds
// it: the buffers of its levels and a storage specifier, joined by an
// unrealized_conversion_cast that sparse-tensor-codegen folds away.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/Remark.h"
#include "ASTFE/Transforms/Passes.h"
#include "SparseUpdates.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorStorageLayout.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::sparse_tensor;

namespace astfe {
#define GEN_PASS_DEF_EXPOSEBUFFERSPASS
#include "ASTFE/Transforms/Passes.h.inc"

/// One buffer or specifier of a sparse tensor's storage.
namespace {
struct Field {
  Type type;
  SparseTensorFieldKind kind;
  Level level;
};
} // namespace

static SmallVector<Field> storageFields(SparseTensorType type) {
  SmallVector<Field> fields;
  foreachFieldAndTypeInSparseTensor(type, [&](Type fieldType, FieldIndex,
                                              SparseTensorFieldKind kind,
                                              Level level, LevelType) {
    fields.push_back({fieldType, kind, level});
    return true;
  });
  return fields;
}

/// Specifiers of bufferized tensors have an encoding too.
static bool isSparse(Type type) {
  return isa<RankedTensorType>(type) && getSparseTensorEncoding(type);
}

/// What a level's coordinate is of a dimension's.
namespace {
struct LevelOf {
  Dimension dim = 0;
  int64_t divisor = 1; ///< of a level of blocks
  int64_t places = 0;  ///< in a block; 0 for the blocks themselves
};
} // namespace

static std::optional<LevelOf> levelOf(SparseTensorType type, Level level) {
  if (type.isIdentity())
    return LevelOf{level};
  AffineExpr expression = type.getDimToLvl().getResult(unsigned(level));
  LevelOf result;
  if (auto digit = dyn_cast<AffineBinaryOpExpr>(expression)) {
    auto block = dyn_cast<AffineConstantExpr>(digit.getRHS());
    if (!block || (digit.getKind() != AffineExprKind::FloorDiv &&
                   digit.getKind() != AffineExprKind::Mod))
      return std::nullopt;
    (digit.getKind() == AffineExprKind::Mod ? result.places : result.divisor) =
        block.getValue();
    expression = digit.getLHS();
  }
  auto dim = dyn_cast<AffineDimExpr>(expression);
  if (!dim)
    return std::nullopt;
  result.dim = dim.getPosition();
  return result;
}

/// Levels are the dimensions in some order, or blocks of them, and every field
/// is a plain vector: no slices and batches.
static bool canExpose(Type type) {
  if (!isSparse(type))
    return true;
  SparseTensorType sparse(cast<RankedTensorType>(type));
  return llvm::all_of(
             llvm::seq<Level>(0, sparse.getLvlRank()),
             [&](Level level) { return levelOf(sparse, level).has_value(); }) &&
         !sparse.getEncoding().isSlice() && sparse.getBatchLvlRank() == 0;
}

/// The types of the entry's arguments that stand for one of the function.
static SmallVector<Type> exposedTypes(Type type) {
  if (!isSparse(type))
    return {type};
  SparseTensorType sparse(cast<RankedTensorType>(type));
  SmallVector<Type> types;
  for (const Field &field : storageFields(sparse))
    if (field.kind != SparseTensorFieldKind::StorageSpec)
      types.push_back(field.type);
  types.append(sparse.getDimRank(), IndexType::get(type.getContext()));
  return types;
}

/// Writes the sizes of levels and buffers into a fresh specifier.
static Value buildSpecifier(ImplicitLocOpBuilder &b, SparseTensorType type,
                            ArrayRef<Field> fields, ValueRange buffers,
                            ValueRange dimSizes) {
  auto specifierType = StorageSpecifierType::get(type.getEncoding());
  Value specifier = StorageSpecifierInitOp::create(b, specifierType);
  auto set = [&](StorageSpecifierKind kind, std::optional<Level> level,
                 Value size) {
    IntegerAttr at = level ? b.getIndexAttr(*level) : IntegerAttr();
    specifier = SetStorageSpecifierOp::create(b, specifier, kind, at, size);
  };
  for (Level level = 0; level != type.getLvlRank(); ++level) {
    LevelOf of = *levelOf(type, level);
    Value size = dimSizes[of.dim];
    if (of.places)
      size = arith::ConstantIndexOp::create(b, of.places);
    else if (of.divisor != 1)
      size = arith::DivUIOp::create(
          b, size, arith::ConstantIndexOp::create(b, of.divisor));
    set(StorageSpecifierKind::LvlSize, level, size);
  }
  for (auto [field, buffer] : llvm::zip(fields, buffers)) {
    bool isValues = field.kind == SparseTensorFieldKind::ValMemRef;
    Value size = memref::DimOp::create(b, buffer, 0);
    set(toSpecifierKind(field.kind),
        isValues ? std::nullopt : std::optional<Level>(field.level), size);
  }
  return specifier;
}

/// The sparse tensor whose buffers and sizes are `parts`.
static Value assemble(ImplicitLocOpBuilder &b, RankedTensorType type,
                      ValueRange parts) {
  SparseTensorType sparse(type);
  SmallVector<Field> fields = storageFields(sparse);
  fields.pop_back(); // the specifier itself
  ValueRange buffers = parts.take_front(fields.size());
  SmallVector<Value> operands(buffers);
  operands.push_back(buildSpecifier(b, sparse, fields, buffers,
                                    parts.drop_front(fields.size())));
  return UnrealizedConversionCastOp::create(b, type, operands).getResult(0);
}

/// Appends arguments that stand for those of block `old` and returns, for each
/// of these, the value that replaces it.
static SmallVector<Value> buildArguments(ImplicitLocOpBuilder &b, Block *old,
                                         Block *entry) {
  SmallVector<Value> replacements;
  for (BlockArgument argument : old->getArguments()) {
    Type type = argument.getType();
    SmallVector<Value> parts;
    for (Type part : exposedTypes(type))
      parts.push_back(entry->addArgument(part, argument.getLoc()));
    replacements.push_back(
        isSparse(type) ? assemble(b, cast<RankedTensorType>(type), parts)
                       : parts.front());
  }
  return replacements;
}

/// Moves the body of `function` behind arguments that C can pass.
static void changeSignature(func::FuncOp function) {
  ImplicitLocOpBuilder b(function.getLoc(), function.getContext());
  Block *old = &function.getBody().front();
  Block *entry = b.createBlock(old);
  SmallVector<Value> replacements = buildArguments(b, old, entry);
  SmallVector<DictionaryAttr> attributes;
  for (auto [i, argument] : llvm::enumerate(old->getArguments())) {
    argument.replaceAllUsesWith(replacements[i]);
    attributes.append(exposedTypes(argument.getType()).size(),
                      b.getDictionaryAttr({}));
    if (!isSparse(argument.getType()))
      attributes.back() = function.getArgAttrDict(i);
  }
  entry->getOperations().splice(entry->end(), old->getOperations());
  old->erase();
  function.setType(
      b.getFunctionType(entry->getArgumentTypes(), function.getResultTypes()));
  function.setAllArgAttrs(attributes);
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    b.getUnitAttr());
}

/// Puts the body of a function of one block in the place of its calls: what a
/// private copy computes is copied in and out, as bufferization does not look
/// through calls that pass sparse tensors.
static void inlineCalls(func::FuncOp function, Operation *module) {
  if (!function.getBody().hasOneBlock())
    return;
  SmallVector<func::CallOp> calls;
  module->walk([&](func::CallOp call) {
    if (call.getCallee() == function.getName() &&
        !function->isProperAncestor(call) &&
        SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr()) ==
            function)
      calls.push_back(call);
  });
  Block &body = function.getBody().front();
  for (func::CallOp call : calls) {
    OpBuilder b(call);
    IRMapping mapping;
    mapping.map(body.getArguments(), call.getOperands());
    for (Operation &op : body.without_terminator())
      b.clone(op, mapping);
    for (auto [result, value] :
         llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(mapping.lookupOrDefault(value));
    call.erase();
  }
}

/// Exposes `function`; other users get a private copy on tensors.
static LogicalResult expose(func::FuncOp function, SymbolTable &symbols) {
  Operation *module = symbols.getOp();
  inlineCalls(function, module);
  if (!SymbolTable::symbolKnownUseEmpty(function, module)) {
    std::string internal = "_internal_" + function.getName().str();
    if (symbols.lookup(internal))
      return function.emitOpError("expected the name '")
             << internal << "' to be free";
    func::FuncOp copy = function.clone();
    copy.setName(internal);
    copy.setPrivate();
    symbols.insert(copy, std::next(function->getIterator()));
    if (failed(SymbolTable::replaceAllSymbolUses(
            function, copy.getSymNameAttr(), module)))
      return function.emitOpError("expected to rename every use");
  }
  changeSignature(function);
  return updateIntoNewTensors(function);
}

namespace {
struct ExposeBuffersPass : impl::ExposeBuffersPassBase<ExposeBuffersPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (func::FuncOp function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (function.isPublic() && !function.isExternal() &&
          failed(exposeIfPossible(function, symbols)))
        return signalPassFailure();
  }

  LogicalResult exposeIfPossible(func::FuncOp function, SymbolTable &symbols) {
    bool sparseResult = llvm::any_of(function.getResultTypes(), isSparse);
    if (!sparseResult && !llvm::any_of(function.getArgumentTypes(), isSparse)) {
      function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                        UnitAttr::get(&getContext()));
      return success();
    }
    if (sparseResult || !llvm::all_of(function.getArgumentTypes(), canExpose)) {
      StringRef reason = sparseResult
                             ? "a result is sparse"
                             : "an argument is stored in slices or batches";
      remark::missed(function.getLoc(),
                     remarkOf(function, getArgument(), "kept"))
          << remark::reason("{0}", reason.str());
      return success();
    }
    remark::passed(function.getLoc(),
                   remarkOf(function, getArgument(), "exposed"))
        << "gets an entry on buffers";
    ++numExposed;
    return expose(function, symbols);
  }
};
} // namespace
} // namespace astfe
