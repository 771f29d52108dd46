//===- GraphDrawing.cpp - graphs for people: table and DOT ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/GraphDrawing.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

namespace astfe {

int64_t medianIntensity(const std::vector<int64_t> &intensities) {
  std::vector<int64_t> positive;
  for (int64_t c : intensities)
    if (c > 0)
      positive.push_back(c);
  if (positive.empty())
    return 0;
  auto middle = positive.begin() + (positive.size() - 1) / 2;
  std::nth_element(positive.begin(), middle, positive.end());
  return *middle;
}

/// "8x8".
static std::string extentsText(const core::Graph &graph) {
  std::string text;
  for (int64_t extent : graph.space.shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

/// The orders of the parts, "hilbert" or "rows+hilbert".
static std::string ordersText(const core::Graph &graph) {
  std::string text;
  for (const core::Part &part : graph.space.parts)
    text += (text.empty() ? "" : "+") + std::string(core::orderName(part.kind));
  return text;
}

/// "[0, 4) x [4, 8)", clipped to the shape, in the part's own coordinates.
static std::string boxText(const core::Graph &graph, size_t block) {
  core::Box box = graph.box(block);
  std::string text;
  for (unsigned k = 0; k != box.rank; ++k) {
    int64_t end = std::min(graph.space.shape[k],
                           box.lower[k] + (int64_t(1) << box.log2[k]));
    text += (k ? " x [" : "[") + std::to_string(box.lower[k]) + ", " +
            std::to_string(end) + ")";
  }
  return text;
}

/// "*" for the whole space, whose prefix is empty.
static std::string prefixText(const core::Graph &graph, size_t block) {
  std::string text = graph.block(block).str();
  return text.empty() ? "*" : text;
}

/// C / (C + M).
static double normalised(int64_t c, int64_t median) {
  return c + median == 0 ? 0 : double(c) / double(c + median);
}

namespace {
/// Writes the table's lines; knows the width of the prefix column.
class TableWriter {
public:
  TableWriter(const core::Graph &graph, const GraphDetails &details)
      : graph(graph), details(details), out(text),
        median(medianIntensity(details.intensities)) {
    for (size_t i = 0; i != graph.size(); ++i)
      prefixWidth =
          std::max(prefixWidth, unsigned(prefixText(graph, i).size()));
  }

  std::string write() {
    out << "graph " << ordersText(graph) << ' ' << extentsText(graph) << ": "
        << graph.size() << " blocks in " << graph.groupCount() << " groups, "
        << graph.totalNonzeros() << " nonzeros";
    if (graph.limit)
      out << ", limit " << graph.limit;
    out << '\n';
    writeHeader();
    for (size_t group = 0; group != graph.groupCount(); ++group)
      for (int64_t i = graph.groups[group]; i != graph.groups[group + 1]; ++i)
        writeBlock(size_t(i), group);
    for (const core::Edge &edge : details.edges)
      out << "edge " << edge.from << " -- " << edge.to << " axis " << edge.axis
          << ", " << edge.bytes << " bytes\n";
    return text;
  }

private:
  void writeHeader() {
    out << " block  group  ";
    out << llvm::left_justify("prefix", prefixWidth) << "  nonzeros";
    if (!details.intensities.empty())
      out << "         C  C/(C+M)";
    if (details.boxes)
      out << "  box";
    out << '\n';
  }

  void writeBlock(size_t i, size_t group) {
    out << llvm::format("%6zu %6zu  ", i, group)
        << llvm::left_justify(prefixText(graph, i), prefixWidth)
        << llvm::format("%10lld", static_cast<long long>(graph.nonzeros[i]));
    if (!details.intensities.empty()) {
      int64_t c = details.intensities[i];
      out << llvm::format("%10lld  %7.3f", static_cast<long long>(c),
                          normalised(c, median));
    }
    if (details.boxes)
      out << "  " << boxText(graph, i);
    out << '\n';
  }

  const core::Graph &graph;
  const GraphDetails &details;
  std::string text;
  llvm::raw_string_ostream out;
  int64_t median;
  unsigned prefixWidth = 6;
};
} // namespace

std::string graphTable(const core::Graph &graph, const GraphDetails &details) {
  return TableWriter(graph, details).write();
}

std::string graphDot(const core::Graph &graph, const GraphDetails &details) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "graph astfe {\n  node [shape=box];\n";
  for (size_t group = 0; group != graph.groupCount(); ++group) {
    out << "  subgraph cluster_" << group << " {\n    label=\"group " << group
        << "\";\n";
    for (int64_t i = graph.groups[group]; i != graph.groups[group + 1]; ++i) {
      out << "    b" << i << " [label=\"" << prefixText(graph, size_t(i))
          << "\\n"
          << graph.nonzeros[i] << " nonzeros";
      if (!details.intensities.empty())
        out << "\\nC " << details.intensities[i];
      if (details.boxes)
        out << "\\n" << boxText(graph, size_t(i));
      out << "\"];\n";
    }
    out << "  }\n";
  }
  for (const core::Edge &edge : details.edges)
    out << "  b" << edge.from << " -- b" << edge.to << " [label=\""
        << edge.bytes << "\"];\n";
  out << "}\n";
  return text;
}

} // namespace astfe
