//===- Schedule.cpp - how evenly a GPU's blocks are loaded ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: astfe-bench-schedule [--tsv=FILE] [--blocks=FILE] [--nonzeros=N]
//                             [MATRIX.mtx...]
//
// Runs the compiled kernels on the emulator with the workers of an H200 (132
// multiprocessors of 8 blocks of 4 warps) and compares the block with most work
// to the mean: by transactions (sectors of 32 bytes of global memory that its
// warps touch), which kernels wait for, and by instructions that its warps
// issue. A persistent kernel takes as long as its largest block, so that this
// is the schedule's loss. Without files: the generated classes. --blocks writes
// what each block counted.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Tensor/MatrixMarket.h"
#include "ASTFE/Emulator/Emulator.h"
#include "ASTFE/Execution/Jit.h"
#include "ASTFE/InitAll.h"
#include "ASTFE/Runtime/ABI.h"
#include "Generate.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

using namespace astfe;

namespace {

template <unsigned Rank>
struct Descriptor {
  void *allocated, *aligned;
  int64_t offset, sizes[Rank], strides[Rank];
};

template <typename T>
Descriptor<1> describe(std::vector<T> &data) {
  return {data.data(), data.data(), 0, {int64_t(data.size())}, {1}};
}

/// A matrix as the compiled function takes it.
struct Problem {
  std::string name;
  int64_t rows, columns;
  std::vector<int32_t> positions, coordinates;
};

struct Row {
  std::string matrix;
  int64_t nonzeros, columns, blocks;
  double sectors, instructions; ///< of warps, per nonzero
  double bySectors, byInstructions;
};

[[noreturn]] void fail(const std::string &message) {
  std::fprintf(stderr, "astfe-bench-schedule: error: %s\n", message.c_str());
  std::exit(1);
}

} // namespace

static std::string moduleText(int64_t columns) {
  bool vector = columns == 1;
  std::string dense = vector ? "tensor<?xf32>"
                             : "tensor<?x" + std::to_string(columns) + "xf32>";
  return "#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, "
         "j : compressed), posWidth = 32, crdWidth = 32}>\n"
         "func.func @f(%A: tensor<?x?xf32, #CSR>, %B: " +
         dense + ", %C: " + dense + ") -> " + dense + " {\n  %0 = linalg." +
         (vector ? "matvec" : "matmul") +
         " ins(%A, %B : tensor<?x?xf32, #CSR>, " + dense +
         ") outs(%C : " + dense + ") -> " + dense + "\n  return %0 : " + dense +
         "\n}";
}

/// Compiles C += A B for the emulator.
static std::unique_ptr<Jit> compile(mlir::MLIRContext &context,
                                    int64_t columns) {
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(moduleText(columns), &context);
  if (!module)
    fail("the module does not parse");
  JitOptions options;
  options.pipeline =
      "astfe-to-ptx{storage=packed format=llvm host=true columns=" +
      std::to_string(columns) + "}";
  auto jit = Jit::compile(*module, options);
  if (!jit)
    fail(jit.message());
  return std::move(*jit);
}

static void call(const Jit &jit, Problem &problem, int64_t columns) {
  auto entry = jit.lookup("_mlir_ciface_f");
  if (!entry)
    fail(entry.message());
  std::vector<float> values(problem.coordinates.size(), 1);
  std::vector<float> b(size_t(problem.columns * columns), 1);
  std::vector<float> c(size_t(problem.rows * columns), 0);
  auto positions = describe(problem.positions);
  auto coordinates = describe(problem.coordinates);
  auto valueMemref = describe(values);
  auto dense = [&](std::vector<float> &data, int64_t rows) {
    return Descriptor<2>{
        data.data(), data.data(), 0, {rows, columns}, {columns, 1}};
  };
  auto bVector = describe(b), cVector = describe(c);
  auto bMatrix = dense(b, problem.columns), cMatrix = dense(c, problem.rows);
  Descriptor<2> result;
  using Entry = void (*)(void *, void *, void *, void *, int64_t, int64_t,
                         void *, void *);
  bool vector = columns == 1;
  reinterpret_cast<Entry>(*entry)(
      &result, &positions, &coordinates, &valueMemref, problem.rows,
      problem.columns, vector ? static_cast<void *>(&bVector) : &bMatrix,
      vector ? static_cast<void *>(&cVector) : &cMatrix);
  if (const char *error = astfe_rt_last_error())
    fail(problem.name + ": " + error);
  for (int64_t row = 0; row < problem.rows; ++row) {
    auto expected = float(problem.positions[size_t(row) + 1] -
                          problem.positions[size_t(row)]);
    if (c[size_t(row * columns)] != expected)
      fail(problem.name + ": expected the sums of rows but got others");
  }
}

/// The largest of a count over blocks, over their mean.
template <typename Count>
static double imbalance(const std::vector<emu::Counters> &blocks, Count count) {
  int64_t largest = 0, total = 0;
  for (const emu::Counters &block : blocks) {
    largest = std::max(largest, count(block));
    total += count(block);
  }
  return double(largest) * double(blocks.size()) / double(total);
}

static Row measure(emu::Emulator &emulator, const Jit &jit, Problem &problem,
                   int64_t columns) {
  call(jit, problem, columns);
  const emu::LaunchReport &report = emulator.lastLaunch();
  Row row;
  row.matrix = problem.name;
  row.nonzeros = int64_t(problem.coordinates.size());
  row.columns = columns;
  row.blocks = int64_t(report.blocks.size());
  row.instructions =
      double(report.total().warpInstructions) / double(row.nonzeros);
  row.byInstructions = imbalance(
      report.blocks, [](const emu::Counters &c) { return c.warpInstructions; });
  row.sectors = double(report.total().sectors) / double(row.nonzeros);
  row.bySectors = imbalance(report.blocks,
                            [](const emu::Counters &c) { return c.sectors; });
  return row;
}

/// One line for each block of the last launch.
static void writeBlocks(std::ofstream &file, const emu::LaunchReport &report,
                        const std::string &matrix, int64_t columns) {
  if (!file.is_open())
    return;
  for (const emu::Counters &c : report.blocks)
    file << matrix << '\t' << columns << '\t' << c.warpInstructions << '\t'
         << c.sectors << '\t' << c.loads << '\t' << c.stores << '\t'
         << c.atomics << '\t' << c.loadBytes << '\t' << c.storeBytes << '\n';
}

static Problem readProblem(const std::string &path) {
  core::ReadOptions options;
  options.duplicates = core::Duplicates::Sum;
  auto coo = core::readMatrixMarket(path, options);
  if (!coo)
    fail(coo.message());
  auto csr = core::toCsr(*coo);
  if (!csr)
    fail(csr.message());
  size_t slash = path.rfind('/');
  return {path.substr(slash == std::string::npos ? 0 : slash + 1),
          csr->rows,
          csr->columns,
          {csr->positions.begin(), csr->positions.end()},
          {csr->coordinates.begin(), csr->coordinates.end()}};
}

static std::vector<Problem> problemsOf(const std::vector<std::string> &files,
                                       int64_t nonzeros) {
  std::vector<Problem> problems;
  for (const std::string &file : files)
    problems.push_back(readProblem(file));
  if (!files.empty())
    return problems;
  for (bench::MatrixClass kind : bench::matrixClasses()) {
    bench::Matrix matrix = bench::generate(kind, nonzeros);
    problems.push_back({bench::className(kind), matrix.rows, matrix.columns,
                        matrix.positions, matrix.coordinates});
  }
  return problems;
}

static void print(const std::vector<Row> &rows, const std::string &tsv) {
  std::printf("%-26s %9s %7s %6s | per nonzero: %7s %6s | largest over mean: "
              "%7s %6s\n",
              "matrix", "nonzeros", "columns", "blocks", "sectors", "instr",
              "sectors", "instr");
  double worst = 1;
  for (const Row &row : rows) {
    std::printf("%-26s %9lld %7lld %6lld | %20.2f %6.2f | %26.4f %6.3f\n",
                row.matrix.c_str(), (long long)row.nonzeros,
                (long long)row.columns, (long long)row.blocks, row.sectors,
                row.instructions, row.bySectors, row.byInstructions);
    worst = std::max(worst, row.bySectors);
  }
  std::printf("largest block over the mean, by transactions: worst %.4f\n",
              worst);
  if (tsv.empty())
    return;
  std::ofstream file(tsv);
  file << "matrix\tnonzeros\tcolumns\tblocks\tsectors_per_nonzero\t"
          "instructions_per_nonzero\tby_sectors\tby_instructions\n";
  for (const Row &row : rows)
    file << row.matrix << '\t' << row.nonzeros << '\t' << row.columns << '\t'
         << row.blocks << '\t' << row.sectors << '\t' << row.instructions
         << '\t' << row.bySectors << '\t' << row.byInstructions << '\n';
}

int main(int argc, char **argv) {
  std::vector<std::string> files;
  std::string tsv;
  std::ofstream blocks;
  int64_t nonzeros = 400000;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument.rfind("--tsv=", 0) == 0)
      tsv = argument.substr(6);
    else if (argument.rfind("--blocks=", 0) == 0)
      blocks.open(argument.substr(9));
    else if (argument.rfind("--nonzeros=", 0) == 0)
      nonzeros = std::atoll(argument.c_str() + 11);
    else if (argument.rfind("--", 0) == 0)
      fail(
          "expected --tsv=FILE, --blocks=FILE, --nonzeros=N or files but got " +
          argument);
    else
      files.push_back(argument);
  }
  if (nonzeros < 1 || nonzeros > int64_t(1) << 24)
    fail("expected 1 to 16777216 nonzeros but got " + std::to_string(nonzeros));

  mlir::DialectRegistry registry;
  registerEverything(registry);
  mlir::MLIRContext context(registry);
  emu::Options options;
  options.multiprocessors = 132;
  options.warpsPerMultiprocessor = 32;
  options.checkBounds = options.checkRaces = false;
  emu::Emulator emulator(options);
  rt::setDevice(&emulator);
  std::vector<Problem> problems = problemsOf(files, nonzeros);
  std::vector<Row> rows;
  for (int64_t columns : {1, 32, 128}) {
    std::unique_ptr<Jit> jit = compile(context, columns);
    for (Problem &problem : problems) {
      rows.push_back(measure(emulator, *jit, problem, columns));
      writeBlocks(blocks, emulator.lastLaunch(), problem.name, columns);
    }
  }
  print(rows, tsv);
  rt::setDevice(nullptr);
  return 0;
}
