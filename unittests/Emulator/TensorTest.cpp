//===- TensorTest.cpp - cp.async, ldmatrix and mma.sync -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One warp multiplies a 16x16 matrix by a 16x8 one, with numbers that are exact
// in all the types.
//
//===----------------------------------------------------------------------===//

#include "KernelFixture.h"

#include <random>

using namespace astfe;
using namespace astfe::emu;

namespace {

class TensorTest : public KernelTest {
protected:
  TensorTest() {
    std::mt19937 random(5);
    for (int i = 0; i < 256; ++i)
      a.push_back(int(random() % 17) - 8);
    for (int i = 0; i < 128; ++i)
      b.push_back(int(random() % 17) - 8);
  }

  /// C[row][column] over the first k terms.
  std::vector<float> expected(int k) const {
    std::vector<float> c(128);
    for (int row = 0; row < 16; ++row)
      for (int column = 0; column < 8; ++column)
        for (int i = 0; i < k; ++i)
          c[size_t(row * 8 + column)] +=
              float(a[size_t(row * 16 + i)] * b[size_t(i * 8 + column)]);
    return c;
  }

  template <typename T, typename Convert>
  T *upload(const std::vector<int> &values, Convert convert) {
    std::vector<T> converted;
    for (int value : values)
      converted.push_back(convert(float(value)));
    return device(converted);
  }

  std::vector<int> a, b; ///< row-major, 16x16 and 16x8
};
ASTFE_BOTH_SCHEDULES(TensorTest);

/// For numbers with few bits the upper half of a float is exact.
uint16_t toBFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return uint16_t(bits >> 16);
}

/// For normal numbers with few bits.
uint16_t toHalf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (value == 0)
    return 0;
  return uint16_t((bits >> 16 & 0x8000) | ((bits >> 23 & 255) - 112) << 10 |
                  (bits >> 13 & 1023));
}

/// `wait` between the copies and the barrier; registers of type `type`.
std::string kernel16(const std::string &wait, const std::string &type,
                     const std::string &mma) {
  std::string cast = type == "i32" ? "add i32 " : "bitcast i32 ";
  std::string as = type == "i32" ? ", 0\n" : " to " + type + "\n";
  std::string arguments, code = R"(
@sa = internal addrspace(3) global [768 x i8] undef, align 16
@sb = internal addrspace(3) global [256 x i8] undef, align 16
declare void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.ca.shared.global.8(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32)
declare { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3))
declare { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3))
declare { float, float, float, float } @MMA(TYPE, TYPE, TYPE, TYPE, TYPE, TYPE, float, float, float, float)
define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr %c) {
  %t32 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t = zext i32 %t32 to i64
  %r = lshr i64 %t, 1
  %h = and i64 %t, 1
  %h8 = shl i64 %h, 3
  %h16 = shl i64 %h, 4
  %r16 = shl i64 %r, 4
  %r32 = shl i64 %r, 5
  %r48 = mul i64 %r, 48
  %ao = add i64 %r32, %h16
  %ap = getelementptr i8, ptr addrspace(1) %a, i64 %ao
  %so = add i64 %r48, %h16
  %sp = getelementptr i8, ptr addrspace(3) @sa, i64 %so
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %sp, ptr addrspace(1) %ap)
  %bo = add i64 %r16, %h8
  %bp = getelementptr i8, ptr addrspace(1) %b, i64 %bo
  %qp = getelementptr i8, ptr addrspace(3) @sb, i64 %bo
  call void @llvm.nvvm.cp.async.ca.shared.global.8(ptr addrspace(3) %qp, ptr addrspace(1) %bp)
  call void @llvm.nvvm.cp.async.commit.group()
)" + wait + R"(
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %row = and i64 %t, 15
  %half = lshr i64 %t, 4
  %row48 = mul i64 %row, 48
  %half16 = shl i64 %half, 4
  %lo = add i64 %row48, %half16
  %la = getelementptr i8, ptr addrspace(3) @sa, i64 %lo
  %fa = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %la)
  %row16 = shl i64 %row, 4
  %lb = getelementptr i8, ptr addrspace(3) @sb, i64 %row16
  %fb = call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3) %lb)
)";
  for (int i = 0; i < 6; ++i) {
    std::string n = std::to_string(i);
    code += "%e" + n + " = extractvalue " +
            (i < 4 ? "{ i32, i32, i32, i32 } %fa, " + n
                   : "{ i32, i32 } %fb, " + std::to_string(i - 4)) +
            "\n%f" + n + " = " + cast + "%e" + n + as;
    arguments += type + " %f" + n + ", ";
  }
  code += "%m = call { float, float, float, float } @MMA(" + arguments +
          "float 0.0, float 0.0, float 0.0, float 0.0)\n";
  code += R"(
  %g = lshr i64 %t, 2
  %g8 = shl i64 %g, 3
  %q = and i64 %t, 3
  %q2 = shl i64 %q, 1
  %o = add i64 %g8, %q2
  %c0 = getelementptr float, ptr %c, i64 %o
  %c1 = getelementptr float, ptr %c0, i64 1
  %c2 = getelementptr float, ptr %c0, i64 64
  %c3 = getelementptr float, ptr %c0, i64 65
)";
  for (const char *i : {"0", "1", "2", "3"})
    code += std::string("%m") + i +
            " = extractvalue { float, float, float, float } %m, " + i +
            "\nstore float %m" + i + ", ptr %c" + i + "\n";
  code += "ret void }\n";
  auto replace = [&](const std::string &from, const std::string &to) {
    for (size_t at = code.find(from); at != std::string::npos;
         at = code.find(from))
      code.replace(at, from.size(), to);
  };
  replace("MMA", "llvm.nvvm.mma.m16n8k16.row.col." + mma);
  replace("TYPE", type);
  return code;
}

const char *waitAll = "call void @llvm.nvvm.cp.async.wait.group(i32 0)";

TEST_P(TensorTest, BFloat) {
  float *c = device(std::vector<float>(128, -1));
  EXPECT_EQ(launch(load(kernel16(waitAll, "i32", "bf16")), 1, 32,
                   upload<uint16_t>(a, toBFloat), upload<uint16_t>(b, toBFloat),
                   c),
            "");
  EXPECT_EQ(std::vector<float>(c, c + 128), expected(16));
}

TEST_P(TensorTest, Half) {
  float *c = device(std::vector<float>(128, -1));
  EXPECT_EQ(launch(load(kernel16(waitAll, "<2 x half>", "f32.f32")), 1, 32,
                   upload<uint16_t>(a, toHalf), upload<uint16_t>(b, toHalf), c),
            "");
  EXPECT_EQ(std::vector<float>(c, c + 128), expected(16));
}

TEST_P(TensorTest, MissingWaitGivesWrongNumbers) {
  float *c = device(std::vector<float>(128, -1));
  const char *tooFew = "call void @llvm.nvvm.cp.async.wait.group(i32 1)";
  for (const char *wait : {tooFew, ""}) {
    EXPECT_EQ(launch(load(kernel16(wait, "i32", "bf16")), 1, 32,
                     upload<uint16_t>(a, toBFloat),
                     upload<uint16_t>(b, toBFloat), c),
              "");
    EXPECT_NE(std::vector<float>(c, c + 128), expected(16));
  }
}

TEST_P(TensorTest, MissingBarrierIsARace) {
  std::string code = kernel16(waitAll, "i32", "bf16");
  std::string barrier =
      "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)";
  code.erase(code.find(barrier), barrier.size());
  float *c = device(std::vector<float>(128, -1));
  EXPECT_TRUE(has(launch(load(code), 1, 32, upload<uint16_t>(a, toBFloat),
                         upload<uint16_t>(b, toBFloat), c),
                  "race in shared memory"));
}

TEST_P(TensorTest, CopiesHaveBounds) {
  std::vector<int> shorter(a.begin(), a.end() - 1);
  float *c = device(std::vector<float>(128, -1));
  EXPECT_TRUE(has(launch(load(kernel16(waitAll, "i32", "bf16")), 1, 32,
                         upload<uint16_t>(shorter, toBFloat),
                         upload<uint16_t>(b, toBFloat), c),
                  "out-of-bounds cp.async.cg.shared.global.16 at byte 496 of "
                  "an allocation of 510 bytes"));
}

TEST_P(TensorTest, TensorFloat) {
  std::string code = R"(
declare { float, float, float, float } @llvm.nvvm.mma.m16n8k8.row.col.tf32(i32, i32, i32, i32, i32, i32, float, float, float, float)
define ptx_kernel void @k(ptr %a, ptr %b, ptr %c) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = lshr i32 %t, 2
  %q = and i32 %t, 3
  %g16 = shl i32 %g, 4
  %ao = add i32 %g16, %q
  %a0 = getelementptr float, ptr %a, i32 %ao
  %a1 = getelementptr float, ptr %a0, i32 128
  %a2 = getelementptr float, ptr %a0, i32 4
  %a3 = getelementptr float, ptr %a0, i32 132
  %q8 = shl i32 %q, 3
  %bo = add i32 %q8, %g
  %b0 = getelementptr float, ptr %b, i32 %bo
  %b1 = getelementptr float, ptr %b0, i32 32
  %x0 = load i32, ptr %a0
  %x1 = load i32, ptr %a1
  %x2 = load i32, ptr %a2
  %x3 = load i32, ptr %a3
  %y0 = load i32, ptr %b0
  %y1 = load i32, ptr %b1
  %m = call { float, float, float, float } @llvm.nvvm.mma.m16n8k8.row.col.tf32(i32 %x0, i32 %x1, i32 %x2, i32 %x3, i32 %y0, i32 %y1, float 1.0, float 1.0, float 1.0, float 1.0)
  %g8 = shl i32 %g, 3
  %q2 = shl i32 %q, 1
  %o = add i32 %g8, %q2
  %c0 = getelementptr float, ptr %c, i32 %o
  %c1 = getelementptr float, ptr %c0, i32 64
  %m0 = extractvalue { float, float, float, float } %m, 0
  %m3 = extractvalue { float, float, float, float } %m, 3
  %c3 = getelementptr float, ptr %c1, i32 1
  store float %m0, ptr %c0
  store float %m3, ptr %c3
  ret void
})";
  auto same = [](float value) { return value; };
  float *c = device(std::vector<float>(128, -1));
  EXPECT_EQ(launch(load(code), 1, 32, upload<float>(a, same),
                   upload<float>(b, same), c),
            "");
  std::vector<float> right = expected(8);
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 8; column += 2) {
      EXPECT_EQ(c[row * 8 + column], right[size_t(row * 8 + column)] + 1);
      EXPECT_EQ(c[row * 8 + 65 + column],
                right[size_t(row * 8 + 65 + column)] + 1);
    }
}

} // namespace
