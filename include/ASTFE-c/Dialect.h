/*===- Dialect.h - the dialect and its passes for MLIR's C API -----------===*
 *
 * Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For programs that hold MLIR's own C API. These functions are in the archives
 * behind the CMake target ASTFE::InitAll, not in libASTFE.so, so that a process
 * has one copy of MLIR:
 *
 *   mlirDialectHandleRegisterDialect(mlirGetDialectHandle__astfe__(), context);
 *   mlirRegisterASTFEPasses();
 *   mlirParsePassPipeline(manager, text, report, 0);
 *
 *===----------------------------------------------------------------------===*/

#ifndef ASTFE_C_DIALECT_H
#define ASTFE_C_DIALECT_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The dialect, with the external models of its ops. */
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(ASTFE, astfe);

/** ASTFE's passes and pipelines by name, once a process; upstream's come with
 *  mlirRegisterAllPasses(). Not from several threads at once. */
MLIR_CAPI_EXPORTED void mlirRegisterASTFEPasses(void);

#ifdef __cplusplus
}
#endif

#endif /* ASTFE_C_DIALECT_H */
