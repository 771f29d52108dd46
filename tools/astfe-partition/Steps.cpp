//===- Steps.cpp - the steps of astfe-partition ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Steps.h"
#include "ASTFE/Core/Graph/GraphFile.h"
#include "ASTFE/Core/Pack/Assign.h"
#include "ASTFE/Core/Pack/Pack.h"
#include "ASTFE/Core/Plan/Plan.h"
#include "ASTFE/Core/Support/FileText.h"
#include "ASTFE/Core/Support/Shape.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdio>
#include <limits>

using namespace astfe;
using namespace astfe::tools;
using namespace astfe::core;

namespace {

/// "12 blocks", "1 block".
std::string counted(int64_t count, const char *noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string decimal(double number) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.4g", number);
  return text;
}

double mean(int64_t total, size_t count) {
  return count == 0 ? 0 : double(total) / double(count);
}

class Steps {
public:
  Steps(const PartitionRequest &request, const Report &report)
      : request(request), report(report) {
    options.order = request.order;
    options.reorder = request.reorder;
    options.hubs = request.hubs;
    options.profile = {request.min, unsigned(request.threads)};
    options.partition.leaf = request.leaf.value_or(0);
    options.refine.min = request.min;
    options.setWorkers(request.workers);
    // All are shown.
    options.expectedRuns = std::numeric_limits<int64_t>::max();
    options.setThreshold(request.threshold);
  }

  Status run() {
    if (Status status = read(); !status)
      return status;
    // Readers and writers name their file; these know of none.
    using Step = Status (Steps::*)();
    for (Step step : {&Steps::makeGraph, &Steps::assignWorkers})
      if (Status status = (this->*step)(); !status)
        return Error{request.tensor + ": " + status.message()};
    return write();
  }

private:
  Status read();
  Status makeGraph();
  Status reportTraffic(const Plan &plan);
  void reportGraph(const Plan &plan);
  std::string reasonText(const Plan &plan) const;
  Status assignWorkers();
  Status packWorkers();
  void groupWorkers();
  Status write();

  const PartitionRequest &request;
  const Report &report;
  PlanOptions options;
  CooTensor tensor;
  SparseView view;
  Graph graph;
  std::vector<int64_t> workers; ///< offsets into the packed nonzeros
};

Status Steps::read() {
  Result<CooTensor> read = readTensor(request.tensor, {request.duplicates});
  if (!read)
    return read.error();
  tensor = std::move(*read);
  view = tensor.view();
  report("tensor", shapeText(tensor.shape, " x ") + ", " +
                       counted(tensor.nonzeros(), "nonzero"));
  return Success{};
}

Status Steps::makeGraph() {
  Result<Plan> plan = makePlan(view, options);
  if (!plan)
    return plan.error();
  if (Status status = reportTraffic(*plan); !status)
    return status;
  reportGraph(*plan);
  graph = std::move(plan->fused);
  return Success{};
}

/// The predicted time of every order is shown, also where the order is given.
/// The model compares orders of matrices only.
Status Steps::reportTraffic(const Plan &plan) {
  if (view.rank() != 2)
    return Success{};
  std::vector<Score> scores = plan.scores;
  if (scores.empty()) {
    Result<Choice> all =
        choose(options.model(), view, request.workers, options.profile,
               {std::nullopt, request.reorder, options.panelLog2, request.hubs,
                options.expectedRuns});
    if (!all)
      return all.error();
    scores = std::move(all->scores);
  }
  std::string text;
  for (const Score &score : scores)
    text += (text.empty() ? "" : ", ") + arrangementName(score.arrangement) +
            (score.isBound ? " at most " : " ") + decimal(1e6 * score.seconds);
  report("predicted", text + " us");
  return Success{};
}

/// Why the plan has its order.
std::string Steps::reasonText(const Plan &plan) const {
  if (request.order && request.reorder)
    return "given";
  if (view.rank() != 2)
    return "default for " + counted(view.rank(), "mode");
  std::string why = whyNotLeast(plan.scores, plan.arrangement);
  return why.empty() ? "auto" : "auto: " + why;
}

void Steps::reportGraph(const Plan &plan) {
  const RefineLog &refined = plan.refineLog;
  const FuseLog &fused = plan.fuseLog;
  report("order",
         arrangementName(plan.arrangement) + " (" + reasonText(plan) + ")");
  report("profile", counted(int64_t(plan.profile.size()), "bin") +
                        ", split down to " + counted(request.min, "nonzero"));
  report("G(0)", counted(int64_t(plan.initial.size()), "block") + ", mean " +
                     decimal(mean(tensor.nonzeros(), plan.initial.size())) +
                     " nonzeros");
  report("refined", counted(int64_t(plan.refined.size()), "block") + " after " +
                        counted(refined.steps, "step") + ", T " +
                        std::to_string(refined.limit) + ", median " +
                        std::to_string(refined.median) + ", hottest " +
                        std::to_string(refined.hottest) + " -> " +
                        std::to_string(refined.hottestAfter));
  report("fused", counted(int64_t(plan.fused.size()), "block") + " after " +
                      counted(fused.merged, "merge") + ", traffic " +
                      std::to_string(fused.trafficBefore) + " -> " +
                      std::to_string(fused.trafficAfter) + " bytes");
  report("groups", std::to_string(plan.fused.groupCount()));
}

Status Steps::assignWorkers() {
  // Packed storage is for matrices whose indices fit 32 bits; whatever else is
  // assigned by its groups.
  constexpr int64_t kWidest = std::numeric_limits<int32_t>::max();
  if (view.rank() != 2 || *llvm::max_element(view.shape) > kWidest)
    groupWorkers();
  else if (Status status = packWorkers(); !status)
    return status;
  report("workers", std::to_string(request.workers) + ", imbalance " +
                        decimal(imbalance(workers)));
  return Success{};
}

Status Steps::packWorkers() {
  Result<Packed> packed =
      pack(view, graph, {Layout(), request.workers, options.profile.threads});
  if (!packed)
    return packed.error();
  workers = packed->workerOffsets();
  return Success{};
}

void Steps::groupWorkers() {
  std::vector<int64_t> sums{0};
  for (size_t group = 0; group < graph.groupCount(); ++group) {
    int64_t sum = sums.back();
    for (int64_t block = graph.groups[group]; block < graph.groups[group + 1];
         ++block)
      sum += graph.nonzeros[size_t(block)];
    sums.push_back(sum);
  }
  workers = assign(sums, request.workers);
}

Status Steps::write() {
  std::vector<Edge> found;
  std::optional<ArrayRef<Edge>> edges;
  if (request.edges) {
    found = faceNeighbors(graph, options.model());
    edges = found;
    report("edges",
           counted(int64_t(found.size()), "pair") + " of face neighbours");
  }
  if (request.graphJson.empty())
    return Success{};
  Status written = writeFile(request.graphJson, toJson(graph, workers, edges));
  if (written)
    report("written", request.graphJson);
  return written;
}

} // namespace

Status tools::runPartition(const PartitionRequest &request,
                           const Report &report) {
  return withinMemory({request.tensor + ": out of memory"},
                      [&] { return Steps(request, report).run(); });
}
