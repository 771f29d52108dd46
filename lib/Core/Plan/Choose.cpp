//===- Choose.cpp - the arrangement with the least predicted time ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Plan/Choose.h"
#include "ASTFE/Core/Cost/Cost.h"
#include "ASTFE/Core/Graph/Fuse.h"
#include "ASTFE/Core/Graph/Partition.h"
#include "ASTFE/Core/Graph/Refine.h"
#include "ASTFE/Core/Support/Parallel.h"
#include "ASTFE/Core/Target/Constants.h"
#include "Plan/BoxRows.h"
#include "Plan/HiddenReuse.h"
#include "Reorder/Adjacency.h"
#include "Reorder/KnownNumberings.h"
#include "Target/CacheShare.h"
#include "Tensor/RowMajor.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstdio>
#include <memory>

namespace astfe::core {
namespace {

/// Permutations and caches have an entry per row and column: out of proportion
/// where most of these are empty, and limited (Reorder.h).
bool isDense(const SparseView &view) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  return view.shape[0] <= kMost && view.shape[1] <= kMost &&
         view.shape[0] + view.shape[1] <=
             std::min(kMost, rules::kMostlyEmpty * (view.nonzeros() + 64));
}

/// What a step takes is proportional to this: it reads the nonzeros, and writes
/// an entry of permutations, caches and row ends for each row and column.
int64_t entriesOf(const SparseView &view) {
  return isDense(view)
             ? std::max(view.nonzeros(), view.shape[0] + view.shape[1])
             : view.nonzeros();
}

/// One arrangement that is looked at.
struct Trial {
  Arrangement arrangement;
  std::shared_ptr<const Numbering> numbering; ///< null: still to be made
  Space space;
  Work work;
  double seconds = 0;
  bool isBound = false; ///< the seconds are those that it takes at most
  std::optional<Error> error;
};

class Chooser {
public:
  Chooser(const TrafficModel &model, const SparseView &view, int64_t workers,
          const ProfileOptions &options, const Candidates &candidates)
      : model(model), view(view), byRows(view), workers(workers),
        options(options), candidates(candidates), machine(candidates.machine) {
    product.columns = model.columns;
    product.elementBytes = model.elementBytes;
    product.indexBytes = model.indexBytes;
    product.samples = candidates.samples;
    product.inputRows = candidates.samples ? view.shape[0] : 0;
    options1.threads = 1;
    options1.min = options.min;
  }

  Result<Choice> run();

private:
  void add(OrderKind order, ReorderKind reorder,
           std::shared_ptr<const Numbering> numbering);
  bool tryAll();
  void sortRows();
  void look(Trial &trial) const;
  Status makeSpace(Trial &trial) const;
  Status measure(Trial &trial) const;
  Result<Graph> graphOf(const Space &space) const;
  bool affords(double perEntry, double share = 1) const {
    return affords(perEntry, share, best, bound);
  }
  bool affords(double perEntry, double share, double now, double atBest) const;
  double secondsOf(ReorderKind kind) const;
  bool isHopeless();
  bool addFirst();
  bool tryTwins();
  bool tryReorderings();
  double withNearRows(const Work &rows) const;
  double inBoxes(const Trial &rows) const;
  int64_t sampleSize() const {
    return std::max(rules::kCandidateSample,
                    view.nonzeros() / rules::kCandidateShare);
  }
  ArrayRef<OrderKind> curves() const;
  double curvesSeconds() const {
    return double(curves().size()) * rules::kCurveCandidate;
  }
  void addCurves();
  Result<Choice> choice();

  const TrafficModel &model;
  const SparseView &view;
  /// The same by rows, if candidates are looked at, so that not each of them
  /// sorts the nonzeros anew.
  SparseView byRows;
  IndexLists rows;
  int64_t workers;
  const ProfileOptions &options;
  const Candidates &candidates;
  ProfileOptions options1; ///< inside of a parallel loop
  const Machine &machine;
  Product product;

  std::vector<Trial> trials, next;
  double best = 0, bound = 0;
  double hidden = 1;
  double spent = 0; ///< seconds for each entry
  std::optional<Error> error;
};

void Chooser::add(OrderKind order, ReorderKind reorder,
                  std::shared_ptr<const Numbering> numbering) {
  // Where reorderings are compared, what they are compared with is as it was.
  bool plain = reorder == ReorderKind::None && !candidates.reorder;
  Trial trial;
  trial.arrangement = {order, candidates.panelLog2, reorder,
                       plain ? kNoHubs : candidates.hubs};
  spent += (order == OrderKind::Rows ? rules::kRowsCandidate
                                     : rules::kCurveCandidate) +
           (numbering ? 0 : secondsOf(reorder));
  trial.numbering = std::move(numbering);
  next.push_back(std::move(trial));
}

/// Looks at the next trials, all at once; false where one failed.
bool Chooser::tryAll() {
  parallelFor(int64_t(next.size()), options.threads,
              [&](int64_t i) { look(next[size_t(i)]); });
  for (Trial &trial : next) {
    if (trial.error && !error)
      error = trial.error;
    best = trials.empty() ? trial.seconds : std::min(best, trial.seconds);
    trials.push_back(std::move(trial));
  }
  next.clear();
  return !error;
}

void Chooser::sortRows() {
  if (!isDense(view) ||
      (view.format == SparseFormat::Csr && isRowMajor(view, options.threads)))
    return;
  rows = sortedRowsOf(view, Hubs());
  byRows = SparseView::csr(
      view.shape[0], view.shape[1],
      IndexArray(rows.begin.data(), int64_t(rows.begin.size())),
      IndexArray(rows.index.data(), int64_t(rows.index.size())));
}

void Chooser::look(Trial &trial) const {
  if (Status status = measure(trial); !status)
    trial.error = status.error();
}

/// The graph of a space, by the three steps with default options.
Result<Graph> Chooser::graphOf(const Space &space) const {
  // Rows need none: their groups are runs of rows.
  if (space.isByRows())
    return wholeGraph(space, view.nonzeros());
  Result<Profile> profile = countProfile(byRows, space, options1);
  if (!profile)
    return profile.error();
  Result<Graph> grid = partition(*profile, {0, workers});
  if (!grid)
    return grid.error();
  RefineOptions refineOptions;
  refineOptions.workers = workers;
  refineOptions.min = options.min;
  Result<Graph> fine = refine(*grid, *profile, refineOptions);
  if (!fine)
    return fine.error();
  FuseOptions fuseOptions;
  fuseOptions.workers = workers;
  fuseOptions.columns = model.columns;
  fuseOptions.elementBytes = model.elementBytes;
  return fuse(*fine, *profile, fuseOptions);
}

Status Chooser::makeSpace(Trial &trial) const {
  const Arrangement &arrangement = trial.arrangement;
  if (!trial.numbering) {
    auto numbering =
        knownNumbering(view, arrangement.reorder, arrangement.hubs);
    if (!numbering)
      return numbering.error();
    trial.numbering = std::move(*numbering);
  }
  Result<Space> space = spaceOf(view.shape, *trial.numbering, arrangement.order,
                                arrangement.panelLog2);
  if (!space)
    return space.error();
  trial.space = std::move(*space);
  return Success();
}

Status Chooser::measure(Trial &trial) const {
  if (Status status = makeSpace(trial); !status)
    return status;
  Result<Graph> graph = graphOf(trial.space);
  if (!graph)
    return graph.error();
  if (!isDense(view)) {
    Result<Traffic> traffic = countTraffic(model, byRows, *graph, workers);
    if (!traffic)
      return traffic.error();
    trial.seconds =
        double(traffic->total()) / machine.streamBytesPerSecond.back();
    return Success();
  }
  Result<Work> work =
      countWork(machine, product, byRows, *graph, {sampleSize(), 1});
  if (!work)
    return work.error();
  trial.work = *work;
  trial.seconds = predict(machine, product, *work).seconds;
  return Success();
}

/// Of a numbering, for each entry.
double Chooser::secondsOf(ReorderKind kind) const {
  if (kind == ReorderKind::None)
    return 0;
  if (kind == ReorderKind::Twins)
    return rules::kTwinsNumbering;
  const std::array<double, 2> &range = kind == ReorderKind::Labels
                                           ? rules::kLabelsNumbering
                                           : rules::kRcmNumbering;
  return range[0] + (range[1] - range[0]) * (1 - hidden) * (1 - hidden);
}

/// Whether a step pays in the expected runs, if it gains a share of all that is
/// left.
bool Chooser::affords(double perEntry, double share, double now,
                      double atBest) const {
  if (now * rules::kHopelessShare <= atBest)
    return false;
  const double gain = share * (now - atBest) * double(candidates.expectedRuns);
  const int64_t entries = entriesOf(view);
  // A row, a column and a place in another order. The search runs on a host,
  // whatever the products run on.
  const auto bytes = int64_t(2 * sizeof(int32_t) + sizeof(int64_t));
  const double far =
      entries * bytes > rules::kCacheBytes[3] ? rules::kFarSearch : 1;
  return (spent + perEntry) * double(entries) * far <=
         rules::kSpendableShare * gain;
}

/// Whether no other candidate would be looked at even if rows as they are had
/// every row of B and C from beyond all caches, and some order all of B from
/// the first and nothing but tiles. What it takes to begin rows, of unforeseen
/// lengths above all, counts for neither: a numbering changes no length. `best`
/// is all of the first time. Twins are the cheapest to find and gain by tiles,
/// which load no less than their nonzeros where there is one column.
bool Chooser::isHopeless() {
  if (candidates.reorder || !isDense(view) ||
      candidates.order.value_or(OrderKind::Rows) != OrderKind::Rows)
    return false;
  Work most, least;
  most.nonzeros = least.nonzeros = least.tiled = view.nonzeros();
  most.outputs = most.segments = std::min(view.shape[0], view.nonzeros());
  most.b.all.fill(most.nonzeros);
  most.c.all.fill(most.outputs);
  most.rows = view.shape[0] + view.shape[1];
  most.threadRows = most.rows * machine.threads;
  bound = leastSeconds(machine, product, least);
  Work moved = most;
  moved.segments = 0;
  const double now = predict(machine, product, moved).seconds;
  most.surprises = most.segments;
  best = predict(machine, product, most).seconds;
  const double numbering =
      product.columns > 1 ? rules::kTwinsNumbering : rules::kRcmNumbering[0];
  return !affords(rules::kRowsCandidate + numbering + rules::kRowsCandidate, 1,
                  now, bound) &&
         !affords(rules::kRowsCandidate + curvesSeconds(), 1, now, bound);
}

bool Chooser::addFirst() {
  if (isHopeless()) {
    Trial trial;
    trial.arrangement = {OrderKind::Rows, candidates.panelLog2,
                         ReorderKind::None, kNoHubs};
    trial.seconds = best;
    trial.isBound = true;
    if (Status status = makeSpace(trial); !status)
      error = status.error();
    trials.push_back(std::move(trial));
    return !error;
  }
  sortRows();
  // What is given is not questioned.
  ReorderKind reorder = candidates.reorder.value_or(ReorderKind::None);
  add(candidates.order.value_or(OrderKind::Rows), reorder, nullptr);
  if (!tryAll())
    return false;
  if (isDense(view))
    bound = leastSeconds(machine, product, trials[0].work);
  return true;
}

/// Finding twins costs little, and where there are none, they are no candidate.
bool Chooser::tryTwins() {
  if (!affords(rules::kTwinsNumbering, hidden))
    return true;
  spent += rules::kTwinsNumbering;
  auto numbering = knownNumbering(view, ReorderKind::Twins, candidates.hubs);
  if (!numbering) {
    error = numbering.error();
    return false;
  }
  if ((*numbering)->permutations.empty() || !affords(rules::kRowsCandidate))
    return true;
  add(candidates.order.value_or(OrderKind::Rows), ReorderKind::Twins,
      std::move(*numbering));
  return tryAll();
}

/// With each row of B that a thread needs from afar once, as at best along a
/// curve, which begins rows of C again, or after a numbering.
double Chooser::withNearRows(const Work &rows) const {
  Work work = rows;
  const int64_t once = std::max<int64_t>(rows.threadRows - rows.outputs, 0);
  for (auto *misses : {&work.b.all, &work.b.sequential})
    for (int64_t &number : *misses)
      number = std::min(number, once);
  return predict(machine, product, work).seconds;
}

bool Chooser::tryReorderings() {
  if (candidates.reorder || !isDense(view) || !affords(rules::kTwinsNumbering))
    return true;
  hidden = std::clamp(hiddenReuse(byRows), 0.0, 1.0);
  if (hidden < rules::kHiddenReuse)
    return true;
  if (!tryTwins())
    return false;
  // Only twins make tiles, and only curves begin rows again: what that takes is
  // nothing that these gain.
  const bool keepsRows =
      candidates.order.value_or(OrderKind::Rows) == OrderKind::Rows;
  const double atBest = keepsRows ? withNearRows(trials[0].work) : bound;
  for (ReorderKind reorder : {ReorderKind::Labels, ReorderKind::Rcm})
    if (affords(secondsOf(reorder) + rules::kRowsCandidate, hidden, best,
                atBest))
      add(candidates.order.value_or(OrderKind::Rows), reorder, nullptr);
  return tryAll();
}

/// Of samples one stands for all: their times differ by less than a step of the
/// choice (docs/Performance.md), and looking at three is often too much.
ArrayRef<OrderKind> Chooser::curves() const {
  static constexpr std::array kCurves = {OrderKind::Hilbert, OrderKind::Morton,
                                         OrderKind::Panels};
  return ArrayRef<OrderKind>(kCurves.data(),
                             product.samples ? 1 : kCurves.size());
}

/// With no more rows of Y from beyond each cache than boxes of rows and columns
/// touch that it holds, and rows of X fetched ahead: what a curve takes at
/// best, as far as the numbers of nonzeros in boxes tell without sorting any.
double Chooser::inBoxes(const Trial &rows) const {
  Work work = rows.work;
  for (unsigned level = 0; level < Machine::Caches; ++level) {
    const int64_t side = shareOf(machine, level) /
                         std::max<int64_t>(2 * product.denseBytes(), 1);
    const BoxRows boxes =
        boxRows(byRows, llvm::Log2_64(uint64_t(std::max<int64_t>(side, 1))),
                sampleSize());
    int64_t &missed = work.b.all[level];
    missed = std::min(missed, boxes.columns);
    work.b.sequential[level] = std::min(work.b.sequential[level], missed);
    work.c.all[level] = work.c.sequential[level] =
        std::max(work.c.all[level], boxes.rows);
  }
  return predict(machine, product, work).seconds;
}

/// The other orders, after the numbering that is best for rows. Samples begin
/// no rows of an output again, so that theirs need not be long.
void Chooser::addCurves() {
  const int64_t nonzeros = view.nonzeros();
  const bool isLong = product.samples || nonzeros / rules::kLongRow >=
                                             std::min(view.shape[0], nonzeros);
  if (candidates.order || (isDense(view) && !isLong))
    return;
  auto least = std::min_element(
      trials.begin(), trials.end(),
      [](const Trial &a, const Trial &b) { return a.seconds < b.seconds; });
  const double atBest = isDense(view) ? withNearRows(least->work) : 0;
  if (atBest >= rules::kWinnerShare * trials[0].seconds ||
      !affords(curvesSeconds(), 1, least->seconds, atBest))
    return;
  // Boxes of another numbering are not looked at.
  if (product.samples && isDense(view) && least->arrangement.isPlain() &&
      inBoxes(*least) >= rules::kHopelessShare * least->seconds)
    return;
  for (OrderKind order : curves())
    add(order, least->arrangement.reorder, least->numbering);
}

Result<Choice> Chooser::choice() {
  const double first = trials[0].seconds;
  std::sort(trials.begin(), trials.end(), [](const Trial &a, const Trial &b) {
    return std::make_pair(a.arrangement.reorder, a.arrangement.order) <
           std::make_pair(b.arrangement.reorder, b.arrangement.order);
  });
  Choice choice;
  for (const Trial &trial : trials) {
    choice.scores.push_back({trial.arrangement, trial.seconds, trial.isBound});
    if (trial.seconds <
            rules::kPlainerShare * choice.scores[choice.best].seconds &&
        trial.seconds < rules::kWinnerShare * first)
      choice.best = choice.scores.size() - 1;
  }
  choice.space = std::move(trials[choice.best].space);
  return choice;
}

Result<Choice> Chooser::run() {
  if (!addFirst())
    return *error;
  if (trials[0].isBound)
    return choice();
  if (!tryReorderings())
    return *error;
  addCurves();
  if (!tryAll())
    return *error;
  return choice();
}

/// "4.1 %", of how much `seconds` is below `of`.
std::string gainText(double seconds, double of) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f %%", 100 * (1 - seconds / of));
  return text;
}

} // namespace

std::optional<double> secondsOf(ArrayRef<Score> scores,
                                const Arrangement &chosen) {
  for (const Score &score : scores)
    if (score.arrangement == chosen && !score.isBound)
      return score.seconds;
  return std::nullopt;
}

std::string whyNotLeast(ArrayRef<Score> scores, const Arrangement &chosen) {
  const Score *least = nullptr, *taken = nullptr;
  for (const Score &score : scores) {
    if (!least || score.seconds < least->seconds)
      least = &score;
    if (score.arrangement == chosen)
      taken = &score;
  }
  if (!taken || least->seconds >= taken->seconds)
    return "";
  // The first stays unless another is far below it; later ones stay unless
  // another is a little below them.
  const bool isFirst = taken == &scores.front();
  return arrangementName(least->arrangement) + " is predicted " +
         gainText(least->seconds, taken->seconds) + " faster, expected " +
         gainText(isFirst ? rules::kWinnerShare : rules::kPlainerShare, 1) +
         " at least";
}

Result<Choice> choose(const TrafficModel &model, const SparseView &view,
                      int64_t workers, const ProfileOptions &options,
                      const Candidates &candidates) {
  if (view.rank() != 2)
    return Error{"expected a matrix to choose an order for but got a tensor of "
                 "rank " +
                 std::to_string(view.rank())};
  return Chooser(model, view, workers, options, candidates).run();
}

} // namespace astfe::core
