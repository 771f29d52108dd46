//===- KnownNumberings.cpp - the last numberings of a process -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reorder/KnownNumberings.h"
#include <algorithm>
#include <deque>
#include <mutex>

namespace astfe::core {
namespace {

struct Known {
  uint64_t fingerprint;
  int64_t nonzeros;
  std::vector<int64_t> shape;
  ReorderKind kind;
  int64_t hubs;
  std::shared_ptr<const Numbering> numbering;

  bool isOf(const Known &o) const {
    return fingerprint == o.fingerprint && nonzeros == o.nonzeros &&
           shape == o.shape && kind == o.kind && hubs == o.hubs;
  }
};

class LastNumberings {
public:
  std::shared_ptr<const Numbering> find(const Known &wanted) {
    std::lock_guard<std::mutex> lock(mutex);
    for (const Known &known : last)
      if (known.isOf(wanted))
        return known.numbering;
    return nullptr;
  }
  void keep(Known known) {
    // One for each reordering that a choice compares.
    constexpr size_t kKept = 2;
    std::lock_guard<std::mutex> lock(mutex);
    last.push_front(std::move(known));
    if (last.size() > kKept)
      last.pop_back();
  }

private:
  std::mutex mutex;
  std::deque<Known> last;
};

} // namespace

Result<std::shared_ptr<const Numbering>>
knownNumbering(const SparseView &view, ReorderKind kind, int64_t hubs) {
  static LastNumberings numberings;
  // What is not reordered takes no longer than its fingerprint.
  if (kind == ReorderKind::None) {
    Result<Numbering> made = renumber(view, kind, hubs);
    if (!made)
      return made.error();
    return std::make_shared<const Numbering>(std::move(*made));
  }
  if (Status status = view.check(); !status)
    return status.error();
  Known known{fingerprintPattern(view),
              view.nonzeros(),
              view.shape,
              kind,
              hubs,
              nullptr};
  known.numbering = numberings.find(known);
  if (known.numbering)
    return known.numbering;
  Result<Numbering> made = renumber(view, kind, hubs);
  if (!made)
    return made.error();
  known.numbering = std::make_shared<const Numbering>(std::move(*made));
  numberings.keep(known);
  return known.numbering;
}

} // namespace astfe::core
