//===- CallProgram.h - functions that only call the runtime ----*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An inspector, once its ops on graphs and patterns are calls of the runtime,
// is a dozen calls in a row that run once. They are made as they stand:
// compiling them takes longer than all but the largest matrices take to pack.
//
// Example:
//   func.func @prepare(%p: memref<?xi32>, ...) -> (!llvm.ptr, tensor<?xf32>) {
//     %0 = call @astfe_rt_profile_p32c32(%p, ...)
//     ...
//     return %8, %9
//   }
//   auto prepare = CallProgram::get(std::move(module), "prepare");
//   if (prepare) results = prepare->run({...});   // null: compile it
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_EXECUTION_CALLPROGRAM_H
#define ASTFE_EXECUTION_CALLPROGRAM_H

#include "ASTFE/Runtime/ABI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>

namespace astfe {

/// A value as C passes it; the type says which of them it is.
struct CallValue {
  int64_t integer = 0;       ///< an integer or index
  double real = 0;           ///< f64
  void *pointer = nullptr;   ///< !llvm.ptr
  AstfeMemRef1D buffer = {}; ///< a buffer or tensor of one dimension

  CallValue() = default;
  CallValue(int64_t integer) : integer(integer) {}
  CallValue(AstfeMemRef1D buffer) : buffer(buffer) {}
};

class CallProgram {
public:
  /// Null where `function` does more than call runtime functions with
  /// arguments, constants, sizes and buffers that it allocates.
  static std::unique_ptr<CallProgram>
  get(mlir::OwningOpRef<mlir::ModuleOp> &module, llvm::StringRef function);

  /// Makes the calls. What goes wrong is the runtime's last error, as in
  /// compiled code. Buffers among the results are the caller's (free).
  std::vector<CallValue> run(llvm::ArrayRef<CallValue> arguments) const;

private:
  CallProgram(mlir::OwningOpRef<mlir::ModuleOp> module,
              mlir::func::FuncOp function)
      : module(std::move(module)), function(function) {}

  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
};

} // namespace astfe

#endif // ASTFE_EXECUTION_CALLPROGRAM_H
