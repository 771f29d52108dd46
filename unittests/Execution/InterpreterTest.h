//===- InterpreterTest.h - functions that tests interpret -------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_UNITTESTS_EXECUTION_INTERPRETERTEST_H
#define ASTFE_UNITTESTS_EXECUTION_INTERPRETERTEST_H

#include "ASTFE/Execution/Interpreter.h"
#include "ASTFE/InitAll.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace astfe {

struct InterpreterTest : testing::Test {
  InterpreterTest() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }

  /// Runs the first function of `body`, which may name #CSR, #view and maps.
  mlir::FailureOr<Interpretation>
  run(mlir::StringRef body, mlir::ArrayRef<InterpreterValue> arguments) {
    std::string text = R"(
      #CSR = #sparse_tensor.encoding<{
        map = (d0, d1) -> (d0 : dense, d1 : compressed)}>
      #view = #astfe.layout<view>
      #n = affine_map<(n, i, k) -> (n)>
      #i = affine_map<(n, i, k) -> (i)>
      #k = affine_map<(n, i, k) -> (k)>
    )" + body.str();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return mlir::failure();
    return interpret(*module->getOps<mlir::func::FuncOp>().begin(), arguments);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace astfe

#endif // ASTFE_UNITTESTS_EXECUTION_INTERPRETERTEST_H
