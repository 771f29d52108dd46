//===- ComplexBuffers.cpp - buffers of complex numbers as floats ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/ComplexBuffers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace astfe {

Value floatsOf(OpBuilder &builder, Location loc, Value buffer, bool merged) {
  ImplicitLocOpBuilder b(loc, builder);
  auto type = cast<MemRefType>(buffer.getType());
  Type element = cast<ComplexType>(type.getElementType()).getElementType();
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<OpFoldResult> sizes, strides;
  for (int64_t r = 0; r < type.getRank(); ++r)
    sizes.push_back(
        type.isDynamicDim(r)
            ? OpFoldResult(memref::DimOp::create(b, buffer, r).getResult())
            : b.getIndexAttr(shape[r]));
  if (!merged) {
    shape.push_back(2);
    sizes.push_back(b.getIndexAttr(2));
  } else if (ShapedType::isDynamic(shape.back())) {
    Value twice = arith::MulIOp::create(b, cast<Value>(sizes.back()),
                                        arith::ConstantIndexOp::create(b, 2));
    sizes.back() = twice;
  } else {
    shape.back() *= 2;
    sizes.back() = b.getIndexAttr(shape.back());
  }
  OpFoldResult stride = b.getIndexAttr(1);
  for (size_t r = sizes.size(); r-- > 0;) {
    strides.insert(strides.begin(), stride);
    auto known = dyn_cast<Attribute>(stride);
    if (known && !ShapedType::isDynamic(shape[r]))
      stride = b.getIndexAttr(cast<IntegerAttr>(known).getInt() * shape[r]);
    else if (r > 0)
      stride = arith::MulIOp::create(
                   b, getValueOrCreateConstantIndexOp(b, loc, stride),
                   getValueOrCreateConstantIndexOp(b, loc, sizes[r]))
                   .getResult();
  }
  // The shape of this one means nothing: only its memory is taken.
  Value floats = UnrealizedConversionCastOp::create(
                     b, MemRefType::get(type.getShape(), element), buffer)
                     .getResult(0);
  return memref::ReinterpretCastOp::create(
      b, MemRefType::get(shape, element), floats,
      OpFoldResult(b.getIndexAttr(0)), sizes, strides);
}

/// `times` a number, which is a constant or known at run time, and `more`.
static OpFoldResult multiple(ImplicitLocOpBuilder &b, int64_t known,
                             Value given, int64_t times, int64_t more = 0) {
  if (!ShapedType::isDynamic(known))
    return b.getIndexAttr(times * known + more);
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  };
  if (times != 1)
    given = arith::MulIOp::create(b, given, index(times));
  if (more != 0)
    given = arith::AddIOp::create(b, given, index(more));
  return given;
}

Value floatsApart(OpBuilder &builder, Location loc, Value buffer, int64_t part,
                  std::optional<unsigned> lanes) {
  ImplicitLocOpBuilder b(loc, builder);
  auto type = cast<MemRefType>(buffer.getType());
  Type element = cast<ComplexType>(type.getElementType()).getElementType();
  auto [strides, offset] = type.getStridesAndOffset();
  auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
  SmallVector<OpFoldResult> sizes, steps;
  for (unsigned r = 0; r < type.getRank(); ++r) {
    sizes.push_back(multiple(b, type.getDimSize(r), metadata.getSizes()[r],
                             r == lanes ? 2 : 1));
    steps.push_back(
        multiple(b, strides[r], metadata.getStrides()[r], r == lanes ? 1 : 2));
  }
  OpFoldResult first = multiple(b, offset, metadata.getOffset(), 2, part);
  auto known = [](OpFoldResult number) {
    auto attribute = dyn_cast<Attribute>(number);
    return attribute ? cast<IntegerAttr>(attribute).getInt()
                     : ShapedType::kDynamic;
  };
  auto layout = StridedLayoutAttr::get(b.getContext(), known(first),
                                       llvm::map_to_vector(steps, known));
  // The shape and the strides of this one mean nothing: only its memory is
  // taken.
  auto floats = MemRefType::get(type.getShape(), element, type.getLayout(),
                                type.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      b,
      MemRefType::get(llvm::map_to_vector(sizes, known), element, layout,
                      type.getMemorySpace()),
      UnrealizedConversionCastOp::create(b, floats, buffer).getResult(0), first,
      sizes, steps);
}

} // namespace astfe
