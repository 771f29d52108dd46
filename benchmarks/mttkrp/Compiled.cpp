//===- Compiled.cpp - MTTKRP by compilers ---------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compiled.h"
#include "ASTFE/Compiler/KernelCompiler.h"
#include "InTurn.h"
#include "TensorLinalg.h"
#include "Timing.h"

using namespace astfe::product;

namespace astfe::bench {
namespace {

DenseTensor viewOf(Rows &rows) { return {rows.data(), {rows.count(), kRank}}; }

std::vector<DenseTensor> factorsOf(Problem &problem, unsigned key) {
  auto [first, second] = problem.others(key);
  return {viewOf(problem.factors[first]), viewOf(problem.factors[second])};
}

TensorProduct productOf(unsigned key) {
  return TensorProduct::mttkrp(3, key, kRank);
}

/// A run's seconds, after one to warm up.
core::Result<double> timeOf(const Compiled &run, Rows &out) {
  double least = 1e30;
  for (int i = 0; i < 4; ++i) {
    const double begin = now();
    if (core::Status status = run(out); !status)
      return status.error();
    least = std::min(least, now() - begin);
  }
  return least;
}

core::Result<Compiled> fasterUpstream(Problem &problem, unsigned key,
                                      const run::Dense &values) {
  auto made = run::Fibers::get(problem.tensor, values, key);
  if (!made)
    return made.error();
  auto fibers = std::make_shared<run::Fibers>(std::move(*made));
  compiler::Lowering lowering;
  Rows scratch(problem.tensor.shape[key]);
  auto make = [&](int64_t length) -> core::Result<Compiled> {
    auto compiled = run::FiberProgram::upstream(
        lowering, run::Settings(), productOf(key), *fibers, length);
    if (!compiled)
      return compiled.error();
    std::shared_ptr<run::FiberProgram> program = std::move(*compiled);
    return Compiled([=, inputs = factorsOf(problem, key)](Rows &out) {
      return program->run(*fibers, inputs, viewOf(out));
    });
  };
  return run::fasterOfLengths(
      make, [&](const Compiled &run) { return timeOf(run, scratch); });
}

} // namespace

core::Result<std::vector<Compiled>> compileOurs(Problem &problem,
                                                const core::Graph &graph) {
  static compiler::KernelCompiler source;
  auto packed = PackedTensor::pack(problem.tensor.view(), problem.values.data(),
                                   graph, TensorOptions(), source);
  if (!packed)
    return packed.error();
  std::shared_ptr<PackedTensor> tensor = std::move(*packed);
  std::vector<Compiled> runs;
  for (unsigned key = 0; key < 3; ++key) {
    if (auto kernel = tensor->prepare(productOf(key), false); !kernel)
      return kernel.error();
    runs.push_back([=, product = productOf(key),
                    inputs = factorsOf(problem, key)](Rows &out) {
      return tensor->compute(product, inputs, viewOf(out), false);
    });
  }
  return runs;
}

core::Result<std::vector<Compiled>> compileUpstream(Problem &problem) {
  run::Dense values =
      run::Dense::zero(problem.nonzeros(), 1, core::Element::F32);
  std::copy(problem.values.begin(), problem.values.end(), values.as<float>());
  std::vector<Compiled> runs;
  for (unsigned key = 0; key < 3; ++key) {
    auto made = fasterUpstream(problem, key, values);
    if (!made)
      return made.error();
    runs.push_back(std::move(*made));
  }
  return runs;
}

} // namespace astfe::bench
