//===- Rewrite.h - GPU code made to run on the host -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes a module for NVPTX into one for the host that calls the emulator:
//
//   load float, ptr %p           %p to the log; unless it is in the site's
//                                window call access(site, %p, base of %p, 4);
//                                the load
//   llvm.nvvm.read.ptx.sreg.*    a load from the thread's Registers
//   llvm.nvvm.shfl.sync.* etc.   arguments to memory, call of the handler
//   @tile, addrspace(3)          the block's shared memory + a fixed offset
//   kernel k(float*, i32)        k.run(void **params, ...), which loads both
//
// Code for whole warps is made otherwise (WarpCode.h), with the same sites and
// segments.
//
// The base of an address is where its computation began (an argument, say): it
// names the allocation that the access must stay in. Other address spaces need
// no change: the x86 backend takes all below 256 as one. Addresses of emulator
// functions and objects are written into the code as constants; the module runs
// in this process only.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EMULATOR_REWRITE_H
#define ASTFE_LIB_EMULATOR_REWRITE_H

#include "Intrinsics.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <deque>

namespace astfe::emu {

/// What the loader must know of the rewritten module.
struct Rewritten {
  std::deque<Site> sites; ///< the code holds their addresses
  std::vector<Segment> segments;
  uint32_t windows = 0;  ///< sites with a number
  uint32_t logSlack = 0; ///< Code::logSlack of all its kernels
  uint32_t rows = 0;     ///< Code::rows
  size_t stackBytes = 0; ///< Code::stackBytes
  struct Entry {
    std::string name;
    uint32_t sharedBytes;
    rt::Extent3 block;
  };
  std::vector<Entry> kernels;
  std::string symbol; ///< of the kernel's code; empty: there is none
  struct Variable {
    std::string symbol, name;
    size_t bytes;
    bool readOnly;
  };
  std::vector<Variable> variables; ///< in global or constant memory
};

/// Makes a module one for the host, with nothing but its variables yet, and
/// says what it has. The error lists what the emulator does not know.
core::Result<std::unique_ptr<Rewritten>>
describeModule(llvm::Module &module, const llvm::DataLayout &layout,
               const std::string &triple);
/// Rewrites one kernel in place. The variables that describeModule has left of
/// the same module are at these addresses.
core::Result<std::unique_ptr<Rewritten>>
rewriteKernel(llvm::Module &module, const std::string &kernel, Runners runners,
              const std::vector<void *> &variables,
              const llvm::DataLayout &layout, const std::string &triple);

/// Offsets of shared variables, function by function.
class SharedLayout {
public:
  struct Place {
    uint32_t offset, bytes;
    bool isDynamic;
  };
  /// Variables used by functions that are no kernels come first, at the same
  /// place for all; each kernel's own ones follow.
  core::Status assign(llvm::Module &module);
  /// Null if the function does not use the variable.
  const Place *find(llvm::Function *function,
                    llvm::GlobalVariable *variable) const;
  uint32_t bytes(llvm::Function *kernel) const;
  /// Replaces the variables by addresses in the block's shared memory.
  void apply(llvm::Module &module) const;

private:
  using Key = std::pair<llvm::Function *, llvm::GlobalVariable *>;
  std::map<Key, Place> places;
  std::map<llvm::Function *, uint32_t> ends;
};

bool isKernel(const llvm::Function &function);
/// Adds the log, the checks, and the count of instructions.
void instrument(llvm::Module &module, const SharedLayout &shared,
                Rewritten &rewritten);
/// Replaces bf16 by integers (Halves.cpp).
void expandHalves(llvm::Module &module);
/// The address of something in this process, as a constant of the code.
llvm::Constant *hostAddress(llvm::LLVMContext &context, const void *address);
/// The running thread, read once at the function's entry: a fiber stays one
/// thread all its life.
llvm::Instruction *threadPointer(llvm::Function &function);
/// Registers::windows, read once at the function's entry.
llvm::Instruction *windowsPointer(llvm::Function &function);
/// The address of a field of Registers, where the builder stands.
llvm::Value *threadField(llvm::IRBuilderBase &builder, llvm::Function &function,
                         size_t offset);

} // namespace astfe::emu

#endif // ASTFE_LIB_EMULATOR_REWRITE_H
