//===- TextProgram.cpp - the text of a module, compiled -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextProgram.h"
#include "ASTFE/Compiler/JitProgram.h"
#include "ASTFE/Execution/KernelCache.h"
#include "ASTFE/InitAll.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

using namespace astfe;

/// Pass registration is global to the process and not thread-safe.
static void registerPassesOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    mlir::registerAllPasses();
    registerAllPasses();
    registerAllPipelines();
  });
}

core::Result<std::shared_ptr<const product::Program>>
compiler::compileText(std::string_view text, std::string_view pipeline) {
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
  options.pipeline = pipeline;
  auto code = KernelCache::process().compile(*module, options);
  if (!code)
    return code.error();
  return programOf(code->jit);
}
