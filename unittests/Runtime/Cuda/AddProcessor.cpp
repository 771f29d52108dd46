//===- AddProcessor.cpp - host memory and one kernel ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every module has the kernel `add`: x[i] += value for i < block.x, which goes
// wrong where x has less. What else its PTX names as an entry does nothing,
// which is enough to see what is launched.
//
//===----------------------------------------------------------------------===//

#include "Processor.h"

#include <cstdlib>
#include <map>
#include <set>
#include <string>

using namespace fakecuda;

namespace {

/// The kernels of a module by name; `add` is the first.
using Module = std::set<std::string>;

class AddProcessor final : public Processor {
public:
  void *allocate(size_t bytes) override {
    void *memory = std::malloc(bytes);
    sizes[static_cast<char *>(memory)] = bytes;
    return memory;
  }
  void free(void *memory) override {
    sizes.erase(static_cast<char *>(memory));
    std::free(memory);
  }
  void *load(const char *ptx, std::string &) override {
    auto *module = new Module{"add"};
    const std::string text = ptx, entry = ".entry ";
    for (size_t at = text.find(entry); at != text.npos;
         at = text.find(entry, at + 1)) {
      const size_t name = at + entry.size();
      module->insert(text.substr(name, text.find('(', name) - name));
    }
    return module;
  }
  void unload(void *module) override { delete static_cast<Module *>(module); }
  void *kernel(void *module, const char *name) override {
    auto *names = static_cast<Module *>(module);
    auto found = names->find(name);
    return found == names->end() ? nullptr : const_cast<std::string *>(&*found);
  }
  int residentBlocks(const std::string &, int threads) override {
    return 2048 / threads;
  }
  std::string launch(void *kernel, const Grid &grid, void **params) override {
    if (*static_cast<std::string *>(kernel) != "add")
      return {};
    int *x = *static_cast<int **>(params[0]);
    if (bytesFrom(x) < grid.block[0] * sizeof(int))
      return "add: an access beyond its memory";
    for (unsigned i = 0; i < grid.block[0]; ++i)
      x[i] += *static_cast<int *>(params[1]);
    return {};
  }

private:
  /// To the end of the allocation.
  size_t bytesFrom(const void *address) const {
    const auto *at = static_cast<const char *>(address);
    auto next = sizes.upper_bound(const_cast<char *>(at));
    if (next == sizes.begin())
      return 0;
    const auto &[begin, bytes] = *std::prev(next);
    const auto before = size_t(at - begin);
    return before < bytes ? bytes - before : 0;
  }

  std::map<char *, size_t> sizes;
};

} // namespace

Processor &fakecuda::processor() {
  static auto *made = new AddProcessor;
  return *made;
}
