//===- LevelBuffers.cpp - tensors of any rank for the runtime -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/StoredLevels.h"
#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "ASTFE/Runtime/ABI.h"
#include "ValuePatterns.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"

using namespace mlir;
using namespace astfe;
using sparse_tensor::SparseTensorEncodingAttr;

namespace {
/// Writes the fields of levels, one number after the other.
class LevelWriter {
public:
  LevelWriter(ImplicitLocOpBuilder &b, Value levels) : b(b), levels(levels) {}

  void write(Value number) {
    memref::StoreOp::create(
        b, number, levels, arith::ConstantIndexOp::create(b, at++).getResult());
  }
  void write(int64_t number) {
    write(
        arith::ConstantOp::create(b, b.getI64IntegerAttr(number)).getResult());
  }
  Value integer(Value index) {
    return arith::IndexCastOp::create(b, b.getI64Type(), index);
  }
  /// Address, count, stride if asked for, bits.
  void writeArray(Value buffer, bool withStride) {
    auto type = cast<MemRefType>(buffer.getType());
    Type element = type.getElementType();
    const int64_t bits =
        element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    auto parts = memref::ExtractStridedMetadataOp::create(b, buffer);
    Value first = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
    Value offset = arith::MulIOp::create(
        b, parts.getOffset(),
        arith::ConstantIndexOp::create(b, bits / 8).getResult());
    write(integer(arith::AddIOp::create(b, first, offset)));
    write(integer(parts.getSizes().front()));
    if (withStride)
      write(integer(parts.getStrides().front()));
    write(bits);
  }
  void writeNothing(int64_t fields) {
    while (fields-- > 0)
      write(int64_t(0));
  }

private:
  ImplicitLocOpBuilder &b;
  Value levels;
  int64_t at = 0;
};

constexpr int64_t kPositionFields =
    ASTFE_LEVEL_COORDINATES - ASTFE_LEVEL_POSITIONS;
constexpr int64_t kCoordinateFields =
    ASTFE_LEVEL_FIELDS - ASTFE_LEVEL_COORDINATES;
} // namespace

namespace {
/// What a mode of a tensor is in the tensor that the runtime sees.
struct ModePlace {
  int64_t mode;
  Value scale; ///< what its coordinates count there; null: 1
};

/// A tensor whose levels are written, and its modes; more than one of these is
/// a mode there where the tensor is taken as a matrix.
struct WrittenTensor {
  Value tensor;
  SmallVector<Value> sizes;      ///< i64, of the tensor's modes
  SmallVector<ModePlace> places; ///< of those
  SmallVector<Value> extents;    ///< i64, as the runtime sees them
};
} // namespace

static Value product(ImplicitLocOpBuilder &b, Value x, Value y) {
  return x ? b.createOrFold<arith::MulIOp>(x, y) : y;
}

static WrittenTensor writtenTensor(ImplicitLocOpBuilder &b, Value tensor,
                                   int64_t rank) {
  auto matrix = tensor.getDefiningOp<MatricizeOp>();
  WrittenTensor written;
  written.tensor = matrix ? Value(matrix.getTensor()) : tensor;
  for (int64_t mode = 0; mode < rank; ++mode) {
    written.sizes.push_back(b.createOrFold<arith::IndexCastOp>(
        b.getI64Type(), getExtent(b, written.tensor, mode)));
    written.places.push_back({mode, Value()});
  }
  if (!matrix) {
    written.extents = written.sizes;
    return written;
  }
  Value rows;
  for (int64_t mode : llvm::reverse(matrix.getRows())) {
    written.places[size_t(mode)] = {0, rows};
    rows = product(b, rows, written.sizes[size_t(mode)]);
  }
  const auto column = size_t(matrix.getColumn());
  written.places[column] = {1, Value()};
  written.extents = {rows, written.sizes[column]};
  return written;
}

/// Writes level number `level` of a stored tensor.
static void writeLevel(LevelWriter &writer, ImplicitLocOpBuilder &b,
                       const WrittenTensor &written, const StoredLevel &form,
                       sparse_tensor::Level level) {
  Value tensor = storedTensor(written.tensor);
  Value extent = written.sizes[form.mode];
  const ModePlace &place = written.places[form.mode];
  writer.write(int64_t(form.kind));
  writer.write(place.mode);
  if (form.size != 0)
    writer.write(form.size);
  else if (form.scale == 1)
    writer.write(extent);
  else
    writer.write(
        arith::DivUIOp::create(b, extent, integer(b, form.scale)).getResult());
  writer.write(place.scale ? product(b, place.scale, integer(b, form.scale))
                           : integer(b, form.scale));
  writer.write(int64_t(0));
  if (form.kind == core::LevelKind::Compressed)
    writer.writeArray(sparse_tensor::ToPositionsOp::create(b, tensor, level),
                      /*withStride=*/false);
  else
    writer.writeNothing(kPositionFields);
  if (form.kind == core::LevelKind::Dense)
    writer.writeNothing(kCoordinateFields);
  else
    writer.writeArray(sparse_tensor::ToCoordinatesOp::create(b, tensor, level),
                      /*withStride=*/true);
}

FailureOr<LevelBuffers> LevelBuffers::get(ImplicitLocOpBuilder &b,
                                          Operation *op, Value tensor,
                                          Type type) {
  if (auto matrix = tensor.getDefiningOp<MatricizeOp>())
    type = matrix.getTensor().getType();
  SparseTensorEncodingAttr encoding =
      sparse_tensor::getSparseTensorEncoding(type);
  const auto rank = int64_t(encoding.getDimRank());
  auto forms = storedLevels(encoding);
  if (!forms)
    return op->emitOpError("expected levels that are ")
           << storedLevelsText() << ", but got " << encoding;
  auto allocate = [&](int64_t count) -> Value {
    return memref::AllocOp::create(b, MemRefType::get({count}, b.getI64Type()));
  };
  LevelBuffers buffers;
  buffers.levels = allocate(int64_t(forms->size()) * ASTFE_LEVEL_FIELDS);
  buffers.extents = allocate(tensor.getDefiningOp<MatricizeOp>() ? 2 : rank);
  const WrittenTensor written = writtenTensor(b, tensor, rank);
  LevelWriter extents(b, buffers.extents), levels(b, buffers.levels);
  for (Value extent : written.extents)
    extents.write(extent);
  for (auto [level, form] : llvm::enumerate(*forms))
    writeLevel(levels, b, written, form, level);
  return buffers;
}

void LevelBuffers::release(ImplicitLocOpBuilder &b) const {
  memref::DeallocOp::create(b, levels);
  memref::DeallocOp::create(b, extents);
}
