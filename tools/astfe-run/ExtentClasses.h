//===- ExtentClasses.h - which dynamic extents of a function are equal ----===//
//----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dimensions that must be as long as each other form a class: those that one
// loop of a linalg op indexes, results and the tensors that they are written
// to, what loops and branches carry, what calls pass, and sizes that are read
// by tensor.dim. A dense argument's dynamic extent is then that of the sparse
// tensors in its class.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_EXTENTCLASSES_H
#define ASTFE_TOOLS_RUN_EXTENTCLASSES_H

#include "ASTFE/Core/Support/Status.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include <map>
#include <optional>

namespace astfe::run {

class ExtentClasses {
public:
  explicit ExtentClasses(mlir::func::FuncOp function);

  /// Says what the extents of a function's argument are, where they are not
  /// negative. An error where others of their classes differ; `name` is the
  /// argument's.
  core::Status set(mlir::Value value, mlir::ArrayRef<int64_t> shape,
                   const std::string &name);
  std::optional<int64_t> get(mlir::Value value, unsigned dimension) const;

private:
  /// A value and a dimension of it, in a call: functions that are called from
  /// several places have other extents in each.
  using Place = std::pair<std::pair<void *, unsigned>, unsigned>;
  struct Known {
    int64_t extent;
    std::string where;
  };
  void unite(mlir::Value a, mlir::Value b);
  void unite(mlir::ValueRange a, mlir::ValueRange b);
  void unite(mlir::ValueRange a, mlir::ValueRange b, unsigned callOfB);
  void uniteFunction(mlir::func::FuncOp function);
  void uniteCall(mlir::func::CallOp call);
  void uniteOperands(mlir::Operation *op);
  void uniteSizes(mlir::Value result, mlir::ArrayRef<mlir::OpFoldResult> sizes);
  const Place &classOf(mlir::Value value, unsigned dimension) const;

  /// The call whose ops are looked at, how many there were, and the functions
  /// that they are in.
  unsigned call = 0, calls = 0;
  llvm::SmallVector<mlir::Operation *> callees;
  mutable llvm::EquivalenceClasses<Place> classes;
  std::map<Place, Known> known; ///< by the class's leader
};

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_EXTENTCLASSES_H
