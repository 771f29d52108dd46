//===- Program.cpp - compile and run module text --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE-c/Program.h"
#include "ASTFE/InitAll.h"
#include "ASTFE/Runtime/ABI.h"
#include "Objects.h"
#include "Program.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

using namespace astfe;
using capi::fail;
using capi::guarded;

struct AstfeProgram {
  std::shared_ptr<Jit> jit;
};

/// Pass registration is global to the process and not thread-safe.
static void registerPassesOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    mlir::registerAllPasses();
    registerAllPasses();
    registerAllPipelines();
  });
}

core::Result<std::shared_ptr<Jit>> capi::compileText(llvm::StringRef text,
                                                     llvm::StringRef pipeline) {
  registerPassesOnce();
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  mlir::OwningOpRef<mlir::ModuleOp> module;
  {
    mlir::ScopedDiagnosticHandler handler(
        &context, [&](mlir::Diagnostic &diagnostic) {
          stream << diagnostic.getLocation() << ": " << diagnostic << '\n';
        });
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context, "module");
  }
  if (!module)
    return core::Error{errors.empty() ? "expected a module" : errors};
  JitOptions options;
  options.pipeline = pipeline.str();
  auto code = KernelCache::process().compile(*module, options);
  if (!code)
    return code.error();
  return code->jit;
}

AstfeProgram *astfeCompile(const char *module, size_t length,
                           const char *pipeline) {
  return guarded<AstfeProgram *>(nullptr, [&]() -> AstfeProgram * {
    if (!module)
      return fail("expected a module's text but got null"), nullptr;
    auto jit = capi::compileText({module, length},
                                 pipeline ? pipeline : "astfe-to-cpu");
    if (!jit)
      return fail(jit.message()), nullptr;
    return new AstfeProgram{std::move(*jit)};
  });
}

void astfeProgramDestroy(AstfeProgram *program) { delete program; }

void *astfeProgramLookup(const AstfeProgram *program, const char *name) {
  return guarded<void *>(nullptr, [&]() -> void * {
    if (!capi::given(program, "a program") || !capi::given(name, "a name"))
      return nullptr;
    auto address = program->jit->lookup(name);
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
        program->jit->lookup("_mlir__mlir_ciface_" + std::string(name));
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
