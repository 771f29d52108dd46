//===- astfe-opt.cpp - the optimiser driver -------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-opt with ASTFE: every upstream dialect, pass and pipeline, and ours.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/InitAll.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  astfe::registerEverything(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "ASTFE: sparse tensor programs along a curve\n", registry));
}
