//===- Jit.cpp - compiled modules in this process -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Execution/Jit.h"
#include "RuntimeSymbols.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace astfe;

//===----------------------------------------------------------------------===//
// Errors as text
//===----------------------------------------------------------------------===//

namespace {
/// Collects the errors of a context while it lives.
class ErrorText {
public:
  explicit ErrorText(MLIRContext *context)
      : stream(text), handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return failure();
          if (!text.empty())
            stream << "\n";
          if (!isa<UnknownLoc>(diagnostic.getLocation()))
            stream << diagnostic.getLocation() << ": ";
          stream << diagnostic;
          return success();
        }) {}

  core::Error error(const Twine &otherwise) {
    return {text.empty() ? otherwise.str() : text};
  }

private:
  std::string text;
  llvm::raw_string_ostream stream;
  ScopedDiagnosticHandler handler;
};
} // namespace

static core::Error toError(llvm::Error error, const Twine &what) {
  return {(what + ": " + llvm::toString(std::move(error))).str()};
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

core::Status astfe::runPipeline(ModuleOp module, StringRef pipeline) {
  ErrorText errors(module.getContext());
  PassManager manager(module.getContext(), module.getOperationName());
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(parsePassPipeline(pipeline, manager, stream)))
    return core::Error{"cannot parse the pipeline '" + pipeline.str() +
                       "': " + text};
  if (failed(manager.run(module)))
    return errors.error("the pipeline '" + pipeline + "' failed");
  return core::Success();
}

//===----------------------------------------------------------------------===//
// Machine code
//===----------------------------------------------------------------------===//

/// A target machine for this CPU with all its features.
static core::Result<std::unique_ptr<llvm::TargetMachine>>
hostMachine(unsigned optLevel, bool contract) {
  static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    return true;
  }();
  (void)initialized;
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return toError(builder.takeError(), "cannot detect the host's CPU");
  builder->setCodeGenOptLevel(optLevel ? llvm::CodeGenOptLevel::Aggressive
                                       : llvm::CodeGenOptLevel::None);
  if (contract)
    builder->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Fast;
  auto machine = builder->createTargetMachine();
  if (!machine)
    return toError(machine.takeError(), "cannot generate code for this CPU");
  return std::move(*machine);
}

/// Functions whose names tell that the code needs OpenMP.
static bool needsOpenMP(ModuleOp module) {
  bool found = false;
  module.walk([&](Operation *op) {
    if (op->getName().getDialectNamespace() == "omp")
      found = true;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

Jit::Jit(std::unique_ptr<ExecutionEngine> engine) : engine(std::move(engine)) {}
Jit::~Jit() = default;

static core::Result<std::unique_ptr<ExecutionEngine>>
createEngine(ModuleOp module, const JitOptions &options) {
  auto machine = hostMachine(options.optLevel, options.contract);
  if (!machine)
    return machine.error();
  ErrorText errors(module.getContext());
  DialectRegistry registry;
  registerAllToLLVMIRTranslations(registry);
  module.getContext()->appendDialectRegistry(registry);
  // The transformer must not outlive the machine, which the engine owns.
  auto transformer =
      makeOptimizingTransformer(options.optLevel, 0, machine->get());
  ExecutionEngineOptions engineOptions;
  engineOptions.transformer = transformer;
  engineOptions.jitCodeGenOptLevel = options.optLevel
                                         ? llvm::CodeGenOptLevel::Aggressive
                                         : llvm::CodeGenOptLevel::None;
  SmallVector<StringRef> libraries(options.sharedLibraries.begin(),
                                   options.sharedLibraries.end());
  engineOptions.sharedLibPaths = libraries;
  engineOptions.enableObjectDump = options.keepObject;
  engineOptions.enableGDBNotificationListener = false;
  engineOptions.enablePerfNotificationListener = false;
  auto engine =
      ExecutionEngine::create(module, engineOptions, std::move(*machine));
  if (!engine) {
    std::string text = llvm::toString(engine.takeError());
    return errors.error("cannot compile the module: " + Twine(text));
  }
  return std::move(*engine);
}

core::Result<std::unique_ptr<Jit>> Jit::compile(ModuleOp module,
                                                const JitOptions &options) {
  if (!options.pipeline.empty())
    if (auto status = runPipeline(module, options.pipeline); !status)
      return status.error();
  if (needsOpenMP(module))
    if (auto status = loadOpenMP(); !status)
      return status.error();
  auto engine = createEngine(module, options);
  if (!engine)
    return engine.error();
  (*engine)->registerSymbols(runtimeSymbols);
  (*engine)->initialize();
  std::unique_ptr<Jit> jit(new Jit(std::move(*engine)));
  jit->hasObject = options.keepObject;
  return std::move(jit);
}

core::Result<void *> Jit::lookup(StringRef symbol) const {
  auto address = engine->lookup(symbol);
  if (!address)
    return toError(address.takeError(), "cannot find '" + symbol + "'");
  return *address;
}

core::Status Jit::writeObject(const std::string &path) const {
  if (!hasObject)
    return core::Error{"expected a module compiled with keepObject"};
  engine->dumpToObjectFile(path);
  return core::Success();
}
