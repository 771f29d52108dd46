//===- Traffic.cpp - the one model of bytes moved -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Graph/Traffic.h"
#include "Graph/RunTraffic.h"
#include <algorithm>

using namespace astfe::core;

Status astfe::core::check(const TrafficModel &model) {
  auto expect = [](const char *what, int64_t least, int64_t got) -> Status {
    if (got >= least)
      return Success{};
    return Error{"expected " + std::string(what) + " from " +
                 std::to_string(least) + " but got " + std::to_string(got)};
  };
  if (Status s = expect("columns", 1, model.columns); !s)
    return s;
  if (Status s = expect("element bytes", 1, model.elementBytes); !s)
    return s;
  if (Status s = expect("index bytes", 0, model.indexBytes); !s)
    return s;
  if (Status s = expect("segment bytes", 0, model.segmentBytes); !s)
    return s;
  return expect("a penalty", 0, model.sharedPenalty);
}

int64_t Traffic::total() const {
  return saturatingAdd(saturatingAdd(inputBytes, outputBytes),
                       saturatingAdd(indexBytes, sharedBytes));
}

void Traffic::add(const Traffic &other) {
  inputBytes = saturatingAdd(inputBytes, other.inputBytes);
  outputBytes = saturatingAdd(outputBytes, other.outputBytes);
  indexBytes = saturatingAdd(indexBytes, other.indexBytes);
  sharedBytes = saturatingAdd(sharedBytes, other.sharedBytes);
}

double astfe::core::cardenas(int64_t indices, int64_t draws) {
  return double(indices) * touchProbability(indices, draws);
}
