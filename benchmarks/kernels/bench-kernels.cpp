//===- bench-kernels.cpp - SpMV and SpMM against their peers --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For every matrix, element type and number of columns: prepares all
// contestants, checks the result of each against float64, times them in turn,
// and prints one line and one row of the TSV file for each contestant.
// benchmarks/kernels/report.py makes tables and plots of such files.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Plan/MeasureMachine.h"
#include "ASTFE/Core/Support/FileText.h"
#include "ASTFE/Core/Tensor/Frostt.h"
#include "ASTFE/Execution/KernelCache.h"
#include "ASTFE/Runtime/ABI.h"
#include "Contestant.h"
#include "Generate.h"
#include "Request.h"
#include "Threads.h"
#include "Timing.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace astfe;
using namespace astfe::bench;

namespace {

struct Source {
  std::string name, kind; ///< the file's stem and "file", or the class twice
  core::CsrMatrix matrix;
};

/// A contestant's outcome.
struct Outcome {
  std::string name;
  std::unique_ptr<Contestant> contestant;
  run::Difference difference;
  Samples samples;
};

/// Everything of a run, from the options to the rows of the file.
class Benchmark {
public:
  Benchmark(const Request &request, const core::Machine &machine)
      : request(request), machine(machine) {}

  core::Status run();

private:
  core::Status measure(const Source &source);
  core::Status measure(const Source &source, const std::string &type,
                       int64_t columns);
  core::Status prepare(const Contest &contest, run::Problem &problem,
                       run::Dense &result, std::vector<Outcome> &outcomes);
  void time(std::vector<Outcome> &outcomes);
  void report(const Source &source, const run::Problem &problem,
              const std::string &type, const std::vector<Outcome> &outcomes);

  const Request &request;
  const core::Machine &machine;
  compiler::KernelCompiler source;
  compiler::Lowering lowering;
  int threads = int(_mlir_ciface_astfe_rt_threads());
  std::string rows;
};

core::Result<Source> readSource(const std::string &path) {
  auto tensor = core::readTensor(path, {});
  if (!tensor)
    return tensor.error();
  if (tensor->shape.size() != 2)
    return core::Error{path + ": expected a matrix but got " +
                       std::to_string(tensor->shape.size()) + " modes"};
  auto csr = core::toCsr(*tensor);
  if (!csr)
    return csr.error();
  return Source{llvm::sys::path::stem(path).str(), "file", std::move(*csr)};
}

Source generateSource(const std::string &name, int64_t nonzeros) {
  for (MatrixClass kind : matrixClasses())
    if (name == className(kind))
      return {name, name, generate(kind, nonzeros).csr()};
  llvm_unreachable("the options know all classes");
}

core::Status Benchmark::run() {
  for (const std::string &path : request.files) {
    auto source = readSource(path);
    if (!source)
      return source.error();
    if (auto status = measure(*source); !status)
      return status;
  }
  for (const std::string &name : request.classes)
    if (auto status = measure(generateSource(name, request.nonzeros)); !status)
      return status;
  if (request.tsv.empty())
    return core::Success();
  return core::writeFile(
      request.tsv,
      "matrix\tkind\trows\tcols\tnnz\ttype\tcolumns\tthreads\tcontestant\t"
      "choice\tmedian\tleast\terror\tchoose\tprofile\tpartition\tpack\t"
      "compile\ttune\tconvert\tpredicted\troof\n" +
          rows);
}

core::Status Benchmark::measure(const Source &source) {
  for (const std::string &type : request.types)
    for (int64_t columns : request.columns)
      if (auto status = measure(source, type, columns); !status)
        return core::Error{source.name + ", " + type + ", " +
                           std::to_string(columns) +
                           " columns: " + status.message()};
  return core::Success();
}

core::Status Benchmark::measure(const Source &source, const std::string &type,
                                int64_t columns) {
  Contest contest{this->source, lowering, machine, {}};
  contest.settings.kernel =
      columns == 1 ? run::Kernel::SpMV : run::Kernel::SpMM;
  contest.settings.matrix = source.name;
  contest.settings.columns = columns;
  contest.settings.arithmetic.element = *core::parseElement(type);
  contest.settings.device = run::Device::Host;
  contest.settings.expectedRuns = request.expectedRuns;
  contest.settings.cpu = request.cpu;
  contest.settings.accumulate = request.accumulate;
  contest.settings.transpose = request.transpose;
  contest.settings.arithmetic.semiring = request.semiring;
  auto problem = run::makeProblem(contest.settings, source.matrix);
  if (!problem)
    return problem.error();
  run::Dense result = run::Dense::zero(problem->resultRows(), columns,
                                       contest.settings.arithmetic.element);
  std::vector<Outcome> outcomes;
  if (auto status = prepare(contest, *problem, result, outcomes); !status)
    return status;
  time(outcomes);
  report(source, *problem, type, outcomes);
  return core::Success();
}

/// Makes, prepares and checks all contestants.
core::Status Benchmark::prepare(const Contest &contest, run::Problem &problem,
                                run::Dense &result,
                                std::vector<Outcome> &outcomes) {
  for (const Entry &entry : request.orders ? orderEntries() : entries()) {
    if (!llvm::is_contained(request.contestants, entry.name))
      continue;
    Outcome outcome{entry.name, entry.make(contest), {}, {}};
    Contestant &contestant = *outcome.contestant;
    if (contestant.hasOwnThreads())
      restThreads(threads);
    auto status = contestant.prepare(problem, result);
    // What is overwritten holds NaN.
    result.fill(contest.settings.accumulate ? 0 : ~uint32_t(0));
    if (status)
      status = contestant.run();
    if (status)
      status = contestant.fetch();
    if (contestant.hasOwnThreads())
      wakeThreads(threads);
    if (!status)
      return core::Error{entry.name + ": " + status.message()};
    outcome.difference = compare(problem, result, unsigned(threads));
    if (!outcome.difference.passed)
      return core::Error{entry.name + ": the result differs from float64 by " +
                         std::to_string(outcome.difference.maxRelative)};
    outcomes.push_back(std::move(outcome));
  }
  return core::Success();
}

void Benchmark::time(std::vector<Outcome> &outcomes) {
  std::vector<Timed> timed;
  for (Outcome &outcome : outcomes) {
    Contestant *contestant = outcome.contestant.get();
    timed.push_back({[=] { (void)contestant->run(); }});
    if (!contestant->hasOwnThreads())
      continue;
    timed.back().before = [=] {
      restThreads(threads);
      (void)contestant->run();
    };
    timed.back().after = [=] { wakeThreads(threads); };
  }
  std::vector<Samples> samples = timeInTurn(timed, request.timing);
  for (size_t i = 0; i < outcomes.size(); ++i)
    outcomes[i].samples = std::move(samples[i]);
}

void Benchmark::report(const Source &source, const run::Problem &problem,
                       const std::string &type,
                       const std::vector<Outcome> &outcomes) {
  llvm::raw_ostream &out = llvm::outs();
  const int64_t columns = problem.operand.columns;
  out << llvm::left_justify(source.name, 24) << ' ' << type << ' '
      << llvm::right_justify(std::to_string(columns), 4);
  llvm::raw_string_ostream file(rows);
  for (const Outcome &outcome : outcomes) {
    const double median = outcome.samples.median();
    const SetUp &s = outcome.contestant->setUp;
    out << "  " << outcome.name << ' ' << llvm::format("%.1f us", median * 1e6);
    if (!outcome.contestant->choice.empty())
      out << " (" << outcome.contestant->choice << ')';
    file << source.name << '\t' << source.kind << '\t' << problem.rows << '\t'
         << problem.columns << '\t' << problem.nonzeros() << '\t' << type
         << '\t' << columns << '\t' << threads << '\t' << outcome.name << '\t'
         << outcome.contestant->choice << '\t'
         << llvm::format("%.4e\t%.4e\t%.2e", median, outcome.samples.least(),
                         outcome.difference.maxRelative);
    for (double seconds :
         {s.choose, s.profile, s.partition, s.pack, s.compile, s.tune,
          s.convert, outcome.contestant->predictedSeconds,
          outcome.contestant->roofSeconds})
      file << '\t' << llvm::format("%.4e", seconds);
    file << '\n';
  }
  out << '\n';
  out.flush();
}

core::Result<core::Machine> findMachine(const std::string &path) {
  if (path.empty())
    return core::cachedMachine(unsigned(_mlir_ciface_astfe_rt_threads()));
  auto text = core::readFile(path);
  if (!text)
    return text.error();
  return core::parseMachine(*text, path);
}

int fail(const std::string &text) {
  llvm::WithColor::error(llvm::errs(), "bench-kernels") << text << '\n';
  return 1;
}

} // namespace

int main(int argc, char **argv) {
  try {
    auto request = parseRequest(argc, argv);
    if (!request)
      return fail(request.message());
    if (!*request)
      return 0;
    // GraphBLAS and librsb bring libgomp; the others run on libomp's threads.
    setenv("ASTFE_OPENMP", "libomp", /*overwrite=*/0);
    astfe_rt_set_threads((*request)->threads);
    CacheSettings cache;
    cache.folder = (*request)->kernelCache;
    KernelCache::process().configure(cache);
    auto machine = findMachine((*request)->machine);
    if (!machine)
      return fail(machine.message());
    auto status = Benchmark(**request, *machine).run();
    return status ? 0 : fail(status.message());
  } catch (const std::bad_alloc &) {
    return fail("out of memory");
  }
}
