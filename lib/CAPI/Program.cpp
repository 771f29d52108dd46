//===- Program.cpp - compile and run module text --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE-c/Program.h"
#include "ASTFE/Runtime/ABI.h"
#include "Compiler.h"
#include "WithObject.h"

using namespace astfe;
using capi::fail;
using capi::guarded;

using Programs = capi::ObjectTable<AstfeProgram, const product::Program>;

static Programs &programs() {
  static auto &table = *new Programs();
  return table;
}

AstfeProgram *astfeCompile(const char *module, size_t length,
                           const char *pipeline) {
  return guarded<AstfeProgram *>(nullptr, [&]() -> AstfeProgram * {
    if (!module)
      return fail("expected a module's text but got null"), nullptr;
    auto compiler = capi::openCompiler();
    if (!compiler)
      return fail(compiler.message()), nullptr;
    auto code = (*compiler)->program({module, length},
                                     pipeline ? pipeline : "astfe-to-cpu");
    if (!code)
      return fail(code.message()), nullptr;
    return programs().add(std::move(*code));
  });
}

void astfeProgramDestroy(AstfeProgram *program) { programs().remove(program); }

void *astfeProgramLookup(const AstfeProgram *handle, const char *name) {
  return guarded<void *>(nullptr, [&]() -> void * {
    auto program = capi::objectOf(programs(), handle, "a program");
    if (!program || !capi::given(name, "a name"))
      return nullptr;
    auto address = program->lookup(name);
    if (!address)
      return fail(address.message()), nullptr;
    return *address;
  });
}

AstfeStatus astfeProgramInvoke(const AstfeProgram *handle, const char *name,
                               void **arguments) {
  return guarded<AstfeStatus>(1, [&]() -> AstfeStatus {
    auto program = capi::objectOf(programs(), handle, "a program");
    if (!program || !capi::given(name, "a name") ||
        !capi::given(arguments, "an array of arguments"))
      return 1;
    // The execution engine wraps each function as `_mlir_<name>(void **)`.
    auto address = program->lookup("_mlir__mlir_ciface_" + std::string(name));
    if (!address)
      return fail("expected a function with a C interface "
                  "(llvm.emit_c_interface) but got '" +
                  std::string(name) + "'");
    astfe_rt_clear_error();
    reinterpret_cast<void (*)(void **)> (*address)(arguments);
    if (const char *text = astfe_rt_last_error())
      return fail(text);
    return 0;
  });
}
