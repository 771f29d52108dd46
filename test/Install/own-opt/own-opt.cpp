//===- own-opt.cpp - an mlir-opt of somebody's own ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some dialects of upstream's, ASTFE's dialect and passes, and a pass of its
// own that reads ASTFE's ops.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFE/InitAll.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

namespace {
struct CountComputes
    : mlir::PassWrapper<CountComputes, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountComputes)

  llvm::StringRef getArgument() const override { return "own-count-computes"; }

  void runOnOperation() override {
    getOperation().walk([](astfe::ComputeOp compute) {
      llvm::outs() << "1 computation over " << compute.getPattern().getType()
                   << "\n";
    });
  }
};
} // namespace

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                  mlir::linalg::LinalgDialect,
                  mlir::sparse_tensor::SparseTensorDialect>();
  astfe::registerDialect(registry);
  astfe::registerAllPasses();
  mlir::PassRegistration<CountComputes>();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "own-opt\n", registry));
}
