//===- KernelFolder.h - objects in files ----------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder of a KernelCache, which describes the files.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EXECUTION_KERNELFOLDER_H
#define ASTFE_LIB_EXECUTION_KERNELFOLDER_H

#include "ASTFE/Core/Support/Status.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <string>

namespace astfe {

/// An object and where it came from.
struct KeptObject {
  std::unique_ptr<llvm::MemoryBuffer> object;
  bool wasKept = false;
  std::string note; ///< why it could not be kept
};

/// The object kept under `key`, or what `compile` makes, which is then kept.
core::Result<KeptObject> keptObject(
    const std::string &folder, uint64_t maxBytes, llvm::StringRef key,
    llvm::function_ref<core::Result<std::unique_ptr<llvm::MemoryBuffer>>()>
        compile);

} // namespace astfe

#endif // ASTFE_LIB_EXECUTION_KERNELFOLDER_H
