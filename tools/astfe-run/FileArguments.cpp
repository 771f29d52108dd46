//===- FileArguments.cpp - the arguments of a file's function -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileArguments.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace astfe::run {
namespace {

Descriptor describe(void *data, ArrayRef<int64_t> shape) {
  Descriptor d;
  const size_t rank = shape.size();
  d.words[0] = d.words[1] = reinterpret_cast<int64_t>(data);
  int64_t stride = 1;
  for (size_t k = rank; k-- > 0;) {
    d.words[3 + k] = shape[k];
    d.words[3 + rank + k] = stride;
    stride *= shape[k];
  }
  return d;
}

std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Widths of 0 are those of index, 64 bits.
bool isIndexWidth(unsigned width) {
  return width == 0 || width == 32 || width == 64;
}

bool isCsr(RankedTensorType type) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  sparse_tensor::SparseTensorType sparse(type);
  return encoding && type.getRank() == 2 && sparse.isIdentity() &&
         sparse.isDenseLvl(0) && sparse.isCompressedLvl(1) &&
         isIndexWidth(encoding.getPosWidth()) &&
         isIndexWidth(encoding.getCrdWidth());
}

/// One element type for all arguments; null where one is of another kind.
core::Result<bool> elementIsDouble(func::FuncOp function) {
  Type element;
  for (Type type : function.getArgumentTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getRank() > 2 ||
        !(tensor.getElementType().isF32() || tensor.getElementType().isF64()))
      return core::Error{
          "expected tensors of f32 or f64 up to rank 2 but got " +
          typeText(type)};
    if (sparse_tensor::getSparseTensorEncoding(type) && !isCsr(tensor))
      return core::Error{"expected a CSR tensor with indices of 32 or 64 bits "
                         "but got " +
                         typeText(type)};
    if (element && element != tensor.getElementType())
      return core::Error{"expected one element type but got " +
                         typeText(element) + " and " +
                         typeText(tensor.getElementType())};
    element = tensor.getElementType();
  }
  if (!element)
    return core::Error{"expected arguments but got none"};
  return element.isF64();
}

/// The extent of the matrix's mode that a use of `argument` indexes with the
/// same loop as dimension `k`; none where no linalg op says so.
std::optional<int64_t> extentFromUses(BlockArgument argument, unsigned k,
                                      const Problem &matrix) {
  for (OpOperand &use : argument.getUses()) {
    auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (!op)
      continue;
    const AffineExpr loop = op.getMatchingIndexingMap(&use).getResult(k);
    for (OpOperand &other : op->getOpOperands()) {
      if (!sparse_tensor::getSparseTensorEncoding(other.get().getType()))
        continue;
      const AffineMap map = op.getMatchingIndexingMap(&other);
      for (unsigned mode = 0; mode < map.getNumResults(); ++mode)
        if (map.getResult(mode) == loop)
          return mode == 0 ? matrix.rows : matrix.columns;
    }
  }
  return std::nullopt;
}

std::vector<int64_t> extentsOf(BlockArgument argument, bool written,
                               const Problem &matrix, int64_t columns) {
  auto type = cast<RankedTensorType>(argument.getType());
  std::vector<int64_t> shape(type.getShape().begin(), type.getShape().end());
  for (unsigned k = 0; k < shape.size(); ++k)
    if (ShapedType::isDynamic(shape[k]))
      shape[k] = extentFromUses(argument, k, matrix)
                     .value_or(k > 0     ? columns
                               : written ? matrix.rows
                                         : matrix.columns);
  return shape;
}

SparseArray interpretedMatrix(const Problem &matrix) {
  SparseArray array;
  array.shape = {matrix.rows, matrix.columns};
  array.coordinates.resize(2);
  for (int64_t i = 0; i < matrix.rows; ++i)
    for (int64_t k = matrix.positions[i]; k < matrix.positions[i + 1]; ++k) {
      array.coordinates[0].push_back(i);
      array.coordinates[1].push_back(matrix.coordinates[k]);
      array.values.push_back(matrix.values.at(k));
    }
  return array;
}

} // namespace

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

void FileArguments::addDense(std::vector<int64_t> shape, bool written,
                             bool isDouble, uint64_t seed) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  dense.push_back(written ? Dense::zero(count, 1, isDouble)
                          : Dense::random(count, 1, isDouble, seed));
  DenseArray array;
  array.shape = shape;
  for (int64_t i = 0; i < count; ++i)
    array.values.push_back(dense.back().at(i));
  interpreted.push_back(std::move(array));
  shapes.push_back(std::move(shape));
}

core::Status FileArguments::addSparse(const Settings &settings, unsigned i,
                                      RankedTensorType type) {
  if (settings.matrix.empty())
    return core::Error{"expected --matrix FILE for argument " +
                       std::to_string(i)};
  const int64_t actual[] = {matrix.rows, matrix.columns};
  for (auto [extent, got] : llvm::zip(type.getShape(), actual))
    if (!ShapedType::isDynamic(extent) && extent != got)
      return core::Error{"argument " + std::to_string(i) + ": expected " +
                         typeText(type) + " but " + settings.matrix + " is " +
                         std::to_string(actual[0]) + " x " +
                         std::to_string(actual[1])};
  interpreted.push_back(interpretedMatrix(matrix));
  shapes.push_back({});
  dense.emplace_back();
  return core::Success();
}

core::Result<FileArguments> FileArguments::make(const Settings &settings,
                                                func::FuncOp function) {
  auto isDouble = elementIsDouble(function);
  if (!isDouble)
    return isDouble.error();
  FileArguments arguments;
  Settings typed = settings;
  typed.isDouble = *isDouble;
  typed.columns = 1;
  if (!settings.matrix.empty()) {
    auto matrix = readProblem(typed);
    if (!matrix)
      return matrix.error();
    arguments.matrix = std::move(*matrix);
  }
  for (BlockArgument argument : function.getArguments()) {
    const unsigned i = argument.getArgNumber();
    arguments.types.push_back(argument.getType());
    if (sparse_tensor::getSparseTensorEncoding(argument.getType())) {
      if (auto status = arguments.addSparse(
              settings, i, cast<RankedTensorType>(argument.getType()));
          !status)
        return status.error();
      continue;
    }
    auto writable =
        function.getArgAttrOfType<BoolAttr>(i, "bufferization.writable");
    const bool written = writable && writable.getValue();
    arguments.addDense(
        extentsOf(argument, written, arguments.matrix, settings.columns),
        written, *isDouble, settings.seed + i);
  }
  return arguments;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void PackedCall::passPointer(void *pointer) {
  pointers.push_back(pointer);
  addresses.push_back(&pointers.back());
}

void PackedCall::passBuffer(const Descriptor &descriptor) {
  descriptors.push_back(descriptor);
  passPointer(&descriptors.back());
}

void PackedCall::passNumber(int64_t number) {
  numbers.push_back(number);
  addresses.push_back(&numbers.back());
}

/// Indices of that width; `wide` holds the copy of 64 bits where one is needed.
Descriptor FileArguments::indices(std::vector<int32_t> &narrow,
                                  std::vector<int64_t> &wide, unsigned width) {
  const auto count = int64_t(narrow.size());
  if (width == 32)
    return describe(narrow.data(), {count});
  if (wide.empty())
    wide.assign(narrow.begin(), narrow.end());
  return describe(wide.data(), {count});
}

void FileArguments::pass(unsigned i, PackedCall &call) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(types[i]);
  if (!encoding)
    return call.passBuffer(describe(dense[i].data(), shapes[i]));
  call.passBuffer(
      indices(matrix.positions, widePositions, encoding.getPosWidth()));
  call.passBuffer(
      indices(matrix.coordinates, wideCoordinates, encoding.getCrdWidth()));
  call.passBuffer(describe(matrix.values.data(), {matrix.nonzeros()}));
  call.passNumber(matrix.rows);
  call.passNumber(matrix.columns);
}

} // namespace astfe::run
