//===- Contestant.h - a way to compute C = A B ----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that the benchmark compares, behind one interface. prepare() does
// all that a user pays once for a pattern; run() is a product with the same
// operands, in the same memory, by the same number of threads, for everybody.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_KERNELS_CONTESTANT_H
#define ASTFE_BENCHMARKS_KERNELS_CONTESTANT_H

#include "ASTFE/Compiler/KernelCompiler.h"
#include "ASTFE/Core/Cost/Cost.h"
#include "Problem.h"
#include <memory>

namespace astfe::bench {

/// Seconds before the first product, by step; what does not apply is 0.
struct SetUp {
  double choose = 0;    ///< the order and reordering
  double profile = 0;   ///< at run time, as the following two
  double partition = 0; ///< partition, refine and fuse
  double pack = 0;      ///< pattern and values
  double compile = 0;
  double tune = 0;    ///< trying variants
  double convert = 0; ///< into a library's own storage

  double total() const {
    return choose + profile + partition + pack + compile + tune + convert;
  }
};

class Contestant {
public:
  virtual ~Contestant() = default;

  virtual core::Status prepare(run::Problem &problem, run::Dense &result) = 0;
  /// result = A B, or += where the settings say `accumulate`. Libraries that
  /// cannot add do result = A B.
  virtual core::Status run() = 0;
  /// Brings the last result to `result` of prepare, where run() leaves it
  /// elsewhere.
  virtual core::Status fetch() { return core::Success(); }
  /// Whether its threads are not those of the OpenMP runtime that the compiled
  /// code uses: the two must not spin at the same time.
  virtual bool hasOwnThreads() const { return false; }

  /// What was chosen in prepare, for people.
  std::string choice;
  SetUp setUp;
  /// Of a run, by the cost model; 0: it does not know.
  double predictedSeconds = 0;
  /// The least that it allows for any order; 0: it does not know.
  double roofSeconds = 0;
};

/// What all contestants of a problem are made from.
struct Contest {
  product::KernelSource &source;
  compiler::Lowering &lowering;
  const core::Machine &machine;
  run::Settings settings; ///< kernel, columns, type, threads and name of A
};

using MakeContestant =
    std::function<std::unique_ptr<Contestant>(const Contest &)>;

struct Entry {
  std::string name;
  MakeContestant make;
};

/// All that were built in, ours first: astfe-packed, astfe-view, upstream-vl0,
/// upstream-vl16; drop-in, upstream-serial-vl0 and upstream-serial-vl16, which
/// have one thread; expert and expert-scatter, which is of A^T B, then onemkl,
/// eigen, graphblas and librsb where their packages were found.
const std::vector<Entry> &entries();

/// Packed storage under every order and reordering, by the arrangement's name,
/// and astfe-packed, which takes what the choice picks.
const std::vector<Entry> &orderEntries();

std::unique_ptr<Contestant> makeExpert(const Contest &contest);
std::unique_ptr<Contestant> makeExpertScatter(const Contest &contest);
std::unique_ptr<Contestant> makeOneMKL(const Contest &contest);
std::unique_ptr<Contestant> makeEigen(const Contest &contest);
std::unique_ptr<Contestant> makeGraphBLAS(const Contest &contest);
std::unique_ptr<Contestant> makeLibrsb(const Contest &contest);

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_KERNELS_CONTESTANT_H
