//===- BytecodeTest.cpp - tables in bytecode, also damaged ones -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFE/InitAll.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace astfe;

namespace {
struct BytecodeTest : testing::Test {
  BytecodeTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  std::string write(StringRef attribute) {
    auto module = parseSourceString<ModuleOp>(
        ("module attributes {astfe.a = " + attribute + "} {}").str(), &context);
    std::string bytes;
    llvm::raw_string_ostream stream(bytes);
    EXPECT_TRUE(module && succeeded(writeBytecodeToFile(*module, stream)));
    return bytes;
  }

  Attribute read(StringRef bytes) {
    module = parseSourceString<ModuleOp>(bytes, &context);
    return module ? (*module)->getAttr("astfe.a") : Attribute();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

const char *const kGraph =
    "#astfe.graph<hilbert [64, 64] {b00 : 70 b0100 : 12 b0101 : 9} "
    "groups [0, 1, 3] limit 17 threshold 0.75>";

/// The bytes of a 64-bit number, as a blob holds them.
std::string blobOf(uint64_t number) {
  std::string bytes;
  for (int i = 0; i < 8; ++i)
    bytes.push_back(char(number >> (8 * i)));
  return bytes;
}
} // namespace

TEST_F(BytecodeTest, HoldsArraysNotText) {
  std::string bytes = write(kGraph);
  EXPECT_EQ(bytes.find("hilbert"), std::string::npos);
  EXPECT_NE(bytes.find(blobOf(uint64_t(5) << 60)), std::string::npos);
  EXPECT_EQ(read(bytes), parseAttribute(kGraph, &context));
}

TEST_F(BytecodeTest, VerifiesWhatItReads) {
  std::string bytes = write(kGraph);
  std::string last = blobOf(uint64_t(5) << 60);
  size_t at = bytes.find(last);
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, last.size(), blobOf(0));
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    return success();
  });
  EXPECT_FALSE(read(bytes));
  EXPECT_NE(errors.find("expected blocks in ascending curve order"),
            std::string::npos);
}

TEST_F(BytecodeTest, RefusesFilesThatEndEarly) {
  ScopedDiagnosticHandler handler(&context,
                                  [](Diagnostic &) { return success(); });
  std::string bytes = write(kGraph);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(read(StringRef(bytes).take_front(size))) << size;
}
