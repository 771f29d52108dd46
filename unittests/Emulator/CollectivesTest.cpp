//===- CollectivesTest.cpp - warp collectives against the PTX manual ------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFixture.h"

using namespace astfe;
using namespace astfe::emu;

namespace {

class CollectivesTest : public KernelTest {
protected:
  /// y[lane] = the i32 that `body` computes as %r from %t, for one warp.
  std::vector<uint32_t> run(const std::string &declaration,
                            const std::string &body) {
    std::string code = "declare " + declaration + R"(
define ptx_kernel void @k(ptr noalias %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
)" + body + R"(
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %y, i64 %i
  store i32 %r, ptr %p
  ret void
})";
    std::vector<uint32_t> result(32, 0xdead);
    uint32_t *y = device(result);
    EXPECT_EQ(launch(load(code), 1, 32, y), "");
    EXPECT_TRUE(bool(emulator.copy(result.data(), y, 128, nullptr)));
    return result;
  }

  /// A shuffle of 10 * lane; out of range gives 1000 + own value.
  std::vector<uint32_t> shuffle(const std::string &mode, int b, int c) {
    std::string name = "@llvm.nvvm.shfl.sync." + mode + ".i32p";
    return run("{ i32, i1 } " + name + "(i32, i32, i32, i32)",
               "%v = mul i32 %t, 10\n %s = call { i32, i1 } " + name +
                   "(i32 -1, i32 %v, i32 " + std::to_string(b) + ", i32 " +
                   std::to_string(c) +
                   ")\n %x = extractvalue { i32, i1 } %s, 0\n"
                   "%ok = extractvalue { i32, i1 } %s, 1\n"
                   "%far = add i32 %x, 1000\n"
                   "%r = select i1 %ok, i32 %x, i32 %far");
  }

  template <typename Source>
  std::vector<uint32_t> expected(Source source) {
    std::vector<uint32_t> result;
    for (int lane = 0; lane < 32; ++lane) {
      int from = source(lane);
      result.push_back(from < 0 ? uint32_t(1000 + 10 * lane)
                                : uint32_t(10 * from));
    }
    return result;
  }
};
ASTFE_BOTH_SCHEDULES(CollectivesTest);

TEST_P(CollectivesTest, ShuffleWholeWarp) {
  EXPECT_EQ(shuffle("bfly", 5, 31), expected([](int l) { return l ^ 5; }));
  EXPECT_EQ(shuffle("idx", 7, 31), expected([](int) { return 7; }));
  EXPECT_EQ(shuffle("down", 3, 31),
            expected([](int l) { return l + 3 < 32 ? l + 3 : -1; }));
  EXPECT_EQ(shuffle("up", 3, 0),
            expected([](int l) { return l >= 3 ? l - 3 : -1; }));
}

TEST_P(CollectivesTest, ShuffleSegmentsOfEight) {
  // Segment mask 0x18 in bits 8..12; the limit is the segment's last lane.
  const int segment = 0x18 << 8;
  EXPECT_EQ(shuffle("idx", 2, segment | 31),
            expected([](int l) { return l / 8 * 8 + 2; }));
  EXPECT_EQ(shuffle("down", 6, segment | 31),
            expected([](int l) { return l % 8 < 2 ? l + 6 : -1; }));
  EXPECT_EQ(shuffle("up", 6, segment),
            expected([](int l) { return l % 8 >= 6 ? l - 6 : -1; }));
  EXPECT_EQ(shuffle("bfly", 4, segment | 31),
            expected([](int l) { return l ^ 4; }));
  // Across the segment's end: only towards lower lanes.
  EXPECT_EQ(shuffle("bfly", 8, segment | 31),
            expected([](int l) { return (l & 8) ? l ^ 8 : -1; }));
}

TEST_P(CollectivesTest, Votes) {
  auto vote = [&](const std::string &name, const std::string &type,
                  const std::string &condition) {
    std::string function = "@llvm.nvvm.vote." + name + ".sync";
    std::string call = "%c = icmp " + condition + "\n %v = call " + type + " " +
                       function + "(i32 -1, i1 %c)\n";
    call += type == "i1" ? "%r = zext i1 %v to i32" : "%r = add i32 %v, 0";
    return run(type + " " + function + "(i32, i1)", call);
  };
  auto all = [](uint32_t value) { return std::vector<uint32_t>(32, value); };
  EXPECT_EQ(vote("all", "i1", "ult i32 %t, 32"), all(1));
  EXPECT_EQ(vote("all", "i1", "ult i32 %t, 31"), all(0));
  EXPECT_EQ(vote("any", "i1", "eq i32 %t, 31"), all(1));
  EXPECT_EQ(vote("any", "i1", "ugt i32 %t, 31"), all(0));
  EXPECT_EQ(vote("uni", "i1", "ugt i32 %t, 31"), all(1));
  EXPECT_EQ(vote("uni", "i1", "ugt i32 %t, 3"), all(0));
  EXPECT_EQ(vote("ballot", "i32", "ult i32 %t, 12"), all(0xfff));
}

TEST_P(CollectivesTest, Reductions) {
  auto reduce = [&](const std::string &name) {
    std::string function = "@llvm.nvvm.redux.sync." + name;
    return run("i32 " + function + "(i32, i32)",
               "%v = sub i32 %t, 3\n %r = call i32 " + function +
                   "(i32 %v, i32 -1)")[11];
  };
  EXPECT_EQ(reduce("add"), 31u * 16 - 96);
  EXPECT_EQ(int32_t(reduce("min")), -3);
  EXPECT_EQ(reduce("max"), 28u);
  EXPECT_EQ(reduce("umin"), 0u);
  EXPECT_EQ(reduce("umax"), uint32_t(-1));
  EXPECT_EQ(reduce("and"), 0u);
  EXPECT_EQ(reduce("or"), uint32_t(-1));
}

TEST_P(CollectivesTest, MatchAny) {
  std::vector<uint32_t> result =
      run("i32 @llvm.nvvm.match.any.sync.i32(i32, i32)",
          "%v = and i32 %t, 1\n"
          "%r = call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 %v)");
  EXPECT_EQ(result[4], 0x55555555u);
  EXPECT_EQ(result[5], 0xaaaaaaaau);
}

TEST_P(CollectivesTest, Registers) {
  auto read = [&](const std::string &name) {
    std::string function = "@llvm.nvvm.read.ptx.sreg." + name;
    return run("i32 " + function + "()", "%r = call i32 " + function + "()")[9];
  };
  EXPECT_EQ(read("warpsize"), 32u);
  EXPECT_EQ(read("lanemask.eq"), 0x200u);
  EXPECT_EQ(read("lanemask.lt"), 0x1ffu);
  EXPECT_EQ(read("lanemask.le"), 0x3ffu);
  EXPECT_EQ(read("lanemask.gt"), 0xfffffc00u);
  EXPECT_EQ(read("lanemask.ge"), 0xfffffe00u);
  EXPECT_EQ(read("nctaid.y"), 1u);
}

/// Warp 0 writes x[t] = the round and arrives, warp 1 waits for that and adds
/// it to y[t]; then the other way around, so that x may be written again.
const char *producer = R"(
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
declare void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32, i32)
define ptx_kernel void @k(ptr %x, ptr %y, i32 %rounds) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = urem i32 %t, 32
  %p = getelementptr i32, ptr %x, i32 %own
  %q = getelementptr i32, ptr %y, i32 %own
  %makes = icmp ult i32 %t, 32
  br label %head
head:
  %round = phi i32 [ 1, %entry ], [ %next, %end ]
  br i1 %makes, label %make, label %take
make:
  store i32 %round, ptr %p
  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 1, i32 64)
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 2, i32 64)
  br label %end
take:
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)
  %v = load i32, ptr %p
  %w = load i32, ptr %q
  %s = add i32 %v, %w
  store i32 %s, ptr %q
  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 2, i32 64)
  br label %end
end:
  %next = add i32 %round, 1
  %go = icmp ule i32 %next, %rounds
  br i1 %go, label %head, label %done
done:
  ret void
})";

TEST_P(CollectivesTest, OneWarpArrivesAtABarrierThatAnotherWaitsAt) {
  std::vector<int32_t> sums(32);
  int32_t *x = device(sums), *y = device(sums);
  EXPECT_EQ(launch(load(producer), 1, 64, x, y, 4), "");
  ASSERT_TRUE(bool(emulator.copy(sums.data(), y, 128, nullptr)));
  EXPECT_EQ(sums, std::vector<int32_t>(32, 1 + 2 + 3 + 4));
  EXPECT_EQ(emulator.lastLaunch().total().barriers, 8);
}

TEST_P(CollectivesTest, ABarrierOfSomeThreadsDoesNotWaitForFewerAsOthersLeave) {
  const char *code = R"(
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
define ptx_kernel void @k(i32 %threads) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %is = icmp ult i32 %t, 32
  br i1 %is, label %wait, label %done
wait:
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 %threads)
  br label %done
done:
  ret void
})";
  void *kernel = load(code);
  EXPECT_EQ(launch(kernel, 1, 64, 32u), "");
  EXPECT_NE(launch(kernel, 1, 64, 64u).find("deadlock in block (0,0,0)"),
            std::string::npos);
}

} // namespace
