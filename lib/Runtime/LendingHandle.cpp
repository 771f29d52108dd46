//===- LendingHandle.cpp - memory that calls borrow -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/BricksHandle.h"
#include "ASTFE/Runtime/LastError.h"

#include <new>

using namespace astfe;
using namespace astfe::rt;

static constexpr size_t kLineBytes = 64;

/// What lies before the memory that is lent.
struct alignas(kLineBytes) LendingHandle::Loan {
  LendingHandle *owner;
  size_t bytes; ///< behind this
  Loan *next = nullptr;

  static Loan *make(LendingHandle *owner, size_t bytes) {
    if (bytes > size_t(PTRDIFF_MAX) - sizeof(Loan))
      return nullptr;
    void *memory = operator new(sizeof(Loan) + bytes,
                                std::align_val_t(kLineBytes), std::nothrow);
    return memory ? new (memory) Loan{owner, bytes} : nullptr;
  }
  static void destroy(Loan *loan) {
    operator delete(loan, std::align_val_t(kLineBytes));
  }
};

LendingHandle::~LendingHandle() {
  while (Loan *loan = unused) {
    unused = loan->next;
    Loan::destroy(loan);
  }
}

/// Takes the smallest block that is large enough. Where none is, one goes.
LendingHandle::Loan *LendingHandle::findFree(size_t bytes) {
  std::lock_guard<std::mutex> lock(lending);
  Loan **best = nullptr;
  for (Loan **at = &unused; *at; at = &(*at)->next)
    if ((*at)->bytes >= bytes && (!best || (*at)->bytes < (*best)->bytes))
      best = at;
  Loan **taken = best ? best : &unused;
  Loan *loan = *taken;
  if (!loan)
    return nullptr;
  *taken = loan->next;
  if (best)
    return loan;
  Loan::destroy(loan);
  return nullptr;
}

void *LendingHandle::lend(size_t bytes) {
  Loan *loan = findFree(bytes);
  if (!loan)
    loan = Loan::make(this, bytes);
  if (!loan)
    return nullptr;
  retain();
  return loan + 1;
}

void LendingHandle::takeBack(void *memory) {
  Loan *loan = static_cast<Loan *>(memory) - 1;
  LendingHandle *owner = loan->owner;
  {
    std::lock_guard<std::mutex> lock(owner->lending);
    loan->next = owner->unused;
    owner->unused = loan;
  }
  owner->release();
}

template <>
LendingHandle *rt::handleAs(void *handle) {
  if (handle && static_cast<Handle *>(handle)->kind() == HandleKind::Bricks)
    return handleAs<BricksHandle>(handle);
  return handleAs<PatternHandle>(handle);
}

//===----------------------------------------------------------------------===//
// The C interface
//===----------------------------------------------------------------------===//

/// False where there is no memory.
static bool lendTo(AstfeMemRef1D *result, void *pattern, int64_t bytes) {
  *result = {nullptr, nullptr, 0, 0, 1};
  auto *handle = handleAs<LendingHandle>(pattern);
  if (!handle || bytes == 0)
    return true;
  void *memory = handle->lend(size_t(bytes));
  if (memory)
    *result = {memory, memory, 0, bytes, 1};
  return memory != nullptr;
}

extern "C" void _mlir_ciface_astfe_rt_lend(AstfeMemRef1D *result, void *pattern,
                                           int64_t bytes) {
  if (!lendTo(result, pattern, bytes))
    setLastError("out of memory");
}

extern "C" void _mlir_ciface_astfe_rt_lend_spare(AstfeMemRef1D *result,
                                                 void *pattern, int64_t bytes) {
  (void)lendTo(result, pattern, bytes);
}

extern "C" void _mlir_ciface_astfe_rt_take_back(int64_t address) {
  if (address)
    LendingHandle::takeBack(reinterpret_cast<void *>(address));
}
