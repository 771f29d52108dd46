//===- Program.cpp - compile and run module text --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE-c/Program.h"
#include "ASTFE/Runtime/ABI.h"
#include "Compiler.h"
#include "Objects.h"

using namespace astfe;
using capi::fail;
using capi::guarded;

struct AstfeProgram {
  std::shared_ptr<const product::Program> code;
};

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
    return new AstfeProgram{std::move(*code)};
  });
}

void astfeProgramDestroy(AstfeProgram *program) { delete program; }

void *astfeProgramLookup(const AstfeProgram *program, const char *name) {
  return guarded<void *>(nullptr, [&]() -> void * {
    if (!capi::given(program, "a program") || !capi::given(name, "a name"))
      return nullptr;
    auto address = program->code->lookup(name);
    if (!address)
      return fail(address.message()), nullptr;
    return *address;
  });
}

AstfeStatus astfeProgramInvoke(const AstfeProgram *program, const char *name,
                               void **arguments) {
  return guarded<AstfeStatus>(1, [&]() -> AstfeStatus {
    if (!capi::given(program, "a program") || !capi::given(name, "a name") ||
        !capi::given(arguments, "an array of arguments"))
      return 1;
    // The execution engine wraps each function as `_mlir_<name>(void **)`.
    auto address =
        program->code->lookup("_mlir__mlir_ciface_" + std::string(name));
    if (!address)
      return fail("no function '" + std::string(name) +
                  "' with a C interface: " + address.message());
    astfe_rt_clear_error();
    reinterpret_cast<void (*)(void **)>(*address)(arguments);
    if (const char *text = astfe_rt_last_error())
      return fail(text);
    return 0;
  });
}
