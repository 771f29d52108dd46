//===- astfe-gpu-bench.cpp - kernels compiled ahead, timed on a GPU ------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times C = A B in f32 for classes of matrices, the important ones first,
// beside cuSPARSE and cuBLAS where they are found, and beside what was
// predicted before any GPU had run them. Prints one line a case, tab-separated,
// until the time is over. Links neither LLVM nor CUDA.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/Mgpu.h"
#include "Main.h"
#include "Peers.h"
#include "Product.h"
#include <chrono>
#include <cstdio>
#include <functional>

using namespace astfe;
using namespace astfe::gpucheck;

namespace {

struct Request {
  std::string cases;
  int64_t seconds = 300, shrink = 1;
};

/// Matrices of one class, and the milliseconds that a product was predicted to
/// take, of ours and of cuSPARSE's best (docs/GPU.md).
struct Class {
  const char *name;
  std::function<Sample(int64_t shrink)> make;
  std::vector<int64_t> columns;
  const char *predicted;
};

std::vector<Class> classes() {
  return {
      {"R-MAT 2^18, 4e6 nonzeros",
       [](int64_t s) { return rmat(s > 1 ? 10 : 18, 4000000 / s, 1); },
       {128, 32, 1},
       "0.45-0.55 | 0.6-0.9 (128)"},
      {"uniform, 1e6 rows of 16",
       [](int64_t s) { return uniform(1000000 / s, 1000000 / s, 16, 2); },
       {128, 8, 1},
       "2.3-2.6 | 2.3-3.0 (128)"},
      {"pruned 75 %, 4096^2",
       [](int64_t s) { return pruned(4096 / s, 4096 / s, 0.25, 3); },
       {512, 128},
       "0.8-1.3 | 1.2-2 (512), dense 0.34"},
      {"mesh, 5 a row, 1e6 rows",
       [](int64_t s) { return mesh(1000 / s); },
       {128, 32, 1},
       "0.5 | 0.25-0.35 (128)"},
      {"2708 rows of 4",
       [](int64_t) { return uniform(2708, 2708, 4, 4); },
       {128, 32},
       "0.2-0.5 of cuSPARSE's speed"},
      {"pruned 90 %, 1024^2",
       [](int64_t) { return pruned(1024, 1024, 0.1, 5); },
       {512, 128, 32},
       "-"},
  };
}

class Bench {
public:
  Bench(rt::Device &device, Timer &timer, std::string folder,
        const std::vector<Case> &cases)
      : device(device), timer(timer), folder(std::move(folder)), cases(cases) {}

  core::Status time(const Class &what, const Sample &sample, int64_t columns);

private:
  const Case *find(int64_t columns, bool fits16) const;

  rt::Device &device;
  Timer &timer;
  const std::string folder;
  const std::vector<Case> &cases;
};

/// A plain packed case: the narrowest columns that fit, and, where there is
/// one, of that number of dense columns alone.
const Case *Bench::find(int64_t columns, bool fits16) const {
  const Case *found = nullptr;
  for (const Case &which : cases)
    if (!which.isView() && !which.isDouble &&
        which.isVector == (columns == 1) &&
        (which.columns == 0 || which.columns == columns) && which.overwrite &&
        !which.hostOperands && !which.layout.deterministic &&
        which.layout.classes ==
            core::ClassSet::general().with(core::SegmentClass::DenseTile) &&
        which.layout.columnBits == (fits16 ? 16 : 32))
      found = &which;
  return found;
}

core::Status Bench::time(const Class &what, const Sample &sample,
                         int64_t columns) {
  const Case *which = find(columns, sample.columns <= 65536);
  if (!which)
    return core::Success(); // --few has not all of them
  auto loaded = LoadedCase::load(folder, *which);
  if (!loaded)
    return loaded.error();
  auto product = Product::make(device, *loaded, sample,
                               core::OrderKind::Rows); // as callers have it
  if (!product)
    return product.error();
  Operands operands(*loaded, sample, columns, 1);
  if (auto status = operands.place(device); !status)
    return status;
  auto ours = [&]() -> core::Result<Timer::Times> {
    rt::StreamScope scope(timer.stream);
    return timer.time([&] { return (*product)->run(operands); });
  }();
  if (!ours)
    return ours.error();
  const PeerProduct same{sample, columns, operands.bData, operands.cData};
  const PeerTime sparse = timeCuSparse(device, timer, same),
                 dense = timeCuBlas(device, timer, same);
  std::printf("%s\t%lld\t%.4f\t%.4f\t%.4f\t%s\t%.4f\t%.4f\t%.4f\t%.4f\t%s\n",
              what.name, static_cast<long long>(columns), ours->hot * 1e3,
              ours->replayed * 1e3, ours->cold * 1e3,
              sparse.name.empty() ? "-" : sparse.name.c_str(),
              sparse.times.hot * 1e3, sparse.times.replayed * 1e3,
              sparse.times.cold * 1e3, dense.times.hot * 1e3, what.predicted);
  return core::Success();
}

core::Status run(const Request &request) {
  const auto begin = std::chrono::steady_clock::now();
  auto cases = readCases(request.cases, Computation::Product);
  if (!cases)
    return cases.error();
  auto device = rt::currentDevice();
  if (!device)
    return device.error();
  auto timer = Timer::make(**device);
  if (!timer)
    return timer.error();
  std::printf("# %s, milliseconds of C = A B in f32\n"
              "# matrix\tcolumns\tours hot\treplayed\tcold\tbest of "
              "cuSPARSE\thot\treplayed\t"
              "cold\tdense hot\tpredicted: ours | cuSPARSE\n",
              (*device)->name().c_str());
  Bench bench(**device, **timer, request.cases, *cases);
  bool begun = false;
  for (const Class &what : classes()) {
    const Sample sample = what.make(request.shrink);
    for (int64_t columns : what.columns) {
      const std::chrono::duration<double> spent =
          std::chrono::steady_clock::now() - begin;
      // A profiler, which gives a second, sees the first product.
      if (begun && spent.count() > double(request.seconds)) {
        std::printf("# out of time\n");
        return core::Success();
      }
      begun = true;
      if (auto status = bench.time(what, sample, columns); !status)
        return core::Error{std::string(what.name) + ", " +
                           std::to_string(columns) +
                           " columns: " + status.message()};
    }
  }
  return core::Success();
}

} // namespace

int main(int argc, char **argv) {
  Request request;
  tools::Options options("astfe-gpu-bench",
                         "times kernels that were compiled ahead on a GPU");
  options.text("cases", "FOLDER", "with cases.json", request.cases,
               tools::Needed::Yes);
  options.integer("seconds", "N", "after which no case is begun",
                  request.seconds, 1, 100000);
  options.integer("shrink", "N", "matrices with a part of the rows",
                  request.shrink, 1, 1000);
  return tools::runTool(options, argc, argv, [&] { return run(request); });
}
