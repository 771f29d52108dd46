//===- KernelCacheTest.cpp - what is compiled once ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Execution/KernelCache.h"
#include "HostKernels.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <thread>

using namespace mlir;
using namespace astfe;

namespace {
struct KernelCacheTest : HostKernelTest {
  KernelCacheTest() {
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("kernels", folder));
  }
  ~KernelCacheTest() override {
    EXPECT_FALSE(llvm::sys::fs::remove_directories(folder));
  }

  CacheSettings settings() const { return {folder.str().str()}; }

  /// f(a) = a + `addend`, through a cache.
  core::Result<CachedCode> compile(KernelCache &cache, int64_t addend = 1,
                                   JitOptions options = {}) {
    std::string text = "func.func @f(%a: i64) -> i64 attributes "
                       "{llvm.emit_c_interface} {\n %b = arith.constant " +
                       std::to_string(addend) +
                       " : i64\n %c = arith.addi %a, %b : i64\n return %c : "
                       "i64\n}";
    auto module = parseSourceString<ModuleOp>(text, &context);
    if (options.pipeline.empty())
      options.pipeline = "convert-to-llvm,reconcile-unrealized-casts";
    return cache.compile(*module, options);
  }

  /// The same, which has to work.
  CacheOutcome outcome(KernelCache &cache, int64_t addend = 1,
                       const JitOptions &options = {}) {
    auto code = compile(cache, addend, options);
    EXPECT_TRUE(code) << code.message();
    if (!code)
      return CacheOutcome::Compiled;
    EXPECT_EQ(code->note, "");
    auto entry = code->jit->lookup("_mlir_ciface_f");
    EXPECT_TRUE(entry) << entry.message();
    if (entry) {
      EXPECT_EQ(reinterpret_cast<int64_t (*)(int64_t)>(*entry)(41),
                41 + addend);
    }
    return code->outcome;
  }

  std::vector<std::string> entries() const {
    std::vector<std::string> paths;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator it(folder, error), end;
         it != end && !error; it.increment(error))
      if (llvm::sys::path::filename(it->path()) != "llvmcache.timestamp")
        paths.push_back(it->path());
    return paths;
  }

  llvm::SmallString<128> folder;
};

/// Writes `change` of the file's content in its place.
void rewrite(const std::string &path,
             llvm::function_ref<std::string(std::string)> change) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(bool(buffer));
  std::string text = change((*buffer)->getBuffer().str());
  std::error_code error;
  llvm::raw_fd_ostream(path, error) << text;
  ASSERT_FALSE(error);
}
} // namespace

TEST_F(KernelCacheTest, TheSecondTimeNothingIsCompiled) {
  KernelCache cache(settings());
  EXPECT_EQ(outcome(cache), CacheOutcome::Compiled);
  EXPECT_EQ(outcome(cache), CacheOutcome::InProcess);
  KernelCache another(settings());
  EXPECT_EQ(outcome(another), CacheOutcome::InFolder);
  EXPECT_EQ(outcome(another), CacheOutcome::InProcess);
  KernelCache inMemory({});
  EXPECT_EQ(outcome(inMemory), CacheOutcome::Compiled);
  EXPECT_EQ(outcome(inMemory), CacheOutcome::InProcess);
  inMemory.forget();
  EXPECT_EQ(outcome(inMemory), CacheOutcome::Compiled);
  EXPECT_EQ(entries().size(), 1u);
}

TEST_F(KernelCacheTest, AHitLowersNothing) {
  JitOptions options;
  for (bool first : {true, false}) {
    auto module = parseSourceString<ModuleOp>(
        "llvm.func @f() attributes {sym_visibility = \"public\"} { llvm.return "
        "}",
        &context);
    bool lowered = false;
    KernelCache cache(settings());
    auto code =
        cache.compile(*module, options, "nothing", [&]() -> core::Status {
          lowered = true;
          return core::Success();
        });
    ASSERT_TRUE(code) << code.message();
    EXPECT_EQ(lowered, first);
  }
}

TEST_F(KernelCacheTest, WhatDiffersIsCompiled) {
  KernelCache cache(settings());
  EXPECT_EQ(outcome(cache, 1), CacheOutcome::Compiled);
  EXPECT_EQ(outcome(cache, 2), CacheOutcome::Compiled);
  JitOptions options;
  options.optLevel = 1;
  EXPECT_EQ(outcome(cache, 1, options), CacheOutcome::Compiled);
  options = {};
  options.contract = true;
  EXPECT_EQ(outcome(cache, 1, options), CacheOutcome::Compiled);
  options = {};
  options.pipeline = "canonicalize,convert-to-llvm,reconcile-unrealized-casts";
  EXPECT_EQ(outcome(cache, 1, options), CacheOutcome::Compiled);
#ifdef __x86_64__
  options = {};
  options.cpu = "x86-64";
  EXPECT_EQ(outcome(cache, 1, options), CacheOutcome::Compiled);
  options.features = "-sse3";
  EXPECT_EQ(outcome(cache, 1, options), CacheOutcome::Compiled);
#endif
  EXPECT_EQ(outcome(cache, 1), CacheOutcome::InProcess);
}

TEST_F(KernelCacheTest, DamagedEntriesAreCompiledAnew) {
  using Change = std::string (*)(std::string);
  for (Change change : {Change([](std::string) { return std::string(); }),
                        Change([](std::string text) {
                          return text.substr(0, text.size() / 2);
                        }),
                        Change([](std::string text) {
                          text[text.size() / 2] ^= 1;
                          return text;
                        }),
                        Change([](std::string text) { return "x" + text; })}) {
    KernelCache first(settings());
    outcome(first);
    ASSERT_EQ(entries().size(), 1u);
    rewrite(entries()[0], change);
    KernelCache second(settings()), third(settings());
    EXPECT_EQ(outcome(second), CacheOutcome::Compiled);
    EXPECT_EQ(outcome(third), CacheOutcome::InFolder);
  }
}

TEST_F(KernelCacheTest, AFolderThatCannotBeWrittenIsDoneWithout) {
  // A file in its place: permissions stop no superuser.
  std::string file = (folder + "/file").str();
  std::error_code error;
  llvm::raw_fd_ostream(file, error) << "text";
  for (std::string path : {file, file + "/below"}) {
    KernelCache cache({path});
    auto code = compile(cache);
    ASSERT_TRUE(code) << code.message();
    EXPECT_EQ(code->outcome, CacheOutcome::Compiled);
    EXPECT_NE(code->note, "");
    EXPECT_EQ(outcome(cache), CacheOutcome::InProcess);
  }
}

TEST_F(KernelCacheTest, TheFolderStaysWithinItsBytes) {
  CacheSettings small = settings();
  KernelCache cache(small);
  outcome(cache, 1);
  auto size = uint64_t(0);
  ASSERT_FALSE(llvm::sys::fs::file_size(entries()[0], size));
  small.maxBytes = 3 * size + size / 2;
  cache.configure(small);
  for (int64_t addend = 2; addend < 10; ++addend)
    outcome(cache, addend);
  EXPECT_EQ(entries().size(), 3u);
}

TEST_F(KernelCacheTest, TheProcessSharesWhatWasUsedLast) {
  CacheSettings two;
  two.maxKernels = 2;
  KernelCache cache(two);
  auto first = compile(cache, 1);
  ASSERT_TRUE(first) << first.message();
  EXPECT_EQ(outcome(cache, 2), CacheOutcome::Compiled);
  EXPECT_EQ(outcome(cache, 1), CacheOutcome::InProcess);
  EXPECT_EQ(outcome(cache, 3), CacheOutcome::Compiled); // 2 goes
  EXPECT_EQ(outcome(cache, 1), CacheOutcome::InProcess);
  EXPECT_EQ(outcome(cache, 3), CacheOutcome::InProcess);
  EXPECT_EQ(outcome(cache, 2), CacheOutcome::Compiled); // 1 goes
  // Whoever holds it keeps it, and is the last to.
  std::weak_ptr<Jit> held = first->jit;
  auto entry = first->jit->lookup("_mlir_ciface_f");
  ASSERT_TRUE(entry) << entry.message();
  EXPECT_EQ(reinterpret_cast<int64_t (*)(int64_t)>(*entry)(41), 42);
  first->jit.reset();
  EXPECT_TRUE(held.expired());
  // A smaller bound holds at once, and none shares nothing.
  two.maxKernels = 1;
  cache.configure(two);
  EXPECT_EQ(outcome(cache, 2), CacheOutcome::InProcess);
  EXPECT_EQ(outcome(cache, 3), CacheOutcome::Compiled);
  two.maxKernels = 0;
  cache.configure(two);
  EXPECT_EQ(outcome(cache, 3), CacheOutcome::Compiled);
  EXPECT_EQ(outcome(cache, 3), CacheOutcome::Compiled);
}

TEST_F(KernelCacheTest, TheEnvironmentBoundsTheProcess) {
  const char *name = "ASTFE_KERNEL_CACHE_KERNELS";
  EXPECT_EQ(CacheSettings::from("off").maxKernels, 256u);
  setenv(name, "3", 1);
  EXPECT_EQ(CacheSettings::from("off").maxKernels, 3u);
  setenv(name, "", 1);
  EXPECT_EQ(CacheSettings::from("off").maxKernels, 256u);
  for (const char *wrong : {"-1", "many", "1x"}) {
    setenv(name, wrong, 1);
    KernelCache cache(CacheSettings::from("off"));
    auto code = compile(cache);
    ASSERT_FALSE(code) << wrong;
    EXPECT_EQ(code.message(), "expected a number of kernels in "
                              "ASTFE_KERNEL_CACHE_KERNELS but got '" +
                                  std::string(wrong) + "'");
  }
  unsetenv(name);
}

TEST_F(KernelCacheTest, ManyThreadsAtOnce) {
  CacheSettings two = settings();
  two.maxKernels = 2; // of three
  KernelCache cache(two);
  std::vector<std::thread> threads;
  std::vector<int> wrong(8);
  for (int &mine : wrong)
    threads.emplace_back([&] {
      MLIRContext local(context.getDialectRegistry());
      for (int64_t addend : {1, 2, 3}) {
        auto module = parseSourceString<ModuleOp>(
            "llvm.func @f() -> i64 { %0 = llvm.mlir.constant(" +
                std::to_string(addend) +
                " : i64) : i64\n llvm.return %0 : i64 }",
            &local);
        auto code = cache.compile(*module, JitOptions());
        auto entry =
            code ? code->jit->lookup("f") : core::Result<void *>(code.error());
        mine += !entry || reinterpret_cast<int64_t (*)()>(*entry)() != addend;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, std::vector<int>(8));
  EXPECT_EQ(entries().size(), 3u);
}
