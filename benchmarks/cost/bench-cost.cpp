//===- bench-cost.cpp - the constants of the cost model on this machine ---===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the machine's numbers, times products whose time the model predicts,
// finds the weights of the formula with the least error (one after the other,
// until none moves), and times the steps of order=auto. Prints a JSON object:
// for each constant of Target/Constants.def what was found, and the median
// error of the predictions before and after. fit_constants.py prints it as a
// table.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Plan/MeasureMachine.h"
#include "ASTFE/Core/Plan/Plan.h"
#include "ASTFE/Runtime/ABI.h"
#include "Generate.h"
#include "Main.h"
#include "Products.h"
#include "Timing.h"
#include <cstdio>
#include <nlohmann/json.hpp>

using namespace astfe;
using namespace astfe::bench;
using Json = nlohmann::ordered_json;

namespace {

/// A weight of the formula by the name of its constant.
struct Weight {
  const char *name;
  double core::CostWeights::*member;
};
constexpr Weight kWeights[] = {
    {"kNotHidden", &core::CostWeights::notHidden},
    {"kTileSaves", &core::CostWeights::tileSaves},
    {"kOneColumnTileSaves", &core::CostWeights::oneColumnTileSaves},
    {"kRandomOutput", &core::CostWeights::randomOutput},
    {"kRandomOutputFromMemory", &core::CostWeights::randomOutputFromMemory},
    {"kFetchedOutputFromMemory", &core::CostWeights::fetchedOutputFromMemory},
    {"kStreamedOutput", &core::CostWeights::streamedOutput},
    {"kAheadInCache", &core::CostWeights::aheadInCache},
};

class Fit {
public:
  Fit(const core::Machine &machine,
      const std::vector<MeasuredProduct> &products)
      : machine(machine), products(products) {}

  /// The median of |log(predicted / measured)|.
  double medianError(const core::CostWeights &weights) const {
    std::vector<double> errors = all(weights);
    std::nth_element(errors.begin(), errors.begin() + middle(), errors.end());
    return errors[size_t(middle())];
  }

  core::CostWeights run() const {
    core::CostWeights best;
    double error = meanError(best);
    for (bool moved = true; moved;) {
      moved = false;
      for (const Weight &weight : kWeights)
        for (double factor : {0.8, 0.9, 0.95, 1.05, 1.1, 1.25}) {
          core::CostWeights other = best;
          other.*weight.member *= factor;
          // A better fit by less than a thousandth is none.
          if (meanError(other) < 0.999 * error) {
            best = other;
            error = meanError(other);
            moved = true;
          }
        }
    }
    return best;
  }

private:
  std::ptrdiff_t middle() const { return std::ptrdiff_t(products.size() / 2); }
  std::vector<double> all(const core::CostWeights &weights) const {
    std::vector<double> errors;
    for (const MeasuredProduct &product : products)
      errors.push_back(std::abs(std::log(product.ratio(machine, weights))));
    return errors;
  }
  /// What is minimised: smoother than the median.
  double meanError(const core::CostWeights &weights) const {
    double sum = 0;
    for (double error : all(weights))
      sum += error;
    return sum / double(products.size());
  }

  const core::Machine &machine;
  const std::vector<MeasuredProduct> &products;
};

/// The least of three times, for each nonzero.
double perNonzero(const Matrix &matrix, const std::function<void()> &step) {
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const double begin = now();
    step();
    least = std::min(least, now() - begin);
  }
  return least / double(matrix.nonzeros());
}

double candidateSeconds(const core::Machine &machine, const Matrix &matrix,
                        core::OrderKind order) {
  core::Product product;
  product.columns = 32;
  return perNonzero(matrix, [&] {
    core::PlanOptions options;
    options.order = order;
    options.reorder = core::ReorderKind::None;
    auto plan = core::makePlan(matrix.view(), options);
    core::CountOptions sample;
    sample.sample = std::max(core::rules::kCandidateSample,
                             matrix.nonzeros() / core::rules::kCandidateShare);
    if (plan)
      (void)countWork(machine, product, matrix.view(), plan->fused, sample);
  });
}

/// How many times as many nonzeros a matrix has that no cache holds.
constexpr int64_t kFarTimes = 16;

double numberingSeconds(const Matrix &matrix, core::ReorderKind kind) {
  return perNonzero(matrix, [&] { (void)reorder(matrix.view(), kind); });
}

/// What the steps of order=auto take: of numberings where all is hidden, and
/// where nothing is, and of one whose entries no cache holds.
Json stepCosts(const core::Machine &machine, int64_t nonzeros) {
  const Matrix hidden = generate(MatrixClass::PermutedBlocks, nonzeros),
               plain = generate(MatrixClass::Uniform, nonzeros);
  const Matrix far = generate(MatrixClass::Uniform, kFarTimes * nonzeros);
  auto both = [&](core::ReorderKind kind) {
    return Json{numberingSeconds(hidden, kind), numberingSeconds(plain, kind)};
  };
  return {
      {"kRowsCandidate",
       candidateSeconds(machine, plain, core::OrderKind::Rows)},
      {"kCurveCandidate",
       candidateSeconds(machine, plain, core::OrderKind::Hilbert)},
      {"kTwinsNumbering", numberingSeconds(plain, core::ReorderKind::Twins)},
      {"kLabelsNumbering", both(core::ReorderKind::Labels)},
      {"kRcmNumbering", both(core::ReorderKind::Rcm)},
      {"kFarSearch", numberingSeconds(far, core::ReorderKind::Rcm) /
                         numberingSeconds(plain, core::ReorderKind::Rcm)}};
}

Json machineNumbers(const core::Machine &machine) {
  return {{"kAccessL1", machine.accessSeconds[0]},
          {"kAccessL2", machine.accessSeconds[1]},
          {"kAccessNearL3", machine.accessSeconds[2]},
          {"kAccessFarL3", machine.accessSeconds[3]},
          {"kAccessMemory", machine.accessSeconds[4]},
          {"kStreamRates", machine.streamBytesPerSecond},
          {"kCacheBytes", machine.cacheBytes},
          {"kRowSeconds", machine.rowSeconds},
          {"kSurpriseSeconds", machine.surpriseSeconds},
          {"kStartSeconds", machine.startSeconds},
          {"kPackSeconds", machine.packSeconds}};
}

core::Status run(const ProductRequest &request) {
  astfe_rt_set_threads(request.threads);
  const core::Machine machine = core::measureMachine(request.threads);
  Json result{{"threads", request.threads}};
  result["constants"] = machineNumbers(machine);
  result["constants"].update(stepCosts(machine, request.nonzeros));
  auto products = measureProducts(machine, request);
  if (!products)
    return products.error();
  const Fit fit(machine, *products);
  const core::CostWeights fitted = fit.run();
  for (const Weight &weight : kWeights)
    result["constants"][weight.name] = fitted.*weight.member;
  result["products"] = products->size();
  result["error"] = {fit.medianError({}), fit.medianError(fitted)};
  for (const MeasuredProduct &product : *products)
    result["measured"].push_back({product.name, product.product.columns,
                                  product.seconds, product.ratio(machine, {}),
                                  product.ratio(machine, fitted)});
  std::printf("%s\n", result.dump(1).c_str());
  return core::Success();
}

} // namespace

int main(int argc, char **argv) {
  ProductRequest request;
  int64_t threads = 1, seconds = 60;
  tools::Options options("bench-cost",
                         "finds the constants of the cost model again");
  options.integer("nonzeros", "N", "of a generated matrix (default 500000)",
                  request.nonzeros, 1000, int64_t(1) << 28);
  options.integer("threads", "N", "use N threads (default 1)", threads, 1, 256);
  options.integer("seconds", "N",
                  "after which no further product is timed (default 60)",
                  seconds, 1, 100000);
  return tools::runTool(options, argc, argv, [&] {
    request.threads = unsigned(threads);
    request.seconds = double(seconds);
    return run(request);
  });
}
