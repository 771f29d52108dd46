//===- Measured.cpp - ours against the rivals, on a GPU -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: astfe-bench-device [--nonzeros=N] [--columns=N]... [--class=NAME]...
//                           [--matrix=FILE]... [--only=NAME]... [--tsv=FILE]
//                           [--kernels=FILE.ptx] [--workers=N] [--once]
//
// Takes all generated classes, or those that are named, and matrices of files.
// Ours is what C and Python have: a matrix whose storage is chosen (`ours`),
// and both storages (`view`, `packed`), B and C on the device, put on a stream.
// Beside it run the rivals (rivals.cu), cuSPARSE's fastest algorithm and dense
// cuBLAS where they are found. --only names the contestants; --once runs each
// product of ours once, for a profiler.
//
// Times are medians of C = A B in f32, in microseconds, with all that a product
// puts on the stream: replayed from a graph (or launched, where that is less; a
// '*' says that nothing could be recorded), launched again and again, and with
// caches cold (Timing.h). Results are checked against float64.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Compiler/KernelCompiler.h"
#include "ASTFE/Product/Matrix.h"
#include "Contestants.h"
#include "Peers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <optional>

using namespace astfe;
using namespace astfe::bench;
namespace cl = llvm::cl;

static cl::list<std::string> classes("class", cl::desc("a generated class"));
static cl::list<std::string> files("matrix", cl::desc("a file"));
static cl::list<std::string> only("only", cl::desc("a contestant"));
static cl::list<int64_t> columnCounts("columns", cl::desc("of B and C"));
static cl::opt<int64_t> nonzeros("nonzeros", cl::init(1000000),
                                 cl::desc("of generated matrices"));
static cl::opt<std::string> tsv("tsv", cl::desc("a table to write"));
static cl::opt<std::string> kernels("kernels", cl::init(ASTFE_RIVALS_PTX),
                                    cl::desc("the rivals, as PTX"));
static cl::opt<int64_t> workers("workers", cl::init(0),
                                cl::desc("of packed patterns; 0: chosen"));
static cl::opt<bool> once("once", cl::desc("no times: ours alone, once"));

static bool isAskedFor(const std::string &name) {
  return only.empty() || llvm::is_contained(only, name);
}

namespace {

class Course {
public:
  Course(rt::Device &device, gpucheck::Timer &timer)
      : device(device), timer(timer), rivals(device, kernels) {
    if (!tsv.empty())
      table.open(tsv);
    table << "matrix\tnonzeros\tcolumns\tkernel\tmicroseconds\tlaunched\t"
             "cold\n";
  }

  void race(const Named &named, int64_t columns);

private:
  void ours(const std::string &name, std::optional<core::Storage> storage);
  void print(const std::string &name, const gpucheck::Timer::Times &times);
  /// Fills C with numbers that are no result.
  void spoil();
  /// Ends the program if C, once the device is done, is not right.
  void check(const std::string &name);

  rt::Device &device;
  gpucheck::Timer &timer;
  Rivals rivals;
  compiler::KernelCompiler compiler;
  std::ofstream table;

  /// Of the product that is run.
  const Named *named = nullptr;
  const Product *product = nullptr;
  std::unique_ptr<gpucheck::DeviceMemory> b, c;
};

/// Or the end of the program.
template <typename T>
T expect(core::Result<T> result) {
  if (!result)
    fail(result.message());
  return std::move(*result);
}
void expect(const core::Status &status) {
  if (!status)
    fail(status.message());
}

} // namespace

void Course::print(const std::string &name,
                   const gpucheck::Timer::Times &times) {
  const Matrix &a = named->matrix;
  std::printf(
      "%-16s %9lld %4lld  %-18s %9.2f us%s launched %9.2f  cold %9.2f\n",
      named->name.c_str(), (long long)a.nonzeros(), (long long)product->columns,
      name.c_str(), times.device() * 1e6, times.replayed > 0 ? " " : "*",
      times.hot * 1e6, times.cold * 1e6);
  std::fflush(stdout);
  table << named->name << '\t' << a.nonzeros() << '\t' << product->columns
        << '\t' << name << '\t' << times.device() * 1e6 << '\t'
        << times.hot * 1e6 << '\t' << times.cold * 1e6 << std::endl;
}

void Course::spoil() {
  const std::vector<float> wrong(product->c.size(), NAN);
  expect(device.copy(c->data, wrong.data(), wrong.size() * sizeof(float),
                     nullptr));
}

void Course::check(const std::string &name) {
  expect(device.synchronize());
  std::vector<float> result(product->c.size());
  expect(c->download(result.data(), result.size() * sizeof(float)));
  product->check(name, result.data());
}

void Course::ours(const std::string &name,
                  std::optional<core::Storage> storage) {
  if (!isAskedFor(name))
    return;
  const Matrix &a = named->matrix;
  product::MatrixOptions options;
  options.columns = product->columns;
  options.workers = workers;
  options.device = &device;
  options.chip = device.chip();
  options.storage = storage;
  const auto view = core::SparseView::csr(
      a.rows, a.columns, {a.positions.data(), int64_t(a.positions.size())},
      {a.coordinates.data(), a.nonzeros()});
  const auto matrix = expect(
      product::makeMatrix(view, a.values.data(), nullptr, options, compiler));
  const product::Dense in{b->data, a.columns, product->columns,
                          product->columns},
      out{c->data, a.rows, product->columns, product->columns};
  auto put = [&] {
    return matrix->multiplyOn(timer.stream, in, out, /*accumulate=*/false);
  };
  spoil();
  expect(put());
  check(name);
  if (once)
    return;
  print(name, expect(timer.time(put)));
}

void Course::race(const Named &what, int64_t columns) {
  const Product current(what.matrix, columns);
  named = &what;
  product = &current;
  b = expect(gpucheck::DeviceMemory::upload(device, current.b.data(),
                                            current.b.size() * sizeof(float)));
  c = expect(gpucheck::DeviceMemory::allocate(device, current.c.size() *
                                                          sizeof(float)));
  ours("ours", std::nullopt);
  ours("view", core::Storage::View);
  ours("packed", core::Storage::Packed);
  if (once)
    return;
  for (const std::string &name : rivalsFor(columns)) {
    if (!isAskedFor(name))
      continue;
    const auto rival = rivals.prepare(name, current);
    const auto times =
        expect(timer.time([&] { return rival->put(timer.stream); }));
    expect(device.synchronize());
    rival->check();
    print(name, times);
  }
  const Matrix &a = what.matrix;
  const gpucheck::Sample sample{what.name,
                                a.rows,
                                a.columns,
                                {a.positions.begin(), a.positions.end()},
                                {a.coordinates.begin(), a.coordinates.end()},
                                {a.values.begin(), a.values.end()}};
  const gpucheck::PeerProduct same{sample, columns, b->data, c->data};
  auto peer = [&](const char *name, auto &&time) {
    if (!isAskedFor(name))
      return;
    spoil();
    const gpucheck::PeerTime found = time(device, timer, same);
    if (found.name.empty())
      return;
    check(name); // of the algorithm that ran last
    print(found.name, found.times);
  };
  peer("cusparse", gpucheck::timeCuSparse);
  peer("cublas", gpucheck::timeCuBlas);
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "ours and rivals, on a GPU\n");
  rt::Device *device = expect(rt::cudaDevice());
  const auto timer = expect(gpucheck::Timer::make(*device));
  std::printf("# %s\n", device->name().c_str());
  std::vector<int64_t> counts(columnCounts.begin(), columnCounts.end());
  if (counts.empty())
    counts = {1, 8, 32, 64, 128, 512};
  for (int64_t count : counts)
    if (count != 1 && count != 8 && (count < 1 || count % 32 != 0))
      fail("expected 1, 8 or a multiple of 32 columns but got " +
           std::to_string(count));
  std::vector<std::string> known = {"ours", "view", "packed", "cusparse",
                                    "cublas"};
  for (const std::string &name : rivalsFor(32))
    known.push_back(name);
  for (const std::string &name : only)
    if (!llvm::is_contained(known, name))
      fail("expected " + llvm::join(known, ", ") + " but got '" + name + "'");
  Course course(*device, *timer);
  for (const Named &matrix : matricesOf(classes, files, nonzeros))
    for (int64_t count : counts)
      course.race(matrix, count);
  return 0;
}
