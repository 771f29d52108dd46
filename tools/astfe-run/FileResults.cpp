//===- FileResults.cpp - what a file's function returns -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileResults.h"
#include "ASTFE/Core/Support/RelativeError.h"
#include "ASTFE/Dialect/CoreValues.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir;

namespace astfe::run {
namespace {

bool isResult(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return !sparse_tensor::getSparseTensorEncoding(type) &&
           coreElement(tensor.getElementType());
  return coreElement(type) || type.isIndex() || type.isSignlessInteger(64) ||
         type.isSignlessInteger(32) || type.isSignlessInteger(1);
}

size_t bytesOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return 8 * size_t(3 + 2 * tensor.getRank());
  if (type.isIndex())
    return 8;
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

template <typename T>
T load(const void *from, int64_t i = 0) {
  T value;
  std::memcpy(&value, static_cast<const char *>(from) + i * sizeof(T),
              sizeof(T));
  return value;
}

double loadNumber(Type type, const void *from, int64_t i = 0) {
  if (type.isF32())
    return load<float>(from, i);
  if (type.isF64())
    return load<double>(from, i);
  if (type.isSignlessInteger(1))
    return load<bool>(from, i);
  return type.isSignlessInteger(32) ? double(load<int32_t>(from, i))
                                    : double(load<int64_t>(from, i));
}

bool computesInSingle(func::FuncOp function) {
  auto isSingle = [](Type type) { return getElementTypeOrSelf(type).isF32(); };
  return function
      ->walk([&](Operation *op) {
        return llvm::any_of(op->getOperandTypes(), isSingle)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace

core::Result<FileResults> FileResults::make(func::FuncOp function) {
  FileResults results;
  size_t end = 0;
  for (Type type : function.getResultTypes()) {
    if (!isResult(type)) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return core::Error{"expected dense results of " +
                         core::elementNames().text() +
                         ", or scalars, but got " + text};
    }
    const size_t bytes = bytesOf(type), align = std::min<size_t>(bytes, 8);
    const size_t offset = (end + align - 1) / align * align;
    results.fields.push_back({type, offset});
    end = offset + bytes;
  }
  if (results.fields.empty())
    return core::Error{"expected a result but got none"};
  results.words.resize((end + 7) / 8);
  results.isDouble = !computesInSingle(function);
  return results;
}

void FileResults::passFirst(PackedCall &call) {
  if (fields.size() > 1 || isa<RankedTensorType>(fields.front().type))
    call.passPointer(words.data());
}

void FileResults::passLast(PackedCall &call) {
  if (fields.size() == 1 && !isa<RankedTensorType>(fields.front().type))
    call.passAddress(words.data());
}

std::vector<double> FileResults::read(const Field &field) const {
  const char *at = reinterpret_cast<const char *>(words.data()) + field.offset;
  auto tensor = dyn_cast<RankedTensorType>(field.type);
  if (!tensor)
    return {loadNumber(field.type, at)};
  const auto *descriptor = reinterpret_cast<const int64_t *>(at);
  int64_t count = 1;
  for (int64_t k = 0; k < tensor.getRank(); ++k)
    count *= descriptor[3 + k];
  const void *data = reinterpret_cast<void *>(descriptor[1]);
  std::vector<double> elements;
  for (int64_t i = 0; i < count; ++i)
    elements.push_back(
        loadNumber(tensor.getElementType(), data, descriptor[2] + i));
  return elements;
}

core::Result<ResultSummary>
FileResults::summarise(const Interpretation *want) const {
  ResultSummary summary;
  double worst = 0;
  for (auto [i, field] : llvm::enumerate(fields)) {
    const std::vector<double> got = read(field);
    summary.elements += int64_t(got.size());
    for (double element : got)
      summary.sum += element;
    if (!want)
      continue;
    const auto &array = std::get<DenseArray>(want->results[i]);
    if (array.values.size() != got.size())
      return core::Error{"expected " + std::to_string(array.values.size()) +
                         " elements but got " + std::to_string(got.size())};
    for (size_t k = 0; k < got.size(); ++k)
      worst = std::max(worst, core::relativeError(got[k], array.values[k],
                                                  array.magnitudes[k]));
  }
  if (!want)
    return summary;
  // The interpreter does not count terms. n u with n = 2^10 bounds sums of up
  // to 2^10 terms in any order, and longer ones in all likelihood, as their
  // errors grow with the square root (Higham, section 2.8).
  summary.maxRelativeError = worst;
  summary.passed = worst <= (isDouble ? 0x1p-43 : 0x1p-14);
  return summary;
}

} // namespace astfe::run
