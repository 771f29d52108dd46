//===- Rewrite.cpp - GPU code made to run on the host ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpCode.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#include <set>

using namespace llvm;
using namespace astfe;
using namespace astfe::emu;

bool emu::isKernel(const Function &function) {
  return function.getCallingConv() == CallingConv::PTX_Kernel;
}

Constant *emu::hostAddress(LLVMContext &context, const void *address) {
  auto *number = ConstantInt::get(Type::getInt64Ty(context),
                                  reinterpret_cast<uintptr_t>(address));
  return ConstantExpr::getIntToPtr(number, PointerType::get(context, 0));
}

/// Compiled code asks for its thread once in each function.
static Thread *runningThread() { return currentThread; }

Instruction *emu::threadPointer(Function &function) {
  const char *name = "astfe.thread";
  BasicBlock &entry = function.getEntryBlock();
  if (entry.front().getName() == name)
    return &entry.front();
  IRBuilder<> builder(&entry, entry.begin());
  auto *type = FunctionType::get(builder.getPtrTy(), false);
  return builder.CreateCall(
      type,
      hostAddress(function.getContext(),
                  reinterpret_cast<void *>(runningThread)),
      {}, name);
}

Instruction *emu::windowsPointer(Function &function) {
  const char *name = "astfe.windows";
  Instruction *thread = threadPointer(function);
  for (Instruction *next = thread->getNextNode(); next;
       next = next->getNextNode())
    if (next->getName() == name)
      return next;
  IRBuilder<> builder(thread->getNextNode());
  return builder.CreateLoad(
      builder.getPtrTy(),
      threadField(builder, function, offsetof(Registers, windows)), name);
}

Value *emu::threadField(IRBuilderBase &builder, Function &function,
                        size_t offset) {
  Instruction *thread = threadPointer(function);
  size_t at = offsetof(Thread, registers) + offset;
  return builder.CreatePtrAdd(thread, builder.getInt64(at));
}

//===----------------------------------------------------------------------===//
// What cannot run
//===----------------------------------------------------------------------===//

/// The text of what a call needs that the emulator does not have, or none.
static std::string unknown(const CallBase &call) {
  if (auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand()))
    return "inline assembly '" + assembly->getAsmString().str() + "'";
  const Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration())
    return "";
  std::string name = callee->getName().str();
  if (StringRef(name).starts_with("llvm.nvvm."))
    return findMeaning(name) ? "" : "intrinsic '" + name + "'";
  return callee->isIntrinsic() ? "" : "function '" + name + "'";
}

static core::Status checkKnown(Module &module) {
  std::set<std::string> names;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction)) {
        std::string name = unknown(*call);
        if (!name.empty())
          names.insert(name);
      }
  for (GlobalVariable &variable : module.globals())
    if (variable.isDeclaration() && variable.getAddressSpace() != 3)
      names.insert("variable '" + variable.getName().str() + "'");
  if (names.empty())
    return core::Success();
  return core::Error{"expected code that the emulator knows but got unknown " +
                     join(names, ", unknown ")};
}

//===----------------------------------------------------------------------===//
// Kernels and variables
//===----------------------------------------------------------------------===//

/// "128,1,1", as the NVPTX attributes say it.
static rt::Extent3 blockSize(const Function &function) {
  rt::Extent3 size{0, 1, 1};
  for (const char *name : {"nvvm.maxntid", "nvvm.reqntid"}) {
    if (!function.hasFnAttribute(name))
      continue;
    SmallVector<StringRef> parts;
    function.getFnAttribute(name).getValueAsString().split(parts, ',');
    int64_t *fields[] = {&size.x, &size.y, &size.z};
    for (size_t i = 0; i < parts.size() && i < 3; ++i)
      if (parts[i].trim().getAsInteger(10, *fields[i]))
        *fields[i] = 1;
  }
  return size;
}

/// Removes what is not true of the rewritten code: it calls the emulator.
static void stripAttributes(Function &function) {
  AttributeMask mask;
  for (Attribute::AttrKind kind :
       {Attribute::Memory, Attribute::NoSync, Attribute::NoRecurse,
        Attribute::NoFree, Attribute::WillReturn, Attribute::MustProgress,
        Attribute::Speculatable, Attribute::Convergent})
    mask.addAttribute(kind);
  mask.addAttribute("target-cpu");
  mask.addAttribute("target-features");
  function.removeFnAttrs(mask);
  AttributeMask ofArguments;
  for (Attribute::AttrKind kind :
       {Attribute::ReadOnly, Attribute::WriteOnly, Attribute::ReadNone,
        Attribute::Captures, Attribute::Dereferenceable,
        Attribute::DereferenceableOrNull, Attribute::Alignment,
        Attribute::NoAlias, Attribute::NonNull})
    ofArguments.addAttribute(kind);
  for (Argument &argument : function.args())
    argument.removeAttrs(ofArguments);
  for (User *user : function.users())
    if (auto *call = dyn_cast<CallBase>(user))
      call->removeFnAttrs(mask);
}

/// Adds `name`.run(void **params, WarpFrame *), which calls the kernel.
static Function &addEntry(Function &kernel) {
  LLVMContext &context = kernel.getContext();
  IRBuilder<> builder(context);
  Type *pointer = builder.getPtrTy();
  auto *type =
      FunctionType::get(builder.getVoidTy(), {pointer, pointer}, false);
  auto *entry =
      Function::Create(type, Function::ExternalLinkage,
                       kernel.getName() + ".run", *kernel.getParent());
  builder.SetInsertPoint(BasicBlock::Create(context, "", entry));
  SmallVector<Value *> values;
  for (Argument &argument : kernel.args()) {
    Value *slot = builder.CreateConstGEP1_64(pointer, entry->getArg(0),
                                             argument.getArgNo());
    Value *place = builder.CreateLoad(pointer, slot);
    bool byValue = argument.hasByValAttr();
    values.push_back(byValue ? place
                             : builder.CreateAlignedLoad(argument.getType(),
                                                         place, Align(1)));
  }
  CallInst *call = builder.CreateCall(&kernel, values);
  for (Argument &argument : kernel.args())
    if (Type *type = argument.getParamByValType())
      call->addParamAttr(argument.getArgNo(),
                         Attribute::getWithByValType(context, type));
  builder.CreateRetVoid();
  return *entry;
}

static void collectVariables(Module &module, Rewritten &rewritten) {
  const DataLayout &layout = module.getDataLayout();
  for (GlobalVariable &variable : make_early_inc_range(module.globals())) {
    if (variable.getName().starts_with("llvm.")) {
      variable.eraseFromParent(); // lists for linkers
      continue;
    }
    if (variable.getAddressSpace() == 3)
      continue;
    std::string name = variable.getName().str();
    std::string symbol =
        "astfe.variable." + std::to_string(rewritten.variables.size());
    variable.setName(symbol);
    variable.setLinkage(GlobalValue::ExternalLinkage);
    variable.setVisibility(GlobalValue::DefaultVisibility);
    rewritten.variables.push_back(
        {symbol, name, layout.getTypeAllocSize(variable.getValueType()),
         variable.isConstant() || variable.getAddressSpace() == 4});
  }
}

//===----------------------------------------------------------------------===//
// Intrinsics
//===----------------------------------------------------------------------===//

/// Compiled code calls this for what the emulator must do.
static void callHandler(const Meaning *meaning, const Site *site,
                        const char *arguments, char *result) {
  Thread &thread = *currentThread;
  meaning->handler(thread, *site, arguments, result);
  thread.processor->abandonIfFailed();
}

/// Memory for a call, made at the entry so that a loop does not grow the stack.
static AllocaInst *slots(Function &function, unsigned count) {
  IRBuilder<> builder(threadPointer(function)->getNextNode());
  auto *memory = builder.CreateAlloca(builder.getInt128Ty(),
                                      builder.getInt32(std::max(count, 1u)));
  memory->setAlignment(Align(16));
  return memory;
}

static void marshal(CallInst &call, const Meaning &meaning,
                    Rewritten &rewritten) {
  Function &function = *call.getFunction();
  LLVMContext &context = function.getContext();
  Site &site = rewritten.sites.emplace_back();
  site.what =
      call.getCalledFunction()->getName().drop_front(sizeof("llvm.nvvm.") - 1);
  AllocaInst *arguments = slots(function, call.arg_size());
  AllocaInst *result = slots(function, 4);
  IRBuilder<> builder(&call);
  for (auto [index, value] : enumerate(call.args())) {
    Value *stored = value;
    if (stored->getType()->isIntegerTy(1))
      stored = builder.CreateZExt(stored, builder.getInt8Ty());
    builder.CreateStore(stored, builder.CreateConstGEP1_64(
                                    builder.getInt128Ty(), arguments, index));
  }
  Type *pointer = builder.getPtrTy();
  auto *type = FunctionType::get(builder.getVoidTy(),
                                 {pointer, pointer, pointer, pointer}, false);
  builder.CreateCall(
      type, hostAddress(context, reinterpret_cast<void *>(callHandler)),
      {hostAddress(context, &meaning), hostAddress(context, &site), arguments,
       result});
  if (!call.getType()->isVoidTy())
    call.replaceAllUsesWith(builder.CreateLoad(call.getType(), result));
}

static void replaceSame(CallInst &call, const Meaning &meaning) {
  IRBuilder<> builder(&call);
  Intrinsic::ID id = Intrinsic::lookupIntrinsicID(meaning.same);
  SmallVector<Value *> values(call.args());
  call.replaceAllUsesWith(
      builder.CreateIntrinsic(id, {call.getType()}, values));
}

static void replaceCall(CallInst &call, Rewritten &rewritten) {
  const Meaning *meaning =
      findMeaning(call.getCalledFunction()->getName().str());
  switch (meaning->kind) {
  case Meaning::Register: {
    IRBuilder<> builder(&call);
    Value *field = threadField(builder, *call.getFunction(), meaning->offset);
    call.replaceAllUsesWith(builder.CreateLoad(call.getType(), field));
    break;
  }
  case Meaning::Nothing:
    break;
  case Meaning::Same:
    replaceSame(call, *meaning);
    break;
  case Meaning::Call:
  case Meaning::Collective:
  case Meaning::Barrier:
    marshal(call, *meaning, rewritten);
    break;
  }
  call.eraseFromParent();
}

static void replaceIntrinsics(Module &module, Rewritten &rewritten) {
  SmallVector<CallInst *> calls;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&instruction))
        if (Function *callee = call->getCalledFunction())
          if (callee->getName().starts_with("llvm.nvvm."))
            calls.push_back(call);
  for (CallInst *call : calls)
    replaceCall(*call, rewritten);
  for (Function &function : make_early_inc_range(module))
    if (function.getName().starts_with("llvm.nvvm.") && function.use_empty())
      function.eraseFromParent();
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

/// Leaves the kernel, and what it may call.
static Function *keepKernel(Module &module, const std::string &name) {
  Function *kept = nullptr;
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    if (!isKernel(function))
      function.setLinkage(GlobalValue::InternalLinkage);
    else if (function.getName() == name)
      kept = &function;
    else
      function.deleteBody();
  }
  return kept;
}

static void makeFiberCode(Function &kernel, const SharedLayout &shared,
                          Rewritten &rewritten) {
  Module &module = *kernel.getParent();
  instrument(module, shared, rewritten);
  replaceIntrinsics(module, rewritten);
  shared.apply(module);
  for (Function &function : module)
    if (!function.isDeclaration())
      stripAttributes(function);
  kernel.setCallingConv(CallingConv::C);
  kernel.setLinkage(GlobalValue::InternalLinkage);
  rewritten.symbol = addEntry(kernel).getName().str();
}

/// Code of a module that is not run by this name goes.
static void removeFunctions(Module &module, StringRef kept = "") {
  SmallVector<Function *> others;
  for (Function &function : module)
    if (function.getName() != kept || kept.empty())
      others.push_back(&function);
  for (Function *function : others)
    function->deleteBody();
  for (Function *function : others)
    if (function->use_empty())
      function->eraseFromParent();
  for (GlobalVariable &variable : make_early_inc_range(module.globals())) {
    variable.removeDeadConstantUsers();
    if (variable.getAddressSpace() == 3 && variable.use_empty())
      variable.eraseFromParent();
  }
}

static void makeWarpsCode(Function &kernel, const SharedLayout &shared,
                          Rewritten &rewritten) {
  if (Function *code = makeWarpCode(kernel, shared, rewritten))
    rewritten.symbol = code->getName().str();
  removeFunctions(*kernel.getParent(), rewritten.symbol);
}

/// Uses the variable of the module that is loaded already.
static void placeVariable(GlobalVariable &variable, void *address) {
  Constant *place = hostAddress(variable.getContext(), address);
  variable.replaceAllUsesWith(ConstantExpr::getPointerBitCastOrAddrSpaceCast(
      place, variable.getType()));
  variable.eraseFromParent();
}

/// Makes it a module of the host.
static void adopt(Module &module, const DataLayout &layout,
                  const std::string &triple) {
  module.setDataLayout(layout);
  module.setTargetTriple(Triple(triple));
  for (const char *name : {"nvvm.annotations", "nvvmir.version"})
    if (NamedMDNode *node = module.getNamedMetadata(name))
      node->eraseFromParent();
}

static core::Status verify(Module &module) {
  std::string problem;
  raw_string_ostream stream(problem);
  if (verifyModule(module, &stream))
    return core::Error{"expected valid code after the rewriting but got " +
                       problem};
  return core::Success();
}

core::Result<std::unique_ptr<Rewritten>>
emu::describeModule(Module &module, const DataLayout &layout,
                    const std::string &triple) {
  if (core::Status known = checkKnown(module); !known)
    return known.error();
  adopt(module, layout, triple);
  auto rewritten = std::make_unique<Rewritten>();
  SharedLayout shared;
  if (core::Status placed = shared.assign(module); !placed)
    return placed.error();
  for (Function &function : module)
    if (!function.isDeclaration() && isKernel(function))
      rewritten->kernels.push_back({function.getName().str(),
                                    shared.bytes(&function),
                                    blockSize(function)});
  collectVariables(module, *rewritten);
  removeFunctions(module);
  if (core::Status valid = verify(module); !valid)
    return valid.error();
  return rewritten;
}

core::Result<std::unique_ptr<Rewritten>>
emu::rewriteKernel(Module &module, const std::string &name, Runners runners,
                   const std::vector<void *> &variables,
                   const DataLayout &layout, const std::string &triple) {
  adopt(module, layout, triple);
  Function &kernel = *keepKernel(module, name);
  auto rewritten = std::make_unique<Rewritten>();
  SharedLayout shared;
  if (core::Status placed = shared.assign(module); !placed)
    return placed.error();
  collectVariables(module, *rewritten);
  if (runners == Runners::Warps)
    makeWarpsCode(kernel, shared, *rewritten);
  else
    makeFiberCode(kernel, shared, *rewritten);
  expandHalves(module);
  for (auto [variable, address] : zip(rewritten->variables, variables))
    placeVariable(*module.getNamedGlobal(variable.symbol), address);
  if (core::Status valid = verify(module); !valid)
    return valid.error();
  return rewritten;
}
