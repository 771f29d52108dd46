//===- AddProcessor.cpp - host memory and one kernel ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every module has the kernel `add`: x[i] += value for i < block.x. What else
// its PTX names as an entry does nothing, which is enough to see what is
// launched.
//
//===----------------------------------------------------------------------===//

#include "Processor.h"

#include <cstdlib>
#include <set>
#include <string>

using namespace fakecuda;

namespace {

/// The kernels of a module by name; `add` is the first.
using Module = std::set<std::string>;

class AddProcessor final : public Processor {
public:
  void *allocate(size_t bytes) override { return std::malloc(bytes); }
  void free(void *memory) override { std::free(memory); }
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
    for (unsigned i = 0; i < grid.block[0]; ++i)
      x[i] += *static_cast<int *>(params[1]);
    return {};
  }
};

} // namespace

Processor &fakecuda::processor() {
  static auto *made = new AddProcessor;
  return *made;
}
