//===- astfe-gpu-check.cpp - kernels compiled ahead, checked on a GPU ----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What scripts/gpu_bundle.sh takes to a machine with a driver and nothing else:
// runs every product and attention that was compiled ahead of time on matrices
// that are made and packed here, and what must be an error, and compares with
// float64. The last line is "N passed, N failed". Links neither LLVM nor CUDA.
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "Main.h"
#include <cstdio>

using namespace astfe;
using namespace astfe::gpucheck;

namespace {

struct Request {
  std::string cases;
  int64_t repeat = 20;
  bool large = false, withoutErrors = false;
};

tools::Options declare(Request &request) {
  tools::Options options("astfe-gpu-check",
                         "checks kernels that were compiled ahead on a GPU");
  options.text("cases", "FOLDER", "with cases.json", request.cases,
               tools::Needed::Yes);
  options.integer("repeat", "N", "runs that must give the same bits",
                  request.repeat, 2, 1000);
  options.flag("large", "also operands of up to 20 GB", request.large);
  options.flag("without-errors",
               "only what the driver has nothing to complain of",
               request.withoutErrors);
  return options;
}

core::Status run(const Request &request) {
  auto device = rt::currentDevice();
  if (!device)
    return device.error();
  auto unfit = whyNotFor(request.cases, (*device)->chip());
  if (!unfit)
    return unfit.error();
  if (!unfit->empty()) {
    std::printf("skipped %s: %s\n0 passed, 0 failed\n", request.cases.c_str(),
                unfit->c_str());
    return core::Success();
  }
  auto cases = readCases(request.cases, Computation::Product);
  if (!cases)
    return cases.error();
  auto attention = readCases(request.cases, Computation::Attention);
  if (!attention)
    return attention.error();
  std::printf("%s, %zu cases of %s\n", (*device)->name().c_str(),
              cases->size() + attention->size(), request.cases.c_str());
  Tally tally;
  Suite suite{**device, request.cases, std::move(*cases), samples(), tally};
  checkProducts(suite, request.repeat);
  for (const Case &which : *attention)
    checkAttention(suite, which);
  checkUses(suite);
  if (!request.withoutErrors)
    checkErrors(suite);
  if (request.large)
    checkLarge(suite);
  std::printf("%lld passed, %lld failed\n",
              static_cast<long long>(tally.passed),
              static_cast<long long>(tally.failed));
  if (tally.failed)
    return core::Error{"expected all checks to pass but got " +
                       std::to_string(tally.failed) + " that failed"};
  return core::Success();
}

} // namespace

int main(int argc, char **argv) {
  Request request;
  tools::Options options = declare(request);
  return tools::runTool(options, argc, argv, [&] { return run(request); });
}
