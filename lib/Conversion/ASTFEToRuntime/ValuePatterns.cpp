//===- ValuePatterns.cpp - values between tensors and patterns ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValuePatterns.h"
#include "ASTFE/Conversion/AtNonzeros.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"

using namespace mlir;
using namespace astfe;

/// The type whose values the runtime moves instead, which are as wide; null
/// where there is none.
static Type carrierOf(Type element) {
  MLIRContext *context = element.getContext();
  if (auto complex = dyn_cast<ComplexType>(element))
    return complex.getElementType().isF32()   ? Float64Type::get(context)
           : complex.getElementType().isF64() ? element
                                              : Type();
  if (!element.isIntOrFloat())
    return {};
  // A byte is the least that an element of a buffer takes.
  switch (std::max(8u, element.getIntOrFloatBitWidth())) {
  case 8:
    return IntegerType::get(context, 8);
  case 16:
    return IntegerType::get(context, 16);
  case 32:
    return Float32Type::get(context);
  case 64:
    return Float64Type::get(context);
  default:
    return {};
  }
}

/// As in the names of the runtime's functions (Runtime/Carriers.def).
static std::string carrierName(Type carrier) {
  if (isa<ComplexType>(carrier))
    return "c64";
  std::string name;
  llvm::raw_string_ostream(name) << carrier;
  return name;
}

int64_t astfe::bytesInMemory(Type element) {
  auto complex = dyn_cast<ComplexType>(element);
  const Type part = complex ? complex.getElementType() : element;
  if (part.isIndex())
    return int64_t(sizeof(int64_t));
  return (complex ? 2 : 1) *
         int64_t(llvm::divideCeil(part.getIntOrFloatBitWidth(), 8));
}

/// The buffer as one of dynamic size of the carrier of its elements.
static Value asCarrier(ImplicitLocOpBuilder &b, Value buffer) {
  Value dynamic = asDynamic(b, buffer);
  auto type = cast<MemRefType>(dynamic.getType());
  auto carried =
      MemRefType::get(type.getShape(), carrierOf(type.getElementType()));
  if (carried == type)
    return dynamic;
  return UnrealizedConversionCastOp::create(b, carried, dynamic).getResult(0);
}

void astfe::moveValues(ImplicitLocOpBuilder &b, StringRef verb, Value handle,
                       BlockedType pattern, int64_t key, Value source,
                       Value target) {
  SmallVector<Value> arguments{handle};
  const bool matrix = pattern.getShape().size() == 2;
  if (!matrix)
    arguments.push_back(integer(b, key));
  arguments.append({asCarrier(b, source), asCarrier(b, target)});
  std::string name =
      ("astfe_rt_" + StringRef(matrix ? "" : "brick_") + verb + "_").str();
  name += carrierName(carrierOf(getElementTypeOrSelf(source.getType())));
  callRuntime(b, name, TypeRange(), arguments);
}

LogicalResult astfe::checkCarried(Operation *op, Type values) {
  Type element = getElementTypeOrSelf(values);
  if (carrierOf(element))
    return success();
  return op->emitOpError("expected values of at most 64 bits, integer or "
                         "float, or complex numbers of such floats, but got ")
         << element;
}

Value astfe::sizeOf(ImplicitLocOpBuilder &b, StringRef function, Value handle) {
  Value size = callRuntime(b, function, b.getI64Type(), handle).getResult(0);
  return arith::IndexCastOp::create(b, b.getIndexType(), size);
}

Value astfe::lendVector(ImplicitLocOpBuilder &b, Value pattern, MemRefType type,
                        Value size) {
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value bytes = number(bytesInMemory(type.getElementType()));
  Value lent = lendBytes(b, pattern, arith::MulIOp::create(b, size, bytes));
  Value count = arith::DivUIOp::create(
      b, memref::DimOp::create(b, lent, number(0)), bytes);
  return memref::ViewOp::create(b, type, lent, number(0), count);
}

/// The values of a sparse tensor, in its own order, which the matrix of a
/// tensor has from it.
static Value storedValues(ImplicitLocOpBuilder &b, Value tensor) {
  if (auto matrix = tensor.getDefiningOp<MatricizeOp>())
    tensor = matrix.getTensor();
  return sparse_tensor::ToValuesOp::create(b, storedTensor(tensor));
}

namespace {
struct ValuesLowering : OpConversionPattern<ValuesOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ValuesOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value source = storedValues(b, adaptor.getTensor().front());
    if (op.getPattern().getType().getLayout().isView()) {
      // Not writable: the tensor still owns the memory.
      rewriter.replaceOpWithNewOp<bufferization::ToTensorOp>(
          op, op.getResult().getType(), source, /*restrict=*/true);
      return success();
    }
    if (failed(checkCarried(op, op.getTensor().getType())))
      return failure();
    Value pattern = adaptor.getPattern().front();
    Value size = sizeOf(b, "astfe_rt_slots", pattern);
    auto type = MemRefType::get({ShapedType::kDynamic},
                                op.getTensor().getType().getElementType());
    Value result = isLent(op)
                       ? lendVector(b, pattern, type, size)
                       : memref::AllocOp::create(b, type, size).getResult();
    moveValues(b, "values", pattern, op.getPattern().getType(),
               int64_t(op.getKey()), source, result);
    rewriter.replaceOpWithNewOp<bufferization::ToTensorOp>(
        op, op.getResult().getType(), result, /*restrict=*/true,
        /*writable=*/true);
    return success();
  }
};

/// The same tensor in the order of its levels, or as `type` again: upstream
/// copies no tensor whose levels are not its dimensions.
Value reinterpreted(ImplicitLocOpBuilder &b, Value tensor,
                    RankedTensorType type) {
  return tensor.getType() == type
             ? tensor
             : sparse_tensor::ReinterpretMapOp::create(b, type, tensor);
}

/// Their maker leaves them in the order of the nonzeros.
bool isAtNonzeros(Value values) {
  Operation *maker = values.getDefiningOp();
  return maker && maker->hasAttr(kAtNonzerosAttr);
}

/// A copy of the tensor, whose values are overwritten.
struct UnpackLowering : OpConversionPattern<UnpackOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(UnpackOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value tensor = adaptor.getTensor().front();
    if (failed(checkCarried(op, op.getTensor().getType())))
      return failure();
    auto type = MemRefType::get(op.getValues().getType().getShape(),
                                op.getTensor().getType().getElementType());
    Value source = bufferization::ToBufferOp::create(
        b, type, adaptor.getValues().front(), /*readOnly=*/true);
    sparse_tensor::SparseTensorType stored(op.getTensor().getType());
    RankedTensorType byLevels = stored.isIdentity() ? RankedTensorType(stored)
                                                    : stored.getDemappedType();
    Value copy = bufferization::AllocTensorOp::create(
        b, byLevels, ValueRange(), reinterpreted(b, tensor, byLevels));
    Value target = storedValues(b, copy);
    if (op.getPattern().getType().getLayout().isView() ||
        isAtNonzeros(op.getValues()))
      memref::CopyOp::create(b, source, target);
    else
      moveValues(b, "unpack", adaptor.getPattern().front(),
                 op.getPattern().getType(), int64_t(op.getKey()), source,
                 target);
    rewriter.replaceOp(op, reinterpreted(b, copy, op.getTensor().getType()));
    return success();
  }
};
} // namespace

void astfe::populateValuePatterns(TypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<ValuesLowering, UnpackLowering>(converter,
                                               patterns.getContext());
}
