//===- Request.cpp - what bench-kernels is asked to measure ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Request.h"
#include "Contestant.h"
#include "Generate.h"
#include "Options.h"
#include <algorithm>
#include <cstdio>

namespace astfe::bench {
namespace {

using Names = std::vector<std::string>;

/// The command line, before words become what they stand for.
struct Words {
  std::string matrix, classes, columns, types, contestants;
  int64_t nonzeros = 0, rounds = 0;
  bool quick = false, minPlus = false;
};

tools::Options declare(Request &request, Words &words) {
  tools::Options options("bench-kernels",
                         "times SpMV and SpMM, ASTFE and its peers in turn");
  options.text("matrix", "FILE,...", "Matrix Market files", words.matrix);
  options.text("classes", "NAME,...",
               "generated matrices: all, none or names (default: all where no "
               "file is given)",
               words.classes);
  options.integer("nonzeros", "N",
                  "of a generated matrix (default 1000000; --quick: 100000)",
                  words.nonzeros, 1, int64_t(1) << 30);
  options.text("columns", "N,...",
               "columns of B; 1 is SpMV (default 1,4,8,16,32,100,128,512; "
               "--quick: 1,32,128)",
               words.columns);
  options.text("types", "f32,f64", "element types (default both; --quick: f32)",
               words.types);
  options.text("contestants", "NAME,...", "only these (default: all)",
               words.contestants);
  options.flag("accumulate", "time C += A B (default: C = A B)",
               request.accumulate);
  options.flag("transpose", "time C = A^T B, from A's arrays",
               request.transpose);
  options.flag("min-plus", "over the semiring of minima and sums",
               words.minPlus);
  options.flag("orders",
               "contestants are all orders and reorderings of packed storage, "
               "and what auto picks",
               request.orders);
  options.integer("threads", "N", "use N threads; 0 takes all there are",
                  request.threads, 0, 4096);
  options.integer("expected-runs", "N",
                  "order=auto pays for itself in N runs (default 100)",
                  request.expectedRuns, 1, int64_t(1) << 40);
  options.integer("rounds", "N", "samples of each contestant (default 9 to 41)",
                  words.rounds, 1, 10000);
  options.text("machine", "FILE",
               "the cost model's numbers (default: measured once, and kept)",
               request.machine);
  options.text("cpu", "NAME",
               "compile for that CPU, a name of LLVM's (default: native)",
               request.cpu);
  options.text("kernel-cache", "DIR",
               "take compiled kernels from DIR and keep them there (default: "
               "compile all)",
               request.kernelCache);
  options.text("tsv", "FILE", "write all numbers to FILE", request.tsv);
  options.flag("quick",
               "fewer and smaller problems, short samples: under a minute",
               words.quick);
  return options;
}

Names split(const std::string &text) {
  Names parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// The names in `text`, each of which must be one of `known`.
core::Status takeNames(const char *option, const std::string &text,
                       const Names &known, Names &target) {
  if (text.empty())
    return core::Success();
  target = split(text);
  std::string list;
  for (const std::string &name : known)
    list += (list.empty() ? "" : ", ") + name;
  for (const std::string &name : target)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return core::Error{std::string("--") + option + ": expected " + list +
                         " but got '" + name + "'"};
  return core::Success();
}

core::Status takeColumns(const std::string &text, Request &request) {
  if (text.empty())
    return core::Success();
  request.columns.clear();
  for (const std::string &part : split(text)) {
    char *end = nullptr;
    const long long n = std::strtoll(part.c_str(), &end, 10);
    if (part.empty() || *end || n < 1 || n > 1 << 16)
      return core::Error{"--columns: expected 1..65536 but got '" + part + "'"};
    request.columns.push_back(n);
  }
  return core::Success();
}

Names classNames() {
  Names names;
  for (MatrixClass kind : matrixClasses())
    names.push_back(className(kind));
  return names;
}

core::Status takeClasses(const Words &words, Request &request) {
  const bool all =
      words.classes.empty() ? words.matrix.empty() : words.classes == "all";
  if (all)
    request.classes = classNames();
  if (all || words.classes == "none")
    return core::Success();
  return takeNames("classes", words.classes, classNames(), request.classes);
}

core::Status takeContestants(const Words &words, Request &request) {
  Names known;
  if (!request.orders && (request.transpose || words.minPlus)) {
    // Libraries have neither A^T from A's arrays nor minima here.
    known = {"astfe-packed", "astfe-view", "upstream-vl0", "upstream-vl16",
             "expert"};
    if (!words.minPlus)
      known.push_back("expert-scatter");
  } else {
    for (const Entry &entry : request.orders ? orderEntries() : entries())
      if (entry.name != "expert-scatter")
        known.push_back(entry.name);
  }
  request.contestants = known;
  return takeNames("contestants", words.contestants, known,
                   request.contestants);
}

void makeQuick(Request &request) {
  request.nonzeros = 100000;
  request.columns = {1, 32, 128};
  request.types = {"f32"};
  request.timing = {15, 3e-4, 0.1, 7};
}

core::Status interpret(const Words &words, Request &request) {
  if (words.quick)
    makeQuick(request);
  if (!words.matrix.empty())
    request.files = split(words.matrix);
  if (words.nonzeros)
    request.nonzeros = words.nonzeros;
  if (words.rounds)
    request.timing.rounds = request.timing.leastRounds = int(words.rounds);
  if (words.minPlus)
    request.semiring = core::Semiring::MinPlus;
  if (auto status = takeColumns(words.columns, request); !status)
    return status;
  if (auto status =
          takeNames("types", words.types, {"f32", "f64"}, request.types);
      !status)
    return status;
  if (auto status = takeClasses(words, request); !status)
    return status;
  return takeContestants(words, request);
}

} // namespace

core::Result<std::optional<Request>> parseRequest(int argc, char **argv) {
  Request request;
  Words words;
  tools::Options options = declare(request, words);
  auto go = options.parse(argc, argv);
  if (!go)
    return go.error();
  if (!*go) {
    std::fputs(options.help().c_str(), stdout);
    return std::optional<Request>();
  }
  if (auto status = interpret(words, request); !status)
    return status.error();
  return std::optional<Request>(std::move(request));
}

} // namespace astfe::bench
