/* ASTFE's dialect and passes through MLIR's C API. */
#include "ASTFE-c/Dialect.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Pass.h"
#include "mlir-c/Support.h"
#include <stdio.h>

static void print(MlirStringRef text, void *unused) {
  (void)unused;
  fwrite(text.data, 1, text.length, stdout);
}

int main(void) {
  MlirContext context = mlirContextCreate();
  MlirDialectHandle handle = mlirGetDialectHandle__astfe__();
  mlirDialectHandleRegisterDialect(handle, context);
  mlirDialectHandleLoadDialect(handle, context);
  mlirRegisterASTFEPasses();

  MlirModule module = mlirModuleCreateParse(
      context, mlirStringRefCreateFromCString(
                   "module attributes {own.layout = #astfe.layout<view>} {}"));
  if (mlirModuleIsNull(module))
    return 1;
  mlirOperationDump(mlirModuleGetOperation(module));

  MlirPassManager manager = mlirPassManagerCreate(context);
  if (mlirLogicalResultIsFailure(
          mlirParsePassPipeline(mlirPassManagerGetAsOpPassManager(manager),
                                mlirStringRefCreateFromCString(
                                    "builtin.module(astfe-check-elements)"),
                                print, NULL)) ||
      mlirLogicalResultIsFailure(
          mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module))))
    return 1;
  puts("ran astfe-check-elements");
  mlirPassManagerDestroy(manager);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  return 0;
}
