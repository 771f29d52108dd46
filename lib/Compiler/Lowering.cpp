//===- Lowering.cpp - a module, lowered stage by stage --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Compiler/Lowering.h"
#include "ASTFE/Core/Support/FileText.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFE/Execution/Jit.h"
#include "ASTFE/InitAll.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace astfe::compiler {
namespace {

mlir::DialectRegistry everything() {
  mlir::DialectRegistry registry;
  registerEverything(registry);
  return registry;
}

/// FILE:LINE:COLUMN of the first place in a file that a location names, FILE
/// where it names no line, and nothing where it names no file.
std::string placeOf(mlir::Location location) {
  std::string place;
  location->walk([&](mlir::Location part) {
    auto at = llvm::dyn_cast<mlir::FileLineColLoc>(part);
    if (!at)
      return mlir::WalkResult::advance();
    place = at.getFilename().str();
    if (at.getLine())
      place += ':' + std::to_string(at.getLine()) + ':' +
               std::to_string(at.getColumn());
    return mlir::WalkResult::interrupt();
  });
  return place.empty() ? place : place + ": ";
}

/// Collects errors and their notes while it lives.
class Diagnostics {
public:
  explicit Diagnostics(mlir::MLIRContext *context)
      : stream(text), handler(context, [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
            return mlir::failure();
          stream << placeOf(diagnostic.getLocation()) << diagnostic;
          for (mlir::Diagnostic &note : diagnostic.getNotes())
            stream << "\n  note: " << note;
          stream << '\n';
          return mlir::success();
        }) {}
  core::Error error(const std::string &otherwise) const {
    return {text.empty() ? otherwise : llvm::StringRef(text).rtrim('\n').str()};
  }

private:
  std::string text;
  llvm::raw_string_ostream stream;
  mlir::ScopedDiagnosticHandler handler;
};

core::Status dump(mlir::ModuleOp module, const std::string &dir,
                  const std::string &prefix, unsigned number,
                  const std::string &name) {
  if (dir.empty())
    return core::Success();
  if (std::error_code error = llvm::sys::fs::create_directories(dir))
    return core::Error{dir + ": " + error.message()};
  std::string path, text;
  llvm::raw_string_ostream(path)
      << dir << '/' << prefix << llvm::format("%02u-", number) << name
      << ".mlir";
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  stream << '\n';
  return core::writeFile(path, text);
}

} // namespace

Lowering::Lowering()
    : context(everything(), mlir::MLIRContext::Threading::DISABLED) {
  context.loadDialect<ASTFEDialect>();
}

core::Result<mlir::OwningOpRef<mlir::ModuleOp>>
Lowering::parse(llvm::StringRef text, llvm::StringRef name) {
  Diagnostics diagnostics(&context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context, name);
  if (!module)
    return diagnostics.error(name.str() + ": expected a module");
  return module;
}

core::Result<mlir::OwningOpRef<mlir::ModuleOp>>
Lowering::parseFile(const std::string &path) {
  auto text = core::readFile(path);
  if (!text)
    return text.error();
  return parse(*text, path);
}

core::Status Lowering::run(mlir::ModuleOp module,
                           const std::vector<Stage> &stages,
                           const std::string &dumpDir,
                           const std::string &prefix, unsigned first) {
  unsigned number = first;
  if (number == 0)
    if (auto status = dump(module, dumpDir, prefix, number++, "input"); !status)
      return status;
  for (const Stage &stage : stages) {
    Diagnostics diagnostics(&context);
    mlir::PassManager pm(&context);
    pm.enableVerifier(kVerifyPasses);
    if (mlir::failed(stage.build(pm)) || mlir::failed(pm.run(module)))
      return diagnostics.error("stage '" + stage.name + "' failed");
    if (auto status = dump(module, dumpDir, prefix, number++, stage.name);
        !status)
      return status;
  }
  return core::Success();
}

} // namespace astfe::compiler
