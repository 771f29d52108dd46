//===- Bitcode.cpp - kernels that mlir-opt compiled -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bitcode.h"

#include <fstream>
#include <iterator>

/// Escapes are \XX or \\.
std::string astfe::emu::readBitcode(const std::string &name) {
  std::ifstream file(ASTFE_KERNELS "/" + name + ".mlir");
  std::string text{std::istreambuf_iterator<char>(file), {}}, bytes;
  const std::string key = "offload = \"";
  size_t i = text.find(key);
  if (i == std::string::npos)
    return bytes;
  for (i += key.size(); text[i] != '"'; ++i) {
    if (text[i] != '\\') {
      bytes += text[i];
    } else if (text[i + 1] == '\\') {
      bytes += text[++i];
    } else {
      bytes += char(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    }
  }
  return bytes;
}
