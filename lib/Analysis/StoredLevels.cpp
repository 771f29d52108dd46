//===- StoredLevels.cpp - what a tensor's encoding says of its levels -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/StoredLevels.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"

using namespace mlir;
using sparse_tensor::SparseTensorEncodingAttr;

namespace astfe {

/// Of the whole tensor, and only zeros are not stored.
static bool isWhole(SparseTensorEncodingAttr encoding) {
  return !encoding.isSlice() && !encoding.getExplicitVal() &&
         !encoding.getImplicitVal();
}

/// 0 stands for index, which is 64 bits wide on every host.
static unsigned indexWidth(unsigned width) { return width ? width : 64; }

std::optional<CompressedMatrix> CompressedMatrix::of(Type type) {
  SparseTensorEncodingAttr encoding =
      sparse_tensor::getSparseTensorEncoding(type);
  if (!encoding || encoding.getLvlRank() != 2 || encoding.getDimRank() != 2 ||
      !isWhole(encoding) || !encoding.isPermutation() ||
      !encoding.isDenseLvl(0) || !encoding.isCompressedLvl(1) ||
      !encoding.isOrderedLvl(1) || !encoding.isUniqueLvl(1))
    return std::nullopt;
  CompressedMatrix matrix;
  matrix.byColumns = !encoding.isIdentity();
  matrix.positionWidth = indexWidth(encoding.getPosWidth());
  matrix.coordinateWidth = indexWidth(encoding.getCrdWidth());
  return matrix;
}

/// None for kinds that are not read.
static std::optional<core::LevelKind> kindOf(SparseTensorEncodingAttr encoding,
                                             sparse_tensor::Level level) {
  if (encoding.isDenseLvl(level))
    return core::LevelKind::Dense;
  if (encoding.isCompressedLvl(level))
    return core::LevelKind::Compressed;
  if (encoding.isSingletonLvl(level))
    return core::LevelKind::Singleton;
  return std::nullopt;
}

/// Reads d, d floordiv c or d mod c.
static bool readDimension(AffineExpr expr, StoredLevel &level) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    level.mode = dim.getPosition();
    return true;
  }
  auto block = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!block)
    return false;
  auto dim = dyn_cast<AffineDimExpr>(block.getLHS());
  auto size = dyn_cast<AffineConstantExpr>(block.getRHS());
  if (!dim || !size || size.getValue() < 1)
    return false;
  level.mode = dim.getPosition();
  if (expr.getKind() == AffineExprKind::FloorDiv)
    level.scale = size.getValue();
  else if (expr.getKind() == AffineExprKind::Mod)
    level.size = size.getValue();
  else
    return false;
  return true;
}

std::optional<SmallVector<StoredLevel>>
storedLevels(SparseTensorEncodingAttr encoding) {
  if (!encoding || !isWhole(encoding))
    return std::nullopt;
  SmallVector<StoredLevel> levels;
  for (sparse_tensor::Level l = 0; l < encoding.getLvlRank(); ++l) {
    auto kind = kindOf(encoding, l);
    StoredLevel level;
    if (!kind ||
        !readDimension(encoding.getDimToLvl()
                           ? encoding.getDimToLvl().getResult(l)
                           : getAffineDimExpr(l, encoding.getContext()),
                       level))
      return std::nullopt;
    level.kind = *kind;
    levels.push_back(level);
  }
  return levels;
}

std::string storedLevelsText() {
  auto name = [](core::LevelKind kind) {
    return std::string(core::levelName(kind));
  };
  return name(core::LevelKind::Dense) + ", " +
         name(core::LevelKind::Compressed) + " or " +
         name(core::LevelKind::Singleton) +
         ", one for each dimension or two where blocks cut it";
}

} // namespace astfe
