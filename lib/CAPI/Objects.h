//===- Objects.h - what the C API's opaque types are ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CAPI_OBJECTS_H
#define ASTFE_LIB_CAPI_OBJECTS_H

#include "ASTFE-c/Graph.h"
#include "ASTFE/Core/Graph/Graph.h"
#include "ForkGate.h"
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>

namespace astfe::capi {

struct GraphObject {
  explicit GraphObject(core::Graph &&graph) : graph(std::move(graph)) {}

  core::Graph graph;
  std::once_flag jsonOnce;
  std::string json; ///< made on the first request, by whichever thread
};

/// Keeps `text` for astfeLastError() and returns a failure status.
AstfeStatus fail(std::string text);
/// The caller's matrix as Core sees it; fails on null pointers, negative
/// extents and widths other than 32 and 64. Indices are not looked at.
core::Result<core::SparseView> viewOf(const AstfeCsr *matrix);
/// The same with every index checked.
core::Result<core::SparseView> checkedViewOf(const AstfeCsr *matrix);
/// The graph of a checked view; null options are the default ones.
core::Result<core::Graph> partition(const core::SparseView &view,
                                    const AstfePartitionOptions *options);
/// The graph of that name; null, after an error, where there is none.
std::shared_ptr<GraphObject> graphOf(const AstfeGraph *name);
/// Whether `argument` is there; leaves "expected WHAT but got null" if not.
bool given(const void *argument, const char *what);
/// The same as a status, for an array of so many elements: null is allowed for
/// none.
core::Status checkGiven(const void *array, int64_t count, const char *what);

/// Runs `body`; what it throws (no memory, threads) becomes the error text and
/// `failure` the result: exceptions never cross the C boundary.
template <typename T, typename Body>
T guarded(T failure, Body &&body) {
  const Inside call;
  try {
    return body();
  } catch (const std::bad_alloc &) {
    fail("out of memory");
  } catch (const std::exception &error) {
    fail(error.what());
  }
  return failure;
}

} // namespace astfe::capi

#endif // ASTFE_LIB_CAPI_OBJECTS_H
