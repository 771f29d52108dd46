//===- bench-entries.cpp - astfe-run's program, timed on demand -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// compare_entries.py runs this beside itself. It answers lines of its input:
//
//   open MATRIX COLUMNS f32|f64 FILE   prepares and checks a product (a file, a
//                                      class of generated matrices, or 3x3),
//                                      writes A and B to FILE; rows, columns
//                                      and nonzeros
//   run N                              nanoseconds of a run, of N
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Compiler/KernelCompiler.h"
#include "ASTFE/Core/Support/FileText.h"
#include "Generate.h"
#include "PlanOptions.h"
#include "Program.h"
#include "Timing.h"
#include <iostream>
#include <sstream>

using namespace astfe;
using namespace astfe::bench;

/// Runs before those that are timed: others used the caches meanwhile.
static constexpr int64_t kUntimed = 1;

namespace {

/// A problem and the program of astfe-run for it.
struct Product {
  run::Settings settings;
  run::Problem problem;
  run::Dense result;
  std::unique_ptr<run::Program> program;
};

core::Result<run::Problem> makeOrRead(const run::Settings &settings) {
  for (MatrixClass kind : matrixClasses())
    if (settings.matrix == className(kind))
      return run::makeProblem(settings, generate(kind, 500000).csr());
  if (settings.matrix != "3x3")
    return run::readProblem(settings);
  core::CsrMatrix small;
  small.rows = small.columns = 3;
  small.positions = {0, 2, 3, 4};
  small.coordinates = {0, 2, 1, 0};
  small.values = {1, 2, 3, 4};
  return run::makeProblem(settings, small);
}

core::Status prepare(product::KernelSource &source, Product &product) {
  auto problem = makeOrRead(product.settings);
  if (!problem)
    return problem.error();
  product.problem = std::move(*problem);
  product.result =
      run::Dense::zero(product.problem.rows, product.settings.columns,
                       product.settings.arithmetic.element);
  auto plan = core::makePlan(product.problem.view(),
                             run::planOptions(product.settings));
  if (!plan)
    return plan.error();
  auto program = run::Program::chosen(source, product.settings, *plan);
  if (!program)
    return program.error();
  product.program = std::move(*program);
  return product.program->prepare(product.problem, product.result);
}

/// Positions, coordinates, values and B, one after the other.
core::Status writeArrays(Product &product, const std::string &path) {
  run::Problem &p = product.problem;
  const auto element =
      size_t(core::elementBytes(product.settings.arithmetic.element));
  std::string bytes;
  auto add = [&](const void *data, size_t size) {
    bytes.append(static_cast<const char *>(data), size);
  };
  add(p.positions.data(), p.positions.size() * 4);
  add(p.coordinates.data(), p.coordinates.size() * 4);
  add(p.values.data(), p.coordinates.size() * element);
  add(p.operand.data(), size_t(p.operand.rows * p.operand.columns) * element);
  return core::writeFile(path, bytes);
}

/// Clears C, runs once and compares with float64.
core::Status check(Product &product) {
  if (auto status = product.program->clear(); !status)
    return status;
  if (auto status = product.program->run(); !status)
    return status;
  if (!run::compare(product.problem, product.result).passed)
    return core::Error{"the result differs from float64"};
  return core::Success();
}

core::Result<double> secondsOf(Product &product, int64_t runs) {
  for (int64_t i = 0; i < kUntimed; ++i)
    if (auto status = product.program->run(); !status)
      return status.error();
  const double begin = now();
  for (int64_t i = 0; i < runs; ++i)
    if (auto status = product.program->run(); !status)
      return status.error();
  return (now() - begin) / double(runs);
}

/// Answers one command.
core::Result<std::string> answer(product::KernelSource &source,
                                 Product &product, std::istream &line) {
  std::string command, type, path;
  line >> command;
  if (command == "run") {
    int64_t runs = 0;
    line >> runs;
    auto seconds = secondsOf(product, runs);
    if (!seconds)
      return seconds.error();
    return std::to_string(*seconds * 1e9);
  }
  product = {};
  line >> product.settings.matrix >> product.settings.columns >> type >> path;
  product.settings.kernel =
      product.settings.columns == 1 ? run::Kernel::SpMV : run::Kernel::SpMM;
  product.settings.arithmetic.element = *core::parseElement(type);
  product.settings.device = run::Device::Host;
  product.settings.duplicates = core::Duplicates::Sum;
  if (auto status = prepare(source, product); !status)
    return status.error();
  if (auto status = check(product); !status)
    return status.error();
  if (auto status = writeArrays(product, path); !status)
    return status.error();
  const run::Problem &p = product.problem;
  return std::to_string(p.rows) + ' ' + std::to_string(p.columns) + ' ' +
         std::to_string(p.nonzeros());
}

} // namespace

int main() {
  compiler::KernelCompiler source;
  Product product;
  for (std::string text; std::getline(std::cin, text);) {
    std::istringstream line(text);
    auto said = answer(source, product, line);
    std::cout << (said ? *said : "error: " + said.message()) << std::endl;
  }
}
