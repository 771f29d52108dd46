//===- bench-sddmm.cpp - sampled products against rivals ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// S = A .* (X Y^T) in f32: upstream's sparsifier, which makes a sparse result,
// a kernel by hand, ours over the caller's arrays and ours over the packed
// pattern. All are checked against float64, then timed in turn. Set-up is that
// of the packed pattern without its compilation: the others have none.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Compiler/KernelCompiler.h"
#include "ASTFE/Core/Tensor/MatrixMarket.h"
#include "Generate.h"
#include "Main.h"
#include "PlanOptions.h"
#include "Program.h"
#include "SampledExpert.h"
#include "Timing.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <malloc.h>

using namespace astfe;
using namespace astfe::bench;

namespace {

/// What the command line asks for.
struct Request {
  int64_t inner = 64, nonzeros = 1000000, threads = 0;
  std::string files; ///< matrices, with commas between them
};

/// The kernel by hand as a program.
class ByHand final : public run::Program {
public:
  ByHand() : Program(nullptr, false) {}
  core::Status run() override {
    expert->run();
    return core::Success();
  }
  std::string text() const { return expert->text(); }

private:
  core::Status prepareMatrix() override {
    expert = std::make_unique<SampledExpert>(
        Sampled{problem->rows, problem->positions.data(),
                problem->coordinates.data(), problem->values.as<float>(),
                problem->left.as<float>(), problem->operand.as<float>(),
                problem->left.columns},
        result->as<float>(), int(_mlir_ciface_astfe_rt_threads()));
    expert->tune();
    return core::Success();
  }

  std::unique_ptr<SampledExpert> expert;
};

enum Of { Upstream, UpstreamVectors, Hand, View, Packed, Contestants };

struct Contestant {
  const char *name;
  std::unique_ptr<run::Program> program;
};

core::Status check(run::Program &program, const run::Problem &problem,
                   const run::Dense &result) {
  for (auto step :
       {&run::Program::clear, &run::Program::run, &run::Program::fetch})
    if (auto status = (program.*step)(); !status)
      return status;
  if (!compare(problem, result).passed)
    return core::Error{"the result differs from float64"};
  return core::Success();
}

/// Of each matrix: ours (the faster of view and packed) over upstream and over
/// the kernel by hand, and packed over the latter.
using Ratios = std::vector<std::array<double, 3>>;

core::Status measure(const std::string &name, const core::CsrMatrix &matrix,
                     int64_t inner, Ratios &ratios) {
  run::Settings settings;
  settings.kernel = run::Kernel::SDDMM;
  settings.matrix = name;
  settings.columns = inner;
  settings.device = run::Device::Host;
  auto problem = run::makeProblem(settings, matrix);
  if (!problem)
    return problem.error();
  run::Dense result = emptyResult(*problem, settings);
  const double begin = now();
  auto plan = core::makePlan(problem->view(), planOptions(settings));
  if (!plan)
    return plan.error();
  const double planSeconds = now() - begin;
  run::Settings asStored = settings;
  asStored.storage = core::Storage::View;
  compiler::KernelCompiler source;
  compiler::Lowering lowering;
  std::vector<Contestant> contestants;
  auto add =
      [&](const char *of,
          core::Result<std::unique_ptr<run::Program>> made) -> core::Status {
    if (!made)
      return core::Error{std::string(of) + ": " + made.message()};
    contestants.push_back({of, std::move(*made)});
    return core::Success();
  };
  for (auto status :
       {add("upstream",
            run::Program::upstream(lowering, settings, *problem, 0)),
        add("upstream, vectors",
            run::Program::upstream(lowering, settings, *problem, 16)),
        add("by hand", std::unique_ptr<run::Program>(new ByHand)),
        add("view", run::Program::view(lowering, asStored, *problem)),
        add("packed", run::Program::packed(source, settings, plan->fused))})
    if (!status)
      return status;
  std::vector<Timed> timed;
  for (Contestant &contestant : contestants) {
    run::Program *program = contestant.program.get();
    if (auto status = program->prepare(*problem, result); !status)
      return core::Error{contestant.name + (": " + status.message())};
    if (auto status = check(*program, *problem, result); !status)
      return core::Error{contestant.name + (": " + status.message())};
    timed.push_back({[=] { (void)program->run(); }});
  }
  const std::vector<Samples> samples = timeInTurn(timed);
  double medians[Contestants];
  llvm::outs() << "| " << name << " | " << problem->nonzeros();
  for (int of = 0; of < Contestants; ++of) {
    medians[of] = samples[size_t(of)].median();
    llvm::outs() << llvm::format(" | %.3f", medians[of] * 1e3);
  }
  const double upstream = std::min(medians[Upstream], medians[UpstreamVectors]);
  const double best = std::min(medians[View], medians[Packed]);
  const std::array<double, 3> found = {upstream / best, medians[Hand] / best,
                                       medians[Hand] / medians[Packed]};
  for (double ratio : found)
    llvm::outs() << llvm::format(" | %.2f", ratio);
  const auto &packed = contestants[Packed].program->pack;
  llvm::outs() << llvm::format(" | %.2f", (planSeconds + packed.seconds) * 1e3)
               << " | "
               << static_cast<ByHand &>(*contestants[Hand].program).text()
               << " |\n";
  llvm::outs().flush();
  ratios.push_back(found);
  return core::Success();
}

void printMeans(const Ratios &ratios) {
  llvm::outs() << "| geometric mean (least) | | | | | | ";
  for (size_t of = 0; of < 3; ++of) {
    double logs = 0, least = ratios.front()[of];
    for (const auto &row : ratios) {
      logs += std::log(row[of]);
      least = std::min(least, row[of]);
    }
    llvm::outs() << llvm::format("| %.2f (%.2f) ",
                                 std::exp(logs / double(ratios.size())), least);
  }
  llvm::outs() << "| | |\n";
}

core::Status measureAll(const Request &request) {
  llvm::outs()
      << "| matrix | nonzeros | upstream | upstream, vectors | by hand "
         "| view | packed | ours over upstream | ours over by hand | packed "
         "over by hand | plan and pack | by hand |\n"
         "|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  Ratios ratios;
  llvm::SmallVector<llvm::StringRef> files;
  llvm::StringRef(request.files).split(files, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef file : files) {
    const std::string path = file.str();
    auto tensor = core::readMatrixMarket(path);
    if (!tensor)
      return tensor.error();
    auto csr = core::toCsr(*tensor);
    if (!csr)
      return csr.error();
    if (auto status = measure(llvm::sys::path::stem(path).str(), *csr,
                              request.inner, ratios);
        !status)
      return core::Error{path + ": " + status.message()};
  }
  for (MatrixClass kind : matrixClasses())
    if (auto status =
            measure(className(kind), generate(kind, request.nonzeros).csr(),
                    request.inner, ratios);
        !status)
      return core::Error{className(kind) + (": " + status.message())};
  printMeans(ratios);
  return core::Success();
}

} // namespace

int main(int argc, char **argv) {
  Request request;
  tools::Options options("bench-sddmm", "sampled products against rivals");
  options.integer("inner", "N", "columns of X and of Y", request.inner, 1,
                  1 << 20);
  options.integer("nonzeros", "N", "of generated matrices", request.nonzeros, 1,
                  int64_t(1) << 30);
  options.integer("threads", "N", "0: the machine's", request.threads, 0, 4096);
  options.text("matrix", "FILES", "also these, with commas between them",
               request.files);
  // Sparse results are allocated in each run: without this the C library gives
  // their pages back each time, and faults are what is timed.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  return tools::runTool(options, argc, argv, [&] {
    astfe_rt_set_threads(request.threads);
    return measureAll(request);
  });
}
