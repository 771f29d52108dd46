//===- Einsum.cpp - products as subscripts --------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/Einsum.h"
#include <algorithm>

using namespace astfe;
using namespace astfe::product;

static core::Error wrong(const std::string &expected, std::string_view got) {
  return {"subscripts: expected " + expected + " but got '" + std::string(got) +
          "'"};
}

namespace {
/// The letters of each operand, the sparse one's first, and of the output.
struct Letters {
  std::vector<std::string> operands{""};
  std::string output;
};
} // namespace

static core::Result<Letters> split(std::string_view subscripts) {
  const size_t arrow = subscripts.find("->");
  Letters letters;
  for (size_t i = 0; i < subscripts.size(); ++i) {
    const char c = subscripts[i];
    if (c == ' ' || i == arrow || i == arrow + 1)
      continue;
    const bool isOutput = i > arrow;
    if (c == ',' && !isOutput)
      letters.operands.emplace_back();
    else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
      (isOutput ? letters.output : letters.operands.back()) += c;
    else
      return wrong("letters as in 'ijk,jr,kr->ir'", subscripts);
  }
  if (arrow == std::string_view::npos)
    return wrong("an output as in 'ijk,jr,kr->ir'", subscripts);
  return letters;
}

/// Appends the dimensions of an operand; new letters are dense ones.
static core::Status number(const std::string &operand, std::string &known,
                           std::vector<unsigned> &dims) {
  for (char letter : operand) {
    size_t dim = known.find(letter);
    if (dim == std::string::npos) {
      dim = known.size();
      known += letter;
    }
    if (std::find(dims.begin(), dims.end(), unsigned(dim)) != dims.end())
      return wrong("different indices of an operand", operand);
    dims.push_back(unsigned(dim));
  }
  return core::Success();
}

core::Result<TensorProduct> product::parseEinsum(std::string_view subscripts,
                                                 unsigned rank, size_t inputs) {
  auto letters = split(subscripts);
  if (!letters)
    return letters.error();
  if (letters->operands.size() != inputs + 1)
    return wrong(std::to_string(inputs + 1) + " operands", subscripts);
  const std::string &sparse = letters->operands.front();
  if (sparse.size() != rank)
    return wrong(std::to_string(rank) + " indices of the sparse operand",
                 sparse);
  TensorProduct product;
  product.rank = rank;
  std::string known;
  std::vector<unsigned> modes;
  if (auto status = number(sparse, known, modes); !status)
    return status.error();
  for (size_t i = 1; i <= inputs; ++i)
    if (auto status =
            number(letters->operands[i], known, product.inputs.emplace_back());
        !status)
      return status.error();
  product.dense.assign(known.size() - rank, 0);
  for (char letter : letters->output)
    if (known.find(letter) == std::string::npos)
      return wrong("an output of the operands' indices",
                   std::string_view(&letter, 1));
  if (auto status = number(letters->output, known, product.output); !status)
    return status.error();
  return product;
}
