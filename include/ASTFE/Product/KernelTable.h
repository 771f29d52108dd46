//===- KernelTable.h - the kernels that a process has ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table holds kernels by the keys of their requests. The first thread that
// asks for a key makes the kernel, outside of any lock. Threads that ask for
// the same key wait for it; all others go on. Those that wait get a failure
// too, and the next request tries again.
//
// O(log kernels) where the kernel is there.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_KERNELTABLE_H
#define ASTFE_PRODUCT_KERNELTABLE_H

#include "ASTFE/Product/KernelSource.h"
#include <future>
#include <list>
#include <map>
#include <mutex>

namespace astfe::product {

class KernelTable : public KernelSource {
public:
  /// Asks `source` for kernels that the table does not have. The table keeps
  /// the `most` kernels that were asked for last; a caller that holds a kernel
  /// keeps it beyond that.
  explicit KernelTable(KernelSource &source, size_t most = 256)
      : source(source), most(most) {}

  core::Result<std::shared_ptr<const Kernel>>
  get(const KernelRequest &request) override;

private:
  using Made = core::Result<std::shared_ptr<const Kernel>>;
  struct Entry {
    std::string key;
    std::shared_future<Made> made;
    uint64_t number;
  };
  using Entries = std::list<Entry>; ///< asked for last comes first

  Made make(const KernelRequest &request, const std::string &key,
            uint64_t number, std::promise<Made> promise);
  void forget(const std::string &key, uint64_t number);

  KernelSource &source;
  const size_t most;
  std::mutex mutex;
  Entries entries;
  std::map<std::string, Entries::iterator> byKey;
  uint64_t count = 0;
};

} // namespace astfe::product

#endif // ASTFE_PRODUCT_KERNELTABLE_H
