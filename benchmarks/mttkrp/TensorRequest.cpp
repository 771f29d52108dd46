//===- TensorRequest.cpp - which tensors a benchmark takes ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorRequest.h"
#include "ASTFE/Core/Tensor/Frostt.h"
#include "Dense.h"

using namespace astfe;
using namespace astfe::bench;
using namespace astfe::core;

void TensorRequest::declare(tools::Options &options) {
  options.text("tensor", "FILE", "read FILE (.tns); else generated tensors",
               file);
  options.text("only", "NAME", "generated tensors of this name only", only);
  options.integer("nonzeros", "N",
                  "of a generated tensor (default " + std::to_string(nonzeros) +
                      ")",
                  nonzeros, 1, int64_t(1) << 28);
  options.integer("threads", "N", "use N threads (default 1)", threads, 1, 256);
}

Status TensorRequest::forEach(
    ArrayRef<Cube> cubes,
    llvm::function_ref<Status(const std::string &, CooTensor)> measure) const {
  if (!file.empty()) {
    Result<CooTensor> tensor = readTensor(file);
    if (!tensor)
      return tensor.error();
    if (tensor->shape.size() != 3)
      return Error{file + ": expected 3 modes but got " +
                   std::to_string(tensor->shape.size())};
    return measure(file.substr(file.find_last_of('/') + 1), std::move(*tensor));
  }
  bool isKnown = only.empty();
  for (const Cube &cube : cubes) {
    if (!only.empty() && only != cube.name)
      continue;
    isKnown = true;
    Status status = measure(
        cube.name, asCoo(generateCube(cube.kind, cube.extent, nonzeros)));
    if (!status)
      return status;
  }
  if (!isKnown)
    return Error{"--only: expected the name of a generated tensor but got '" +
                 only + "'"};
  return Success{};
}
