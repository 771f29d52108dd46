//===- FileResults.h - what a file's function returns ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One scalar is returned as such; a tensor, or several results, are fields of a
// struct that the caller passes (docs/Pipelines.md).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_FILERESULTS_H
#define ASTFE_TOOLS_RUN_FILERESULTS_H

#include "ASTFE/Core/Support/Status.h"
#include "ASTFE/Execution/Interpreter.h"
#include "FileArguments.h"
#include "PackedCall.h"

namespace astfe::run {

/// What all results say together.
struct ResultSummary {
  int64_t elements = 0;
  double sum = 0;
  /// Only where a result is complex.
  std::optional<double> imaginarySum;
  /// Only where there is something to compare with.
  std::optional<double> maxRelativeError;
  std::optional<bool> passed;
  /// Elements that differ, of which the bound says nothing.
  int64_t uncompared = 0;
};

class FileResults {
public:
  /// Dense tensors and scalars, and sparse tensors that have the pattern of an
  /// argument; at least one.
  static core::Result<FileResults> make(mlir::func::FuncOp function);

  /// Makes the function return values in the place of sparse tensors, which it
  /// has no entry for otherwise. After the interpreter had it.
  static void returnValues(mlir::func::FuncOp function);

  /// Before the arguments, and after them.
  void passFirst(PackedCall &call);
  void passLast(PackedCall &call);
  /// Behind each call: frees what the call before allocated, as this one
  /// returned another array in its place. An argument is the same one each
  /// time.
  void freeLast();
  core::Result<ResultSummary> summarise(const Interpretation *want,
                                        const FileArguments &arguments) const;

private:
  struct Field {
    mlir::Type type; ///< of a sparse tensor, that of its values
    size_t offset;   ///< bytes
    /// The argument that has a sparse tensor's pattern.
    std::optional<unsigned> pattern;
  };
  /// The elements of a result, borrowed.
  struct Array {
    mlir::Type element;
    const void *data;
    int64_t count;
  };
  Array read(const Field &field) const;
  /// What an array lies in, as its allocation returned it; null for scalars.
  void *allocationOf(const Field &field) const;

  std::vector<Field> fields;
  std::vector<int64_t> words; ///< the struct
  /// What the last call returned arrays in, by field.
  std::vector<void *> allocated;
  bool isDouble = true; ///< no float in the function has fewer bits
};

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_FILERESULTS_H
