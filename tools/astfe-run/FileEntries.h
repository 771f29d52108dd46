//===- FileEntries.h - the inspector of a file, and the rest --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_FILEENTRIES_H
#define ASTFE_TOOLS_RUN_FILEENTRIES_H

#include "FileArguments.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace astfe::run {

/// How the function is called: as a whole, or its inspector once and then the
/// rest.
struct Entries {
  /// Of the inspector: arguments of the function, and words of each result (a
  /// handle, or the descriptor of values). Empty where there is none.
  llvm::SmallVector<unsigned> prepareArguments;
  llvm::SmallVector<unsigned> resultWords;
  /// Of the rest: arguments of the function, after the inspector's results.
  llvm::SmallVector<unsigned> runArguments;
  std::string prepareName, runName;
};

/// What astfe-split-inspector made of `function`, which is erased where it is
/// nothing but the two calls.
Entries findEntries(mlir::func::FuncOp function);

/// A compiled function, which takes the addresses of its arguments.
using Entry = void (*)(void **);

/// What the inspector returned: handles and vectors, which end with it.
class Prepared {
public:
  ~Prepared();
  core::Status run(Entry entry, const Entries &entries,
                   FileArguments &arguments);
  /// All of it, as the first arguments of the rest.
  void pass(PackedCall &call) const;

private:
  std::vector<int64_t> words;
  std::vector<unsigned> counts; ///< of words, per result
};

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_FILEENTRIES_H
