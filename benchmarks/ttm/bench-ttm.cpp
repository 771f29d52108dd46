//===- bench-ttm.cpp - TTV and TTM over bricks, by hand and by upstream ---===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times a tensor of three modes times a vector, and times a matrix of 32
// columns, along every mode, interleaved, each checked against float64, and
// prints a row of a Markdown table for each tensor and product: what ASTFE
// compiles, compressed sparse fibers by hand, and these through upstream's
// sparsifier; then the means of all tensors.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Plan/Plan.h"
#include "ASTFE/Product/PackedTensor.h"
#include "ASTFE/Runtime/ABI.h"
#include "Compiled.h"
#include "FiberProducts.h"
#include "Main.h"
#include "TensorRequest.h"
#include "Timing.h"
#include <array>
#include <cstdio>

using namespace astfe;
using namespace astfe::bench;
using namespace astfe::core;

namespace {

constexpr unsigned kModes = 3;

/// What is timed, in this order for each mode.
enum Contestant { Ours, ByHand, Upstream, Contestants };

/// A result has extent^2 floats, or rows of 128 bytes: the first ones of each
/// product are larger than a second-level cache of 1 MiB, the last one of each
/// is larger than a third-level one of 32 MiB.
constexpr Cube kOfVectors[] = {{"uniform", TensorClass::Uniform, 1000},
                               {"power-law", TensorClass::PowerLaw, 1000},
                               {"long fibers", TensorClass::LongFibers, 1000},
                               {"clusters", TensorClass::Clustered, 4096}};
constexpr Cube kOfMatrices[] = {{"uniform", TensorClass::Uniform, 300},
                                {"power-law", TensorClass::PowerLaw, 300},
                                {"long fibers", TensorClass::LongFibers, 300},
                                {"clusters", TensorClass::Clustered, 700}};

const char *nameOf(bool isMatrix) { return isMatrix ? "TTM 32" : "TTV"; }

/// By the coordinates that are left, in float64.
std::vector<double> reference(const Problem &problem, unsigned mode,
                              bool isMatrix) {
  const auto [root, middle] = problem.others(mode);
  const int64_t width = problem.tensor.shape[middle];
  const int64_t columns = isMatrix ? kRank : 1;
  std::vector<double> sums(size_t(problem.tensor.shape[root] * width * columns),
                           0.0);
  for (size_t n = 0; n < problem.values.size(); ++n) {
    const int64_t row = problem.tensor.coordinates[root][n] * width +
                        problem.tensor.coordinates[middle][n];
    const float *factor = problem.factors[mode].floats() +
                          problem.tensor.coordinates[mode][n] * columns;
    for (int64_t r = 0; r < columns; ++r)
      sums[size_t(row * columns + r)] +=
          double(problem.values[n]) * double(factor[r]);
  }
  return sums;
}

class Benchmark {
public:
  explicit Benchmark(const TensorRequest &request) : request(request) {}

  Status run();

private:
  Status measure(const std::string &name, CooTensor tensor, bool isMatrix);
  Status compare(const std::string &name, Problem &problem, bool isMatrix);
  void printRow(const std::string &name, bool isMatrix, const Problem &problem,
                const std::vector<Samples> &samples);
  void printMeans() const;

  /// How many times ours the others take, of each tensor.
  using Ratios = std::array<double, Contestants>;

  const TensorRequest &request;
  std::array<std::vector<Ratios>, 2> ratios; ///< of TTV and TTM
};

/// Runs a contestant once, into what it has to overwrite.
Status checkOnce(const std::vector<double> &expected, Rows &out,
                 const Compiled &run) {
  std::memset(static_cast<void *>(out.data()), 0xff,
              size_t(out.count()) * sizeof(Row));
  if (Status s = run(out.data()); !s)
    return s;
  // Sums of n products in float32 are off by some sqrt(n) ulps.
  const double error = worstError(out, expected);
  if (error <= 1e-4)
    return Success{};
  return Error{"expected an error of at most 1e-4 but got " +
               std::to_string(error)};
}

void Benchmark::printRow(const std::string &name, bool isMatrix,
                         const Problem &problem,
                         const std::vector<Samples> &samples) {
  std::printf("| %s | %s | %.3g |", name.c_str(), nameOf(isMatrix),
              double(problem.nonzeros()));
  Ratios over;
  over.fill(1);
  for (unsigned k = 0; k < kModes; ++k) {
    for (unsigned c = 0; c < Contestants; ++c) {
      const double seconds = samples[k * Contestants + c].median();
      over[c] *= seconds / samples[k * Contestants].median();
      std::printf("%s%.2f", c ? " / " : " ",
                  seconds * 1e9 / double(problem.nonzeros()));
    }
    std::printf(" |");
  }
  for (double &ratio : over)
    ratio = std::cbrt(ratio);
  std::printf(" %.2f | %.2f |", over[ByHand], over[Upstream]);
  ratios[isMatrix].push_back(over);
}

/// Geometric means over the tensors, and the least.
void Benchmark::printMeans() const {
  std::printf("\n| product | by hand | upstream |\n|---|---|---|\n");
  for (bool isMatrix : {false, true}) {
    const std::vector<Ratios> &found = ratios[isMatrix];
    if (found.empty())
      continue;
    std::printf("| %s |", nameOf(isMatrix));
    for (unsigned c = ByHand; c < Contestants; ++c) {
      double logs = 0, least = 1e30;
      for (const Ratios &of : found) {
        logs += std::log(of[c]);
        least = std::min(least, of[c]);
      }
      std::printf(" %.2f (%.2f) |", std::exp(logs / double(found.size())),
                  least);
    }
    std::printf("\n");
  }
}

Status Benchmark::compare(const std::string &name, Problem &problem,
                          bool isMatrix) {
  using product::TensorProduct;
  Products products;
  for (unsigned k = 0; k < kModes; ++k)
    products.push_back(isMatrix ? TensorProduct::ttm(kModes, k, kRank)
                                : TensorProduct::ttv(kModes, k));
  const double begin = now();
  Result<Plan> plan =
      makePlan(problem.tensor.view(),
               product::tensorPlanOptions(problem.nonzeros(),
                                          isMatrix ? kRank : 1, Element::F32));
  if (!plan)
    return plan.error();
  double setUp = now() - begin, packing = 0;
  Result<std::vector<Compiled>> ours =
      compileOurs(problem, plan->fused, products, &packing);
  if (!ours)
    return ours.error();
  Result<std::vector<Compiled>> upstream = compileUpstream(problem, products);
  if (!upstream)
    return upstream.error();
  std::vector<FiberProduct> byHand;
  const double sorting = now();
  for (unsigned k = 0; k < kModes; ++k)
    byHand.push_back(makeFiberProduct(problem, k, isMatrix, request.threads));
  const double sorted = now();
  std::vector<Rows> outs;
  std::vector<Timed> contestants;
  setUp += packing;
  for (unsigned k = 0; k < kModes; ++k) {
    outs.push_back(resultOf(problem, products[k]));
    tuneFiberProduct(problem, byHand[k], outs[k].data());
    const std::vector<double> expected = reference(problem, k, isMatrix);
    const double first = now();
    if (Status s = (*ours)[k](outs[k].data()); !s)
      return s;
    setUp += now() - first;
    const Compiled runs[Contestants] = {(*ours)[k],
                                        [&, k](Row *out) -> Status {
                                          runFiberProduct(problem, byHand[k],
                                                          out);
                                          return Success{};
                                        },
                                        (*upstream)[k]};
    for (const Compiled &run : runs) {
      if (Status s = checkOnce(expected, outs[k], run); !s)
        return Error{"mode " + std::to_string(k) + ": " + s.message()};
      contestants.push_back({[&, k, run] { (void)bool(run(outs[k].data())); }});
    }
  }
  printRow(name, isMatrix, problem, timeInTurn(contestants));
  const auto nonzeros = double(problem.nonzeros());
  std::printf(" %.0f / %.0f |\n", 1e9 * setUp / nonzeros,
              1e9 * (sorted - sorting) / nonzeros);
  return Success{};
}

Status Benchmark::measure(const std::string &name, CooTensor tensor,
                          bool isMatrix) {
  Problem problem(std::move(tensor));
  Status status = compare(name, problem, isMatrix);
  std::fflush(stdout);
  return status ? std::move(status)
                : Status(Error{name + ": " + status.message()});
}

Status Benchmark::run() {
  std::printf("| tensor | product | nonzeros | mode 0, ns a nonzero: ours / by "
              "hand / upstream | mode 1 | mode 2 | by hand, times ours (gm) | "
              "upstream | ns a nonzero to pack, copy and run once / to sort |\n"
              "|---|---|---|---|---|---|---|---|---|\n");
  for (bool isMatrix : {false, true}) {
    auto time = [&](const std::string &name, CooTensor tensor) {
      return measure(name, std::move(tensor), isMatrix);
    };
    if (Status s = request.forEach(isMatrix ? kOfMatrices : kOfVectors, time);
        !s)
      return s;
  }
  printMeans();
  return Success{};
}

} // namespace

int main(int argc, char **argv) {
  TensorRequest request;
  request.nonzeros = 2000000;
  tools::Options options("bench-ttm",
                         "times tensors times vectors and matrices");
  request.declare(options);
  return tools::runTool(options, argc, argv, [&] {
    astfe_rt_set_threads(request.threads);
    return Benchmark(request).run();
  });
}
