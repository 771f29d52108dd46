//===- VolumeTable.cpp - the volume of every arrangement ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: ASTFEOrderVolumes [FILE.mtx...]
//
// Prints, for each file and for generated matrices, the communication volume of
// 64 workers (Volume.h) under each order and reordering, and of Scotch,
// relative to the rows that METIS picks (to plain rows where METIS does not
// apply), and how many nonzeros a second reordering and partitioning take. The
// last columns are what `auto` picks.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Plan/Plan.h"
#include "ASTFE/Core/Tensor/MatrixMarket.h"
#include "Generate.h"
#include "Volume.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

using namespace astfe;
using namespace astfe::bench;

namespace {

constexpr int64_t kWorkers = 64;
/// The least volume is asked for, not what pays for itself soon.
constexpr int64_t kManyRuns = 1000000;

struct Input {
  std::string name;
  core::SparseView view;
};

/// A square matrix and one full row in the middle of it.
Matrix withDenseRow(const Matrix &matrix) {
  Matrix result;
  result.rows = matrix.rows;
  result.columns = matrix.columns;
  result.positions.push_back(0);
  for (int64_t row = 0; row < matrix.rows; ++row) {
    if (row == matrix.rows / 2)
      for (int64_t column = 0; column < matrix.columns; ++column)
        result.coordinates.push_back(int32_t(column));
    else
      result.coordinates.insert(
          result.coordinates.end(),
          matrix.coordinates.begin() + matrix.positions[size_t(row)],
          matrix.coordinates.begin() + matrix.positions[size_t(row) + 1]);
    result.positions.push_back(int32_t(result.coordinates.size()));
  }
  return result;
}

/// A square matrix and one full column in the middle of it.
Matrix withDenseColumn(const Matrix &matrix) {
  Matrix result;
  result.rows = matrix.rows;
  result.columns = matrix.columns;
  result.positions.push_back(0);
  const auto full = int32_t(matrix.columns / 2);
  for (int64_t row = 0; row < matrix.rows; ++row) {
    const auto begin =
        matrix.coordinates.begin() + matrix.positions[size_t(row)];
    const auto end =
        matrix.coordinates.begin() + matrix.positions[size_t(row) + 1];
    const auto after = std::lower_bound(begin, end, full);
    result.coordinates.insert(result.coordinates.end(), begin, after);
    result.coordinates.push_back(full);
    result.coordinates.insert(
        result.coordinates.end(),
        after != end && *after == full ? after + 1 : after, end);
    result.positions.push_back(int32_t(result.coordinates.size()));
  }
  return result;
}

int64_t volumeOf(const core::SparseView &view,
                 const core::Arrangement &arrangement) {
  core::Result<core::Space> space = core::arrange(view, arrangement);
  return space ? volume(view, cutEqually(view, *space, kWorkers)) : -1;
}

/// Nonzeros a second of reordering, profile, partition, refine and fuse: the
/// best of five.
double planSpeed(const core::SparseView &view, core::ReorderKind kind) {
  core::PlanOptions options;
  options.order = core::OrderKind::Rows;
  options.reorder = kind;
  options.hubs = core::kAutoHubs;
  double least = INFINITY;
  for (int i = 0; i < 5; ++i) {
    auto begin = std::chrono::steady_clock::now();
    if (!core::makePlan(view, options))
      return 0;
    std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - begin;
    least = std::min(least, seconds.count());
  }
  return double(view.nonzeros()) / least;
}

void printHeader() {
  std::printf("%-18s %9s %8s %6s |", "matrix", "nonzeros", "METIS", "Scotch");
  for (const char *reorder : {"", " labels", " rcm"})
    for (const char *order : {"rows", "morton", "hilbert", "panels"})
      std::printf(" %5.5s%-7s", order, reorder);
  std::printf(" | %-22s %5s | %s\n", "auto", "",
              "nonzeros/s: METIS, Scotch, "
              "labels, rcm");
}

/// Nonzeros a second of a peer; 0 without it.
double peerSpeed(const core::SparseView &view,
                 const std::optional<PeerVolume> &peer) {
  return peer ? double(view.nonzeros()) / peer->seconds : 0.0;
}

/// Volumes of all orders after all reorderings, relative to `unit`.
void printOrders(const core::SparseView &view, double unit) {
  for (auto reorder : {core::ReorderKind::None, core::ReorderKind::Labels,
                       core::ReorderKind::Rcm})
    for (auto order : {core::OrderKind::Rows, core::OrderKind::Morton,
                       core::OrderKind::Hilbert, core::OrderKind::Panels}) {
      bool plain = reorder == core::ReorderKind::None;
      int64_t hubs = plain ? core::kNoHubs : core::kAutoHubs;
      std::printf(" %12.2f",
                  double(volumeOf(view, {order, 10, reorder, hubs})) / unit);
    }
}

void printLine(const Input &input) {
  const core::SparseView &view = input.view;
  std::optional<PeerVolume> metis = metisVolume(view, kWorkers);
  std::optional<PeerVolume> scotch = scotchVolume(view, kWorkers);
  double unit = metis ? double(metis->volume)
                      : double(volumeOf(view, core::Arrangement()));
  std::printf("%-18.18s %9ld %8.0f %6.2f |", input.name.c_str(),
              long(view.nonzeros()), unit,
              scotch ? double(scotch->volume) / unit : 0.0);
  printOrders(view, unit);
  core::PlanOptions options;
  options.reorder = std::nullopt;
  options.hubs = core::kAutoHubs;
  options.fuse.columns = 32;
  options.expectedRuns = kManyRuns;
  auto plan = core::makePlan(view, options);
  if (!plan) {
    std::printf(" | %s\n", plan.message().c_str());
    return;
  }
  double chosen =
      double(volume(view, cutEqually(view, plan->profile.space, kWorkers))) /
      unit;
  std::printf(" | %-22s %5.2f | %.1e %.1e %.1e %.1e\n",
              core::arrangementName(plan->arrangement).c_str(), chosen,
              peerSpeed(view, metis), peerSpeed(view, scotch),
              planSpeed(view, core::ReorderKind::Labels),
              planSpeed(view, core::ReorderKind::Rcm));
}

} // namespace

int main(int argc, char **argv) {
  printHeader();
  for (int i = 1; i < argc; ++i) {
    core::Result<core::CooTensor> tensor = core::readMatrixMarket(argv[i]);
    core::Result<core::CsrMatrix> matrix = core::Error{};
    if (tensor)
      matrix = core::toCsr(*tensor);
    if (!matrix) {
      std::fprintf(stderr, "%s\n",
                   (tensor ? matrix.message() : tensor.message()).c_str());
      return 1;
    }
    std::string name(argv[i]);
    printLine({name.substr(name.rfind('/') + 1), matrix->view()});
  }
  Matrix mesh = generate(MatrixClass::Mesh, 450000);
  Matrix shuffled = shuffle(mesh), denseRow = withDenseRow(mesh),
         denseColumn = withDenseColumn(mesh);
  Matrix rmat = generate(MatrixClass::Rmat, 1000000);
  Matrix blocks = generate(MatrixClass::PermutedBlocks, 1000000);
  Matrix power = generate(MatrixClass::PowerLaw, 1000000);
  printLine({"mesh", mesh.view()});
  printLine({"mesh, shuffled", shuffled.view()});
  printLine({"mesh, a dense row", denseRow.view()});
  printLine({"mesh, a dense col.", denseColumn.view()});
  printLine({"rmat", rmat.view()});
  printLine({"permuted-blocks", blocks.view()});
  printLine({"power-law", power.view()});
  return 0;
}
