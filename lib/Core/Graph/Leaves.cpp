//===- Leaves.cpp - a graph's blocks seen through a profile ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph/Leaves.h"
#include "Support/LargeArray.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace astfe::core;

unsigned astfe::core::commonBits(Prefix a, Prefix b) {
  unsigned equal = unsigned(llvm::countl_zero(a.bits ^ b.bits));
  return std::min({equal, unsigned(a.length), unsigned(b.length)});
}

ArrayRef<int64_t> astfe::core::workOf(const Profile &profile) {
  return profile.measured() ? profile.cycles : profile.nonzeros;
}

Status astfe::core::checkSameSpace(const Space &graph, const Space &profile) {
  auto list = [](ArrayRef<int64_t> shape) {
    std::string text = "[";
    for (size_t k = 0; k < shape.size(); ++k)
      text += (k ? ", " : "") + std::to_string(shape[k]);
    return text + "]";
  };
  if (graph.shape != profile.shape)
    return Error{"expected a profile of the graph's shape " +
                 list(graph.shape) + " but got " + list(profile.shape)};
  if (graph.permutations != profile.permutations)
    return Error{"expected a profile with the graph's permutations but got "
                 "others"};
  if (graph.parts != profile.parts)
    return Error{"expected a profile with the graph's parts and orders but got "
                 "others"};
  return Success{};
}

namespace {

/// The merge of blocks and bins, both in curve order and each disjoint.
class Overlay {
public:
  Overlay(const Graph &graph, const Profile &profile)
      : graph(graph), profile(profile), work(workOf(profile)) {
    // Some for empty boxes with work, and for the first step of refine.
    reserveLarge(leaves, graph.size() + graph.size() / 8);
  }

  std::vector<Leaf> run();

private:
  bool blockFirst() const;
  bool binFirst() const;
  bool inBlock(size_t otherBin) const;
  bool inBin(size_t otherBlock) const;
  void addBin(Leaf &leaf);
  void takeBlock();
  void takeEmptyBox();
  void shareBin();

  const Graph &graph;
  const Profile &profile;
  ArrayRef<int64_t> work;
  std::vector<Leaf> leaves;
  size_t block = 0, bin = 0;
};

} // namespace

/// True where `a` ends before `b` begins.
static bool isBefore(uint32_t partA, Prefix a, uint32_t partB, Prefix b) {
  return partA != partB ? partA < partB : a.last() < b.first();
}

bool Overlay::blockFirst() const {
  if (bin == profile.size())
    return true;
  return block < graph.size() && isBefore(graph.part[block], graph.block(block),
                                          profile.part[bin], profile.bin(bin));
}

bool Overlay::binFirst() const {
  if (block == graph.size())
    return true;
  return isBefore(profile.part[bin], profile.bin(bin), graph.part[block],
                  graph.block(block));
}

bool Overlay::inBlock(size_t other) const {
  return other < profile.size() && profile.part[other] == graph.part[block] &&
         graph.block(block).contains(profile.bin(other));
}

bool Overlay::inBin(size_t other) const {
  return other < graph.size() && graph.part[other] == profile.part[bin] &&
         profile.bin(bin).contains(graph.block(other));
}

void Overlay::addBin(Leaf &leaf) {
  leaf.nonzeros += profile.nonzeros[bin];
  leaf.work += work[bin];
  leaf.binEnd = ++bin;
}

void Overlay::takeBlock() {
  Leaf leaf;
  leaf.part = graph.part[block];
  leaf.prefix = graph.block(block);
  leaf.binBegin = leaf.binEnd = bin;
  leaf.origin = int64_t(block);
  // No bin here begins before the block: one that ends after it is coarser.
  const uint64_t last = leaf.prefix.last();
  while (bin < profile.size() && profile.part[bin] == leaf.part &&
         profile.prefix[bin] <= last &&
         profile.length[bin] >= leaf.prefix.length)
    addBin(leaf);
  leaves.push_back(leaf);
  ++block;
}

void Overlay::takeEmptyBox() {
  Prefix inside = profile.bin(bin);
  uint32_t part = profile.part[bin];
  unsigned length = 0;
  for (size_t beside : {block, block - 1})
    if (beside < graph.size() && graph.part[beside] == part)
      length = std::max(length, commonBits(graph.block(beside), inside) + 1);
  Leaf leaf;
  leaf.part = part;
  leaf.prefix.length = uint8_t(length);
  leaf.prefix.bits =
      length == 0 ? 0 : inside.bits & (~uint64_t(0) << (64 - length));
  leaf.binBegin = leaf.binEnd = bin;
  while (bin < profile.size() && profile.part[bin] == part &&
         leaf.prefix.contains(profile.bin(bin)))
    addBin(leaf);
  leaves.push_back(leaf);
}

/// Part `weights[i]` of the sum of `weights`, rounded so that nothing is lost.
static std::vector<int64_t> share(int64_t amount, ArrayRef<uint64_t> weights) {
  unsigned __int128 total = 0, before = 0;
  for (uint64_t weight : weights)
    total += weight;
  std::vector<int64_t> shares;
  int64_t given = 0;
  for (uint64_t weight : weights) {
    before += weight;
    // Halves go to the first: ceil(amount x before / total) are given so far.
    auto upTo = int64_t((before * uint64_t(amount) + (total - 1)) / total);
    shares.push_back(upTo - given);
    given = upTo;
  }
  return shares;
}

void Overlay::shareBin() {
  size_t first = block;
  std::vector<uint64_t> weights;
  bool counted = false;
  for (; inBin(block); ++block) {
    weights.push_back(uint64_t(graph.nonzeros[block]));
    counted |= graph.nonzeros[block] != 0;
  }
  for (size_t i = first; i < block && !counted; ++i)
    weights[i - first] = uint64_t(1)
                         << (63 - (graph.length[i] - profile.length[bin] - 1));
  std::vector<int64_t> counts = share(profile.nonzeros[bin], weights);
  std::vector<int64_t> works = share(work[bin], weights);
  for (size_t i = first; i < block; ++i) {
    Leaf leaf;
    leaf.part = graph.part[i];
    leaf.prefix = graph.block(i);
    leaf.nonzeros = counts[i - first];
    leaf.work = works[i - first];
    leaf.binBegin = leaf.binEnd = bin;
    leaf.origin = int64_t(i);
    leaves.push_back(leaf);
  }
  ++bin;
}

std::vector<Leaf> Overlay::run() {
  while (block < graph.size() || bin < profile.size()) {
    if (blockFirst() || (block < graph.size() && inBlock(bin)))
      takeBlock();
    else if (binFirst())
      takeEmptyBox();
    else
      shareBin();
  }
  return std::move(leaves);
}

std::vector<Leaf> astfe::core::overlay(const Graph &graph,
                                       const Profile &profile) {
  return Overlay(graph, profile).run();
}

void astfe::core::removeEmpty(std::vector<Leaf> &leaves) {
  auto empty = [](const Leaf &leaf) { return leaf.nonzeros == 0; };
  leaves.erase(std::remove_if(leaves.begin(), leaves.end(), empty),
               leaves.end());
}

Graph astfe::core::graphOf(const Space &space, ArrayRef<Leaf> leaves) {
  Graph graph;
  graph.space = space;
  graph.part.reserve(leaves.size());
  graph.length.reserve(leaves.size());
  graph.prefix.reserve(leaves.size());
  graph.nonzeros.reserve(leaves.size());
  for (const Leaf &leaf : leaves) {
    graph.part.push_back(leaf.part);
    graph.length.push_back(leaf.prefix.length);
    graph.prefix.push_back(leaf.prefix.bits);
    graph.nonzeros.push_back(leaf.nonzeros);
  }
  graph.ungroup();
  return graph;
}
