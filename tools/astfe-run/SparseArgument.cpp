//===- SparseArgument.cpp - a file's tensor, stored as a type says --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SparseArgument.h"
#include "ASTFE/Core/Support/Shape.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include "Elements.h"
#include "OperandMemory.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorStorageLayout.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir;
using namespace mlir::sparse_tensor;

namespace astfe::run {
namespace {

core::StorageLevel storageLevel(SparseTensorType type, Level level) {
  const LevelType kind = type.getLvlType(level);
  core::StorageLevel result;
  result.kind = isDenseLT(kind)             ? core::LevelKind::Dense
                : isCompressedLT(kind)      ? core::LevelKind::Compressed
                : isLooseCompressedLT(kind) ? core::LevelKind::Loose
                : isSingletonLT(kind)       ? core::LevelKind::Singleton
                                            : core::LevelKind::NOutOfM;
  result.unique = isUniqueLT(kind);
  if (type.isIdentity()) {
    result.mode = unsigned(level);
    return result;
  }
  AffineExpr expression = type.getDimToLvl().getResult(unsigned(level));
  if (auto digit = dyn_cast<AffineBinaryOpExpr>(expression)) {
    const int64_t block = cast<AffineConstantExpr>(digit.getRHS()).getValue();
    (digit.getKind() == AffineExprKind::Mod ? result.size : result.scale) =
        block;
    expression = digit.getLHS();
  }
  result.mode = cast<AffineDimExpr>(expression).getPosition();
  return result;
}

/// Each level is a dimension, or one divided by a number or modulo it.
bool hasKnownLevels(SparseTensorType type) {
  if (type.isIdentity())
    return true;
  return llvm::all_of(type.getDimToLvl().getResults(), [](AffineExpr level) {
    auto digit = dyn_cast<AffineBinaryOpExpr>(level);
    if (!digit)
      return isa<AffineDimExpr>(level);
    return (digit.getKind() == AffineExprKind::Mod ||
            digit.getKind() == AffineExprKind::FloorDiv) &&
           isa<AffineDimExpr>(digit.getLHS()) &&
           isa<AffineConstantExpr>(digit.getRHS());
  });
}

std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The extents of the file are those of the type, where it says them, and fill
/// whole blocks.
core::Status checkShape(const core::CooTensor &tensor, RankedTensorType type,
                        const std::string &file) {
  SparseTensorType sparse(type);
  bool fits = int64_t(tensor.shape.size()) == type.getRank();
  for (Level l = 0; fits && l < sparse.getLvlRank(); ++l) {
    const core::StorageLevel level = storageLevel(sparse, l);
    if (tensor.shape[level.mode] % level.scale != 0)
      return core::Error{"expected dimension " + std::to_string(level.mode) +
                         " in blocks of " + std::to_string(level.scale) +
                         " but " + file + " has " +
                         std::to_string(tensor.shape[level.mode])};
  }
  std::string shape;
  for (size_t k = 0; k < tensor.shape.size(); ++k) {
    shape += (k ? " x " : "") + std::to_string(tensor.shape[k]);
    fits =
        fits && (type.isDynamicDim(k) || type.getDimSize(k) == tensor.shape[k]);
  }
  if (fits)
    return core::Success();
  return core::Error{"expected " + typeText(type) + " but " + file + " is " +
                     shape};
}

/// What blocks, and other inner dense levels, store beside the nonzeros: a
/// minimum of stored entries counts these.
core::Status addZeros(const core::LevelStorage &storage,
                      const std::vector<core::StorageLevel> &levels,
                      SparseArray &array) {
  const int64_t zeros = llvm::count(storage.nonzeros, -1);
  const size_t size = array.values.size() + size_t(zeros);
  OperandMemory memory;
  memory.add(std::to_string(zeros) + " zeros that are stored", {zeros},
             double(array.shape.size() + 2) * sizeof(double));
  if (auto status = memory.check(); !status)
    return status;
  for (std::vector<int64_t> &mode : array.coordinates)
    mode.reserve(size);
  array.values.resize(size, 0);
  if (!array.imaginaries.empty())
    array.imaginaries.resize(size, 0);
  if (!array.integers.empty())
    array.integers.resize(size, 0);
  for (size_t n = 0; n < storage.nonzeros.size(); ++n) {
    if (storage.nonzeros[n] >= 0)
      continue;
    const std::vector<int64_t> point =
        core::coordinatesOf(int64_t(n), storage, levels, array.shape);
    for (size_t mode = 0; mode < point.size(); ++mode)
      array.coordinates[mode].push_back(point[mode]);
  }
  return core::Success();
}

/// Positions, or values, of dense levels that come first, which extents alone
/// say the number of: they are made in 64 bits and copied.
core::Status checkMemory(const core::CooTensor &tensor,
                         const std::vector<core::StorageLevel> &levels) {
  std::vector<int64_t> dense;
  for (const core::StorageLevel &level : levels) {
    if (level.kind != core::LevelKind::Dense)
      break;
    dense.push_back(level.extentOf(tensor.shape[level.mode]));
  }
  OperandMemory memory;
  memory.add("positions of " + core::shapeText(dense), dense,
             2 * sizeof(int64_t));
  return memory.check();
}

} // namespace

std::string checkSparseType(RankedTensorType type) {
  SparseTensorType sparse(type);
  if (!isElement(type.getElementType()))
    return std::string("expected sparse tensors of ") + kElementTypes +
           " but got " + typeText(type);
  bool knows = hasKnownLevels(sparse) && !sparse.getEncoding().isSlice() &&
               sparse.getBatchLvlRank() == 0;
  for (Level l = 0; knows && l < sparse.getLvlRank(); ++l)
    knows = storageLevel(sparse, l).kind != core::LevelKind::NOutOfM;
  if (knows)
    return "";
  return "expected a tensor whose levels are its dimensions or blocks of "
         "them, none of them " +
         std::string(core::levelName(core::LevelKind::NOutOfM)) + ", but got " +
         typeText(type);
}

core::Result<SparseArgument> SparseArgument::make(const core::CooTensor &tensor,
                                                  RankedTensorType type,
                                                  const std::string &file) {
  if (auto status = checkShape(tensor, type, file); !status)
    return status.error();
  SparseTensorType sparse(type);
  std::vector<core::StorageLevel> levels;
  for (Level l = 0; l < sparse.getLvlRank(); ++l)
    levels.push_back(storageLevel(sparse, l));
  if (auto status = checkMemory(tensor, levels); !status)
    return core::Error{file + ": " + status.message()};
  auto storage = core::storeByLevels(tensor, levels);
  if (!storage)
    return core::Error{file + ": " + storage.message()};
  SparseArgument argument;
  argument.array.shape = tensor.shape;
  argument.array.coordinates = tensor.coordinates;
  argument.array.values = tensor.values;
  argument.array.integers = tensor.integers;
  argument.number = tensor.nonzeros();
  const bool isComplex = isa<ComplexType>(type.getElementType());
  if (!isComplex && !tensor.imaginaries.empty())
    return core::Error{file + ": expected real values for " + typeText(type) +
                       " but got complex ones"};
  for (double imaginary : tensor.imaginaries)
    argument.array.imaginaries.push_back(
        roundedTo(type.getElementType(), imaginary));
  for (double &value : argument.array.values)
    value = roundedTo(type.getElementType(), value);
  if (auto status = argument.addFields(*storage, type); !status)
    return core::Error{file + ": " + status.message()};
  if (auto status = core::withinMemory(
          {"out of memory for the zeros that are stored"},
          [&] { return addZeros(*storage, levels, argument.array); });
      !status)
    return core::Error{file + ": " + status.message()};
  argument.stored = std::move(storage->nonzeros);
  return argument;
}

core::Status SparseArgument::addFields(const core::LevelStorage &storage,
                                       RankedTensorType type) {
  SparseTensorType sparse(type);
  core::Status status = core::Success();
  foreachFieldAndTypeInSparseTensor(sparse, [&](Type, FieldIndex,
                                                SparseTensorFieldKind kind,
                                                Level level, LevelType) {
    if (kind == SparseTensorFieldKind::PosMemRef) {
      status = addIndices(storage.positions[level], sparse.getPosWidth());
    } else if (kind == SparseTensorFieldKind::CrdMemRef) {
      // A COO's coordinates are one array, a nonzero after the other.
      const Level last =
          level == sparse.getAoSCOOStart() ? sparse.getLvlRank() : level + 1;
      std::vector<int64_t> entries;
      for (size_t n = 0; n < storage.coordinates[level].size(); ++n)
        for (Level l = level; l < last; ++l)
          entries.push_back(storage.coordinates[l][n]);
      status = addIndices(entries, sparse.getCrdWidth());
    } else if (kind == SparseTensorFieldKind::ValMemRef) {
      addValues(storage, type.getElementType());
    }
    return bool(status);
  });
  return status;
}

core::Status SparseArgument::addIndices(const std::vector<int64_t> &entries,
                                        unsigned width) {
  const size_t bytes = width ? width / 8 : 8; // 0 is index
  Field field;
  field.count = int64_t(entries.size());
  field.bytes.resize(entries.size() * bytes);
  const uint64_t most =
      bytes == 8 ? uint64_t(INT64_MAX) : (uint64_t(1) << (8 * bytes)) - 1;
  for (size_t n = 0; n < entries.size(); ++n) {
    if (uint64_t(entries[n]) > most)
      return core::Error{"expected positions and coordinates that fit " +
                         std::to_string(width) + " bits but got " +
                         std::to_string(entries[n])};
    // The low bytes come first on all hosts that code is compiled for.
    std::memcpy(field.bytes.data() + n * bytes, &entries[n], bytes);
  }
  fields.push_back(std::move(field));
  return core::Success();
}

void SparseArgument::addValues(const core::LevelStorage &storage,
                               Type element) {
  Field field;
  field.count = int64_t(storage.nonzeros.size());
  Elements values(element, field.count);
  for (int64_t n = 0; n < field.count; ++n)
    if (const int64_t from = storage.nonzeros[size_t(n)]; from >= 0) {
      if (array.integers.empty())
        values.set(n, array.values[size_t(from)]);
      else
        values.setInteger(n, array.integers[size_t(from)]);
      if (!array.imaginaries.empty())
        values.set(n, array.imaginaries[size_t(from)], 1);
    }
  field.bytes = values.take();
  fields.push_back(std::move(field));
}

void SparseArgument::keepValues() { kept = fields.back(); }

void SparseArgument::reset() {
  if (kept)
    llvm::copy(kept->bytes, fields.back().bytes.begin());
}

void SparseArgument::pass(PackedCall &call) {
  for (Field &field : fields)
    call.passBuffer(describe(field.bytes.data(), {field.count}));
  for (int64_t extent : array.shape)
    call.passNumber(extent);
}

} // namespace astfe::run
