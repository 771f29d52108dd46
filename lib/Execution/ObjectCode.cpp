//===- ObjectCode.cpp - a module in the LLVM dialect as an object ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectCode.h"
#include "ASTFE/Conversion/Passes.h"
#include "ASTFE/Execution/HostTarget.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace astfe;

//===----------------------------------------------------------------------===//
// What the linker has to know
//===----------------------------------------------------------------------===//

/// A function that calls those of `list` in the order of their priorities.
static void makeCaller(llvm::Module &module, llvm::StringRef name,
                       llvm::iterator_range<llvm::orc::CtorDtorIterator> list) {
  std::vector<llvm::orc::CtorDtorIterator::Element> elements;
  for (const auto &element : list)
    elements.push_back(element);
  if (elements.empty())
    return;
  llvm::stable_sort(elements, [](const auto &a, const auto &b) {
    return a.Priority < b.Priority;
  });
  llvm::LLVMContext &context = module.getContext();
  auto *caller = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
      llvm::GlobalValue::ExternalLinkage, name, module);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "", caller));
  for (const auto &element : elements)
    b.CreateCall(element.Func);
  b.CreateRetVoid();
}

static void exposeConstructors(llvm::Module &module) {
  makeCaller(module, kInitialize, llvm::orc::getConstructors(module));
  makeCaller(module, kFinalize, llvm::orc::getDestructors(module));
  for (const char *name : {"llvm.global_ctors", "llvm.global_dtors"})
    if (llvm::GlobalVariable *list = module.getGlobalVariable(name))
      list->eraseFromParent();
}

/// void _mlir_<entry>(void **arguments): the address of each argument, then
/// that of the result.
static void addPackedEntry(llvm::Function &entry) {
  llvm::LLVMContext &context = entry.getContext();
  llvm::Type *pointer = llvm::PointerType::getUnqual(context);
  auto *packed = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), pointer, false),
      llvm::GlobalValue::ExternalLinkage, "_mlir_" + entry.getName(),
      *entry.getParent());
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "", packed));
  auto addressAt = [&](size_t i) {
    llvm::Value *place =
        b.CreateConstInBoundsGEP1_64(pointer, packed->getArg(0), i);
    return b.CreateLoad(pointer, place);
  };
  llvm::SmallVector<llvm::Value *> arguments;
  for (llvm::Argument &argument : entry.args())
    arguments.push_back(
        b.CreateLoad(argument.getType(), addressAt(argument.getArgNo())));
  llvm::Value *result = b.CreateCall(&entry, arguments);
  if (!result->getType()->isVoidTy())
    b.CreateStore(result, addressAt(arguments.size()));
  b.CreateRetVoid();
}

static void addPackedEntries(llvm::Module &module) {
  llvm::SmallVector<llvm::Function *> entries;
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && !function.hasLocalLinkage() &&
        function.getName().starts_with("_mlir_ciface_"))
      entries.push_back(&function);
  for (llvm::Function *entry : entries)
    addPackedEntry(*entry);
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static llvm::OptimizationLevel levelOf(unsigned optLevel) {
  switch (optLevel) {
  case 0:
    return llvm::OptimizationLevel::O0;
  case 1:
    return llvm::OptimizationLevel::O1;
  case 2:
    return llvm::OptimizationLevel::O2;
  default:
    return llvm::OptimizationLevel::O3;
  }
}

/// Puts what is called from one place, or is no longer than its call, in the
/// place of its calls: functions that forward to the runtime's, and those that
/// an entry with a C interface forwards to, which nobody else needs. Each would
/// go through all of code generation, most of it to move arguments.
static void inlineForwarders(llvm::Module &module) {
  constexpr size_t kLongestForwarder = 24;
  for (llvm::Function &function : module) {
    if (function.isDeclaration() ||
        function.hasFnAttribute(llvm::Attribute::NoInline))
      continue;
    const llvm::Function *entry =
        module.getFunction(("_mlir_ciface_" + function.getName()).str());
    auto *only = function.hasOneUse()
                     ? llvm::dyn_cast<llvm::CallBase>(*function.user_begin())
                     : nullptr;
    const bool isEntryBody = entry && only && only->getFunction() == entry;
    if (isEntryBody)
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
    if (isEntryBody || (function.hasLocalLinkage() && function.size() == 1 &&
                        function.front().size() <= kLongestForwarder))
      function.addFnAttr(llvm::Attribute::AlwaysInline);
  }
}

/// What code in vectors still needs: memory in registers, common expressions
/// once, loops that test at their end. Code generation moves out of loops what
/// does not change, and what one round of combining leaves is no error, which
/// it is where passes are named by a text. Run times are those of the whole
/// pipeline, which takes ten times as long; without turned loops, windows and
/// short rows of views take a tenth longer.
static constexpr const char *kVectorizedPasses =
    "always-inline,function(sroa,early-cse<memssa>,loop(loop-rotate),"
    "instcombine<no-verify-fixpoint>,simplifycfg)";

/// `vectorized`: no loop is left to put into vectors or to unroll.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     unsigned optLevel, bool vectorized) {
  llvm::PipelineTuningOptions tuning;
  tuning.SLPVectorization = true;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::OptimizationLevel level = levelOf(optLevel);
  llvm::ModulePassManager passes;
  if (level == llvm::OptimizationLevel::O0)
    passes = builder.buildO0DefaultPipeline(level);
  else if (vectorized)
    llvm::cantFail(builder.parsePassPipeline(passes, kVectorizedPasses));
  else
    passes = builder.buildPerModuleDefaultPipeline(level);
  passes.run(module, modules);
}

/// Functions that start parallel regions ask for tables and hand them over,
/// and clear and combine partial rows, once a run: optimising them would take
/// as long as the regions' loops.
static void hurrySetUp(llvm::Module &module) {
  llvm::Function *fork = module.getFunction("__kmpc_fork_call");
  if (!fork)
    return;
  for (llvm::User *user : fork->users())
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(user)) {
      call->getFunction()->removeFnAttr(llvm::Attribute::AlwaysInline);
      call->getFunction()->addFnAttr(llvm::Attribute::OptimizeNone);
      call->getFunction()->addFnAttr(llvm::Attribute::NoInline);
    }
}

/// Code generation without what takes a third of its time on long kernels and
/// finds nothing: emitters step through their arrays by one index each.
class KernelPasses : public llvm::legacy::PassManager {
public:
  void add(llvm::Pass *pass) override {
    // They are known by their names alone.
    llvm::StringRef name = pass->getPassName();
    if (name == "Loop Strength Reduction" ||
        name == "Canonicalize Freeze Instructions in Loops" ||
        name == "Post RA top-down list latency scheduler")
      delete pass;
    else
      PassManager::add(pass);
  }
};

static core::Result<std::unique_ptr<llvm::MemoryBuffer>>
generate(llvm::Module &module, llvm::TargetMachine &machine, bool vectorized) {
  llvm::legacy::PassManager all;
  KernelPasses some;
  llvm::legacy::PassManager &passes = vectorized ? some : all;
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::MCContext *context = nullptr;
  if (machine.addPassesToEmitMC(passes, context, stream,
                                /*DisableVerify=*/!kVerifyPasses))
    return core::Error{"cannot write objects for this CPU"};
  passes.run(module);
  return std::unique_ptr<llvm::MemoryBuffer>(
      new llvm::SmallVectorMemoryBuffer(std::move(bytes),
                                        /*RequiresNullTerminator=*/false));
}

core::Result<std::unique_ptr<llvm::MemoryBuffer>>
astfe::compileObject(mlir::ModuleOp op, const JitOptions &options) {
  auto target = hostTarget(options.cpu, options.features);
  if (!target)
    return target.error();
  auto machine = createMachine(*target, options.optLevel, options.contract);
  if (!machine)
    return machine.error();
  mlir::DialectRegistry registry;
  mlir::registerAllToLLVMIRTranslations(registry);
  op.getContext()->appendDialectRegistry(registry);
  llvm::LLVMContext context;
  auto module = mlir::translateModuleToLLVMIR(op, context);
  if (!module)
    return core::Error{"cannot translate the module to LLVM IR"};
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  exposeConstructors(*module);
  addPackedEntries(*module);
  inlineForwarders(*module);
  const bool vectorized = op->hasAttr(kVectorizedAttr);
  optimize(*module, **machine, options.optLevel, vectorized);
  if (vectorized)
    hurrySetUp(*module);
  return generate(*module, **machine, vectorized);
}

core::Result<llvm::StringSet<>> astfe::symbolsOf(llvm::MemoryBufferRef object) {
  auto file = llvm::object::ObjectFile::createObjectFile(object);
  if (!file)
    return core::Error{"expected an object but got " +
                       llvm::toString(file.takeError())};
  llvm::StringSet<> names;
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto name = symbol.getName();
    if (!name)
      return core::Error{"expected symbols with names but got " +
                         llvm::toString(name.takeError())};
    names.insert(*name);
  }
  return names;
}
