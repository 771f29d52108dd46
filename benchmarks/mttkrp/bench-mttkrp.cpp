//===- bench-mttkrp.cpp - MTTKRP over bricks against CSF and upstream -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times MTTKRP of rank 32 in every mode, interleaved, each checked against
// float64, and prints a row of a Markdown table for each tensor and number of
// threads: what ASTFE compiles, the same by hand, compressed sparse fibers with
// a copy a mode by hand, one copy for all modes by hand, and copies a mode
// through upstream's sparsifier; then the means of all tensors, mode by mode.
// --ablation prints what the steps to the bricks bring instead: runs of equal
// size of the rows, along the curve, refined blocks, fused groups.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/PackBricks.h"
#include "ASTFE/Core/Plan/Plan.h"
#include "ASTFE/Core/Tensor/Frostt.h"
#include "ASTFE/Runtime/ABI.h"
#include "BrickKernel.h"
#include "Compiled.h"
#include "Csf.h"
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

struct Request : TensorRequest {
  int64_t slots = kBrickSlots;
  bool ablation = false;
};

/// What is timed, in this order for each mode.
enum Contestant { Ours, ByHand, OnFibers, OnOneTree, Upstream, Contestants };

/// A row of a factor has 128 bytes: 8192 rows fill a second-level cache of 1
/// MiB, 262,144 rows a third-level one of 32 MiB.
constexpr Cube kCubes[] = {
    {"uniform", TensorClass::Uniform, 20000},
    {"power-law", TensorClass::PowerLaw, 50000},
    {"clusters beyond L2", TensorClass::Clustered, 131072},
    {"clusters beyond L3", TensorClass::Clustered, 1 << 20},
    {"long fibers", TensorClass::LongFibers, 20000},
    {"factors beyond L3", TensorClass::Uniform, 400000}};

/// The groups of each step of the ablation, and the product's.
enum class Step { Rows, Order, Refine, Fuse };

Result<Graph> graphOf(const SparseView &view, Step step,
                      const Request &request) {
  PlanOptions options;
  options.order = step == Step::Rows ? OrderKind::Rows : OrderKind::Hilbert;
  options.setWorkers(brickPlanWorkers(view.nonzeros(), request.slots));
  options.refine.waves = options.fuse.waves = 1;
  options.partition.leaf = view.nonzeros();
  options.fuse.columns = kRank;
  Result<Plan> plan = makePlan(view, options);
  if (!plan)
    return plan.error();
  Graph graph = step == Step::Fuse ? plan->fused : plan->refined;
  // One group is cut into equal runs of the order.
  if (step == Step::Rows || step == Step::Order)
    graph.groups = {0, int64_t(graph.size())};
  return graph;
}

Result<Bricks> packGraph(const SparseView &view, const Graph &graph,
                         const Request &request) {
  BrickOptions packing;
  packing.slots = request.slots;
  packing.threads = unsigned(request.threads);
  return packBricks(view, graph, packing);
}

class Benchmark {
public:
  explicit Benchmark(const Request &request) : request(request) {}

  Status run();

private:
  Status measure(const std::string &name, CooTensor tensor);
  Status compare(const std::string &name, Problem &problem);
  Status ablate(const std::string &name, const Problem &problem);
  Status checkRows(const Problem &problem, unsigned key, const Rows &out);
  void printRow(const std::string &name, double nonzeros, int64_t bricks,
                const std::vector<Samples> &samples);
  void printMeans() const;

  /// Runs a contestant once, for the check.
  Status runOnce(const Problem &problem, unsigned key, Rows &out,
                 const Compiled &run);

  /// By mode and contestant, its time over ours.
  using Ratios = std::array<std::array<double, Contestants>, kModes>;

  const Request &request;
  std::vector<Ratios> ratios; ///< of each tensor
};

Status Benchmark::checkRows(const Problem &problem, unsigned key,
                            const Rows &out) {
  // Sums of n products in float32 are off by some sqrt(n) ulps.
  const double error = worstError(out, problem.reference(key));
  if (error <= 1e-4)
    return Success{};
  return Error{"mode " + std::to_string(key) +
               ": expected an error of at most 1e-4 but got " +
               std::to_string(error)};
}

Status Benchmark::runOnce(const Problem &problem, unsigned key, Rows &out,
                          const Compiled &run) {
  std::memset(static_cast<void *>(out.data()), 0xff,
              size_t(out.count()) * sizeof(Row));
  if (Status s = run(out.data()); !s)
    return s;
  return checkRows(problem, key, out);
}

/// The nanoseconds a nonzero of each mode, and how many times those of ours the
/// others take.
void Benchmark::printRow(const std::string &name, double nonzeros,
                         int64_t bricks, const std::vector<Samples> &samples) {
  std::printf("| %s | %.3g | %lld |", name.c_str(), nonzeros,
              (long long)bricks);
  Ratios over{};
  double best = 1e30, worst = 0;
  for (unsigned k = 0; k < kModes; ++k) {
    const double ours = samples[k * Contestants].median();
    best = std::min(best, ours);
    worst = std::max(worst, ours);
    for (unsigned c = 0; c < Contestants; ++c) {
      const double seconds = samples[k * Contestants + c].median();
      over[k][c] = seconds / ours;
      std::printf("%s%.2f", c ? " / " : " ", seconds * 1e9 / nonzeros);
    }
    std::printf(" |");
  }
  std::printf(" %.2f |", worst / best);
  for (unsigned c = ByHand; c < Contestants; ++c)
    std::printf("%s%.2f", c == ByHand ? " " : ", ",
                std::cbrt(over[0][c] * over[1][c] * over[2][c]));
  std::printf(" |");
  ratios.push_back(over);
}

/// Geometric means over the tensors, and the least.
void Benchmark::printMeans() const {
  std::printf("\n| mode | bricks by hand | a CSF a mode | one CSF | upstream "
              "|\n|---|---|---|---|---|\n");
  for (unsigned k = 0; k < kModes; ++k) {
    std::printf("| %u |", k);
    for (unsigned c = ByHand; c < Contestants; ++c) {
      double logs = 0, least = 1e30;
      for (const Ratios &of : ratios) {
        logs += std::log(of[k][c]);
        least = std::min(least, of[k][c]);
      }
      std::printf(" %.2f (%.2f) |", std::exp(logs / double(ratios.size())),
                  least);
    }
    std::printf("\n");
  }
}

Status Benchmark::compare(const std::string &name, Problem &problem) {
  const double begin = now();
  Result<Graph> graph = graphOf(problem.tensor.view(), Step::Fuse, request);
  if (!graph)
    return graph.error();
  Result<Bricks> bricks = packGraph(problem.tensor.view(), *graph, request);
  if (!bricks)
    return bricks.error();
  const double packed = now();
  const int64_t count = bricks->bricks();
  Result<BrickProblem> mine =
      makeBricks(problem, std::move(*bricks), request.threads);
  if (!mine)
    return mine.error();
  const double copied = now();
  Products products;
  for (unsigned k = 0; k < kModes; ++k)
    products.push_back(product::TensorProduct::mttkrp(kModes, k, kRank));
  Result<std::vector<Compiled>> ours = compileOurs(problem, *graph, products);
  if (!ours)
    return ours.error();
  Result<std::vector<Compiled>> upstream = compileUpstream(problem, products);
  if (!upstream)
    return upstream.error();
  std::vector<Csf> csf;
  int64_t csfBytes = 0;
  std::vector<Rows> outs;
  std::vector<Timed> contestants;
  const double sorting = now();
  for (unsigned k = 0; k < kModes; ++k)
    csf.push_back(makeCsf(problem, k, request.threads));
  const double sorted = now();
  for (unsigned k = 0; k < kModes; ++k) {
    csfBytes += csf[k].bytes();
    outs.emplace_back(problem.tensor.shape[k]);
    tuneCsf(problem, csf[k], outs[k]);
  }
  OneCsf one(problem, request.threads);
  for (unsigned k = 0; k < kModes; ++k) {
    const Compiled runs[Contestants] = {(*ours)[k],
                                        [&, k](Row *) -> Status {
                                          runBricks(problem, *mine, k, outs[k]);
                                          return Success{};
                                        },
                                        [&, k](Row *) -> Status {
                                          runCsf(problem, csf[k], outs[k]);
                                          return Success{};
                                        },
                                        [&, k](Row *) -> Status {
                                          one.run(k, outs[k]);
                                          return Success{};
                                        },
                                        (*upstream)[k]};
    for (const Compiled &run : runs) {
      if (Status s = runOnce(problem, k, outs[k], run); !s)
        return s;
      contestants.push_back({[&, k, run] { (void)bool(run(outs[k].data())); }});
    }
  }
  const auto nonzeros = double(problem.nonzeros());
  printRow(name, nonzeros, count, timeInTurn(contestants));
  std::printf(" %.1f / %.1f | %.0f, %.0f / %.0f | %lld, %lld, %lld |\n",
              mine->bytesPerNonzero(), double(csfBytes) / nonzeros,
              1e9 * (packed - begin) / nonzeros,
              1e9 * (copied - packed) / nonzeros,
              1e9 * (sorted - sorting) / nonzeros, (long long)csf[0].ahead,
              (long long)csf[1].ahead, (long long)csf[2].ahead);
  return Success{};
}

Status Benchmark::ablate(const std::string &name, const Problem &problem) {
  std::vector<BrickProblem> steps;
  std::vector<Rows> outs;
  for (int64_t extent : problem.tensor.shape)
    outs.emplace_back(extent);
  for (Step step : {Step::Rows, Step::Order, Step::Refine, Step::Fuse}) {
    Result<Graph> graph = graphOf(problem.tensor.view(), step, request);
    if (!graph)
      return graph.error();
    Result<Bricks> bricks = packGraph(problem.tensor.view(), *graph, request);
    if (!bricks)
      return bricks.error();
    Result<BrickProblem> made =
        makeBricks(problem, std::move(*bricks), request.threads);
    if (!made)
      return made.error();
    steps.push_back(std::move(*made));
  }
  std::vector<Timed> contestants;
  for (unsigned k = 0; k < kModes; ++k)
    for (const BrickProblem &step : steps) {
      runBricks(problem, step, k, outs[k]);
      if (Status s = checkRows(problem, k, outs[k]); !s)
        return s;
      contestants.push_back({[&, k] { runBricks(problem, step, k, outs[k]); }});
    }
  std::vector<Samples> samples = timeInTurn(contestants);
  std::printf("| %s | %.3g |", name.c_str(), double(problem.nonzeros()));
  for (size_t s = 0; s < steps.size(); ++s) {
    for (unsigned k = 0; k < kModes; ++k)
      std::printf("%s%.2f", k ? ", " : " ",
                  samples[k * steps.size() + s].median() * 1e9 /
                      double(problem.nonzeros()));
    std::printf(" (%lld) |", (long long)steps[s].bricks.bricks());
  }
  double all = 1, worst = 1;
  for (unsigned k = 0; k < kModes; ++k) {
    const double gain = samples[k * steps.size()].median() /
                        samples[k * steps.size() + steps.size() - 1].median();
    all *= gain;
    worst = std::max(worst, gain);
  }
  std::printf(" %.2f, %.2f |\n", std::cbrt(all), worst);
  return Success{};
}

Status Benchmark::measure(const std::string &name, CooTensor tensor) {
  Problem problem(std::move(tensor));
  Status status =
      request.ablation ? ablate(name, problem) : compare(name, problem);
  std::fflush(stdout);
  return status ? std::move(status)
                : Status(Error{name + ": " + status.message()});
}

Status Benchmark::run() {
  if (request.ablation)
    std::printf("| tensor | nonzeros | rows, ns a nonzero by mode (bricks) | + "
                "order | + refine | + fuse | gain, gm and most |\n"
                "|---|---|---|---|---|---|---|\n");
  else
    std::printf(
        "| tensor | nonzeros | bricks | mode 0, ns a nonzero: ours / "
        "by hand / CSF / one CSF / upstream | mode 1 | mode 2 | worst "
        "/ best mode | times ours: by hand, CSF, one CSF, upstream (gm) "
        "| bytes a nonzero, bricks / CSF | ns a nonzero to pack, copy "
        "/ to sort for CSF | entries that CSF looks ahead, by mode |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|\n");
  auto time = [&](const std::string &name, CooTensor tensor) {
    return measure(name, std::move(tensor));
  };
  if (Status s = request.forEach(kCubes, time); !s)
    return s;
  if (ratios.size() > 1)
    printMeans();
  return Success{};
}

} // namespace

int main(int argc, char **argv) {
  Request request;
  request.nonzeros = 4000000;
  tools::Options options("bench-mttkrp",
                         "times MTTKRP of rank 32 over bricks and over CSF");
  request.declare(options);
  options.integer("slots", "N", "the most slots of a brick (default 65536)",
                  request.slots, 1, kBrickSlots);
  options.flag("ablation", "what the steps to the bricks bring",
               request.ablation);
  return tools::runTool(options, argc, argv, [&] {
    astfe_rt_set_threads(request.threads);
    return Benchmark(request).run();
  });
}
