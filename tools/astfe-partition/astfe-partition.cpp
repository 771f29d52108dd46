//===- astfe-partition.cpp - the partition graph of a file ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Main.h"
#include "Steps.h"
#include <cstdio>
#include <thread>

using namespace astfe;
using namespace astfe::tools;

namespace {

/// auto comes after the names.
const size_t kAutoOrder = core::orderNames().size(),
             kAutoReorder = core::reorderNames().size();

/// The command line, before words become what they stand for.
struct Words {
  size_t order = kAutoOrder;
  size_t reorder = kAutoReorder; ///< auto: chosen with the order, or none
  std::string hubs;
  size_t duplicates = 0;
};

Options declare(PartitionRequest &request, Words &words) {
  constexpr int64_t kMost = int64_t(1) << 40;
  Options options("astfe-partition",
                  "makes the partition graph of a sparse matrix or tensor");
  options.text("matrix", "FILE", "read FILE (.mtx or .tns)", request.tensor,
               Needed::OneOf);
  options.text("tensor", "FILE", "the same", request.tensor, Needed::OneOf);
  options.text("graph-json", "FILE", "write the graph to FILE",
               request.graphJson);
  options.integer("workers", "N", "cut the work into N runs", request.workers,
                  1, 1 << 24);
  options.choice("order", core::orderNames().list("auto"),
                 "the order of the nonzeros; auto has the least time",
                 words.order);
  options.choice("reorder", core::reorderNames().list("auto"),
                 "renumber a matrix's rows and columns first; none with a "
                 "given order",
                 words.reorder);
  options.text("hubs", "none|auto|N",
               "set at most N rows and columns apart (default auto where "
               "renumbered)",
               words.hubs);
  options.integerOr("leaf", "auto",
                    "mean nonzeros of a block of G(0) (default auto)",
                    request.leaf, 1, kMost);
  options.integer("min", "N", "never split what has fewer nonzeros",
                  request.min, 1, kMost);
  options.numberOr("threshold", "auto",
                   "tau, above which blocks are split (default auto)",
                   request.threshold, 0.5, 1);
  options.flag("edges", "find face neighbours, and write them", request.edges);
  options.choice("duplicates", {"error", "sum"},
                 "what to do with entries that occur twice", words.duplicates);
  options.integer("threads", "N", "use N threads; 0 takes all there are",
                  request.threads, 0, 4096);
  return options;
}

/// What the words stand for.
core::Status interpret(const Words &words, PartitionRequest &request) {
  if (words.order != kAutoOrder)
    request.order = core::OrderKind(words.order);
  if (words.reorder != kAutoReorder)
    request.reorder = core::ReorderKind(words.reorder);
  else if (request.order)
    request.reorder = core::ReorderKind::None;
  const bool isPlain = request.reorder == core::ReorderKind::None;
  const std::string given = !words.hubs.empty() ? words.hubs
                            : isPlain           ? "none"
                                                : "auto";
  auto hubs = core::parseHubs(given);
  if (!hubs)
    return core::Error{
        "--hubs: expected none, auto or a number from 1 but got '" + given +
        "'"};
  request.hubs = *hubs;
  request.duplicates =
      words.duplicates == 0 ? core::Duplicates::Error : core::Duplicates::Sum;
  if (request.threads == 0)
    request.threads = std::max(1u, std::thread::hardware_concurrency());
  return core::Success();
}

} // namespace

int main(int argc, char **argv) {
  PartitionRequest request;
  Words words;
  Options options = declare(request, words);
  auto print = [](const std::string &step, const std::string &text) {
    std::printf("%-9s %s\n", step.c_str(), text.c_str());
  };
  return runTool(options, argc, argv, [&] {
    auto status = interpret(words, request);
    return status ? runPartition(request, print) : status;
  });
}
