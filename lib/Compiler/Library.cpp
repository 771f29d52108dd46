//===- Library.cpp - what libASTFECompiler.so exports ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Compiler/KernelCompiler.h"
#include "ASTFE/Product/CompilerLibrary.h"
#include "SharedObject.h"
#include "TextProgram.h"
#include "llvm/Support/Path.h"
#include <condition_variable>
#include <cstdlib>
#include <mutex>

using namespace astfe;

//===----------------------------------------------------------------------===//
// The end of the process
//===----------------------------------------------------------------------===//

namespace {
/// Compilations that run. Globals of LLVM go while a process ends, and a thread
/// that still compiles would find them gone: the end waits for it.
class Compilations {
public:
  /// Whether another may begin.
  bool begin() {
    std::lock_guard<std::mutex> lock(mutex);
    if (isEnding)
      return false;
    ++running;
    ++ownDepth;
    return true;
  }
  void end() {
    std::lock_guard<std::mutex> lock(mutex);
    --running;
    --ownDepth;
    changed.notify_all();
  }
  /// A compilation that ends the process itself is not waited for.
  void waitForLast() {
    std::unique_lock<std::mutex> lock(mutex);
    isEnding = true;
    changed.wait(lock, [this] { return running == ownDepth; });
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  int64_t running = 0;
  bool isEnding = false;
  static thread_local int64_t ownDepth;
};
thread_local int64_t Compilations::ownDepth = 0;
} // namespace

/// Never destroyed: threads may ask while the process ends.
static Compilations &compilations() {
  static auto &one = *new Compilations();
  return one;
}

static void finish() { compilations().waitForLast(); }

/// At exit, functions run in the order opposite to that of atexit(), and with
/// them the destructors of what LLVM made meanwhile. So this is said before the
/// first compilation and once more after it, when most of that is made; who
/// must be certain calls finish() before exit().
static void finishAtExit() { std::atexit(finish); }

/// What `compile` makes, unless the process is ending.
template <typename Compile>
static auto whileRunning(Compile compile) -> decltype(compile()) {
  if (!compilations().begin())
    return core::Error{"expected a running process but it is ending"};
  struct End {
    ~End() {
      static std::once_flag first;
      std::call_once(first, finishAtExit);
      compilations().end();
    }
  } end;
  return compile();
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

/// Kernels are kept as shared objects, which load without this library; its own
/// folder would keep them a second time.
static KernelCache &kernelsOfProcess() {
  CacheSettings settings = CacheSettings::from();
  settings.folder.clear();
  return *new KernelCache(std::move(settings));
}

static core::Status keep(const product::Kernel &kernel,
                         const product::KeptKernel &kept) {
  const auto &jit = *static_cast<const Jit *>(kernel.code.get());
  auto object = linkSharedObject(jit);
  if (!object)
    return object.error();
  if (auto status = product::SharedKernels::keep(kept, *object); !status)
    return status;
  const std::string folder = llvm::sys::path::parent_path(kept.path).str();
  pruneFolder(folder, CacheSettings().maxBytes);
  return core::Success();
}

/// Never destroyed: threads may compile while the process ends.
static compiler::KernelCompiler &kernelCompiler() {
  static auto &compiler = *new compiler::KernelCompiler(
      {/*dumpIr=*/"", /*format=*/"isa", &kernelsOfProcess()});
  return compiler;
}

static core::Result<std::shared_ptr<const product::Kernel>>
compileKernel(const product::KernelRequest &request,
              const product::KeptKernel &kept) {
  using Made = core::Result<std::shared_ptr<const product::Kernel>>;
  return whileRunning([&]() -> Made {
    Made made = kernelCompiler().get(request);
    if (!made || kept.path.empty())
      return made;
    auto status = keep(**made, kept);
    if (status)
      return made;
    auto noted = std::make_shared<product::Kernel>(**made);
    noted->note = status.message();
    return std::shared_ptr<const product::Kernel>(std::move(noted));
  });
}

static core::Result<std::shared_ptr<const product::Kernel>>
compileTensorKernel(const product::TensorRequest &request) {
  return whileRunning([&] { return kernelCompiler().get(request); });
}

static core::Result<std::shared_ptr<const product::Program>>
compileProgram(std::string_view text, std::string_view pipeline) {
  return whileRunning([&] { return compiler::compileText(text, pipeline); });
}

extern "C" __attribute__((visibility("default")))
const product::CompilerLibrary *
astfe_compiler(void) {
  static std::once_flag opened;
  std::call_once(opened, finishAtExit);
  static const product::CompilerLibrary library{product::kCompilerVersion,
                                                sizeof(product::KernelRequest),
                                                compileKernel,
                                                compileTensorKernel,
                                                compileProgram,
                                                finish};
  return &library;
}
