//===- Fiber.cpp - stacks to switch between -------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"

#include <cstdint>
#include <sys/mman.h>
#include <utility>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASTFE_ADDRESS_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define ASTFE_ADDRESS_SANITIZER 1
#endif
#ifdef ASTFE_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

using namespace astfe::emu;

/// Below each stack, so that an overflow faults instead of spreading.
static constexpr size_t guardBytes = 4096;

/// All stacks begin on a page, and so would all share the same few sets of a
/// cache. Seven lines further each, 64 stacks meet every set seven times.
static size_t shiftOf(size_t number) { return number % 64 * 7 * 64; }

/// A fiber that was dropped has left marks of its frames on its stack, which
/// AddressSanitizer would hold against what comes to the same addresses.
static void forgetFrames(char *stack, size_t bytes) {
#ifdef ASTFE_ADDRESS_SANITIZER
  __asan_unpoison_memory_region(stack, bytes);
#else
  (void)stack;
  (void)bytes;
#endif
}

static char *makeStack(size_t bytes) {
  void *memory = mmap(nullptr, bytes + guardBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  mprotect(memory, guardBytes, PROT_NONE);
  return static_cast<char *>(memory) + guardBytes;
}

Fiber::~Fiber() { drop(); }

void Fiber::drop() {
  if (!stack)
    return;
  forgetFrames(stack, stackBytes);
  munmap(stack - guardBytes, stackBytes + guardBytes);
  stack = nullptr;
}

bool Fiber::makeRoom(size_t bytes) {
  bytes = (bytes + guardBytes - 1) / guardBytes * guardBytes; // pages
  if (!stack || stackBytes < bytes) {
    drop();
    stack = makeStack(bytes);
    stackBytes = bytes;
  }
  if (stack)
    forgetFrames(stack, stackBytes);
  return stack != nullptr;
}

Fiber::Fiber(Fiber &&other) noexcept
    : stack(std::exchange(other.stack, nullptr)), stackBytes(other.stackBytes) {
#ifdef ASTFE_FIBER_ASM
  top = other.top;
#else
  context = other.context;
#endif
}

#ifdef ASTFE_FIBER_ASM

extern "C" void astfeFiberSwitch(void **fromTop, void *toTop);

// Saves what a called function must preserve, and returns on the other stack.
asm(R"(
  .text
  .globl astfeFiberSwitch
  .hidden astfeFiberSwitch
  .type astfeFiberSwitch, @function
astfeFiberSwitch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size astfeFiberSwitch, .-astfeFiberSwitch
)");

bool Fiber::start(void (*entry)(), size_t number, size_t bytes) {
  if (!makeRoom(bytes))
    return false;
  // As if `entry` had been called (return address, never used) and had switched
  // away at once: its address, then the six registers.
  char *end = stack + stackBytes - shiftOf(number);
  auto **slot = reinterpret_cast<void **>(end) - 2;
  *--slot = nullptr;
  *--slot = reinterpret_cast<void *>(entry);
  for (int saved = 0; saved < 6; ++saved)
    *--slot = nullptr;
  top = slot;
  return true;
}

#else

bool Fiber::start(void (*entry)(), size_t number, size_t bytes) {
  if (!makeRoom(bytes))
    return false;
  getcontext(&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = stackBytes - shiftOf(number);
  context.uc_link = nullptr;
  makecontext(&context, entry, 0);
  return true;
}

#endif

void Fiber::switchTo(Fiber &from, Fiber &to) {
#ifdef ASTFE_FIBER_ASM
  astfeFiberSwitch(&from.top, to.top);
#else
  swapcontext(&from.context, &to.context);
#endif
}
