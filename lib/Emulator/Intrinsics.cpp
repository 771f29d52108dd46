//===- Intrinsics.cpp - what NVVM intrinsics mean here --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Intrinsics.h"

#include <unordered_map>

using namespace astfe;
using namespace astfe::emu;

namespace {

using Table = std::unordered_map<std::string, Meaning>;

/// A warp collective whose mask is argument `maskIndex`.
template <Compute compute, unsigned maskIndex>
void runCollective(Thread &thread, const Site &site, const char *arguments,
                   char *result) {
  thread.wait = {&site, arguments, result, compute,
                 argument<uint32_t>(arguments, maskIndex)};
  thread.processor->collective(thread);
}

template <bool aligned, bool counted, bool arriveOnly>
void runBarrier(Thread &thread, const Site &site, const char *arguments,
                char *) {
  Wait wait;
  wait.site = &site;
  wait.aligned = aligned;
  wait.barrier = argument<int32_t>(arguments, 0);
  if (counted)
    wait.expected = argument<int32_t>(arguments, 1);
  thread.processor->barrier(thread, wait, arriveOnly);
}

void addRegister(Table &table, const char *name, size_t offset) {
  table["read.ptx.sreg." + std::string(name)] = {Meaning::Register, offset};
}

void addRegisters(Table &table) {
  struct Vector {
    const char *name;
    size_t offset;
  };
  for (Vector v : {Vector{"tid", offsetof(Registers, tid)},
                   Vector{"ntid", offsetof(Registers, ntid)},
                   Vector{"ctaid", offsetof(Registers, ctaid)},
                   Vector{"nctaid", offsetof(Registers, nctaid)}})
    for (int axis = 0; axis < 3; ++axis)
      addRegister(table, (std::string(v.name) + "." + "xyz"[axis]).c_str(),
                  v.offset + size_t(axis) * sizeof(int32_t));
  addRegister(table, "laneid", offsetof(Registers, lane));
  addRegister(table, "warpid", offsetof(Registers, warp));
  addRegister(table, "nwarpid", offsetof(Registers, warps));
  addRegister(table, "warpsize", offsetof(Registers, warpSize));
  addRegister(table, "lanemask.eq", offsetof(Registers, laneEqual));
  addRegister(table, "lanemask.lt", offsetof(Registers, laneLess));
  addRegister(table, "lanemask.le", offsetof(Registers, laneLessEqual));
  addRegister(table, "lanemask.gt", offsetof(Registers, laneGreater));
  addRegister(table, "lanemask.ge", offsetof(Registers, laneGreaterEqual));
  addRegister(table, "smid", offsetof(Registers, multiprocessor));
  addRegister(table, "nsmid", offsetof(Registers, multiprocessors));
  // Time is counted in instructions.
  for (const char *clock : {"clock", "clock64", "globaltimer"})
    addRegister(table, clock, offsetof(Registers, instructions));
}

template <Compute compute, unsigned maskIndex>
Meaning collective() {
  Meaning meaning{Meaning::Collective};
  meaning.handler = runCollective<compute, maskIndex>;
  meaning.compute = compute;
  meaning.maskIndex = maskIndex;
  return meaning;
}

template <Compute compute>
void addShuffle(Table &table, const std::string &mode) {
  for (const char *type : {"i32", "i32p", "f32", "f32p"})
    table["shfl.sync." + mode + "." + type] = collective<compute, 0>();
}

template <Compute compute, unsigned maskIndex>
void addCollective(Table &table, const char *name) {
  table[name] = collective<compute, maskIndex>();
}

void addCollectives(Table &table) {
  addShuffle<shuffleDown>(table, "down");
  addShuffle<shuffleUp>(table, "up");
  addShuffle<shuffleXor>(table, "bfly");
  addShuffle<shuffleIndex>(table, "idx");
  addCollective<voteAll, 0>(table, "vote.all.sync");
  addCollective<voteAny, 0>(table, "vote.any.sync");
  addCollective<voteUniform, 0>(table, "vote.uni.sync");
  addCollective<voteBallot, 0>(table, "vote.ballot.sync");
  addCollective<reduceAdd, 1>(table, "redux.sync.add");
  addCollective<reduceMin, 1>(table, "redux.sync.min");
  addCollective<reduceMax, 1>(table, "redux.sync.max");
  addCollective<reduceUnsignedMin, 1>(table, "redux.sync.umin");
  addCollective<reduceUnsignedMax, 1>(table, "redux.sync.umax");
  addCollective<reduceAnd, 1>(table, "redux.sync.and");
  addCollective<reduceOr, 1>(table, "redux.sync.or");
  addCollective<reduceXor, 1>(table, "redux.sync.xor");
  addCollective<matchAny32, 0>(table, "match.any.sync.i32");
  addCollective<matchAny64, 0>(table, "match.any.sync.i64");
  addCollective<nullptr, 0>(table, "bar.warp.sync");
}

template <bool aligned, bool counted, bool arriveOnly>
void addBarrier(Table &table, const char *name) {
  Meaning meaning{Meaning::Barrier};
  meaning.handler = runBarrier<aligned, counted, arriveOnly>;
  meaning.isAligned = aligned;
  meaning.isCounted = counted;
  meaning.arriveOnly = arriveOnly;
  table[name] = meaning;
}

void addBarriers(Table &table) {
  addBarrier<true, false, false>(table, "barrier.cta.sync.aligned.all");
  addBarrier<true, true, false>(table, "barrier.cta.sync.aligned.count");
  addBarrier<false, false, false>(table, "barrier.cta.sync.all");
  addBarrier<false, true, false>(table, "barrier.cta.sync.count");
  addBarrier<false, true, true>(table, "barrier.cta.arrive.aligned.count");
  addBarrier<false, true, true>(table, "barrier.cta.arrive.count");
}

void addArithmetic(Table &table) {
  struct Pair {
    const char *name, *same;
  };
  for (Pair p :
       {Pair{"fma.rn.f", "llvm.fma"}, Pair{"fma.rn.d", "llvm.fma"},
        Pair{"fma.rn.ftz.f", "llvm.fma"}, Pair{"fmin.f", "llvm.minnum"},
        Pair{"fmin.d", "llvm.minnum"}, Pair{"fmax.f", "llvm.maxnum"},
        Pair{"fmax.d", "llvm.maxnum"}, Pair{"fmin.nan.f", "llvm.minimum"},
        Pair{"fmax.nan.f", "llvm.maximum"}, Pair{"sqrt.rn.f", "llvm.sqrt"},
        Pair{"sqrt.rn.d", "llvm.sqrt"}, Pair{"ex2.approx.f", "llvm.exp2"},
        Pair{"lg2.approx.f", "llvm.log2"}})
    table[p.name] = {Meaning::Same, 0, p.same};
}

Table makeTable() {
  Table table;
  addRegisters(table);
  addCollectives(table);
  addBarriers(table);
  addArithmetic(table);
  for (const auto &[name, meaning] : tensorMeanings())
    table[name] = meaning;
  return table;
}

} // namespace

const Meaning *emu::findMeaning(const std::string &name) {
  static const Table table = makeTable();
  static const Meaning nothing{Meaning::Nothing};
  const std::string prefix = "llvm.nvvm.";
  if (name.compare(0, prefix.size(), prefix) != 0)
    return nullptr;
  std::string rest = name.substr(prefix.size());
  // Whole families that change no value that the emulator computes.
  for (const char *family : {"prefetch.", "membar.", "fence.", "nanosleep"})
    if (rest.compare(0, std::string(family).size(), family) == 0)
      return &nothing;
  auto it = table.find(rest);
  return it == table.end() ? nullptr : &it->second;
}
