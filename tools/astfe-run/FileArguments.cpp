//===- FileArguments.cpp - the arguments of a file's function -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileArguments.h"
#include "ASTFE/Core/Tensor/Frostt.h"
#include "ArgumentNames.h"
#include "NamedInputs.h"
#include "OperandMemory.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir;

namespace astfe::run {
namespace {

bool isSparse(Type type) {
  return bool(sparse_tensor::getSparseTensorEncoding(type));
}

bool isInteger(Type type) {
  return type.isIndex() ||
         (type.isSignlessInteger() && type.getIntOrFloatBitWidth() <= 64);
}

bool isScalar(Type type) {
  return isa<FloatType>(type) ? isElement(type) : isInteger(type);
}

std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Empty where values of that type can be made.
std::string checkType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && isSparse(type))
    return checkSparseType(tensor);
  if (tensor ? isElement(tensor.getElementType()) : isScalar(type))
    return "";
  return std::string("expected tensors of ") + kElementTypes +
         ", or real scalars, but got " + typeText(type);
}

bool isWritable(func::FuncOp function, unsigned i) {
  auto writable =
      function.getArgAttrOfType<BoolAttr>(i, "bufferization.writable");
  return writable && writable.getValue();
}

/// Files that several arguments of a type are read from are read once.
class Reader {
public:
  explicit Reader(core::Duplicates duplicates) {
    options.duplicates = duplicates;
  }

  core::Result<const core::CooTensor *> read(const std::string &file,
                                             Type element) {
    options.complex = isa<ComplexType>(element);
    options.integerBits =
        element.isInteger() ? element.getIntOrFloatBitWidth() : 0;
    auto [at, isNew] = tensors.try_emplace({file, options.integerBits});
    if (isNew) {
      auto tensor = core::readTensor(file, options);
      if (!tensor)
        return tensor.error();
      at->second = std::move(*tensor);
    }
    return &at->second;
  }

private:
  core::ReadOptions options;
  std::map<std::pair<std::string, unsigned>, core::CooTensor> tensors;
};

/// The number that `text` says, if `type` has it.
core::Result<double> parseNumber(StringRef text, Type type) {
  double number = 0;
  int64_t integer = 0;
  if (isInteger(type)) {
    const unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    const bool fits = !text.getAsInteger(10, integer) &&
                      (bits == 1 ? integer == 0 || integer == 1
                                 : llvm::isIntN(bits, integer));
    if (fits && std::abs(double(integer)) <= 0x1p53)
      return double(integer);
  } else if (!text.getAsDouble(number)) {
    return roundedTo(type, number);
  }
  return core::Error{"expected " + typeText(type) + " but got '" + text.str() +
                     "'"};
}

} // namespace

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

core::Status FileArguments::nameArguments(func::FuncOp function,
                                          StringRef text) {
  std::vector<std::string> names = argumentNames(function, text);
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (std::string wrong = checkType(type); !wrong.empty())
      return core::Error{"argument " + names[i] + ": " + wrong};
    Argument argument;
    argument.name = names[i];
    argument.type = type;
    arguments.push_back(std::move(argument));
  }
  return core::Success();
}

core::Status FileArguments::addSparse(const Settings &settings) {
  std::vector<NamedArgument> named;
  for (const Argument &argument : arguments)
    named.push_back({argument.name, isSparse(argument.type)});
  auto files = assignMatrices(named, settings.matrices);
  if (!files)
    return files.error();
  Reader reader(settings.duplicates);
  for (auto [argument, file] : llvm::zip(arguments, *files)) {
    if (file.empty())
      continue;
    auto tensor = reader.read(file, getElementTypeOrSelf(argument.type));
    if (!tensor)
      return tensor.error();
    auto made = SparseArgument::make(
        **tensor, cast<RankedTensorType>(argument.type), file);
    if (!made)
      return core::Error{"argument " + argument.name + ": " + made.message()};
    argument.sparse = std::move(*made);
  }
  return core::Success();
}

core::Status FileArguments::addScalars(const Settings &settings) {
  std::vector<NamedArgument> named;
  for (const Argument &argument : arguments)
    named.push_back({argument.name, isScalar(argument.type)});
  auto values = assignScalars(named, settings.scalars);
  if (!values)
    return values.error();
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    if (!isScalar(argument.type))
      continue;
    const std::string &text = (*values)[i];
    if (text.empty() && isInteger(argument.type))
      return core::Error{"expected --scalar " + argument.name +
                         "=VALUE for argument " + argument.name + " of type " +
                         typeText(argument.type)};
    if (text.empty()) {
      argument.number =
          Elements::random(argument.type, 1, settings.seed + i).at(0);
      continue;
    }
    auto number = parseNumber(text, argument.type);
    if (!number)
      return core::Error{"--scalar " + argument.name + ": " + number.message()};
    argument.number = *number;
  }
  return core::Success();
}

/// Where nothing ties a dynamic extent, the first matrix and the columns that
/// were asked for stand in.
std::vector<int64_t> FileArguments::shapeOf(BlockArgument argument,
                                            bool written,
                                            const ExtentClasses &extents,
                                            int64_t columns) const {
  int64_t rows = 0, inner = 0;
  for (const Argument &other : arguments)
    if (other.sparse && other.sparse->shape().size() >= 2) {
      rows = other.sparse->shape()[0];
      inner = other.sparse->shape()[1];
      break;
    }
  auto type = cast<RankedTensorType>(argument.getType());
  std::vector<int64_t> shape = type.getShape().vec();
  for (unsigned k = 0; k < shape.size(); ++k)
    if (ShapedType::isDynamic(shape[k]))
      shape[k] = extents.get(argument, k)
                     .value_or(k > 0     ? columns
                               : written ? rows
                                         : inner);
  return shape;
}

/// Whether nothing but the shape of what the argument is at first counts.
static bool isOverwritten(BlockArgument argument) {
  return llvm::all_of(argument.getUses(), [](OpOperand &use) {
    if (isa<tensor::DimOp>(use.getOwner()))
      return true;
    auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
    return op && op.isDpsInit(&use) && !op.payloadUsesValueFromOperand(&use);
  });
}

core::Status FileArguments::addDense(const Settings &settings,
                                     func::FuncOp function) {
  ExtentClasses extents(function);
  for (auto [value, argument] : llvm::zip(function.getArguments(), arguments)) {
    auto type = dyn_cast<RankedTensorType>(argument.type);
    if (!type)
      continue;
    const ArrayRef<int64_t> shape =
        argument.sparse ? ArrayRef(argument.sparse->shape()) : type.getShape();
    if (auto status = extents.set(value, shape, argument.name); !status)
      return status;
  }
  auto isDense = [](const Argument &argument) {
    return isa<RankedTensorType>(argument.type) && !argument.sparse;
  };
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    if (!isDense(argument))
      continue;
    argument.shape = shapeOf(function.getArgument(i), isWritable(function, i),
                             extents, settings.columns);
    (void)extents.set(function.getArgument(i), argument.shape, argument.name);
  }
  if (auto status = checkMemory(settings, function, extents); !status)
    return status;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    if (!isDense(argument))
      continue;
    int64_t count = 1;
    for (int64_t extent : argument.shape)
      count *= extent;
    const Type element = getElementTypeOrSelf(argument.type);
    argument.initial =
        isWritable(function, i)
            ? Elements(element, count)
            : Elements::random(element, count, settings.seed + i);
    argument.values = argument.initial;
    argument.isRead = !isOverwritten(function.getArgument(i));
  }
  return core::Success();
}

/// The tensor that becomes `value`, through ops that write into one.
static Value startOf(Value value) {
  while (auto dps = value.getDefiningOp<DestinationStyleOpInterface>())
    value = dps.getTiedOpOperand(cast<OpResult>(value))->get();
  return value;
}

/// Dense arguments, and results that are memory of their own.
core::Status FileArguments::checkMemory(const Settings &settings,
                                        func::FuncOp function,
                                        const ExtentClasses &extents) const {
  OperandMemory memory;
  auto add = [&](const std::string &what, const std::vector<int64_t> &shape,
                 Type element, int copies) {
    // The interpreter has values and magnitudes in float64.
    const double checked =
        settings.check ? double(2 * sizeof(double) * size_t(partsOf(element)))
                       : 0;
    memory.add(what + " of " + typeText(RankedTensorType::get(shape, element)),
               shape, copies * double(bytesOfElement(element)) + checked);
  };
  for (const Argument &argument : arguments)
    if (isa<RankedTensorType>(argument.type) && !argument.sparse)
      add("argument " + argument.name, argument.shape,
          getElementTypeOrSelf(argument.type), /*copies=*/2);
  Operation *returned = function.getBody().back().getTerminator();
  for (auto [i, value] : llvm::enumerate(returned->getOperands())) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || isSparse(type) ||
        !startOf(value).getDefiningOp<tensor::EmptyOp>())
      continue;
    std::vector<int64_t> shape = type.getShape().vec();
    // Of extents that nothing says, it takes some memory at least.
    for (unsigned k = 0; k < shape.size(); ++k)
      if (ShapedType::isDynamic(shape[k]))
        shape[k] = extents.get(value, k).value_or(1);
    add("result " + std::to_string(i), shape, type.getElementType(),
        /*copies=*/1);
  }
  return memory.check();
}

core::Result<FileArguments> FileArguments::make(const Settings &settings,
                                                func::FuncOp function,
                                                StringRef text) {
  FileArguments made;
  if (auto status = made.nameArguments(function, text); !status)
    return status.error();
  if (auto status = made.addSparse(settings); !status)
    return status.error();
  if (auto status = made.addScalars(settings); !status)
    return status.error();
  if (auto status = made.addDense(settings, function); !status)
    return status.error();
  // What a function writes through these, each run has as it is at first.
  auto givesBuffer = [](Operation *op) {
    return isa<sparse_tensor::ToValuesOp>(op) ? WalkResult::interrupt()
                                              : WalkResult::advance();
  };
  if (function->getParentOfType<ModuleOp>().walk(givesBuffer).wasInterrupted())
    for (Argument &argument : made.arguments)
      if (argument.sparse)
        argument.sparse->keepValues();
  return made;
}

void FileArguments::reset(bool all) {
  for (Argument &argument : arguments) {
    if (!argument.isKept && (all || argument.isRead))
      argument.values.copy(argument.initial);
    if (argument.sparse)
      argument.sparse->reset();
  }
}

void FileArguments::keepUnwritten() {
  for (Argument &argument : arguments)
    argument.isKept = argument.values.equals(argument.initial);
}

bool FileArguments::hasFarMatrix() const {
  return llvm::any_of(arguments, [](const Argument &argument) {
    return argument.sparse && argument.sparse->shape().size() == 2 &&
           llvm::any_of(argument.sparse->shape(),
                        [](int64_t extent) { return extent > INT32_MAX; });
  });
}

int64_t FileArguments::nonzeros() const {
  int64_t count = 0;
  for (const Argument &argument : arguments)
    count += argument.sparse ? argument.sparse->nonzeros() : 0;
  return count;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

std::vector<InterpreterValue> FileArguments::interpreted() const {
  std::vector<InterpreterValue> values;
  for (const Argument &argument : arguments) {
    if (argument.sparse) {
      values.push_back(argument.sparse->interpreted());
      continue;
    }
    DenseArray array;
    array.shape = argument.shape;
    if (isScalar(argument.type))
      array.values = {argument.number};
    for (int64_t k = 0; k < argument.initial.size(); ++k)
      array.values.push_back(argument.initial.at(k));
    array.imaginaries = argument.initial.imaginaries();
    values.push_back(std::move(array));
  }
  return values;
}

void FileArguments::pass(unsigned i, PackedCall &call) {
  Argument &argument = arguments[i];
  if (argument.sparse)
    return argument.sparse->pass(call);
  if (!isScalar(argument.type))
    return call.passBuffer(describe(argument.values.data(), argument.shape));
  int64_t bits = int64_t(argument.number);
  if (isa<FloatType>(argument.type)) {
    Elements number(argument.type, 1);
    number.set(0, argument.number);
    bits = 0;
    std::memcpy(&bits, number.data(), bytesOfElement(argument.type));
  }
  call.passNumber(bits);
}

} // namespace astfe::run
