//===- Precompiled.cpp - owner of the shared precompiled header -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CMake needs a target that owns the precompiled header the others reuse.
//
//===----------------------------------------------------------------------===//

#include "Precompiled.h"
