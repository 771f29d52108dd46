//===- Compiler.cpp - where the C API's kernels come from -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"
#include <dlfcn.h>
#include <mutex>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace astfe;
using namespace astfe::capi;
using product::CompilerLibrary;

/// "" or the folder that this library was loaded from, with a slash.
static std::string ownFolder() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<void *>(&ownFolder), &info) || !info.dli_fname)
    return {};
  const std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/') + 1);
}

/// The compiler's file beside this library.
static std::string compilerFile() {
  return ownFolder() + product::kCompilerLibrary;
}

/// Of what this library says "not found", the first is most to the point.
static core::Result<void *> openLibrary() {
  std::string why;
  for (const std::string &path :
       {compilerFile(), std::string(product::kCompilerLibrary)}) {
    if (void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
      return library;
    const char *text = dlerror();
    if (why.empty() && text)
      why = text;
  }
  return core::Error{std::string("cannot open the compiler, ") +
                     product::kCompilerLibrary + ": " + why};
}

static core::Result<const CompilerLibrary *> open() {
  auto library = openLibrary();
  if (!library)
    return library.error();
  auto *entry = reinterpret_cast<product::CompilerEntry *>(
      dlsym(*library, product::kCompilerEntry));
  if (!entry)
    return core::Error{std::string(product::kCompilerLibrary) +
                       ": expected the function " + product::kCompilerEntry};
  const CompilerLibrary *compiler = entry();
  if (compiler->version != product::kCompilerVersion ||
      compiler->requestBytes != sizeof(product::KernelRequest))
    return core::Error{std::string(product::kCompilerLibrary) +
                       ": expected the build of libASTFE.so but got another"};
  return compiler;
}

/// LLVM ends the process where it gets no memory, and a loader that has none
/// for thread-local data, too. So addresses are asked for before, which a limit
/// (RLIMIT_AS) may refuse; that something else takes them meanwhile is left.
static core::Status checkRoom(size_t mebibytes) {
  const size_t bytes = mebibytes << 20;
  void *room = ::mmap(nullptr, bytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED)
    return core::Error{"out of memory: expected " + std::to_string(mebibytes) +
                       " MiB of free address space to compile in but got less"};
  ::munmap(room, bytes);
  return core::Success();
}

/// What opening the compiler and a first kernel took, 460 MiB on x86-64, and a
/// later one in a thread of its own, whose heap alone begins with 64; rounded
/// up.
static constexpr size_t kFirstMebibytes = 512, kLaterMebibytes = 128;

static std::mutex mutex;
static const CompilerLibrary *opened = nullptr;
static bool isFinished = false;

core::Result<const CompilerLibrary *> capi::openCompiler() {
  std::lock_guard<std::mutex> lock(mutex);
  if (auto status = checkRoom(opened ? kLaterMebibytes : kFirstMebibytes);
      !status)
    return status.error();
  if (opened)
    return opened;
  if (isFinished)
    return core::Error{"expected a running process but it is ending"};
  auto compiler = open();
  if (compiler)
    opened = *compiler;
  return compiler;
}

void capi::finishCompiler() {
  std::unique_lock<std::mutex> lock(mutex);
  isFinished = true;
  const CompilerLibrary *compiler = opened;
  lock.unlock();
  if (compiler)
    compiler->finish();
}

namespace {
/// exit() destroys what belongs to its thread before it calls any handler, and
/// so before LLVM's data go, also those that a first compilation has just made:
/// their handlers would be called before one that was registered earlier. Other
/// threads than the main one may end without the process.
struct EndOfMain {
  ~EndOfMain() {
    if (::syscall(SYS_gettid) == ::getpid())
      capi::finishCompiler();
  }
};
} // namespace

/// Registers the end of the calling thread, which is mostly the main one.
static void watchThisThread() {
  thread_local EndOfMain end;
  (void)end;
}
[[maybe_unused]] static const int kWatchesTheLoader = (watchThisThread(), 0);

namespace {
class LibraryKernels : public product::KernelSource {
public:
  core::Result<std::shared_ptr<const product::Kernel>>
  get(const product::KernelRequest &request) override {
    const product::KeptKernel kept = folder.place(request);
    if (auto kernel = product::SharedKernels::load(kept))
      return kernel;
    watchThisThread();
    auto compiler = openCompiler();
    if (!compiler)
      return compiler.error();
    return (*compiler)->kernel(request, kept);
  }

private:
  const product::SharedKernels folder{product::SharedKernels::fromEnvironment(),
                                      compilerFile()};
};
} // namespace

namespace {
/// These are compiled in each process.
class LibraryTensorKernels : public product::TensorKernelSource {
public:
  core::Result<std::shared_ptr<const product::Kernel>>
  get(const product::TensorRequest &request) override {
    watchThisThread();
    auto compiler = openCompiler();
    if (!compiler)
      return compiler.error();
    return (*compiler)->tensorKernel(request);
  }
};
} // namespace

product::TensorKernelSource &capi::tensorCompiler() {
  // Never destroyed: code may still run while the process ends.
  static auto &kernels = *new LibraryTensorKernels();
  return kernels;
}

product::KernelSource &capi::compiler() {
  // Never destroyed: code may still run while the process ends.
  static auto &kernels = *new LibraryKernels();
  return kernels;
}

core::Result<std::shared_ptr<const product::Program>>
capi::compileChain(const std::string &text,
                   const product::ChainTarget &target) {
  watchThisThread();
  auto compiler = openCompiler();
  if (!compiler)
    return compiler.error();
  if (target.chip.empty())
    return (*compiler)->program(text, "astfe-to-cpu");
  return (*compiler)->program(text,
                              "astfe-to-ptx{chip=" + target.chip +
                                  " host=true device-operands=true" +
                                  (target.longRows ? " long-rows=true}" : "}"));
}
