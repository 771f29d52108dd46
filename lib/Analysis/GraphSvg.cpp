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
        << llvm::format("width=\"%.0f\" height=\"%.0f\">\n",
                        std::max(width, kLegendWidth), height + kLegendHeight)
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
    drawLegend(!details.edges.empty());
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

  void drawBlock(size_t block, size_t group) {
    Rectangle r = rectangle(block);
    double cells = r.width * r.height / (scale * scale);
    double density = double(graph.nonzeros[block]) / std::max(cells, 1.0);
    out << llvm::format("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
                        "height=\"%.2f\" ",
                        r.x, r.y, r.width, r.height)
        << "fill=\"" << colour(group, light(density))
        << "\" stroke=\"white\" stroke-width=\"0.5\"><title>"
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

  /// What colours and lines stand for, below the picture.
  void drawLegend(bool hasEdges) {
    drawEntry(8, 16, swatches({colour(0, 60), colour(1, 60)}),
              std::to_string(graph.size()) + " blocks, a colour for each of " +
                  std::to_string(graph.groupCount()) + " groups");
    drawEntry(8, 36,
              swatches({colour(0, light(0)), colour(0, light(3e-3)),
                        colour(0, light(1))}),
              "nonzeros in a cell: 1e-5 and fewer to 1");
    drawEntry(8, 56, line("black"), "the curve, from block to block");
    if (hasEdges)
      drawEntry(260, 56, line("gray"), "blocks with a common face");
  }

  void drawEntry(double x, double y, const std::string &mark,
                 const std::string &meaning) {
    out << llvm::format("<g transform=\"translate(%.0f,%.0f)\">", x, height + y)
        << mark << "<text x=\"36\" y=\"5\" font-family=\"sans-serif\" "
        << "font-size=\"13\">" << meaning << "</text></g>\n";
  }

  static std::string line(const char *stroke) {
    return std::string("<path d=\"M0,0 h28\" stroke=\"") + stroke +
           "\" stroke-width=\"1.5\"/>";
  }

  static std::string swatches(std::initializer_list<std::string> colours) {
    std::string marks;
    int x = 0;
    for (const std::string &fill : colours) {
      marks += "<rect x=\"" + std::to_string(x) +
               "\" y=\"-5\" width=\"9\" height=\"10\" fill=\"" + fill + "\"/>";
      x += 10;
    }
    return marks;
  }

  /// Hues of consecutive groups are a golden angle apart.
  static std::string colour(size_t group, double light) {
    std::string text;
    llvm::raw_string_ostream(text)
        << llvm::format("hsl(%.0f,70%%,%.0f%%)",
                        std::fmod(double(group) * 137.508, 360), light);
    return text;
  }

  /// The fuller a block, the darker, on a logarithmic scale.
  static double light(double density) {
    return 50 - 7 * std::log10(std::clamp(density, kLeastDensity, 1.0));
  }

  static constexpr double kLegendWidth = 480, kLegendHeight = 72;
  /// Nonzeros in a cell below which all blocks are alike.
  static constexpr double kLeastDensity = 1e-5;

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
