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

#include "ASTFE/Transforms/Passes.h"
#include "Remark.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorStorageLayout.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"
#include "mlir/IR/BuiltinOps.h"

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

static bool isSparse(Type type) { return bool(getSparseTensorEncoding(type)); }

/// Levels are the dimensions in some order and every field is a plain vector:
/// no slices, batches or block formats.
static bool canExpose(Type type) {
  if (!isSparse(type))
    return true;
  SparseTensorType sparse(cast<RankedTensorType>(type));
  return sparse.isPermutation() && !sparse.getEncoding().isSlice() &&
         sparse.getBatchLvlRank() == 0;
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
    Dimension dim =
        type.isIdentity() ? level : type.getDimToLvl().getDimPosition(level);
    set(StorageSpecifierKind::LvlSize, level, dimSizes[dim]);
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

/// Attributes of the arguments that the entry keeps go with them.
static void copyArgumentAttributes(func::FuncOp from, func::FuncOp to) {
  unsigned position = 0;
  for (auto [i, type] : llvm::enumerate(from.getArgumentTypes())) {
    if (!isSparse(type))
      to.setArgAttrs(position, from.getArgAttrDict(i));
    position += exposedTypes(type).size();
  }
}

static void buildEntry(func::FuncOp function, StringRef name) {
  ImplicitLocOpBuilder b(function.getLoc(), function.getContext());
  b.setInsertionPoint(function);
  SmallVector<Type> types;
  for (Type type : function.getArgumentTypes())
    llvm::append_range(types, exposedTypes(type));
  auto entry = func::FuncOp::create(
      b, name, b.getFunctionType(types, function.getResultTypes()));
  entry->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(), b.getUnitAttr());
  copyArgumentAttributes(function, entry);

  Block *body = entry.addEntryBlock();
  b.setInsertionPointToStart(body);
  ValueRange rest = body->getArguments();
  SmallVector<Value> operands;
  for (Type type : function.getArgumentTypes()) {
    size_t count = exposedTypes(type).size();
    ValueRange parts = rest.take_front(count);
    operands.push_back(isSparse(type)
                           ? assemble(b, cast<RankedTensorType>(type), parts)
                           : parts.front());
    rest = rest.drop_front(count);
  }
  auto call = func::CallOp::create(b, function, operands);
  func::ReturnOp::create(b, call.getResults());
}

/// Renames `function`, with its callers, and puts an entry in its place.
static LogicalResult expose(func::FuncOp function, SymbolTable &symbols) {
  std::string name = function.getName().str();
  std::string internal = "_internal_" + name;
  if (symbols.lookup(internal))
    return function.emitOpError("expected the name '")
           << internal << "' to be free";
  if (failed(symbols.rename(function, internal)))
    return function.emitOpError("expected to rename every use");
  function.setPrivate();
  buildEntry(function, name);
  return success();
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
      StringRef reason =
          sparseResult ? "a result is sparse"
                       : "an argument is stored in slices, batches or blocks";
      remark::missed(function.getLoc(),
                     remarkOf(function, getArgument(), "kept"))
          << remark::reason("{0}", reason.str());
      return success();
    }
    remark::passed(function.getLoc(),
                   remarkOf(function, getArgument(), "exposed"))
        << "gets an entry on buffers";
    return expose(function, symbols);
  }
};
} // namespace
} // namespace astfe
