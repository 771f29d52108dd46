//===- SharedLayout.cpp - where shared variables lie ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewrite.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace llvm;
using namespace astfe;
using namespace astfe::emu;

static constexpr unsigned sharedSpace = 3;

static uint32_t sizeOf(const GlobalVariable &variable) {
  const DataLayout &layout = variable.getParent()->getDataLayout();
  return uint32_t(layout.getTypeAllocSize(variable.getValueType()));
}

/// Memory whose size the launch says: `extern __shared__ float tile[]`.
static bool isDynamic(const GlobalVariable &variable) {
  return sizeOf(variable) == 0;
}

static std::set<Function *> usersOf(GlobalVariable &variable) {
  std::set<Function *> users;
  for (User *user : variable.users())
    if (auto *instruction = dyn_cast<Instruction>(user))
      users.insert(instruction->getFunction());
  return users;
}

static uint32_t placeAt(uint32_t &end, const GlobalVariable &variable) {
  const DataLayout &layout = variable.getParent()->getDataLayout();
  Align align = std::max(variable.getAlign().valueOrOne(),
                         layout.getABITypeAlign(variable.getValueType()));
  // Dynamic memory begins aligned for any vector.
  if (isDynamic(variable))
    align = std::max(align, Align(16));
  uint32_t offset = uint32_t(alignTo(end, align));
  end = offset + sizeOf(variable);
  return offset;
}

/// Makes all users of shared variables instructions; returns the variables.
static SmallVector<Constant *> makeInstructions(Module &module) {
  SmallVector<Constant *> variables;
  for (GlobalVariable &variable : module.globals())
    if (variable.getAddressSpace() == sharedSpace)
      variables.push_back(&variable);
  convertUsersOfConstantsToInstructions(variables);
  return variables;
}

core::Status SharedLayout::assign(Module &module) {
  std::vector<std::pair<GlobalVariable *, std::set<Function *>>> variables;
  for (Constant *constant : makeInstructions(module)) {
    auto *variable = cast<GlobalVariable>(constant);
    variables.emplace_back(variable, usersOf(*variable));
  }

  uint32_t commonEnd = 0;
  for (auto &[variable, users] : variables) {
    bool common = any_of(users, [](Function *f) { return !isKernel(*f); });
    if (!common)
      continue;
    if (isDynamic(*variable))
      return core::Error{"expected dynamic shared memory in kernels only but "
                         "got it in a function that they call"};
    uint32_t offset = placeAt(commonEnd, *variable);
    for (Function *user : users)
      places[{user, variable}] = {offset, sizeOf(*variable), false};
  }
  for (Function &function : module)
    ends[&function] = commonEnd;
  // Static ones before the dynamic ones, which all begin at the end.
  for (bool dynamic : {false, true})
    for (auto &[variable, users] : variables)
      for (Function *user : users)
        if (isDynamic(*variable) == dynamic && !find(user, variable))
          places[{user, variable}] = {placeAt(ends[user], *variable),
                                      sizeOf(*variable), dynamic};
  return core::Success();
}

const SharedLayout::Place *SharedLayout::find(Function *function,
                                              GlobalVariable *variable) const {
  auto it = places.find({function, variable});
  return it == places.end() ? nullptr : &it->second;
}

uint32_t SharedLayout::bytes(Function *kernel) const { return ends.at(kernel); }

void SharedLayout::apply(Module &module) const {
  makeInstructions(module); // the instrumentation has made new constants
  for (const auto &[key, place] : places) {
    auto [function, variable] = key;
    IRBuilder<> builder(threadPointer(*function)->getNextNode());
    Value *base = builder.CreateLoad(
        builder.getPtrTy(),
        threadField(builder, *function, offsetof(Registers, shared)));
    Value *address = builder.CreateAddrSpaceCast(
        builder.CreatePtrAdd(base, builder.getInt64(place.offset)),
        variable->getType());
    Function *owner = function;
    variable->replaceUsesWithIf(address, [owner](Use &use) {
      auto *user = dyn_cast<Instruction>(use.getUser());
      return user && user->getFunction() == owner;
    });
  }
  for (GlobalVariable &variable : make_early_inc_range(module.globals()))
    if (variable.getAddressSpace() == sharedSpace && variable.use_empty())
      variable.eraseFromParent();
}
