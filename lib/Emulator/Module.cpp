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
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/Scalar/ScalarizeMaskedMemIntrin.h"

using namespace llvm;
using namespace astfe;
using emu::Kernel;

struct emu::Module::State {
  explicit State(Memory &memory) : memory(memory) {}

  Memory &memory;
  std::unique_ptr<Rewritten> code;
  std::unique_ptr<orc::LLJIT> jit; ///< after what its code refers to
  std::vector<void *> variables;   ///< registered with memory
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
parse(const void *image, size_t bytes, LLVMContext &context) {
  auto *text = static_cast<const char *>(image);
  if (!text || (bytes == 0 && *text == 0))
    return core::Error{"expected a GPU module but got none"};
  auto buffer = MemoryBuffer::getMemBufferCopy(bytes ? StringRef(text, bytes)
                                                     : StringRef(text));
  SMDiagnostic problem;
  auto module = parseIR(buffer->getMemBufferRef(), problem, context);
  if (!module)
    return core::Error{"expected LLVM bitcode, as gpu-module-to-binary makes "
                       "with format=llvm, but got something else: " +
                       problem.getMessage().str()};
  return module;
}

/// Masked loads and stores as branches around plain ones, which can be checked.
static void scalarizeMasked(llvm::Module &module) {
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
    if (!function.isDeclaration())
      ScalarizeMaskedMemIntrinPass().run(function, functions);
}

/// A compiler for this machine, with all of its instructions.
static Expected<std::unique_ptr<orc::LLJIT>> makeJit() {
  static const bool initialised = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialised;
  auto builder = orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->setCodeGenOptLevel(CodeGenOptLevel::Default);
  return orc::LLJITBuilder()
      .setJITTargetMachineBuilder(std::move(*builder))
      .create();
}

core::Result<std::unique_ptr<emu::Module>>
emu::Module::load(const void *image, size_t bytes, Memory &memory) {
  auto context = std::make_unique<LLVMContext>();
  auto module = parse(image, bytes, *context);
  if (!module)
    return module.error();
  scalarizeMasked(**module);
  auto state = std::make_unique<State>(memory);
  Expected<std::unique_ptr<orc::LLJIT>> jit = makeJit();
  if (!jit)
    return errorOf(jit.takeError());
  state->jit = std::move(*jit);
  auto code = rewriteForHost(**module, state->jit->getDataLayout(),
                             state->jit->getTargetTriple().str());
  if (!code)
    return code.error();
  state->code = std::move(*code);
  if (Error error = state->jit->addIRModule(
          orc::ThreadSafeModule(std::move(*module), std::move(context))))
    return errorOf(std::move(error));

  for (Kernel &kernel : state->code->kernels) {
    auto address = state->jit->lookup(kernel.name + ".run");
    if (!address)
      return errorOf(address.takeError());
    kernel.entry = address->toPtr<void (*)(void **)>();
  }
  std::unique_ptr<emu::Module> result(new Module(std::move(state)));
  for (const Rewritten::Variable &variable : result->state->code->variables) {
    auto address = result->state->jit->lookup(variable.symbol);
    if (!address)
      return errorOf(address.takeError());
    void *begin = address->toPtr<void *>();
    core::Status added = memory.add(begin, variable.bytes,
                                    "global variable '" + variable.name + "'",
                                    variable.readOnly);
    if (!added)
      return added.error();
    if (variable.bytes)
      result->state->variables.push_back(begin);
  }
  return result;
}

const Kernel *emu::Module::find(const std::string &name) const {
  for (const Kernel &kernel : state->code->kernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

bool emu::Module::owns(const Kernel *kernel) const {
  for (const Kernel &own : state->code->kernels)
    if (&own == kernel)
      return true;
  return false;
}
