//===- PrintGraph.cpp - shows constant graphs -----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/GraphDrawing.h"
#include "ASTFE/Analysis/PassOption.h"
#include "ASTFE/Core/Graph/GraphFile.h"
#include "ASTFE/Core/Profile/ProfileFile.h"
#include "ASTFE/Core/Support/FileText.h"
#include "ASTFE/Transforms/Passes.h"
#include "DenseColumns.h"
#include "GraphChain.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_PRINTGRAPHPASS
#include "ASTFE/Transforms/Passes.h.inc"

namespace {
struct PrintGraphPass
    : CheckedOptions<impl::PrintGraphPassBase<PrintGraphPass>> {
  using CheckedOptions::CheckedOptions;

  core::Status checkOptions() override {
    if (llvm::is_contained({"table", "dot", "json", "svg", "mlir"},
                           StringRef(format)))
      return checkAtLeast("columns", 1, columns);
    return optionError("format", "table, dot, json, svg or mlir", format);
  }

  void runOnOperation() override {
    SmallVector<GraphOp> graphs;
    getOperation().walk([&](GraphOp graph) { graphs.push_back(graph); });
    if (!output.empty() && graphs.size() != 1) {
      emitError(getOperation().getLoc())
          << "expected one constant graph to write to '" << output.getValue()
          << "' but got " << graphs.size();
      return signalPassFailure();
    }
    if (graphs.empty())
      emitWarning(getOperation().getLoc(),
                  "expected a constant graph to print but got none: graphs are "
                  "constant where the profile of their tensor is known");
    for (GraphOp graph : graphs)
      if (failed(print(graph)))
        return signalPassFailure();
    numPrinted += unsigned(graphs.size());
    markAllAnalysesPreserved();
  }

  LogicalResult print(GraphOp op) {
    auto text = render(op);
    if (!text)
      return op.emitOpError(text.message());
    if (output.empty()) {
      llvm::outs() << *text;
      return success();
    }
    auto written = core::writeFile(output, *text);
    if (!written)
      return op.emitOpError(written.message());
    return success();
  }

  /// Of the computations that read the graph's pattern. One column of 32-bit
  /// elements where there is none.
  core::TrafficModel modelOf(GraphOp graph) {
    core::TrafficModel model;
    SmallVector<PackOp> packs;
    for (Operation *user : graph->getUsers())
      if (auto pack = dyn_cast<PackOp>(user))
        packs.push_back(pack);
    if (std::optional<int64_t> widest = widestColumns(packs, columns)) {
      auto tensor = cast<RankedTensorType>(packs.front().getTensor().getType());
      model.columns = *widest;
      model.elementBytes = elementBytes(tensor.getElementType());
    }
    return model;
  }

  /// The op as it can be pasted into another module.
  std::string renderOp(GraphOp op) {
    OwningOpRef<GraphOp> copy = op.clone();
    if (edges)
      copy->setValueAttr(withEdges(op.getValue()));
    std::string text;
    llvm::raw_string_ostream(text) << *copy << '\n';
    return text;
  }

  core::Result<std::string> render(GraphOp op) {
    if (format == "mlir")
      return renderOp(op);
    core::Graph graph = toCore(op.getValue());
    GraphDetails details;
    details.boxes = boxes;
    if (edges)
      details.edges = core::faceNeighbors(graph, modelOf(op));
    if (intensities) {
      auto known = op->getAttrOfType<ProfileAttr>(kProfileAttrName);
      if (!known)
        return core::Error{"expected the graph to keep its profile, for "
                           "intensities"};
      auto computed = core::intensities(graph, toCore(known));
      if (!computed)
        return computed.error();
      details.intensities = *computed;
    }
    if (format == "table")
      return graphTable(graph, details);
    if (format == "dot")
      return graphDot(graph, details);
    if (format == "json")
      return edges ? core::toJson(graph, {}, details.edges) + "\n"
                   : core::toJson(graph) + "\n";
    return graphSvg(graph, details);
  }
};
} // namespace
} // namespace astfe
