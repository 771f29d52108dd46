//===- SharedObject.cpp - compiled code that loads without LLVM -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedObject.h"
#include "ASTFE/Runtime/Parallel.h"
#include "lld/Common/Driver.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/Binary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <dlfcn.h>
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace astfe;

static core::Error toError(llvm::Error error) {
  return {"cannot make a shared object: " + llvm::toString(std::move(error))};
}

static core::Error toError(std::error_code error) {
  return {"cannot make a shared object: " + error.message()};
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Where the runtime's functions come from.
static core::Result<std::string> runtimeLibrary() {
  Dl_info info{};
  if (!dladdr(rt::openMPSymbols(false)->address, &info) || !info.dli_sname)
    return core::Error{"expected the runtime in libastfe_runtime.so"};
  return std::string(info.dli_fname);
}

/// The object, with OpenMP's functions under the names that the runtime exports
/// them by.
static core::Result<std::string> renamed(const Jit &jit) {
  auto binary = llvm::object::createBinary(
      llvm::MemoryBufferRef(jit.objectCode(), "kernel"));
  if (!binary)
    return toError(binary.takeError());
  llvm::objcopy::ConfigManager config;
  for (const rt::Symbol *list = rt::openMPSymbols(jit.threadsMeet());
       list->name; ++list) {
    Dl_info info{};
    if (dladdr(list->address, &info) && info.dli_sname)
      config.Common.SymbolsToRename[list->name] = info.dli_sname;
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto error =
          llvm::objcopy::executeObjcopyOnBinary(config, **binary, stream))
    return toError(std::move(error));
  return text;
}

//===----------------------------------------------------------------------===//
// Linking
//===----------------------------------------------------------------------===//

/// LLD has one state for a process, and may not be asked again after a crash.
static core::Status link(llvm::ArrayRef<const char *> arguments) {
  static std::mutex mutex;
  static bool canRunAgain = true;
  std::lock_guard<std::mutex> lock(mutex);
  if (!canRunAgain)
    return core::Error{"cannot make a shared object: the linker crashed"};
  std::string text;
  llvm::raw_string_ostream stream(text);
  const lld::Result result =
      lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  canRunAgain = result.canRunAgain;
  if (result.retCode == 0)
    return core::Success();
  return core::Error{"cannot make a shared object: " + text};
}

/// Writes the text into a new temporary file.
static core::Status write(const std::string &text, llvm::StringRef path) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  file << text;
  file.flush();
  if (!error)
    error = file.error();
  file.clear_error();
  return error ? core::Status(toError(error)) : core::Success();
}

core::Result<std::string> astfe::linkSharedObject(const Jit &jit) {
  auto runtime = runtimeLibrary();
  if (!runtime)
    return runtime.error();
  auto code = renamed(jit);
  if (!code)
    return code.error();
  llvm::SmallString<128> input, output;
  if (auto error =
          llvm::sys::fs::createTemporaryFile("astfe-kernel", "o", input))
    return toError(error);
  llvm::FileRemover removeInput(input);
  if (auto error =
          llvm::sys::fs::createTemporaryFile("astfe-kernel", "so", output))
    return toError(error);
  llvm::FileRemover removeOutput(output);
  if (auto status = write(*code, input); !status)
    return status.error();
  // One thread: this process may fork. Written, not mapped: a mapped file would
  // be removed by handlers of signals, which are this process's own affair.
  if (auto status =
          link({"ld.lld", "-shared", "--threads=1", "--no-mmap-output-file",
                "--build-id=none", "-z", "now", "-o", output.c_str(),
                input.c_str(), runtime->c_str()});
      !status)
    return status.error();
  auto linked = llvm::MemoryBuffer::getFile(output, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!linked)
    return toError(linked.getError());
  return (*linked)->getBuffer().str();
}
