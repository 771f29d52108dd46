//===- ChainPrograms.cpp - compiled chains --------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/ChainPrograms.h"
#include "ASTFE/Runtime/ABI.h"

using namespace astfe;
using namespace astfe::product;

const char *const product::kChainPattern = "!astfe.blocked<?x?, #view>";

std::string product::chainPreamble() {
  return "#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : "
         "compressed), posWidth = 32, crdWidth = 32}>\n"
         "#view = #astfe.layout<view>\n"
         "#n = affine_map<(n, i, j) -> (n)>\n"
         "#i = affine_map<(n, i, j) -> (i)>\n"
         "#j = affine_map<(n, i, j) -> (j)>\n"
         "#nx = affine_map<(n, i, j, x) -> (n)>\n"
         "#ix = affine_map<(n, i, j, x) -> (i, x)>\n"
         "#jx = affine_map<(n, i, j, x) -> (j, x)>\n"
         "#k = affine_map<(k) -> (k)>\n";
}

std::shared_ptr<ChainPrograms::Compiled>
ChainPrograms::find(const std::string &key) const {
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<Compiled> &found = byKey[key];
  if (!found)
    found = std::make_shared<Compiled>();
  return found;
}

core::Status
ChainPrograms::prepare(const std::string &key, std::string_view symbol,
                       const std::function<core::Result<ChainTarget>()> &target,
                       const std::function<std::string()> &text) {
  std::shared_ptr<Compiled> chain = find(key);
  std::lock_guard<std::mutex> lock(chain->compiling);
  if (chain->entry)
    return core::Success();
  auto where = target();
  if (!where)
    return where.error();
  auto program = compile(text(), *where);
  if (!program)
    return program.error();
  auto address =
      (*program)->lookup("_mlir__mlir_ciface_" + std::string(symbol));
  if (!address)
    return address.error();
  chain->program = std::move(*program);
  chain->entry = reinterpret_cast<void (*)(void **)>(*address);
  return core::Success();
}

core::Status ChainPrograms::call(const std::string &key,
                                 PackedCall &arguments) const {
  astfe_rt_clear_error();
  find(key)->entry(arguments.arguments());
  if (const char *text = astfe_rt_last_error())
    return core::Error{text};
  return core::Success();
}
