//===- GraphFile.cpp - graphs as JSON -------------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Graph/GraphFile.h"
#include "ASTFE/Core/Support/FileText.h"
#include "Graph/RunTraffic.h"
#include "Order/SpaceJson.h"
#include <nlohmann/json.hpp>
#include <numeric>

using namespace astfe::core;
using Json = nlohmann::json;

static std::string sidesToJson(const Box &box) {
  std::string text = "[";
  for (unsigned k = 0; k < box.rank; ++k)
    text += (k ? ", " : "") + std::to_string(box.log2[k]);
  return text + "]";
}

static std::string blocksToJson(const Graph &graph) {
  BoxSides sides(graph.space);
  std::string text = "  \"blocks\": [";
  for (size_t i = 0; i < graph.size(); ++i) {
    Box box = sides.box(graph.part[i], graph.block(i));
    text += i ? ",\n    [" : "\n    [";
    text += placedToJson({graph.part[i], graph.block(i)}) + ", " +
            std::to_string(graph.nonzeros[i]) + ", " +
            jsonList(ArrayRef<int64_t>(box.lower.data(), box.rank)) + ", " +
            sidesToJson(box) + "]";
  }
  return text + (graph.size() ? "\n  ],\n" : "],\n");
}

static std::string edgesToJson(ArrayRef<Edge> edges) {
  std::string text = ",\n  \"edges\": [";
  for (size_t i = 0; i < edges.size(); ++i)
    text +=
        (i ? ",\n    " : "\n    ") +
        jsonList({edges[i].from, edges[i].to, edges[i].axis, edges[i].bytes});
  return text + (edges.empty() ? "]" : "\n  ]");
}

std::string astfe::core::toJson(const Graph &graph, ArrayRef<int64_t> workers,
                                std::optional<ArrayRef<Edge>> edges) {
  std::string text = "{\n" + spaceToJson(graph.space);
  text += "  \"threshold\": " +
          (graph.threshold ? Json(*graph.threshold).dump() : "\"auto\"") +
          ",\n  \"limit\": " + std::to_string(graph.limit) + ",\n";
  text += blocksToJson(graph) + "  \"groups\": " + jsonList(graph.groups);
  if (!workers.empty())
    text += ",\n  \"workers\": " + jsonList(workers);
  if (edges)
    text += edgesToJson(*edges);
  return text + "\n}\n";
}

/// The box is there for readers without an order; it must be the prefix's.
static void checkBox(const JsonField &entry, const Box &box) {
  JsonField lower = entry.item(4), sides = entry.item(5);
  std::vector<int64_t> expected(box.lower.begin(),
                                box.lower.begin() + box.rank);
  if (lower.integers(0, INT64_MAX) != expected)
    lower.failExpected("the lower corner " + jsonList(expected));
  expected.assign(box.log2.begin(), box.log2.begin() + box.rank);
  if (sides.integers(0, 62) != expected)
    sides.failExpected("sides of log2 " + jsonList(expected));
}

static void readBlocks(const JsonField &field, Graph &graph) {
  BoxSides sides(graph.space);
  int64_t total = 0;
  auto readBlock = [&](const JsonField &entry, const PlacedPrefix &placed) {
    graph.part.push_back(placed.part);
    graph.length.push_back(placed.prefix.length);
    graph.prefix.push_back(placed.prefix.bits);
    graph.nonzeros.push_back(entry.item(3).integer(0, INT64_MAX));
    if (__builtin_add_overflow(total, graph.nonzeros.back(), &total))
      entry.fail("expected fewer than 2^63 nonzeros up to here");
    if (field.ok())
      checkBox(entry, sides.box(placed.part, placed.prefix));
  };
  forEachPlaced(field, graph.space, readBlock);
}

static void readThreshold(const JsonField &field, Graph &graph) {
  if (field.isString() && field.string() == "auto")
    return;
  if (field.isString())
    return field.failExpected("\"auto\" or a number between 0.5 and 1");
  double tau = field.number();
  if (!(tau > 0.5 && tau < 1))
    field.failExpected("\"auto\" or a number between 0.5 and 1");
  graph.threshold = tau;
}

static void checkWorkers(const JsonField &field, const Graph &graph) {
  std::vector<int64_t> offsets = field.integers(0, INT64_MAX);
  if (field.ok() && (offsets.size() < 2 || offsets.front() != 0 ||
                     !std::is_sorted(offsets.begin(), offsets.end())))
    field.failExpected("ascending offsets from 0");
  int64_t total =
      std::accumulate(graph.nonzeros.begin(), graph.nonzeros.end(), int64_t(0));
  if (field.ok() && offsets.back() != total)
    field.failExpected("offsets up to the blocks' " + std::to_string(total) +
                       " nonzeros");
}

static void checkEdgeFields(const JsonField &field, const Graph &graph) {
  auto last = int64_t(graph.size()) - 1;
  size_t count = field.size();
  for (size_t i = 0; i < count && field.ok(); ++i) {
    JsonField edge = field.item(i);
    edge.expectSize(4);
    int64_t from = edge.item(0).integer(0, last);
    edge.item(1).integer(from + 1, last);
    edge.item(2).integer(0, int64_t(graph.space.rank()) - 1);
    edge.item(3).integer(0, INT64_MAX);
  }
}

static void readGroups(const JsonField &field, Graph &graph) {
  graph.groups = field.integers(0, INT64_MAX);
  if (!field.ok())
    return;
  if (Status status = graph.check(); !status)
    field.fail(status.message());
}

static Graph graphOf(const JsonField &file) {
  file.expectMembers({"version", "shape", "order", "parts", "permutations",
                      "threshold", "limit", "blocks", "groups", "workers",
                      "edges"});
  Graph graph;
  graph.space = readSpace(file);
  readThreshold(file.member("threshold"), graph);
  graph.limit = file.member("limit").integer(0, INT64_MAX);
  if (file.ok())
    readBlocks(file.member("blocks"), graph);
  if (file.ok())
    readGroups(file.member("groups"), graph);
  if (std::optional<JsonField> workers = file.optionalMember("workers"))
    checkWorkers(*workers, graph);
  if (std::optional<JsonField> edges = file.optionalMember("edges"))
    checkEdgeFields(*edges, graph);
  return graph;
}

Result<Graph> astfe::core::parseGraph(std::string_view text,
                                      const std::string &name) {
  return readJson(text, name, graphOf);
}

Result<Graph> astfe::core::readGraph(const std::string &path) {
  return readJsonFile(path, graphOf);
}
