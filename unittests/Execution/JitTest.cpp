//===- JitTest.cpp - compiling in this process ----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/ABI.h"
#include "HostKernels.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>
#include <limits>
#include <thread>

using namespace mlir;
using namespace astfe;

namespace {
struct JitTest : HostKernelTest {
  OwningOpRef<ModuleOp> parse(const char *text) {
    return parseSourceString<ModuleOp>(text, &context);
  }
};

const char *const kSum = R"(
  func.func @sum(%a: i64, %b: i64) -> i64
      attributes {llvm.emit_c_interface} {
    %c = arith.addi %a, %b : i64
    return %c : i64
  })";
/// What compiled code takes for a memref of rank 1.
template <typename Element>
struct Vector {
  Element *allocated, *aligned;
  int64_t offset, size, stride;
};

#ifdef __x86_64__
const char *const kPlainCPU = "x86-64";
#else
const char *const kPlainCPU = "native";
#endif
const char *const kToLLVM = "convert-to-llvm,reconcile-unrealized-casts";
} // namespace

TEST_F(JitTest, CompilesAndRuns) {
  auto module = parse(kSum);
  JitOptions options;
  options.pipeline = kToLLVM;
  auto jit = Jit::compile(*module, options);
  ASSERT_TRUE(jit) << jit.message();
  auto entry = (*jit)->lookup("_mlir_ciface_sum");
  ASSERT_TRUE(entry) << entry.message();
  EXPECT_EQ(reinterpret_cast<int64_t (*)(int64_t, int64_t)>(*entry)(40, 2), 42);
  auto missing = (*jit)->lookup("_mlir_ciface_product");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.message().find("_mlir_ciface_product"), std::string::npos);
}

TEST_F(JitTest, CopiesStridedBuffers) {
  auto module = parse(R"(
    func.func @odd(%a: memref<4xf32>, %b: memref<2xf32>)
        attributes {llvm.emit_c_interface} {
      %s = memref.subview %a[1] [2] [2]
        : memref<4xf32> to memref<2xf32, strided<[2], offset: 1>>
      memref.copy %s, %b
        : memref<2xf32, strided<[2], offset: 1>> to memref<2xf32>
      return
    })");
  JitOptions options;
  options.pipeline = std::string("expand-strided-metadata,") + kToLLVM;
  auto jit = Jit::compile(*module, options);
  ASSERT_TRUE(jit) << jit.message();
  auto entry = (*jit)->lookup("_mlir_ciface_odd");
  ASSERT_TRUE(entry) << entry.message();
  float source[] = {1, 2, 3, 4}, target[] = {0, 0, 9};
  Vector<float> a{source, source, 0, 4, 1}, b{target, target, 0, 2, 1};
  reinterpret_cast<void (*)(void *, void *)>(*entry)(&a, &b);
  EXPECT_EQ(target[0], 2);
  EXPECT_EQ(target[1], 4);
  EXPECT_EQ(target[2], 9);
}

TEST_F(JitTest, RoundsToBF16WithoutInstructionsForIt) {
  auto module = parse(R"(
    func.func @rounded(%a: memref<?xf32>, %b: memref<?xf64>, %c: memref<?xbf16>,
                       %d: memref<?xbf16>)
        attributes {llvm.emit_c_interface} {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %n = memref.dim %a, %zero : memref<?xf32>
      scf.for %i = %zero to %n step %one {
        %x = memref.load %a[%i] : memref<?xf32>
        %p = arith.truncf %x : f32 to bf16
        %s = arith.addf %p, %p : bf16
        memref.store %s, %c[%i] : memref<?xbf16>
        %y = memref.load %b[%i] : memref<?xf64>
        %q = arith.truncf %y : f64 to bf16
        memref.store %q, %d[%i] : memref<?xbf16>
      }
      return
    })");
  JitOptions options;
  options.pipeline = std::string("convert-scf-to-cf,") + kToLLVM;
  options.cpu = kPlainCPU;
  auto jit = Jit::compile(*module, options);
  ASSERT_TRUE(jit) << jit.message();
  auto entry = (*jit)->lookup("_mlir_ciface_rounded");
  ASSERT_TRUE(entry) << entry.message();
  const double inf = std::numeric_limits<double>::infinity();
  // Ties to even, one above a tie that f32 does not have, what is too large.
  double doubles[] = {1.5,  1 + 0x1p-8, 1 + 0x3p-8, 1 + 0x1p-8 + 0x1p-40,
                      -inf, 1e39,       NAN,        -0x1p-140};
  const uint16_t want[] = {0x3fc0, 0x3f80, 0x3f82, 0x3f81,
                           0xff80, 0x7f80, 0x7fc0, 0x8000};
  const uint16_t wantTwice[] = {0x4040, 0x4000, 0x4002, 0x4000,
                                0xff80, 0x7f80, 0x7fc0, 0x8000};
  float floats[8];
  std::copy(std::begin(doubles), std::end(doubles), floats);
  uint16_t twice[8], halves[8];
  Vector<float> a{floats, floats, 0, 8, 1};
  Vector<double> b{doubles, doubles, 0, 8, 1};
  Vector<uint16_t> c{twice, twice, 0, 8, 1}, d{halves, halves, 0, 8, 1};
  reinterpret_cast<void (*)(void *, void *, void *, void *)>(*entry)(&a, &b, &c,
                                                                     &d);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(halves[i], want[i]) << doubles[i];
    EXPECT_EQ(twice[i], wantTwice[i]) << floats[i];
  }
}

TEST_F(JitTest, SaysWhichSymbolACallLacks) {
  auto module = parse(R"(
    func.func private @nowhere(%a: i64) -> i64
    func.func @caller(%a: i64) -> i64 attributes {llvm.emit_c_interface} {
      %c = call @nowhere(%a) : (i64) -> i64
      return %c : i64
    })");
  JitOptions options;
  options.pipeline = kToLLVM;
  auto jit = Jit::compile(*module, options);
  ASSERT_FALSE(jit);
  EXPECT_NE(jit.message().find("nowhere"), std::string::npos) << jit.message();
}

TEST_F(JitTest, EntriesHoldTheCodeOfTheirFunctions) {
  // sum is called by its entry alone, and goes into it; twice's callee stays.
  auto module = parse(R"(
    func.func @sum(%a: i64, %b: i64) -> i64
        attributes {llvm.emit_c_interface} {
      %c = arith.addi %a, %b : i64
      return %c : i64
    }
    func.func @one(%a: i64) -> i64 attributes {llvm.emit_c_interface} {
      return %a : i64
    }
    func.func @twice(%a: i64) -> i64 attributes {llvm.emit_c_interface} {
      %0 = call @one(%a) : (i64) -> i64
      %1 = arith.addi %0, %0 : i64
      return %1 : i64
    })");
  for (unsigned level : {0, 3}) {
    JitOptions options;
    options.pipeline = level ? "" : kToLLVM;
    options.optLevel = level;
    auto jit = Jit::compile(*module, options);
    ASSERT_TRUE(jit) << jit.message();
    EXPECT_FALSE((*jit)->has("sum"));
    EXPECT_TRUE((*jit)->has("one"));
    auto sum = (*jit)->lookup("_mlir_ciface_sum");
    auto twice = (*jit)->lookup("_mlir_ciface_twice");
    ASSERT_TRUE(sum && twice);
    EXPECT_EQ(reinterpret_cast<int64_t (*)(int64_t, int64_t)>(*sum)(40, 2), 42);
    EXPECT_EQ(reinterpret_cast<int64_t (*)(int64_t)>(*twice)(21), 42);
  }
}

TEST_F(JitTest, FailuresAreTexts) {
  auto module = parse(kSum);
  JitOptions options;
  options.pipeline = "no-such-pass";
  auto unknown = Jit::compile(*module, options);
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.message().find("no-such-pass"), std::string::npos);
  options.pipeline = "convert-astfe-to-scf{vector-bytes=48}";
  auto failed = Jit::compile(*module, options);
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.message().find("expected option 'vector-bytes' to be 16, 32 "
                                  "or 64 but got '48'"),
            std::string::npos)
      << failed.message();
  options.pipeline = "";
  auto unlowered = Jit::compile(*module, options);
  ASSERT_FALSE(unlowered);
  EXPECT_NE(unlowered.message().find("cannot be converted to LLVM IR"),
            std::string::npos)
      << unlowered.message();
}

TEST_F(JitTest, RuntimeSymbolsAreThoseOfThisProcess) {
  auto module = parse(R"(
    func.func private @astfe_rt_threads() -> i64
        attributes {llvm.emit_c_interface}
    func.func @threads() -> i64 attributes {llvm.emit_c_interface} {
      %n = func.call @astfe_rt_threads() : () -> i64
      return %n : i64
    })");
  JitOptions options;
  options.pipeline = kToLLVM;
  auto jit = Jit::compile(*module, options);
  ASSERT_TRUE(jit) << jit.message();
  auto entry = (*jit)->lookup("_mlir_ciface_threads");
  ASSERT_TRUE(entry) << entry.message();
  astfe_rt_set_threads(11);
  EXPECT_EQ(reinterpret_cast<int64_t (*)()>(*entry)(), 11);
  astfe_rt_set_threads(0);
}

TEST_F(JitTest, ThreadSettingReachesOpenMP) {
  auto module = parse(R"(
    func.func private @omp_get_max_threads() -> i32
    func.func @parallel(%n: index) {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      scf.parallel (%i) = (%zero) to (%n) step (%one) {
      }
      return
    }
    func.func @f() -> i32 attributes {llvm.emit_c_interface} {
      %n = func.call @omp_get_max_threads() : () -> i32
      return %n : i32
    })");
  JitOptions options;
  options.pipeline = "convert-scf-to-openmp,convert-scf-to-cf,"
                     "convert-openmp-to-llvm,convert-to-llvm,"
                     "reconcile-unrealized-casts";
  auto jit = Jit::compile(*module, options);
  ASSERT_TRUE(jit) << jit.message();
  auto entry = (*jit)->lookup("_mlir_ciface_f");
  ASSERT_TRUE(entry) << entry.message();
  astfe_rt_set_threads(5);
  auto maxThreads = reinterpret_cast<int32_t (*)()>(*entry);
  EXPECT_EQ(maxThreads(), 5);
  std::thread([&] { EXPECT_EQ(maxThreads(), 5); }).join();
  astfe_rt_set_threads(0);
}

TEST_F(JitTest, LoopsThatAreInVectorsAreLeftAsTheyAre) {
  // y[i] += x[i] is put into vectors and unrolled, unless the module says that
  // nothing is left to do.
  const std::string loop = R"({
    func.func @add(%x: memref<?xf32>, %y: memref<?xf32>)
        attributes {llvm.emit_c_interface} {
      %0 = arith.constant 0 : index
      %1 = arith.constant 1 : index
      %n = memref.dim %x, %0 : memref<?xf32>
      scf.for %i = %0 to %n step %1 {
        %a = memref.load %x[%i] : memref<?xf32>
        %b = memref.load %y[%i] : memref<?xf32>
        %c = arith.addf %a, %b : f32
        memref.store %c, %y[%i] : memref<?xf32>
      }
      return
    }
  })";
  JitOptions options;
  options.pipeline = std::string("convert-scf-to-cf,") + kToLLVM;
  size_t bytes[2];
  for (bool vectorized : {false, true}) {
    std::string text =
        vectorized ? "module attributes {astfe.vectorized} " : "module ";
    auto jit = Jit::compile(*parse((text + loop).c_str()), options);
    ASSERT_TRUE(jit) << jit.message();
    bytes[vectorized] = (*jit)->objectCode().size();
    auto entry = (*jit)->lookup("_mlir_ciface_add");
    ASSERT_TRUE(entry) << entry.message();
    std::vector<float> x(1000, 2), y(1000, 3);
    Vector<float> from{x.data(), x.data(), 0, 1000, 1};
    Vector<float> to{y.data(), y.data(), 0, 1000, 1};
    reinterpret_cast<void (*)(void *, void *)>(*entry)(&from, &to);
    EXPECT_EQ(y, std::vector<float>(1000, 5));
  }
  EXPECT_LT(bytes[true], bytes[false]);
}

TEST_F(JitTest, ObjectCodeLinksWithoutTheModule) {
  JitOptions options;
  options.pipeline = kToLLVM;
  auto first = Jit::compile(*parse(kSum), options);
  ASSERT_TRUE(first) << first.message();
  EXPECT_TRUE((*first)->objectCode().starts_with("\x7f"
                                                 "ELF"));
  auto object = llvm::MemoryBuffer::getMemBufferCopy((*first)->objectCode());
  auto second = Jit::link(std::move(object), options);
  ASSERT_TRUE(second) << second.message();
  EXPECT_TRUE((*second)->has("_mlir_ciface_sum"));
  EXPECT_FALSE((*second)->has("_mlir_ciface_product"));
  auto entry = (*second)->lookup("_mlir__mlir_ciface_sum");
  ASSERT_TRUE(entry) << entry.message();
  int64_t a = 40, b = 2, sum = 0;
  void *arguments[] = {&a, &b, &sum};
  reinterpret_cast<void (*)(void **)>(*entry)(arguments);
  EXPECT_EQ(sum, 42);
  auto noObject =
      Jit::link(llvm::MemoryBuffer::getMemBufferCopy("no object"), options);
  ASSERT_FALSE(noObject);
  EXPECT_NE(noObject.message().find("expected an object"), std::string::npos);
}
