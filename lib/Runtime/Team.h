//===- Team.h - the threads of a region of OpenMP -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region has as many members as threads were asked for, and compiled code
// shares loops out among them by their numbers. Members that never wait for one
// another are shares of rt::parallel: one thread may be several, one after the
// other. Where they do, each has a thread of its own.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_RUNTIME_TEAM_H
#define ASTFE_LIB_RUNTIME_TEAM_H

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace astfe::rt {

/// Where the members of a team meet.
class Barrier {
public:
  /// Before anybody waits.
  void expect(int64_t members) { size = members; }
  void wait();

private:
  std::mutex mutex;
  std::condition_variable changed;
  int64_t size = 1, arrived = 0;
  uint64_t round = 0;
};

/// What the calling thread is, within the region that it is in.
struct Member {
  int32_t number = 0, size = 1;
  Barrier *barrier = nullptr; ///< none where members do not wait
};

/// The calling thread's; null outside of regions.
const Member *currentMember();

using MemberBody = void (*)(void *context, int32_t number);
/// Calls body(context, number) for each member of a team of `size`, who do not
/// wait for one another.
void runApart(int64_t size, MemberBody body, void *context);
/// The same with a thread for each; fewer members where the system gives none.
void runTogether(int64_t size, MemberBody body, void *context);

} // namespace astfe::rt

#endif // ASTFE_LIB_RUNTIME_TEAM_H
