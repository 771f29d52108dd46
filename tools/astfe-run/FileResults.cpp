//===- FileResults.cpp - what a file's function returns -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileResults.h"
#include "ASTFE/Core/Support/RelativeError.h"
#include "Elements.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "llvm/Support/raw_ostream.h"
#include <limits>

using namespace mlir;

namespace astfe::run {
namespace {

bool isResult(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return !sparse_tensor::getSparseTensorEncoding(type) &&
           isElement(tensor.getElementType());
  return type.isIndex() || (isElement(type) && !isa<ComplexType>(type));
}

size_t bytesOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return 8 * size_t(3 + 2 * tensor.getRank());
  return bytesOfElement(type);
}

/// What a result may differ by, of the sum of |terms|: what it is rounded to.
double boundOf(Type element, bool isDouble) {
  if (element.isF16() || element.isBF16())
    return element.isF16() ? 0x1p-9 : 0x1p-6;
  // The interpreter does not count terms. n u with n = 2^10 bounds sums of up
  // to 2^10 terms in any order, and longer ones in all likelihood, as their
  // errors grow with the square root (Higham, section 2.8).
  return isDouble ? 0x1p-43 : 0x1p-14;
}

bool computesInSingle(func::FuncOp function) {
  auto isSingle = [](Type type) {
    type = getElementTypeOrSelf(type);
    if (auto complex = dyn_cast<ComplexType>(type))
      type = complex.getElementType();
    auto element = dyn_cast<FloatType>(type);
    return element && element.getWidth() <= 32;
  };
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
      return core::Error{std::string("expected dense results of ") +
                         kElementTypes + ", or real scalars, but got " + text};
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

FileResults::Array FileResults::read(const Field &field) const {
  const char *at = reinterpret_cast<const char *>(words.data()) + field.offset;
  auto tensor = dyn_cast<RankedTensorType>(field.type);
  if (!tensor)
    return {field.type, at, 1};
  const auto *descriptor = reinterpret_cast<const int64_t *>(at);
  int64_t count = 1;
  for (int64_t k = 0; k < tensor.getRank(); ++k)
    count *= descriptor[3 + k];
  const Type element = tensor.getElementType();
  return {element,
          reinterpret_cast<const char *>(descriptor[1]) +
              size_t(descriptor[2]) * bytesOfElement(element),
          count};
}

/// Of a complex number that of the part that is further off.
static double errorOfParts(Type element, const void *data, size_t k,
                           const DenseArray &want) {
  auto got = [&](int64_t part) {
    return loadElement(element, data, int64_t(k), part);
  };
  const double imaginary = want.imaginaries.empty() ? 0 : want.imaginaries[k];
  return std::max(
      core::relativeError(got(0), want.values[k], want.magnitudes[k]),
      core::relativeError(got(1), imaginary, want.magnitudes[k]));
}

/// The largest error; integers have none or an infinite one.
static double largestError(Type element, const void *data,
                           const DenseArray &want) {
  double worst = 0;
  for (size_t k = 0; k < want.values.size(); ++k) {
    double error = 0;
    if (isa<FloatType>(element))
      error = core::relativeError(loadElement(element, data, int64_t(k)),
                                  want.values[k], want.magnitudes[k]);
    else if (isa<ComplexType>(element))
      error = errorOfParts(element, data, k, want);
    else if (loadInteger(element, data, int64_t(k)) != want.integer(k))
      error = std::numeric_limits<double>::infinity();
    worst = std::max(worst, error);
  }
  return worst;
}

core::Result<ResultSummary>
FileResults::summarise(const Interpretation *want) const {
  ResultSummary summary;
  double worst = 0;
  bool passed = true;
  for (auto [i, field] : llvm::enumerate(fields)) {
    const Array got = read(field);
    summary.elements += got.count;
    for (int64_t k = 0; k < got.count; ++k)
      summary.sum += loadElement(got.element, got.data, k);
    for (int64_t k = 0; k < got.count && partsOf(got.element) == 2; ++k)
      summary.imaginarySum = summary.imaginarySum.value_or(0) +
                             loadElement(got.element, got.data, k, 1);
    if (!want)
      continue;
    const auto &array = std::get<DenseArray>(want->results[i]);
    if (int64_t(array.values.size()) != got.count)
      return core::Error{"expected " + std::to_string(array.values.size()) +
                         " elements but got " + std::to_string(got.count)};
    const double error = largestError(got.element, got.data, array);
    worst = std::max(worst, error);
    passed &= error <= boundOf(got.element, isDouble);
  }
  if (!want)
    return summary;
  summary.maxRelativeError = worst;
  summary.passed = passed;
  return summary;
}

} // namespace astfe::run
