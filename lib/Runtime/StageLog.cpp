//===- StageLog.cpp - what the runtime last did for this thread -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/StageLog.h"

astfe::rt::StageLog &astfe::rt::stageLog() {
  static thread_local StageLog log;
  return log;
}
