/*===- Program.h - compile and run module text ---------------------------===*
 *
 * Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Compiles the text of an MLIR module with a pass pipeline and runs its
 * functions on raw pointers.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ASTFE_C_PROGRAM_H
#define ASTFE_C_PROGRAM_H

#include "ASTFE-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct AstfeProgram AstfeProgram;

/** Parses `module`, runs `pipeline` (textual, without "builtin.module(...)";
 *  null is "astfe-to-cpu") and compiles for this machine. Diagnostics are the
 *  error text, with line and column. */
ASTFE_C_API AstfeProgram *astfeCompile(const char *module, size_t length,
                                       const char *pipeline);
ASTFE_C_API void astfeProgramDestroy(AstfeProgram *program);

/** The address of `name`, e.g. "_mlir_ciface_spmm" of a function @spmm with the
 *  attribute llvm.emit_c_interface; null if there is none. Such a function has
 *  its bare name ("spmm") only if another function of the module calls it. */
ASTFE_C_API void *astfeProgramLookup(const AstfeProgram *program,
                                     const char *name);

/** Calls `_mlir_ciface_<name>`: `arguments` holds the address of each of its
 *  arguments (of the pointer, where that is a descriptor's address), and last,
 *  if it returns a scalar or pointer, the address where that goes. `arguments`
 *  is not null, even where there are none. Fails if the function is missing or
 *  the runtime reported an error. */
ASTFE_C_API AstfeStatus astfeProgramInvoke(const AstfeProgram *program,
                                           const char *name, void **arguments);

#ifdef __cplusplus
}
#endif

#endif /* ASTFE_C_PROGRAM_H */
