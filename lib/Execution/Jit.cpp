//===- Jit.cpp - compiled modules in this process -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Execution/Jit.h"
#include "ASTFE/Execution/HostTarget.h"
#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/Parallel.h"
#include "ObjectCode.h"
#include "RuntimeSymbols.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
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

#ifdef NDEBUG
const bool astfe::kVerifyPasses = false;
#else
const bool astfe::kVerifyPasses = true;
#endif

core::Status astfe::runPipeline(ModuleOp module, StringRef pipeline) {
  ErrorText errors(module.getContext());
  PassManager manager(module.getContext(), module.getOperationName());
  manager.enableVerifier(kVerifyPasses);
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
// Linking
//===----------------------------------------------------------------------===//

namespace {
/// This machine as the linker sees it. Asking takes as long as linking does.
struct LinkTarget {
  llvm::orc::JITTargetMachineBuilder builder;
  llvm::DataLayout layout;
};
} // namespace

static core::Result<LinkTarget> findLinkTarget() {
  if (auto host = hostTarget("native", ""); !host)
    return host.error();
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return toError(builder.takeError(), "cannot link for this machine");
  auto layout = builder->getDefaultDataLayoutForTarget();
  if (!layout)
    return toError(layout.takeError(), "cannot link for this machine");
  return LinkTarget{std::move(*builder), std::move(*layout)};
}

namespace {
/// What linkers of this thread said of symbols that a lookup then could not
/// make: the lookup's own error names the symbols alone.
struct LinkerReports {
  std::string text;
  bool isMemoryShort = false;
};
} // namespace

static LinkerReports &linkerReports() {
  thread_local LinkerReports reports;
  return reports;
}

static void report(llvm::Error error) {
  LinkerReports &reports = linkerReports();
  llvm::handleAllErrors(std::move(error), [&](const llvm::ErrorInfoBase &part) {
    reports.text += ": " + part.message();
    reports.isMemoryShort |=
        part.convertToErrorCode() == std::errc::not_enough_memory;
  });
}

/// Neither constructors nor exceptions cross the border: objects say by their
/// symbols what is to be called.
static llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>>
createLinker(const LinkTarget &target, llvm::ArrayRef<std::string> libraries,
             bool together) {
  auto linker = llvm::orc::LLJITBuilder()
                    .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                    .setJITTargetMachineBuilder(target.builder)
                    .setDataLayout(target.layout)
                    // Makes no machine before there is IR, which never comes.
                    .setCompileFunctionCreator([](auto builder) {
                      return std::make_unique<llvm::orc::ConcurrentIRCompiler>(
                          std::move(builder));
                    })
                    .create();
  if (!linker)
    return linker.takeError();
  (*linker)->getExecutionSession().setErrorReporter(report);
  llvm::orc::JITDylib &main = (*linker)->getMainJITDylib();
  llvm::orc::MangleAndInterner interner((*linker)->getExecutionSession(),
                                        (*linker)->getDataLayout());
  if (auto error = main.define(
          llvm::orc::absoluteSymbols(runtimeSymbols(interner, together))))
    return error;
  for (const std::string &library : libraries) {
    auto symbols = llvm::orc::DynamicLibrarySearchGenerator::Load(
        library.c_str(), (*linker)->getDataLayout().getGlobalPrefix());
    if (!symbols)
      return symbols.takeError();
    main.addGenerator(std::move(*symbols));
  }
  return linker;
}

/// Another runtime of the process, which may be of another kind, is never
/// called: its state is not that of our regions.
static core::Status checkOpenMP(const llvm::StringSet<> &symbols) {
  llvm::StringSet<> known;
  for (const rt::Symbol *list = rt::openMPSymbols(false); list->name; ++list)
    known.insert(list->name);
  for (const auto &symbol : symbols)
    if (symbol.getKey().starts_with("__kmpc_") &&
        !known.contains(symbol.getKey()))
      return core::Error{"expected code whose OpenMP calls are those of "
                         "scf.parallel but got a call of " +
                         symbol.getKey().str()};
  return core::Success();
}

/// An object becomes code as a whole, when the first of its symbols is looked
/// up. What fails then fails for good, and must not be found out by those who
/// share the code, when another attempt might work. (Modules without an entry
/// for C, which nobody shares, become code when they are asked for one.)
core::Status Jit::materialize() const {
  for (const auto &symbol : *symbols)
    if (symbol.getKey().starts_with(kPackedEntry)) {
      auto address = lookup(symbol.getKey());
      return address ? core::Success() : core::Status(address.error());
    }
  return core::Success();
}

/// Calls `name` of the object if it is there.
core::Status Jit::callOptional(StringRef name) const {
  if (!has(name))
    return core::Success();
  auto address = lookup(name);
  if (!address)
    return address.error();
  reinterpret_cast<void (*)()>(*address)();
  return core::Success();
}

Jit::Jit() = default;

Jit::~Jit() {
  // Nobody is left to tell of a failure.
  if (initialized)
    (void)bool(callOptional(kFinalize));
}

bool Jit::threadsMeet() const {
  return has("__kmpc_barrier") || has("__kmpc_end_reduce");
}

bool Jit::has(StringRef name) const { return symbols->contains(name); }

core::Result<std::unique_ptr<Jit>>
Jit::link(std::unique_ptr<llvm::MemoryBuffer> object,
          const JitOptions &options) {
  auto symbols = symbolsOf(object->getMemBufferRef());
  if (!symbols)
    return symbols.error();
  if (auto status = checkOpenMP(*symbols); !status)
    return status.error();
  std::unique_ptr<Jit> jit(new Jit);
  jit->symbols = std::make_unique<llvm::StringSet<>>(std::move(*symbols));
  jit->object = std::move(object);
  // Never destroyed: threads may compile while the process ends.
  static const auto &target = *new core::Result<LinkTarget>(findLinkTarget());
  if (!target)
    return target.error();
  auto linker =
      createLinker(*target, options.sharedLibraries, jit->threadsMeet());
  if (!linker)
    return toError(linker.takeError(), "cannot link the module");
  jit->linker = std::move(*linker);
  if (auto error = jit->linker->addObjectFile(llvm::MemoryBuffer::getMemBuffer(
          jit->object->getMemBufferRef(), /*RequiresNullTerminator=*/false)))
    return toError(std::move(error), "cannot link the module");
  if (auto status = jit->materialize(); !status)
    return status.error();
  // Modules of kernels load themselves then; what a driver says of one that it
  // refuses is lost with the next error.
  astfe_rt_clear_error();
  if (auto status = jit->callOptional(kInitialize); !status)
    return status.error();
  jit->initialized = true;
  if (const char *text = astfe_rt_last_error())
    return core::Error{std::string("cannot load the kernels: ") + text};
  return std::move(jit);
}

core::Result<std::unique_ptr<llvm::MemoryBuffer>>
Jit::compileObject(ModuleOp module, const JitOptions &options) {
  ErrorText errors(module.getContext());
  auto object = astfe::compileObject(module, options);
  if (!object)
    return errors.error(object.message());
  return object;
}

core::Result<std::unique_ptr<Jit>> Jit::compile(ModuleOp module,
                                                const JitOptions &options) {
  if (!options.pipeline.empty())
    if (auto status = runPipeline(module, options.pipeline); !status)
      return status.error();
  auto object = compileObject(module, options);
  if (!object)
    return object.error();
  return link(std::move(*object), options);
}

core::Result<void *> Jit::lookup(StringRef symbol) const {
  linkerReports() = {};
  auto address = linker->lookup(symbol);
  if (address)
    return address->toPtr<void *>();
  core::Error error =
      toError(address.takeError(),
              "cannot find '" + symbol + "'" + linkerReports().text);
  if (linkerReports().isMemoryShort)
    return core::Error{"out of memory linking a module"};
  return error;
}

llvm::StringRef Jit::objectCode() const { return object->getBuffer(); }
