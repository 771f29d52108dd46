//===- Contestants.cpp - ASTFE, upstream and the expert -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Reorder/Arrange.h"
#include "ASTFE/Execution/KernelCache.h"
#include "ASTFE/Runtime/ABI.h"
#include "Contestant.h"
#include "ExpertScatter.h"
#include "PlanOptions.h"
#include "Program.h"
#include "Timing.h"
#include <numeric>

namespace astfe::bench {
namespace {

/// A product compiled by ASTFE.
class Compiled final : public Contestant {
public:
  Compiled(const Contest &contest, core::Storage storage)
      : source(contest.source), lowering(contest.lowering),
        machine(contest.machine), settings(contest.settings) {
    settings.storage = storage;
  }
  /// Packed by an arrangement.
  Compiled(const Contest &contest, const core::Arrangement &given)
      : Compiled(contest, core::Storage::Packed) {
    settings.order = given.order;
    settings.reorder = given.reorder;
    settings.hubs = given.hubs;
  }

  core::Status prepare(run::Problem &problem, run::Dense &result) override {
    KernelCache::process().forget(); // set-up is that of a first product
    auto made = settings.storage == core::Storage::Packed
                    ? planned(problem)
                    : run::Program::view(lowering, settings, problem);
    if (!made)
      return made.error();
    program = std::move(*made);
    choice = core::arrangementName(arrangement);
    if (auto status = program->prepare(problem, result); !status)
      return status;
    setUp.compile = program->compilation.seconds;
    setUp.pack = program->pack.seconds;
    return predict(problem);
  }
  core::Status run() override { return program->run(); }

private:
  core::Result<std::unique_ptr<run::Program>>
  planned(const run::Problem &problem) {
    auto plan = core::makePlan(problem.view(), run::planOptions(settings));
    if (!plan)
      return plan.error();
    arrangement = plan->arrangement;
    setUp.choose = plan->orderSeconds;
    setUp.profile = plan->profileSeconds;
    setUp.partition = plan->partitionSeconds;
    graph = std::move(plan->fused);
    return run::Program::packed(source, settings, graph);
  }

  core::Status predict(const run::Problem &problem) {
    core::Product product;
    product.columns = settings.columns;
    product.elementBytes = core::elementBytes(settings.arithmetic.element);
    const bool packed = settings.storage == core::Storage::Packed;
    // The model counts views by rows only.
    if (problem.transposed && !packed)
      return core::Success();
    auto work = packed
                    ? core::countWork(machine, product, problem.view(), graph)
                    : core::countWork(machine, product, problem.view());
    if (!work)
      return work.error();
    predictedSeconds = core::predict(machine, product, *work).seconds;
    roofSeconds = core::leastSeconds(machine, product, *work);
    return core::Success();
  }

  product::KernelSource &source;
  compiler::Lowering &lowering;
  const core::Machine &machine;
  run::Settings settings;
  core::Arrangement arrangement; ///< rows
  core::Graph graph;             ///< of packed storage
  std::unique_ptr<run::Program> program;
};

/// A sparsifier that takes linalg as it is, and how it is asked to.
struct Sparsifier {
  enum class Kind { Upstream, UpstreamSerial, DropIn } kind;
  int64_t vectorLength = 0; ///< of upstream's
};

/// The same function through upstream's sparsifier, or ours in its place.
class Sparsified final : public Contestant {
public:
  Sparsified(const Contest &contest, Sparsifier by)
      : lowering(contest.lowering), settings(contest.settings), by(by) {}

  core::Status prepare(run::Problem &problem, run::Dense &result) override {
    KernelCache::process().forget();
    auto compiled = compile(problem);
    if (!compiled)
      return compiled.error();
    program = std::move(*compiled);
    setUp.compile = program->compilation.seconds;
    return program->prepare(problem, result);
  }
  core::Status run() override { return program->run(); }

private:
  core::Result<std::unique_ptr<run::Program>>
  compile(const run::Problem &problem) {
    if (by.kind == Sparsifier::Kind::DropIn)
      return run::Program::dropIn(lowering, settings, problem);
    return run::Program::upstream(lowering, settings, problem, by.vectorLength,
                                  by.kind == Sparsifier::Kind::Upstream);
  }

  compiler::Lowering &lowering;
  run::Settings settings;
  Sparsifier by;
  std::unique_ptr<run::Program> program;
};

/// The expert's kernel over A's rows, or over those of A^T, which it makes
/// once.
template <typename T>
class ByHand final : public Contestant {
public:
  explicit ByHand(const run::Settings &settings) {
    product.adds = settings.accumulate;
    product.minPlus = settings.arithmetic.semiring == core::Semiring::MinPlus;
  }

  core::Status prepare(run::Problem &problem, run::Dense &result) override {
    Csr<T> a{problem.rows, problem.positions.data(), problem.coordinates.data(),
             static_cast<const T *>(problem.values.data())};
    if (problem.transposed) {
      const double begin = now();
      transpose(a, problem.columns);
      a = {problem.columns, positions.data(), coordinates.data(),
           values.data()};
      setUp.convert = now() - begin;
    }
    const double begin = now();
    expert = std::make_unique<Expert<T>>(
        a, static_cast<const T *>(problem.operand.data()),
        static_cast<T *>(result.data()), problem.operand.columns,
        int(_mlir_ciface_astfe_rt_threads()), product);
    expert->tune();
    setUp.tune = now() - begin;
    choice = Expert<T>::instructions() + ": " +
             expert->variant().text(problem.operand.columns);
    return core::Success();
  }
  core::Status run() override {
    expert->run();
    return core::Success();
  }

private:
  void transpose(const Csr<T> &a, int64_t columns) {
    const int32_t count = a.positions[a.rows];
    positions.assign(size_t(columns) + 1, 0);
    for (int32_t n = 0; n < count; ++n)
      ++positions[size_t(a.coordinates[n]) + 1];
    std::partial_sum(positions.begin(), positions.end(), positions.begin());
    std::vector<int32_t> next(positions.begin(), positions.end() - 1);
    coordinates.resize(size_t(count));
    values.resize(size_t(count));
    for (int64_t i = 0; i < a.rows; ++i)
      for (int32_t n = a.positions[i]; n < a.positions[i + 1]; ++n) {
        const auto at = size_t(next[size_t(a.coordinates[n])]++);
        coordinates[at] = int32_t(i);
        values[at] = a.values[n];
      }
  }

  ExpertVariant product;
  std::vector<int32_t> positions, coordinates; ///< of A^T by rows
  std::vector<T> values;
  std::unique_ptr<Expert<T>> expert;
};

/// The expert's kernel that scatters from A's own rows.
template <typename T>
class Scattered final : public Contestant {
public:
  explicit Scattered(const run::Settings &settings)
      : adds(settings.accumulate) {}

  core::Status prepare(run::Problem &problem, run::Dense &result) override {
    const double begin = now();
    const Csr<T> a{problem.rows, problem.positions.data(),
                   problem.coordinates.data(),
                   static_cast<const T *>(problem.values.data())};
    expert = std::make_unique<ExpertScatter<T>>(
        a, problem.columns, static_cast<const T *>(problem.operand.data()),
        static_cast<T *>(result.data()), problem.operand.columns,
        int(_mlir_ciface_astfe_rt_threads()), adds);
    expert->tune();
    setUp.tune = now() - begin;
    choice = expert->variant().text();
    return core::Success();
  }
  core::Status run() override {
    expert->run();
    return core::Success();
  }

private:
  bool adds;
  std::unique_ptr<ExpertScatter<T>> expert;
};

template <typename T, auto Argument>
std::unique_ptr<Contestant> make(const Contest &contest) {
  return std::make_unique<T>(contest, Argument);
}

MakeContestant sparsified(Sparsifier by) {
  return [=](const Contest &contest) {
    return std::make_unique<Sparsified>(contest, by);
  };
}

} // namespace

std::unique_ptr<Contestant> makeExpert(const Contest &contest) {
  if (contest.settings.arithmetic.element == core::Element::F64)
    return std::make_unique<ByHand<double>>(contest.settings);
  return std::make_unique<ByHand<float>>(contest.settings);
}

std::unique_ptr<Contestant> makeExpertScatter(const Contest &contest) {
  if (contest.settings.arithmetic.element == core::Element::F64)
    return std::make_unique<Scattered<double>>(contest.settings);
  return std::make_unique<Scattered<float>>(contest.settings);
}

const std::vector<Entry> &entries() {
  static const std::vector<Entry> all = {
      {"astfe-packed", make<Compiled, core::Storage::Packed>},
      {"astfe-view", make<Compiled, core::Storage::View>},
      {"upstream-vl0", sparsified({Sparsifier::Kind::Upstream, 0})},
      {"upstream-vl16", sparsified({Sparsifier::Kind::Upstream, 16})},
      {"drop-in", sparsified({Sparsifier::Kind::DropIn, 0})},
      {"upstream-serial-vl0",
       sparsified({Sparsifier::Kind::UpstreamSerial, 0})},
      {"upstream-serial-vl16",
       sparsified({Sparsifier::Kind::UpstreamSerial, 16})},
      {"expert", makeExpert},
      {"expert-scatter", makeExpertScatter},
#ifdef ASTFE_HAVE_MKL
      {"onemkl", makeOneMKL},
#endif
#ifdef ASTFE_HAVE_EIGEN
      {"eigen", makeEigen},
#endif
#ifdef ASTFE_HAVE_GRAPHBLAS
      {"graphblas", makeGraphBLAS},
#endif
#ifdef ASTFE_HAVE_LIBRSB
      {"librsb", makeLibrsb},
#endif
  };
  return all;
}

const std::vector<Entry> &orderEntries() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> entries;
    for (core::ReorderKind reorder :
         {core::ReorderKind::None, core::ReorderKind::Labels,
          core::ReorderKind::Rcm, core::ReorderKind::Twins})
      for (core::OrderKind order :
           {core::OrderKind::Rows, core::OrderKind::Morton,
            core::OrderKind::Hilbert, core::OrderKind::Panels}) {
        core::Arrangement given;
        given.order = order;
        given.reorder = reorder;
        if (reorder != core::ReorderKind::None)
          given.hubs = core::kAutoHubs;
        entries.push_back({core::arrangementName(given), [=](auto &contest) {
                             return std::make_unique<Compiled>(contest, given);
                           }});
      }
    entries.push_back({"astfe-packed", make<Compiled, core::Storage::Packed>});
    return entries;
  }();
  return all;
}

} // namespace astfe::bench
