//===- FileArguments.h - the arguments of a file's function ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_FILEARGUMENTS_H
#define ASTFE_TOOLS_RUN_FILEARGUMENTS_H

#include "ASTFE/Execution/Interpreter.h"
#include "Problem.h"
#include <deque>

namespace astfe::run {

/// A memref descriptor of rank 0 to 2, as words.
struct Descriptor {
  int64_t words[7] = {};
};

/// What a packed call takes: the address of each argument, which stays where it
/// is.
class PackedCall {
public:
  void passBuffer(const Descriptor &descriptor);
  void passNumber(int64_t number);
  void passPointer(void *pointer);
  /// Where a result goes that is a number; the last argument.
  void passAddress(void *address) { addresses.push_back(address); }
  void **arguments() { return addresses.data(); }

private:
  std::deque<Descriptor> descriptors;
  std::deque<void *> pointers;
  std::deque<int64_t> numbers;
  std::vector<void *> addresses;
};

/// Storage of the arguments, and what the interpreter takes for them.
class FileArguments {
public:
  static core::Result<FileArguments> make(const Settings &settings,
                                          mlir::func::FuncOp function);

  /// Adds what an entry takes for argument `i` (docs/Pipelines.md).
  void pass(unsigned i, PackedCall &call);

  /// Null for sparse arguments: values that are given to each run anew.
  std::vector<Dense> dense;
  std::vector<InterpreterValue> interpreted;

private:
  core::Status addSparse(const Settings &settings, unsigned i,
                         mlir::RankedTensorType type);
  void addDense(std::vector<int64_t> shape, bool written, bool isDouble,
                uint64_t seed);
  Descriptor indices(std::vector<int32_t> &narrow, std::vector<int64_t> &wide,
                     unsigned width);

  std::vector<mlir::Type> types;
  std::vector<std::vector<int64_t>> shapes;
  Problem matrix;
  /// The matrix's indices for arguments that have 64 bits.
  std::vector<int64_t> widePositions, wideCoordinates;
};

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_FILEARGUMENTS_H
