//===- Handle.cpp - the dialect and its passes for MLIR's C API -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE-c/Dialect.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFE/InitAll.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"

static void insertDialect(MlirDialectRegistry registry) {
  astfe::registerDialect(*unwrap(registry));
}

static MlirDialect loadDialect(MlirContext context) {
  mlir::DialectRegistry registry;
  astfe::registerDialect(registry);
  unwrap(context)->appendDialectRegistry(registry);
  return wrap(static_cast<mlir::Dialect *>(
      unwrap(context)->getOrLoadDialect<astfe::ASTFEDialect>()));
}

static MlirStringRef dialectNamespace() {
  return wrap(astfe::ASTFEDialect::getDialectNamespace());
}

MlirDialectHandle mlirGetDialectHandle__astfe__(void) {
  static const MlirDialectRegistrationHooks hooks = {insertDialect, loadDialect,
                                                     dialectNamespace};
  return MlirDialectHandle{&hooks};
}

void mlirRegisterASTFEPasses(void) {
  astfe::registerAllPasses();
  astfe::registerAllPipelines();
}
