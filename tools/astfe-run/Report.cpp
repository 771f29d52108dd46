//===- Report.cpp - what a run prints -------------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace astfe::run {

std::optional<double> Report::breakEven(double setUp) const {
  const double gain = seconds.upstreamMedian.value_or(0) - seconds.runMedian;
  if (gain <= 0)
    return std::nullopt;
  return std::ceil(std::max(0.0, setUp) / gain);
}

/// Set-up with the compilation counts what upstream's compilation takes less.
/// Code from the cache says nothing of that.
static double setUpOf(const Report &report, bool withCompile) {
  const Report::Seconds &s = report.seconds;
  return s.preparation() +
         (withCompile ? report.compilation.seconds - s.upstreamCompile : 0);
}

static void printBreakEven(json::OStream &json, const Report &report) {
  for (bool withCompile : {false, true}) {
    StringRef key =
        withCompile ? "break_even_runs_with_compile" : "break_even_runs";
    auto runs = report.breakEven(setUpOf(report, withCompile));
    if (runs && (!withCompile || report.wasCompiled()))
      json.attribute(key, *runs);
    else
      json.attribute(key, nullptr);
  }
}

static void printSeconds(json::OStream &json, const Report &report) {
  const Report::Seconds &s = report.seconds;
  json.attributeObject("seconds", [&] {
    json.attribute("read", s.read);
    json.attribute("order", s.order);
    json.attribute("profile", s.profile);
    json.attribute("partition", s.partition);
    json.attribute("pack", s.pack);
    json.attribute("compile", report.compilation.seconds);
    json.attribute("run_median", s.runMedian);
    json.attribute("run_min", s.runMin);
    if (s.withCopies)
      json.attribute("with_copies", true);
    if (s.upstreamMedian)
      json.attribute("upstream_median", *s.upstreamMedian);
    else
      json.attribute("upstream_median", nullptr);
    if (s.unfusedMedian)
      json.attribute("unfused_median", *s.unfusedMedian);
  });
}

static void printLaunches(json::OStream &json, StringRef key,
                          const Report::Launches &launches) {
  json.attributeObject(key, [&] {
    json.attribute("launches", launches.launches);
    json.attribute("transactions", launches.sectors);
    json.attribute("stored_bytes", launches.storeBytes);
  });
}

/// A vector is a matrix of one column.
static int64_t secondExtent(ArrayRef<int64_t> extents) {
  return extents.size() > 1 ? extents[1] : 1;
}

void Report::printJson(raw_ostream &out) const {
  json::OStream json(out, 2);
  json.object([&] {
    json.attribute("kernel", kernel);
    json.attribute("device", device);
    json.attribute("threads", threads);
    json.attribute("type", type);
    json.attribute("semiring", semiring);
    json.attribute("storage", storage);
    json.attribute("rows", isOfTensor() ? extents.front() : rows);
    json.attribute("cols", isOfTensor() ? secondExtent(extents) : cols);
    if (isOfTensor()) {
      json.attributeArray("extents", [&] {
        for (int64_t extent : extents)
          json.value(extent);
      });
      json.attribute("mode", mode);
      json.attribute("rank", columns);
      json.attribute("slices", slices);
      if (matrix)
        json.attributeArray("matrix", [&] {
          for (int64_t extent : *matrix)
            json.value(extent);
        });
      else
        json.attribute("matrix", nullptr);
    }
    json.attribute("nnz", nnz);
    json.attribute("columns", inner ? 1 : columns);
    if (inner)
      json.attribute("inner", *inner);
    if (attention) {
      json.attribute("heads", attention->heads);
      json.attribute("dim", attention->dim);
      json.attribute("mask", attention->mask);
      json.attribute("backward", attention->backward);
    }
    json.attribute("accumulate", accumulate);
    json.attribute("transpose", transpose);
    json.attribute("order", order);
    json.attribute("reorder", reorder);
    const Blocks b = blocks.value_or(Blocks());
    json.attributeObject("blocks", [&] {
      json.attribute("initial", b.initial);
      json.attribute("refined", b.refined);
      json.attribute("fused", b.fused);
    });
    json.attribute("groups", groups);
    json.attribute("workers", workers);
    if (imbalance)
      json.attribute("imbalance", *imbalance);
    else
      json.attribute("imbalance", nullptr);
    if (columnBits)
      json.attribute("column_bits", *columnBits);
    else
      json.attribute("column_bits", nullptr);
    json.attribute("traffic_bytes", trafficBytes);
    json.attribute("compiled",
                   StringRef(product::originName(compilation.origin)));
    printSeconds(json, *this);
    if (seconds.upstreamMedian)
      printBreakEven(json, *this);
    if (upstreamUncompared) {
      json.attribute("upstream_elements", upstreamUncompared->of);
      json.attribute("upstream_not_compared", upstreamUncompared->elements);
    }
    if (launches) {
      printLaunches(json, "fused", launches->fused);
      printLaunches(json, "unfused", launches->unfused);
    }
    // JSON has no infinity; `check` says then that the result is wrong.
    if (maxRelativeError && std::isfinite(*maxRelativeError))
      json.attribute("max_relative_error", *maxRelativeError);
    else
      json.attribute("max_relative_error", nullptr);
    if (passed)
      json.attribute("check", *passed ? "passed" : "failed");
    else
      json.attribute("check", nullptr);
  });
  out << '\n';
}

static void printTime(raw_ostream &out, const char *name, double seconds) {
  out << "  " << left_justify(name, 12) << format("%12.3f ms\n", seconds * 1e3);
}

static void printCompilation(raw_ostream &out, const Compilation &compilation) {
  out << "  " << left_justify("compile", 12)
      << format("%12.3f ms", compilation.seconds * 1e3);
  if (compilation.origin == product::CodeOrigin::InFolder)
    out << " (from the cache)";
  out << '\n';
  if (!compilation.note.empty())
    out << "  not kept: " << compilation.note << '\n';
}

static void printLaunches(raw_ostream &out, StringRef name,
                          const Report::Launches &launches) {
  out << "  " << left_justify(name, 12) << format_decimal(launches.launches, 8)
      << " launches" << format_decimal(launches.sectors, 12) << " transactions"
      << format_decimal(launches.storeBytes, 12) << " bytes stored\n";
}

void Report::printText(raw_ostream &out) const {
  out << kernel << " on " << device << ": ";
  if (isOfTensor())
    interleave(extents, out, " x ");
  else
    out << rows << " x " << cols;
  out << ", " << nnz << " nonzeros, ";
  if (isOfTensor())
    out << "mode " << mode << ", ";
  if (attention)
    out << attention->heads << " head" << (attention->heads == 1 ? "" : "s")
        << " of " << attention->dim << ", mask " << attention->mask
        << (attention->backward ? ", with gradients" : "");
  else if (inner)
    out << "inner " << *inner;
  else
    out << columns << " column" << (columns == 1 ? "" : "s");
  out << (accumulate ? ", added" : "") << (transpose ? ", transposed" : "")
      << ", " << type;
  if (semiring != core::semiringName(core::Semiring()))
    out << ", " << semiring;
  out << ", " << threads << " thread" << (threads == 1 ? "" : "s") << '\n';
  out << "order " << order;
  if (reorder != "none")
    out << " after " << reorder;
  out << ", storage " << storage;
  if (isViewAfterAll)
    out << (transpose ? ", as packed it is predicted to take longer"
                      : ", as packing brings nothing");
  if (matrix)
    out << " as a matrix of " << (*matrix)[0] << " x " << (*matrix)[1];
  if (blocks)
    out << ": blocks " << blocks->initial << " -> refined " << blocks->refined
        << " -> fused " << blocks->fused << ", groups " << groups
        << ", workers " << workers;
  if (slices)
    out << ", in " << slices << " slice" << (slices == 1 ? "" : "s")
        << ", as memory has no room for a copy by the output's rows";
  if (imbalance)
    out << format(", imbalance %.4f", *imbalance);
  if (columnBits)
    out << ", columns of " << *columnBits << " bits";
  if (blocks)
    out << format(", traffic %.3f MB", double(trafficBytes) * 1e-6);
  out << '\n';
  printTime(out, "read", seconds.read);
  if (blocks || isViewAfterAll) {
    printTime(out, "order", seconds.order);
    printTime(out, "profile", seconds.profile);
    printTime(out, "partition", seconds.partition);
    printTime(out, "pack", seconds.pack);
  }
  printCompilation(out, compilation);
  printTime(out, "run (median)", seconds.runMedian);
  printTime(out, "run (min)", seconds.runMin);
  if (seconds.withCopies)
    out << kWithCopies;
  // A multiplication for each dense operand, and an addition; of attention two
  // products, and with gradients seven more.
  const double factors = kernel == "mttkrp" ? double(extents.size())
                         : !attention       ? 2
                                            : (attention->backward ? 18 : 4);
  const double flops = factors * double(nnz) * double(inner.value_or(columns));
  if (seconds.runMedian > 0)
    out << format("  %.2f GFLOP/s\n", flops / seconds.runMedian * 1e-9);
  if (seconds.upstreamMedian) {
    printTime(out, "upstream", *seconds.upstreamMedian);
    out << format("  %.2fx upstream's sparsifier\n",
                  *seconds.upstreamMedian / seconds.runMedian);
    if (auto runs = breakEven(setUpOf(*this, false))) {
      out << format("  paid back after %.0f runs", *runs);
      if (wasCompiled())
        out << format(" (%.0f with the compilation)",
                      *breakEven(setUpOf(*this, true)));
      out << '\n';
    } else {
      out << "  never paid back\n";
    }
    if (upstreamUncompared && upstreamUncompared->elements)
      out << "  upstream's result: " << upstreamUncompared->elements << " of "
          << upstreamUncompared->of
          << " elements have more or larger terms than " << type
          << " can add up; they are not compared\n";
  }
  if (seconds.unfusedMedian) {
    printTime(out, "unfused", *seconds.unfusedMedian);
    out << format("  %.2fx a kernel for each computation\n",
                  *seconds.unfusedMedian / seconds.runMedian);
  }
  if (launches) {
    printLaunches(out, "fused", launches->fused);
    printLaunches(out, "unfused", launches->unfused);
    out << format("  %.2fx the transactions of one kernel\n",
                  double(launches->unfused.sectors) /
                      double(std::max<int64_t>(1, launches->fused.sectors)));
  }
  if (passed)
    out << "check " << (*passed ? "passed" : "FAILED")
        << format(": largest error %.3g of the sum of |terms| (float64)\n",
                  maxRelativeError.value_or(0));
}

} // namespace astfe::run
