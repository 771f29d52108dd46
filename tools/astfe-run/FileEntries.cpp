//===- FileEntries.cpp - the inspector of a file, and the rest ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileEntries.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFE/Runtime/ABI.h"
#include <algorithm>
#include <cstdlib>
#include <numeric>

using namespace mlir;
using namespace astfe;
using namespace astfe::run;

static constexpr unsigned kHandleWords = 1, kVectorWords = 5;

/// `function` is nothing but a call of its inspector and one of the rest, as
/// astfe-split-inspector writes it.
static bool isSplit(func::FuncOp function, ArrayRef<func::CallOp> calls) {
  if (calls.size() != 2)
    return false;
  const std::string name = function.getName().str();
  func::CallOp prepare = calls[0], run = calls[1];
  const unsigned moved = prepare.getNumResults();
  if (prepare.getCallee() != name + "_prepare" ||
      run.getCallee() != name + "_run" || moved == 0 ||
      !isa<BlockedType>(prepare.getResultTypes().front()))
    return false;
  auto areArguments = [](ValueRange values) {
    return llvm::all_of(values, llvm::IsaPred<BlockArgument>);
  };
  return areArguments(prepare.getOperands()) && run.getNumOperands() >= moved &&
         areArguments(run.getOperands().drop_front(moved));
}

Entries run::findEntries(func::FuncOp function) {
  Entries entries;
  entries.runName = function.getName().str();
  SmallVector<func::CallOp> calls(function.getOps<func::CallOp>());
  if (!isSplit(function, calls)) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      entries.runArguments.push_back(i);
    return entries;
  }
  entries.prepareName = entries.runName + "_prepare";
  entries.runName += "_run";
  for (Value operand : calls[0].getOperands())
    entries.prepareArguments.push_back(
        cast<BlockArgument>(operand).getArgNumber());
  for (Type type : calls[0].getResultTypes())
    entries.resultWords.push_back(isa<BlockedType>(type) ? kHandleWords
                                                         : kVectorWords);
  for (Value operand :
       calls[1].getOperands().drop_front(entries.resultWords.size()))
    entries.runArguments.push_back(cast<BlockArgument>(operand).getArgNumber());
  function.erase();
  return entries;
}

Prepared::~Prepared() {
  size_t at = 0;
  for (unsigned count : counts) {
    auto *memory = reinterpret_cast<void *>(words[at]);
    if (count == kHandleWords)
      _mlir_ciface_astfe_rt_release(memory);
    else
      std::free(memory);
    at += count;
  }
}

core::Status Prepared::run(Entry entry, const Entries &entries,
                           FileArguments &arguments) {
  words.assign(std::accumulate(entries.resultWords.begin(),
                               entries.resultWords.end(), size_t(0)),
               0);
  PackedCall call;
  // One handle is returned as a number, else all as one struct.
  const bool isStruct = words.size() > kHandleWords;
  if (isStruct)
    call.passPointer(words.data());
  for (unsigned i : entries.prepareArguments)
    arguments.pass(i, call);
  if (!isStruct)
    call.passAddress(words.data());
  astfe_rt_clear_error();
  entry(call.arguments());
  counts.assign(entries.resultWords.begin(), entries.resultWords.end());
  if (const char *text = astfe_rt_last_error())
    return core::Error{text};
  return core::Success();
}

void Prepared::pass(PackedCall &call) const {
  size_t at = 0;
  for (unsigned count : counts) {
    if (count == kHandleWords)
      call.passNumber(words[at]);
    else
      call.passBuffer({{words.begin() + at, words.begin() + at + count}});
    at += count;
  }
}
