//===- FileArguments.h - the arguments of a file's function ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_FILEARGUMENTS_H
#define ASTFE_TOOLS_RUN_FILEARGUMENTS_H

#include "ASTFE/Execution/Interpreter.h"
#include "Elements.h"
#include "ExtentClasses.h"
#include "SparseArgument.h"

namespace astfe::run {

/// Storage of the arguments, and what the interpreter takes for them.
class FileArguments {
public:
  /// `text` is the file's, which has the names of the arguments.
  static core::Result<FileArguments> make(const Settings &settings,
                                          mlir::func::FuncOp function,
                                          llvm::StringRef text);

  /// Adds what an entry takes for argument `i` (docs/Pipelines.md).
  void pass(unsigned i, PackedCall &call);
  /// Gives dense arguments their first values again, which a run may have
  /// overwritten: all of them, or, where not `all` is asked for, those that a
  /// run reads before it overwrites them; from keepUnwritten() on those of these
  /// that it found changed. Values of sparse ones that a buffer is taken of are
  /// given, too. Copies take from the caches what the next run reads, which
  /// callers of the function do not do.
  void reset(bool all);
  /// What the last run left as it was is not touched again.
  void keepUnwritten();
  /// What the interpreter takes.
  std::vector<InterpreterValue> interpreted() const;
  /// Sparse argument `i`.
  const SparseArgument &sparse(unsigned i) const {
    return *arguments[i].sparse;
  }
  /// Of all sparse arguments.
  int64_t nonzeros() const;
  /// Whether a matrix has extents that packed storage has no code for.
  bool hasFarMatrix() const;

private:
  /// One of the three.
  struct Argument {
    std::string name;
    mlir::Type type;
    std::optional<SparseArgument> sparse;
    std::vector<int64_t> shape; ///< dense: of `values`
    Elements values, initial;
    bool isKept = false; ///< dense: runs do not write to it
    bool isRead = true;  ///< dense: runs see what is in it at first
    double number = 0;   ///< scalar
  };
  core::Status nameArguments(mlir::func::FuncOp function, llvm::StringRef text);
  core::Status addSparse(const Settings &settings);
  core::Status addScalars(const Settings &settings);
  core::Status addDense(const Settings &settings, mlir::func::FuncOp function);
  core::Status checkMemory(const Settings &settings,
                           mlir::func::FuncOp function,
                           const ExtentClasses &extents) const;
  std::vector<int64_t> shapeOf(mlir::BlockArgument argument, bool written,
                               const ExtentClasses &extents,
                               int64_t columns) const;

  std::vector<Argument> arguments;
};

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_FILEARGUMENTS_H
