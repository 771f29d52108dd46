//===- LaunchPlan.cpp - a saved kernel's launches on a packed matrix ------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/LaunchPlan.h"
#include "ASTFE/Core/Pack/GPUGrid.h"
#include "ASTFE/Core/Target/GPUConstants.h"
#include <algorithm>
#include <optional>
#include <string_view>

using namespace astfe;
using namespace astfe::core;

namespace {

/// Blocks of the kernels beside the main one, which go on to further rows; fill
/// saturates memory with far fewer.
constexpr int64_t kMostBlocks = rules::kGPUGridLimit, kMostFillBlocks = 1024;

int64_t blocksOf(int64_t work, int64_t each) {
  return (work + each - 1) / each;
}

class Planner {
public:
  Planner(const KernelFile &kernel, const Packed &pattern, int64_t columns,
          int64_t multiprocessors)
      : kernel(kernel), pattern(pattern), columns(columns),
        multiprocessors(multiprocessors),
        partialElements(pattern.partialRows() * columns) {}

  Result<std::vector<KernelLaunch>> plan();

private:
  bool has(std::string_view role) const {
    return std::find(kernel.arguments.begin(), kernel.arguments.end(), role) !=
           kernel.arguments.end();
  }
  Status add(const std::string &entry, const std::vector<std::string> &roles,
             int64_t blockThreads, int64_t gridX);
  Status addCompanion(const char *entry, int64_t gridX);
  Result<LaunchArgument> argument(const std::string &role) const;
  std::optional<LaunchArgument> table(const std::string &role) const;
  std::optional<LaunchArgument> scalar(const std::string &role) const;
  Status addMain(const KernelVariant &variant);
  Status addStart();
  Status addFill();
  Status addCombine();
  Status fits() const;
  Status limits(const KernelVariant &variant) const;
  Result<KernelVariant> choose() const;

  const KernelFile &kernel;
  const Packed &pattern;
  int64_t columns, multiprocessors, partialElements;
  std::vector<KernelLaunch> launches;
};

template <typename Entries>
LaunchArgument tableOf(const Entries &entries) {
  LaunchArgument argument;
  argument.data = entries.data();
  argument.bytes = int64_t(entries.size() * sizeof(entries[0]));
  argument.bits = unsigned(sizeof(entries[0])) * 8;
  return argument;
}

/// What follows `prefix`, where that is a number of up to six digits.
std::optional<int64_t> numberBehind(std::string_view prefix,
                                    const std::string &role) {
  if (role.compare(0, prefix.size(), prefix) != 0)
    return std::nullopt;
  const std::string digits = role.substr(prefix.size());
  if (digits.empty() || digits.size() > 6 ||
      digits.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return std::stol(digits);
}

} // namespace

std::optional<LaunchArgument> Planner::table(const std::string &role) const {
  const Packed &p = pattern;
  const std::pair<const char *, LaunchArgument> tables[] = {
      {"worker_span", tableOf(p.workerSpan)},
      {"span_slot", tableOf(p.spanSlot)},
      {"span_segment", tableOf(p.spanSegment)},
      {"span_column", tableOf(p.spanColumn)},
      {"span_class", tableOf(p.spanClass)},
      {"span_width", tableOf(p.spanWidth)},
      {"segment_row", tableOf(p.segmentRow)},
      {"segment_end", tableOf(p.segmentEnd)},
      {"segment_target", tableOf(p.segmentTarget)},
      {"segment_first", tableOf(p.segmentFirst)},
      {"columns", p.layout.columnBits == 8    ? tableOf(p.columns8)
                  : p.layout.columnBits == 16 ? tableOf(p.columns16)
                                              : tableOf(p.columns32)},
      {"combine_row", tableOf(p.combineRow)},
      {"combine_begin", tableOf(p.combineBegin)},
      {"combine_partial", tableOf(p.combinePartial)},
      {"gap_begin", tableOf(p.gapBegin)},
      {"gap_end", tableOf(p.gapEnd)}};
  for (const auto &[name, argument] : tables)
    if (role == name)
      return argument;
  return std::nullopt;
}

std::optional<LaunchArgument> Planner::scalar(const std::string &role) const {
  const std::pair<const char *, int64_t> numbers[] = {
      {"workers", pattern.workers()},
      {"column_count", columns},
      {"marks", int64_t(pattern.segmentFirst.size())},
      {"gaps", pattern.gaps()},
      {"shared_rows", int64_t(pattern.combineRow.size())},
      {"count", partialElements}};
  for (const auto &[name, number] : numbers)
    if (role == name) {
      LaunchArgument argument;
      argument.kind = ArgumentKind::Scalar;
      argument.number = number;
      argument.bits = role == "count" ? 64 : 32;
      return argument;
    }
  return std::nullopt;
}

Result<LaunchArgument> Planner::argument(const std::string &role) const {
  const auto bits = unsigned(8 * elementBytes(kernel.element));
  if (auto found = table(role))
    return *found;
  if (auto found = scalar(role)) {
    if (found->bits == 32 && found->number > INT32_MAX)
      return Error{"expected '" + role + "' to fit 32 bits but got " +
                   std::to_string(found->number)};
    return *found;
  }
  LaunchArgument result;
  result.bits = bits;
  if (role == "values") {
    result.kind = ArgumentKind::Values;
    result.bytes = pattern.slots * (bits / 8);
    return result;
  }
  if (role == "output") {
    result.kind = ArgumentKind::Output;
    result.bytes = pattern.shape[0] * columns * (bits / 8);
    return result;
  }
  if (role == "partials") {
    result.kind = ArgumentKind::Partials;
    result.bytes = partialElements * (bits / 8);
    return result;
  }
  if (auto number = numberBehind("dense:", role)) {
    result.kind = ArgumentKind::Dense;
    result.number = *number;
    return result;
  }
  if (auto number = numberBehind("scalar:", role)) {
    result.kind = ArgumentKind::Given;
    result.number = *number;
    return result;
  }
  return Error{"expected arguments that the launcher knows but got '" + role +
               "'"};
}

Status Planner::add(const std::string &entry,
                    const std::vector<std::string> &roles, int64_t blockThreads,
                    int64_t gridX) {
  KernelLaunch launch;
  launch.entry = entry;
  launch.gridX = gridX;
  launch.blockThreads = blockThreads;
  for (const std::string &role : roles) {
    Result<LaunchArgument> made = argument(role);
    if (!made)
      return made.error();
    made->role = role;
    launch.arguments.push_back(std::move(*made));
  }
  launches.push_back(std::move(launch));
  return Success();
}

Status Planner::addCompanion(const char *entry, int64_t gridX) {
  const CompanionKernel *companion = findCompanion(kernel, entry);
  if (!companion)
    return Error{std::string("expected a kernel '") + entry +
                 "' beside this one but got none"};
  return add(entry, companion->arguments, companion->blockThreads, gridX);
}

/// As the host code of generated programs launches it.
Status Planner::addMain(const KernelVariant &variant) {
  const int64_t blocks = blocksOf(pattern.workers(), kernel.workersPerBlock);
  const int64_t tiles = columnTiles(columns, variant.columnTile);
  Status status =
      add(variant.entry, kernel.arguments, kernel.blockThreads, blocks);
  if (!status)
    return status;
  KernelLaunch &launch = launches.back();
  launch.gridY = std::min(rules::kGPUGridLimit, tiles);
  if (sharesL1(variant.columnTile)) {
    const GPUGrid grid =
        gpuGrid(blocks, tiles, pattern.tilesTogether, multiprocessors);
    launch.gridX = grid.x;
    launch.gridY = grid.y;
    launch.gridZ = grid.z;
  }
  return status;
}

/// A warp takes a run of rows that no segment stores.
Status Planner::addStart() {
  int64_t items = pattern.gaps();
  if (!has("partials"))
    items += int64_t(pattern.combineRow.size());
  if (items == 0)
    return Success();
  // A warp has an item; with one column, a lane has.
  const CompanionKernel *start = findCompanion(kernel, "start");
  const int64_t threads = start ? start->blockThreads : rules::kWarpLanes;
  const int64_t each =
      kernel.columnTile ? threads / rules::kWarpLanes : threads;
  return addCompanion(
      "start",
      std::min(kMostBlocks, blocksOf(items, std::max<int64_t>(1, each))));
}

Status Planner::addFill() {
  if (partialElements == 0)
    return Success();
  return addCompanion("fill",
                      std::min(kMostFillBlocks,
                               blocksOf(partialElements, kernel.blockThreads)));
}

/// A warp, or a thread where there is one column, takes a shared row.
Status Planner::addCombine() {
  if (pattern.partialRows() == 0)
    return Success();
  const int64_t each =
      kernel.columnTile ? kernel.workersPerBlock : kernel.blockThreads;
  return addCompanion(
      "combine", std::min(kMostBlocks, blocksOf(pattern.partialRows(), each)));
}

/// Consecutive columns that a lane owns: a lane's part of the tile; of one
/// narrower than a warp some lanes own all.
static int64_t vectorOf(const KernelVariant &variant) {
  if (variant.vector)
    return variant.vector;
  const int64_t tile = variant.columnTile;
  return std::max<int64_t>(
      1, tile < rules::kWarpLanes ? tile : tile / rules::kWarpLanes);
}

/// What a variant cannot compute; success: it can.
Status Planner::limits(const KernelVariant &variant) const {
  if (variant.columnTile == 0 && columns != 1)
    return Error{"expected 1 column, as the kernel computes, but got " +
                 std::to_string(columns)};
  const int64_t vector = vectorOf(variant);
  if (columns % vector != 0)
    return Error{"expected columns divisible by " + std::to_string(vector) +
                 " but got " + std::to_string(columns)};
  const int64_t vectors = std::max<int64_t>(1, columns / vector);
  if (!variant.wide && pattern.shape[1] > int64_t(UINT32_MAX) / vectors)
    return Error{"expected a dense operand of fewer than 2^32 vectors, or a "
                 "kernel with offsets of 64 bits, but got " +
                 std::to_string(pattern.shape[1]) + " rows of " +
                 std::to_string(vectors)};
  return Success();
}

/// The first variant that can, unless half of its lanes or more would have no
/// columns and another can too: as generated host code chooses.
Result<KernelVariant> Planner::choose() const {
  const KernelVariant first{kernel.entry, kernel.columnTile, kernel.wide,
                            kernel.vector};
  std::vector<KernelVariant> variants{first};
  variants.insert(variants.end(), kernel.others.begin(), kernel.others.end());
  const KernelVariant *able = nullptr;
  for (const KernelVariant &variant : variants) {
    if (!limits(variant))
      continue;
    const bool isIdle = variant.columnTile > rules::kWarpLanes &&
                        columns <= variant.columnTile / 2;
    if (!isIdle)
      return variant;
    if (!able)
      able = &variant;
  }
  if (able)
    return *able;
  return limits(first).error();
}

Status Planner::fits() const {
  const Layout &made = pattern.layout;
  if (made.storage != Storage::Packed ||
      kernel.layout.storage != Storage::Packed)
    return Error{"expected packed storage but got a view"};
  if (kernel.layout.columnBits != made.columnBits)
    return Error{
        "expected columns of " + std::to_string(kernel.layout.columnBits) +
        " bits, the kernel's, but got " + std::to_string(made.columnBits)};
  for (int32_t kind : pattern.spanClass)
    if (!kernel.layout.classes.contains(SegmentClass(kind)))
      return Error{"expected segments of the kernel's classes but got " +
                   std::string(className(SegmentClass(kind)))};
  if (!has("output"))
    return Error{"expected an argument 'output' but got none"};
  return Success();
}

Result<std::vector<KernelLaunch>> Planner::plan() {
  if (Status status = fits(); !status)
    return status.error();
  const Result<KernelVariant> variant = choose();
  if (!variant)
    return variant.error();
  const bool overwrites = overwritesOutput(kernel), partials = has("partials");
  Status status = Success();
  if (overwrites)
    status = addStart();
  if (status && partials && !overwrites)
    status = addFill();
  if (status && pattern.workers() > 0 && columns > 0)
    status = addMain(*variant);
  if (status && partials)
    status = addCombine();
  if (!status)
    return status.error();
  return std::move(launches);
}

Result<std::vector<KernelLaunch>> core::planLaunches(const KernelFile &kernel,
                                                     const Packed &pattern,
                                                     int64_t columns,
                                                     int64_t multiprocessors) {
  return Planner(kernel, pattern, columns, multiprocessors).plan();
}
