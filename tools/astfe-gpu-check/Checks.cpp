//===- Checks.cpp - what must hold on a GPU ------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "ASTFE/Core/Pack/Pack.h"
#include "ASTFE/Core/Support/FileText.h"
#include <cstdio>

namespace astfe::gpucheck {

void Tally::add(const std::string &name, const core::Status &status) {
  ++(status ? passed : failed);
  if (status)
    return;
  std::printf("FAILED %s: %s\n", name.c_str(), status.message().c_str());
  std::fflush(stdout);
}

void Tally::skip(const std::string &name, const std::string &why) {
  std::printf("skipped %s: %s\n", name.c_str(), why.c_str());
  std::fflush(stdout);
}

const Case *Suite::find(bool view, bool deterministic, bool isVector,
                        bool isDouble) const {
  for (const Case &which : cases)
    if (which.isView() == view && which.isVector == isVector &&
        which.columns == 0 && which.isDouble == isDouble &&
        !which.hostOperands &&
        (view || which.layout.deterministic == deterministic))
      return &which;
  return nullptr;
}

static core::Status compare(const Operands &operands) {
  const double worst = worstError(operands);
  if (worst <= errorBound(operands.which))
    return core::Success();
  char text[64];
  std::snprintf(text, sizeof(text), "%.3g but got %.3g",
                errorBound(operands.which), worst);
  return core::Error{std::string("expected an error of at most ") + text};
}

core::Status checkProduct(rt::Device &device, const Product &product,
                          const LoadedCase &which, const Sample &sample,
                          int64_t columns, size_t shift) {
  Operands operands(which, sample, columns, uint64_t(columns));
  auto status = operands.compute(device, product, shift);
  return status ? compare(operands) : status;
}

/// The same bits each time.
static core::Status checkBits(rt::Device &device, const Product &product,
                              const LoadedCase &which, const Sample &sample,
                              int64_t columns, int64_t repeats) {
  std::vector<char> first;
  for (int64_t i = 0; i < repeats; ++i) {
    Operands operands(which, sample, columns, 7);
    if (auto status = operands.compute(device, product); !status)
      return status;
    if (i == 0)
      first = operands.c.bytes;
    else if (first != operands.c.bytes)
      return core::Error{"expected the bits of the first run but got others "
                         "in run " +
                         std::to_string(i + 1)};
  }
  return core::Success();
}

/// Whether the layout can store the sample.
static bool stores(const Case &which, const Sample &sample) {
  const unsigned bits = which.isView() ? 32 : which.layout.columnBits;
  return bits == 32 || sample.columns <= int64_t(1) << bits;
}

static void checkSample(Suite &suite, const LoadedCase &which,
                        const Sample &sample, int64_t repeats) {
  const std::string name = which->name + " on " + sample.name;
  auto product = Product::make(suite.device, which, sample);
  if (!product)
    return suite.tally.add(name, product.error());
  auto check = [&](int64_t columns, size_t shift, const char *how) {
    suite.tally.add(
        name + ", " + std::to_string(columns) + " columns" + how,
        checkProduct(suite.device, **product, which, sample, columns, shift));
  };
  if (which->isVector) {
    check(1, 0, "");
    check(1, 1, ", misaligned");
  } else if (which->columns) {
    check(which->columns, 0, "");
    check(which->columns, 1, ", misaligned");
  } else {
    // All variants: four, two and one columns a lane, and several tiles.
    for (int64_t columns : {1, 33, 62, 64, 128, 260})
      check(columns, 0, "");
    check(128, 1, ", misaligned");
  }
  if (which->isDeterministic())
    suite.tally.add(name + ", repeated",
                    checkBits(suite.device, **product, which, sample,
                              which->isVector  ? 1
                              : which->columns ? which->columns
                                               : 64,
                              repeats));
}

/// Patterns are cut for as many warps as a multiprocessor holds if all of them
/// have their registers: fewer would wait for a second turn.
static core::Status checkOccupancy(rt::Device &device, void *module,
                                   const std::string &name) {
  auto kernel = device.kernel(module, name.c_str());
  if (!kernel)
    return kernel.error();
  constexpr int64_t kThreads = core::kGPUBlockWarps * core::rules::kWarpLanes;
  auto blocks = device.residentBlocks(*kernel, kThreads);
  if (!blocks)
    return blocks.error();
  constexpr int64_t kLeast = core::kGPUResidentWarps / core::kGPUBlockWarps;
  if (*blocks >= kLeast)
    return core::Success();
  return core::Error{"expected a multiprocessor to hold " +
                     std::to_string(kLeast) + " blocks of " + name +
                     " but got " + std::to_string(*blocks)};
}

/// That of every kernel of a case.
static core::Status checkOccupancy(const Suite &suite, const Case &which) {
  auto text = core::readFile(suite.folder + "/" + which.ptx);
  if (!text)
    return text.error();
  auto module = suite.device.loadModule(text->c_str(), text->size());
  if (!module)
    return module.error();
  core::Status result = core::Success();
  for (const std::string &name : which.kernels)
    if (result)
      result = checkOccupancy(suite.device, *module, name);
  auto unloaded = suite.device.unloadModule(*module);
  return result ? unloaded : result;
}

void checkProducts(Suite &suite, int64_t repeats) {
  for (const Case &which : suite.cases) {
    if (!which.ptx.empty())
      suite.tally.add(which.name + ", blocks of a multiprocessor",
                      checkOccupancy(suite, which));
    auto loaded = LoadedCase::load(suite.folder, which);
    if (!loaded) {
      suite.tally.add(which.name, loaded.error());
      continue;
    }
    for (const Sample &sample : suite.samples)
      if (stores(which, sample))
        checkSample(suite, *loaded, sample, repeats);
  }
}

} // namespace astfe::gpucheck
