//===- KernelImageTest.cpp - what callers of kernels get to know ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Pipelines/KernelImage.h"
#include "ASTFE/InitAll.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;

/// Neither the order of names nor that of numbers in names: who takes one
/// kernel for any number of columns takes the first.
TEST(KernelImage, TheWidestKernelComesFirst) {
  DialectRegistry registry;
  astfe::registerEverything(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string kernels;
  for (auto [name, tile] : {std::pair("a32", 32), {"b128", 128}, {"c64", 64}})
    kernels +=
        std::string(name) +
        R"( = {astfe.arguments = ["worker_span"], astfe.column_tile = )" +
        std::to_string(tile) +
        " : i64, gpu.known_block_size = array<i32: 128, 1, 1>}, ";
  auto module = parseSourceString<ModuleOp>(
      R"(gpu.binary @k
           [#gpu.object<#nvvm.target<chip = "sm_80">, assembly = "text">])",
      &context);
  ASSERT_TRUE(module);
  auto binary = *module->getOps<gpu::BinaryOp>().begin();
  for (auto [name, text] :
       {std::pair("astfe.element", std::string("f32")),
        {"astfe.layout", "\"#astfe.layout<packed, columns = 32, classes = "
                         "[scattered], target = gpu>\""},
        {"astfe.kernels", "{" + kernels + R"(start = {astfe.arguments =
           ["output"], gpu.known_block_size = array<i32: 128, 1, 1>}})"}})
    binary->setAttr(name, parseAttribute(text, &context));
  auto image = astfe::kernelImage(binary);
  ASSERT_TRUE(succeeded(image) && *image);
  std::vector<std::string> entries;
  for (const astfe::core::KernelFile &kernel : (*image)->kernels)
    entries.push_back(kernel.entry);
  EXPECT_EQ(entries, std::vector<std::string>({"b128", "c64", "a32"}));
}
