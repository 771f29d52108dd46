//===- GraphSvg.cpp - a matrix's graph as a picture -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/GraphDrawing.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>

namespace astfe {

namespace {
/// Draws one graph. Part coordinates are shifted by the part's origin.
class Painter {
public:
  explicit Painter(const core::Graph &graph) : graph(graph), out(text) {
    double rows = double(graph.space.shape[0]);
    double columns = double(graph.space.shape[1]);
    scale = 800 / std::max({rows, columns, 1.0});
    width = std::max(1.0, columns * scale);
    height = std::max(1.0, rows * scale);
  }

  std::string draw(const GraphDetails &details) {
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" "
        << llvm::format("width=\"%.0f\" height=\"%.0f\">\n", width, height)
        << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
    for (size_t group = 0; group != graph.groupCount(); ++group)
      for (int64_t i = graph.groups[group]; i != graph.groups[group + 1]; ++i)
        drawBlock(size_t(i), group);
    for (const core::Edge &edge : details.edges)
      drawLine({size_t(edge.from), size_t(edge.to)}, "gray", 1);
    std::vector<size_t> curve(graph.size());
    for (size_t i = 0; i != curve.size(); ++i)
      curve[i] = i;
    drawLine(curve, "black", 1.5);
    out << "</svg>\n";
    return text;
  }

private:
  struct Rectangle {
    double x, y, width, height;
  };

  Rectangle rectangle(size_t block) const {
    core::Box box = graph.box(block);
    const core::Part &part = graph.space.parts[graph.part[block]];
    auto clip = [&](unsigned k) {
      int64_t end = box.lower[k] + (int64_t(1) << box.log2[k]);
      return double(std::min(end, part.extents[k]) - box.lower[k]);
    };
    return {double(part.origin[1] + box.lower[1]) * scale,
            double(part.origin[0] + box.lower[0]) * scale, clip(1) * scale,
            clip(0) * scale};
  }

  /// Hues of consecutive groups are a golden angle apart; the fuller a block,
  /// the darker, on a logarithmic scale.
  void drawBlock(size_t block, size_t group) {
    Rectangle r = rectangle(block);
    double cells = r.width * r.height / (scale * scale);
    double density = double(graph.nonzeros[block]) / std::max(cells, 1.0);
    double light = 50 - 7 * std::log10(std::clamp(density, 1e-5, 1.0));
    out << llvm::format("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
                        "height=\"%.2f\" ",
                        r.x, r.y, r.width, r.height)
        << llvm::format("fill=\"hsl(%.0f,70%%,%.0f%%)\" ",
                        std::fmod(double(group) * 137.508, 360), light)
        << "stroke=\"white\" stroke-width=\"0.5\"><title>"
        << graph.block(block).str() << ": " << graph.nonzeros[block]
        << " nonzeros, group " << group << "</title></rect>\n";
  }

  void drawLine(const std::vector<size_t> &blocks, const char *colour,
                double stroke) {
    if (blocks.size() < 2)
      return;
    out << "<polyline fill=\"none\" stroke=\"" << colour << "\" "
        << llvm::format("stroke-width=\"%.1f\" points=\"", stroke);
    for (size_t block : blocks) {
      Rectangle r = rectangle(block);
      out << llvm::format("%.2f,%.2f ", r.x + r.width / 2, r.y + r.height / 2);
    }
    out << "\"/>\n";
  }

  const core::Graph &graph;
  std::string text;
  llvm::raw_string_ostream out;
  double scale, width, height;
};
} // namespace

core::Result<std::string> graphSvg(const core::Graph &graph,
                                   const GraphDetails &details) {
  if (graph.space.rank() != 2)
    return core::Error{"expected a graph of a matrix but got one of rank " +
                       std::to_string(graph.space.rank())};
  return Painter(graph).draw(details);
}

} // namespace astfe
