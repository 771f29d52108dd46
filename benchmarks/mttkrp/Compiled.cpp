//===- Compiled.cpp - products of tensors by compilers --------------------===//
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

DenseTensor viewOf(const Problem &problem, Row *data,
                   const TensorProduct &product,
                   const std::vector<unsigned> &dims) {
  return {data, product.extentsOf(dims, problem.tensor.shape)};
}

std::vector<DenseTensor> inputsOf(Problem &problem,
                                  const TensorProduct &product) {
  std::vector<DenseTensor> inputs;
  for (const std::vector<unsigned> &dims : product.inputs)
    inputs.push_back(
        viewOf(problem, problem.factors[dims.front()].data(), product, dims));
  return inputs;
}

/// A run's seconds, after one to warm up.
core::Result<double> timeOf(const Compiled &run, Row *out) {
  double least = 1e30;
  for (int i = 0; i < 4; ++i) {
    const double begin = now();
    if (core::Status status = run(out); !status)
      return status.error();
    least = std::min(least, now() - begin);
  }
  return least;
}

core::Result<Compiled> fasterUpstream(Problem &problem,
                                      const TensorProduct &product,
                                      const run::Dense &values) {
  auto made = run::Fibers::get(problem.tensor, values, product);
  if (!made)
    return made.error();
  auto fibers = std::make_shared<run::Fibers>(std::move(*made));
  compiler::Lowering lowering;
  Rows scratch = resultOf(problem, product);
  auto make = [&](int64_t length) -> core::Result<Compiled> {
    auto compiled = run::FiberProgram::upstream(lowering, run::Settings(),
                                                product, *fibers, length);
    if (!compiled)
      return compiled.error();
    std::shared_ptr<run::FiberProgram> program = std::move(*compiled);
    return Compiled(
        [=, &problem, inputs = inputsOf(problem, product)](Row *out) {
          return program->run(*fibers, inputs,
                              viewOf(problem, out, product, product.output));
        });
  };
  return run::fasterOfLengths(
      make, [&](const Compiled &run) { return timeOf(run, scratch.data()); });
}

} // namespace

Rows resultOf(const Problem &problem, const TensorProduct &product) {
  int64_t elements = 1;
  for (int64_t extent : product.extentsOf(product.output, problem.tensor.shape))
    elements *= extent;
  return Rows((elements + kRank - 1) / kRank);
}

core::Result<std::vector<Compiled>> compileOurs(Problem &problem,
                                                const core::Graph &graph,
                                                const Products &products,
                                                double *packSeconds) {
  static compiler::KernelCompiler source;
  auto packed = PackedTensor::pack(problem.tensor.view(), problem.values.data(),
                                   graph, TensorOptions(), source, &source);
  if (!packed)
    return packed.error();
  std::shared_ptr<PackedTensor> tensor = std::move(*packed);
  if (packSeconds)
    *packSeconds = tensor->packSeconds;
  std::vector<Compiled> runs;
  for (const TensorProduct &product : products) {
    if (auto kernel = tensor->prepare(product, false); !kernel)
      return kernel.error();
    runs.push_back(
        [=, &problem, inputs = inputsOf(problem, product)](Row *out) {
          return tensor->compute(product, inputs,
                                 viewOf(problem, out, product, product.output),
                                 false);
        });
  }
  return runs;
}

core::Result<std::vector<Compiled>> compileUpstream(Problem &problem,
                                                    const Products &products) {
  run::Dense values =
      run::Dense::zero(problem.nonzeros(), 1, core::Element::F32);
  std::copy(problem.values.begin(), problem.values.end(), values.as<float>());
  std::vector<Compiled> runs;
  for (const TensorProduct &product : products) {
    auto made = fasterUpstream(problem, product, values);
    if (!made)
      return made.error();
    runs.push_back(std::move(*made));
  }
  return runs;
}

} // namespace astfe::bench
