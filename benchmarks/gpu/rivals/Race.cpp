//===- Race.cpp - ours against the rivals, by the model -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: astfe-bench-rivals [--tsv=FILE] [--nonzeros=N] [--columns=N]...
//                           [--class=NAME]... [--matrix=FILE]... [--alone]
//                           [--order=ORDER] [--reorder=METHOD]
//                           [--storage=STORAGE] [--expected-runs=N]
//
// Takes all generated classes, or those that are named, and matrices of files.
// --alone runs no rivals. --order, --reorder and --storage are those of the
// pipelines: how our matrix is stored. What is not said is chosen for a GPU, by
// the rules of --storage=auto in astfe-run, so that it pays for itself in the
// expected runs (100).
//
// r, the reuse factor, is the sectors of B that nonzeros stand for over all
// that L2 is asked for: more than one where L1 has what a neighbour left.
//
// Runs our kernel and the rivals (rivals.cu) on the emulator, checks the
// results against float64, and predicts their time on an H200 (Model.h).
// What comes before a kernel counts, too: what ours starts rows with, and the
// clearing of C that merge_path and parts of row_parts need. astfe-bench-device
// (Measured.cpp) measures the same on a GPU.
//
//===----------------------------------------------------------------------===//

#include "Contestants.h"

#include "ASTFE/Core/Target/Constants.h"
#include "ASTFE/InitAll.h"
#include "mlir/IR/MLIRContext.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

using namespace astfe;
using namespace astfe::bench;

emu::Prediction
bench::predictRun(const std::vector<emu::LaunchReport> &launches,
                  int64_t bytesCleared) {
  auto gpu = emu::gpuNumbers("h200");
  const auto before = launches.size() > 1 || bytesCleared ? emu::Before::Another
                                                          : emu::Before::Same;
  emu::Prediction all;
  if (bytesCleared)
    all += emu::predictFill(*gpu, bytesCleared);
  for (const emu::LaunchReport &launch : launches) {
    auto registers = emu::kernelRegisters(launch.kernel);
    if (!registers)
      fail(registers.message());
    auto prediction = emu::predict(*gpu, launch, *registers, before);
    if (!prediction)
      fail(prediction.message());
    all += *prediction;
  }
  return all;
}

namespace {

struct Entry {
  std::string matrix, name, stored;
  int64_t nonzeros, columns;
  emu::Prediction prediction;

  /// What nonzeros read of B over what L2 is asked for.
  double reuse() const {
    const int64_t sectors = nonzeros * ((columns + 7) / 8);
    return double(sectors) / double(prediction.l2Sectors);
  }
};

/// The geometric mean of ratios of two contestants' times over all products of
/// at least `least` columns.
double meanRatio(const std::vector<Entry> &entries, const std::string &over,
                 const std::string &of, int64_t least) {
  std::map<std::pair<std::string, int64_t>, std::pair<double, double>> times;
  for (const Entry &entry : entries) {
    auto &both = times[{entry.matrix, entry.columns}];
    if (entry.name == over)
      both.first = entry.prediction.seconds;
    if (entry.name == of)
      both.second = entry.prediction.seconds;
  }
  double sum = 0;
  int count = 0;
  for (const auto &[product, both] : times)
    if (product.second >= least && both.first > 0 && both.second > 0) {
      sum += std::log(both.first / both.second);
      ++count;
    }
  return count ? std::exp(sum / count) : 0;
}

/// Ours over the best rival of each product.
void printSummary(const std::vector<Entry> &entries) {
  std::map<std::pair<std::string, int64_t>, std::pair<double, double>> times;
  for (const Entry &entry : entries) {
    auto &[ours, best] = times[{entry.matrix, entry.columns}];
    double &time = entry.name == "ours" ? ours : best;
    if (time == 0 || entry.prediction.seconds < time)
      time = entry.prediction.seconds;
  }
  double sum = 0, least = INFINITY;
  for (const auto &[product, both] : times) {
    sum += std::log(both.second / both.first);
    least = std::min(least, both.second / both.first);
  }
  std::printf("ours over the best rival: gm %.2f, least %.2f of %zu products\n",
              std::exp(sum / double(times.size())), least, times.size());
  std::printf(
      "over row_per_warp, 32 columns or more: row_tiles %.2f, row_parts "
      "%.2f, merge_path %.2f, ours %.2f\n",
      meanRatio(entries, "row_per_warp", "row_tiles", 32),
      meanRatio(entries, "row_per_warp", "row_parts", 32),
      meanRatio(entries, "row_per_warp", "merge_path", 32),
      meanRatio(entries, "row_per_warp", "ours", 32));
}

void print(const Entry &entry) {
  const emu::Prediction &p = entry.prediction;
  std::printf("%-16s %7lld %4lld  %-13s %8.2f us %-8s issue %7.2f L1 %7.2f L2 "
              "%7.2f DRAM %7.2f latency %7.2f r %.2f %s\n",
              entry.matrix.c_str(), (long long)entry.nonzeros,
              (long long)entry.columns, entry.name.c_str(), p.seconds * 1e6,
              p.limit, p.issueSeconds * 1e6, p.l1Seconds * 1e6,
              p.l2Seconds * 1e6, p.dramSeconds * 1e6, p.latencySeconds * 1e6,
              entry.reuse(), entry.stored.c_str());
}

void write(const std::vector<Entry> &entries, const std::string &path) {
  std::ofstream file(path);
  file << "matrix\tnonzeros\tcolumns\tkernel\tmicroseconds\tlimit\tissue\tL1\t"
          "L2\tDRAM\tlatency\tissued\tsectors\tl1_hits\tl2_sectors\tl2_hits\t"
          "dram_bytes\toccupancy\tbytes_in_flight\treuse\tstored\n";
  for (const Entry &e : entries) {
    const emu::Prediction &p = e.prediction;
    file << e.matrix << '\t' << e.nonzeros << '\t' << e.columns << '\t'
         << e.name << '\t' << p.seconds * 1e6 << '\t' << p.limit << '\t'
         << p.issueSeconds * 1e6 << '\t' << p.l1Seconds * 1e6 << '\t'
         << p.l2Seconds * 1e6 << '\t' << p.dramSeconds * 1e6 << '\t'
         << p.latencySeconds * 1e6 << '\t' << p.issued << '\t' << p.sectors
         << '\t' << p.l1Hits << '\t' << p.l2Sectors << '\t' << p.l2Hits << '\t'
         << p.dramBytes << '\t' << p.occupancy << '\t' << p.bytesInFlight
         << '\t' << e.reuse() << '\t' << e.stored << '\n';
  }
}

/// What is asked for.
struct Request {
  std::string tsv;
  std::vector<int64_t> columns;
  int64_t nonzeros = 200000;
  std::vector<std::string> classes, files;
  Storing storing{"", "", "", core::rules::kExpectedRuns};
  bool alone = false;
};

void race(emu::Emulator &emulator, mlir::MLIRContext &context,
          const Request &request, const std::vector<Named> &matrices,
          int64_t columns, std::vector<emu::LaunchReport> &launches,
          std::vector<Entry> &entries) {
  Ours ours(context, columns);
  Rivals rivals(emulator, ASTFE_RIVALS_BITCODE);
  for (const auto &[matrixName, matrix] : matrices) {
    const Product product(matrix, columns);
    auto add = [&, &matrixName = matrixName, &matrix = matrix](
                   const std::string &name, const std::string &stored = "",
                   int64_t bytesCleared = 0) {
      entries.push_back({matrixName, name, stored, matrix.nonzeros(), columns,
                         predictRun(launches, bytesCleared)});
      launches.clear();
      print(entries.back());
    };
    const std::string stages = request.storing.stagesFor(product);
    ours.run(product, stages);
    add("ours", stages);
    if (request.alone)
      continue;
    for (const std::string &name : rivalsFor(columns)) {
      const auto rival = rivals.prepare(name, product);
      if (auto status = rival->put(nullptr); !status)
        fail(status.message());
      rival->check();
      add(name, "", rival->bytesCleared());
    }
  }
}

int64_t number(const std::string &argument, size_t from, int64_t most) {
  const int64_t value = std::atoll(argument.c_str() + from);
  if (value < 1 || value > most)
    fail("expected 1 to " + std::to_string(most) + " but got '" + argument +
         "'");
  return value;
}

Request parse(int argc, char **argv) {
  Request request;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    auto is = [&](const std::string &name) {
      return argument.rfind(name + "=", 0) == 0;
    };
    if (is("--tsv"))
      request.tsv = argument.substr(6);
    else if (is("--nonzeros"))
      request.nonzeros = number(argument, 11, 1 << 24);
    else if (is("--columns"))
      request.columns.push_back(number(argument, 10, 4096));
    else if (is("--class"))
      request.classes.push_back(argument.substr(8));
    else if (is("--matrix"))
      request.files.push_back(argument.substr(9));
    else if (is("--order"))
      request.storing.order = argument.substr(8);
    else if (is("--reorder"))
      request.storing.reorder = argument.substr(10);
    else if (argument == "--storage=view" || argument == "--storage=packed")
      request.storing.storage = argument.substr(10);
    else if (is("--expected-runs"))
      request.storing.expectedRuns = number(argument, 16, INT64_MAX);
    else if (argument == "--alone")
      request.alone = true;
    else
      fail("expected --tsv=FILE, --nonzeros=N, --columns=N, --class=NAME, "
           "--matrix=FILE, --order=ORDER, --reorder=METHOD, --storage=view, "
           "--storage=packed, --expected-runs=N or --alone but got '" +
           argument + "'");
  }
  if (request.columns.empty())
    request.columns = {1, 8, 32, 64, 128, 512};
  for (int64_t count : request.columns)
    if (count != 1 && count != 8 && count % 32 != 0)
      fail("expected 1, 8 or a multiple of 32 columns but got " +
           std::to_string(count));
  return request;
}

} // namespace

int main(int argc, char **argv) {
  const Request request = parse(argc, argv);
  mlir::DialectRegistry registry;
  registerEverything(registry);
  mlir::MLIRContext context(registry);
  emu::Options options;
  options.multiprocessors = 132;
  options.warpsPerMultiprocessor = int(core::rules::kGPUResidentWarps);
  options.recordTraces = true;
  std::vector<emu::LaunchReport> launches; // of one product
  options.launched = [&](const emu::LaunchReport &launch) {
    launches.push_back(launch);
  };
  emu::Emulator emulator(options);
  rt::setDevice(&emulator);
  std::vector<Entry> entries;
  const std::vector<Named> matrices =
      matricesOf(request.classes, request.files, request.nonzeros);
  for (int64_t count : request.columns)
    race(emulator, context, request, matrices, count, launches, entries);
  if (!request.alone)
    printSummary(entries);
  if (!request.tsv.empty())
    write(entries, request.tsv);
  rt::setDevice(nullptr);
  return 0;
}
