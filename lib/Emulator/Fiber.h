//===- Fiber.h - stacks to switch between ---------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU thread is a fiber: a stack and the place where it goes on. On x86-64 a
// switch saves six registers; ucontext, used elsewhere, also makes a system
// call. A fiber that is not resumed any more is dropped without unwinding: what
// runs on it must own no memory when it switches away for good.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EMULATOR_FIBER_H
#define ASTFE_LIB_EMULATOR_FIBER_H

#include <cstddef>

#if defined(__x86_64__) && defined(__ELF__)
#define ASTFE_FIBER_ASM 1
#else
#include <ucontext.h>
#endif

namespace astfe::emu {

class Fiber {
public:
  Fiber() = default;
  ~Fiber();
  Fiber(Fiber &&other) noexcept;
  Fiber(const Fiber &) = delete;

  /// The next switch to this fiber calls `entry`, which must not return. Makes
  /// the stack the first time, or when it must be larger. False: no memory.
  /// Stacks of different `number` begin at different lines of a cache's sets:
  /// those of a warp stay in it together.
  bool start(void (*entry)(), size_t number = 0, size_t bytes = kBytes);
  /// For a thread. Only what is touched takes memory.
  static constexpr size_t kBytes = 160 * 1024;
  /// Goes on in `to` until something switches back to `from`.
  static void switchTo(Fiber &from, Fiber &to);

  /// Asks for what the next switch to this fiber reads first.
  void fetch() const {
#ifdef ASTFE_FIBER_ASM
    __builtin_prefetch(top);
    __builtin_prefetch(static_cast<char *>(top) + 64);
#endif
  }

  /// Whether an address is on this fiber's stack.
  bool holds(const void *address) const {
    auto *byte = static_cast<const char *>(address);
    return stack && byte >= stack && byte < stack + stackBytes;
  }

private:
  void drop();
  bool makeRoom(size_t bytes);

  char *stack = nullptr; ///< null for the stack of the host's own thread
  size_t stackBytes = 0;
#ifdef ASTFE_FIBER_ASM
  void *top = nullptr; ///< stack pointer while it does not run
#else
  ucontext_t context;
#endif
};

} // namespace astfe::emu

#endif // ASTFE_LIB_EMULATOR_FIBER_H
