//===- Module.cpp - a loaded GPU module -----------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Module.h"
#include "Rewrite.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/Scalar/ScalarizeMaskedMemIntrin.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

using namespace llvm;
using namespace astfe;
using emu::Kernel;
using emu::Runners;

struct emu::Module::State {
  explicit State(Memory &memory) : memory(memory) {}

  core::Status load();
  core::Status compile(Kernel &kernel, Runners runners);
  core::Result<orc::LLJIT *> jitFor(Runners runners);
  core::Status addVariables();

  Memory &memory;
  std::string image; ///< code is made of it when a kernel is launched
  /// What code refers to: of the module, and of kernels.
  std::unique_ptr<Rewritten> described;
  std::vector<std::unique_ptr<Rewritten>> compiled;
  /// By runners, after what their code refers to. That of warps has the
  /// variables.
  std::array<std::unique_ptr<orc::LLJIT>, 2> jits;
  std::deque<Kernel> kernels;
  std::vector<void *> variables; ///< registered with memory
};

emu::Module::Module(std::unique_ptr<State> state) : state(std::move(state)) {}

emu::Module::~Module() {
  for (void *variable : state->variables)
    (void)bool(state->memory.remove(variable, /*owned=*/false));
}

static core::Error errorOf(Error error) {
  return core::Error{toString(std::move(error))};
}

static core::Result<std::unique_ptr<llvm::Module>>
parse(const std::string &image, LLVMContext &context) {
  SMDiagnostic problem;
  auto module = parseIR(MemoryBufferRef(image, "GPU module"), problem, context);
  if (!module)
    return core::Error{"expected LLVM bitcode, as gpu-module-to-binary makes "
                       "with format=llvm, but got something else: " +
                       problem.getMessage().str()};
  return module;
}

/// Masked loads and stores as branches around plain ones, which can be checked;
/// and loads and stores side by side as those of vectors. NVPTX's backend does
/// that, the optimisations before take vectors apart whose elements are used
/// one by one: without it, a load of 128 bits would count as four accesses.
static void prepareAccesses(llvm::Module &module) {
  PassBuilder builder;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graphs;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  for (Function &function : module)
    if (!function.isDeclaration()) {
      ScalarizeMaskedMemIntrinPass().run(function, functions);
      functions.clear(function, function.getName());
      LoadStoreVectorizerPass().run(function, functions);
    }
}

/// A compiler for this machine, with all of its instructions. Values of code
/// for warps are in memory most of the time, and each instruction stands for
/// many: optimising it takes three times as long and saves a tenth.
static Expected<std::unique_ptr<orc::LLJIT>> makeJit(Runners runners) {
  static const bool initialised = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialised;
  auto builder = orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->setCodeGenOptLevel(runners == Runners::Warps
                                  ? CodeGenOptLevel::None
                                  : CodeGenOptLevel::Default);
  return orc::LLJITBuilder()
      .setJITTargetMachineBuilder(std::move(*builder))
      .create();
}

core::Result<orc::LLJIT *> emu::Module::State::jitFor(Runners runners) {
  std::unique_ptr<orc::LLJIT> &jit = jits[size_t(runners)];
  if (!jit) {
    Expected<std::unique_ptr<orc::LLJIT>> made = makeJit(runners);
    if (!made)
      return errorOf(made.takeError());
    jit = std::move(*made);
  }
  return jit.get();
}

core::Status emu::Module::State::load() {
  auto jit = jitFor(Runners::Warps);
  if (!jit)
    return jit.error();
  auto context = std::make_unique<LLVMContext>();
  auto module = parse(image, *context);
  if (!module)
    return module.error();
  auto rewritten = describeModule(**module, (*jit)->getDataLayout(),
                                  (*jit)->getTargetTriple().str());
  if (!rewritten)
    return rewritten.error();
  described = std::move(*rewritten);
  if (Error error = (*jit)->addIRModule(
          orc::ThreadSafeModule(std::move(*module), std::move(context))))
    return errorOf(std::move(error));
  for (const Rewritten::Entry &entry : described->kernels) {
    Kernel &kernel = kernels.emplace_back();
    kernel.name = entry.name;
    kernel.sharedBytes = entry.sharedBytes;
    kernel.block = entry.block;
    kernel.compile = [this](Kernel &which, Runners runners) {
      return compile(which, runners);
    };
  }
  return addVariables();
}

core::Status emu::Module::State::compile(Kernel &kernel, Runners runners) {
  auto context = std::make_unique<LLVMContext>();
  auto module = parse(image, *context);
  if (!module)
    return module.error();
  prepareAccesses(**module);
  auto jit = jitFor(runners);
  if (!jit)
    return jit.error();
  auto rewritten =
      rewriteKernel(**module, kernel.name, runners, variables,
                    (*jit)->getDataLayout(), (*jit)->getTargetTriple().str());
  if (!rewritten)
    return rewritten.error();
  const Rewritten &made = *compiled.emplace_back(std::move(*rewritten));
  Code &code = runners == Runners::Warps ? kernel.warps : kernel.fibers;
  if (made.symbol.empty()) {
    code.isMade = true;
    return core::Success();
  }
  if (Error error = (*jit)->addIRModule(
          orc::ThreadSafeModule(std::move(*module), std::move(context))))
    return errorOf(std::move(error));
  auto address = (*jit)->lookup(made.symbol);
  if (!address)
    return errorOf(address.takeError());
  code.entry = address->toPtr<void (*)(void **, emu::WarpFrame *)>();
  code.segments = &made.segments;
  code.windows = made.windows;
  code.logSlack = made.logSlack;
  code.rows = made.rows;
  code.stackBytes = made.stackBytes;
  code.isMade = true;
  return core::Success();
}

/// Kernels may touch the module's global variables.
core::Status emu::Module::State::addVariables() {
  for (const Rewritten::Variable &variable : described->variables) {
    auto address = jits[size_t(Runners::Warps)]->lookup(variable.symbol);
    if (!address)
      return errorOf(address.takeError());
    void *begin = address->toPtr<void *>();
    core::Status added = memory.add(begin, variable.bytes,
                                    "global variable '" + variable.name + "'",
                                    variable.readOnly);
    if (!added)
      return added;
    variables.push_back(begin);
  }
  return core::Success();
}

core::Result<std::unique_ptr<emu::Module>>
emu::Module::load(const void *image, size_t bytes, Memory &memory) {
  auto *text = static_cast<const char *>(image);
  if (!text || (bytes == 0 && *text == 0))
    return core::Error{"expected a GPU module but got none"};
  // A Module takes its variables back if it is dropped.
  std::unique_ptr<emu::Module> result(
      new Module(std::make_unique<State>(memory)));
  result->state->image = bytes ? std::string(text, bytes) : std::string(text);
  if (core::Status status = result->state->load(); !status)
    return status.error();
  return result;
}

Kernel *emu::Module::find(const std::string &name) {
  for (Kernel &kernel : state->kernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

bool emu::Module::owns(const Kernel *kernel) const {
  for (const Kernel &own : state->kernels)
    if (&own == kernel)
      return true;
  return false;
}
