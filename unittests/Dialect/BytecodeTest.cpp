//===- BytecodeTest.cpp - tables in bytecode, also damaged ones -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFE/InitAll.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
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

/// Gives numbers and attributes as they were written down.
class Script : public DialectBytecodeReader {
public:
  Script(MLIRContext *context, std::vector<uint64_t> numbers,
         std::vector<Attribute> attributes)
      : context(context), numbers(std::move(numbers)),
        attributes(std::move(attributes)) {}

  InFlightDiagnostic emitError(const Twine &message) const override {
    return mlir::emitError(UnknownLoc::get(context), message);
  }
  FailureOr<const DialectVersion *>
  getDialectVersion(StringRef) const override {
    return failure();
  }
  MLIRContext *getContext() const override { return context; }
  uint64_t getBytecodeVersion() const override { return 0; }
  LogicalResult readAttribute(Attribute &result) override {
    if (nextAttribute == attributes.size())
      return emitError("expected another attribute");
    result = attributes[nextAttribute++];
    return success();
  }
  LogicalResult readOptionalAttribute(Attribute &) override {
    return failure();
  }
  LogicalResult readType(Type &) override { return failure(); }
  LogicalResult readVarInt(uint64_t &result) override {
    result = numbers[nextNumber++];
    return success();
  }
  LogicalResult readSignedVarInt(int64_t &) override { return failure(); }
  FailureOr<APInt> readAPIntWithKnownWidth(unsigned) override {
    return failure();
  }
  FailureOr<APFloat>
  readAPFloatWithKnownSemantics(const llvm::fltSemantics &) override {
    return failure();
  }
  LogicalResult readString(StringRef &) override { return failure(); }
  LogicalResult readBlob(ArrayRef<char> &) override { return failure(); }
  LogicalResult readBool(bool &) override { return failure(); }

private:
  FailureOr<AsmDialectResourceHandle> readResourceHandle() override {
    return failure();
  }

  MLIRContext *context;
  std::vector<uint64_t> numbers;
  std::vector<Attribute> attributes;
  size_t nextNumber = 0, nextAttribute = 0;
};

TEST_F(BytecodeTest, NumbersBeyond32BitsAreNoSmallerOnes) {
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    return success();
  });
  auto *tables = context.getLoadedDialect<ASTFEDialect>()
                     ->getRegisteredInterface<BytecodeDialectInterface>();
  ASSERT_NE(tables, nullptr);
  Attribute box = DenseI64ArrayAttr::get(&context, {4, 4});
  // A part: its tag, then order and panel.
  auto part = [&](uint64_t order, uint64_t panel) {
    Script script(&context, {0, order, panel}, {box, box});
    return tables->readAttribute(script);
  };
  EXPECT_TRUE(part(1, 10));
  constexpr uint64_t kBeyond = uint64_t(1) << 32;
  EXPECT_FALSE(part(kBeyond + 1, 10));
  EXPECT_FALSE(part(1, kBeyond + 10));
  EXPECT_EQ(errors, "expected an order below 4 but got 4294967297\n"
                    "expected a panel of 32 bits but got 4294967306\n");
}

TEST_F(BytecodeTest, ADamagedCountTakesNoMemory) {
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    return success();
  });
  auto *tables = context.getLoadedDialect<ASTFEDialect>()
                     ->getRegisteredInterface<BytecodeDialectInterface>();
  // A space: its tag, then 2^40 parts, of which none is there.
  Script script(&context, {1, uint64_t(1) << 40},
                {DenseI64ArrayAttr::get(&context, {4, 4})});
  EXPECT_FALSE(tables->readAttribute(script));
  EXPECT_EQ(errors, "expected another attribute\n");
}
