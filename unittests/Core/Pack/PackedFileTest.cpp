//===- PackedFileTest.cpp - packed tensors and kernels as files -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/PackedFile.h"
#include "ASTFE/Core/Kernel/KernelFile.h"
#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "PackOracle.h"
#include <cstdio>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

using namespace astfe::core;

namespace {

/// A file of one test, removed afterwards.
class PackedFile : public ::testing::Test {
protected:
  PackedFile()
      : path(::testing::TempDir() + "astfe-" +
             ::testing::UnitTest::GetInstance()->current_test_info()->name()) {}
  ~PackedFile() override { std::remove(path.c_str()); }

  std::string bytes() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void setBytes(const std::string &text) const {
    std::ofstream(path, std::ios::binary) << text;
  }
  std::string refused() const {
    Result<PackedTensor> tensor = readPacked(path);
    if (tensor)
      return "read";
    EXPECT_EQ(tensor.message().substr(0, path.size() + 2), path + ": ");
    return tensor.message().substr(path.size() + 2);
  }
  std::string refusedKernel() const {
    Result<KernelFile> kernel = readKernelFile(path);
    return kernel ? "read" : kernel.message().substr(path.size() + 2);
  }

  std::string path;
};

PackedTensor sample(unsigned columnBits, Element element) {
  CooTensor tensor = mixedMatrix(40, 300, 600, 12);
  PackOptions options;
  options.layout.columnBits = uint8_t(columnBits);
  options.layout.assumeFinite = true;
  options.layout.deterministic = true;
  if (element == Element::F64) {
    chooseForGPU(options.layout, /*columnTile=*/32);
  } else {
    options.layout.windowColumns = 48;
    options.layout.denseBytes = int64_t(1) << 33;
  }
  options.workers = 3;
  PackedTensor result;
  result.pattern = *pack(
      tensor.view(), graphOf(tensor.view(), OrderKind::Morton, 64), options);
  result.pattern.tilesTogether = element == Element::F64 ? 0 : 3;
  result.pattern.stripBytes = element == Element::F64 ? 0 : 32768;
  result.element = element;
  std::vector<float> narrow(tensor.values.begin(), tensor.values.end());
  if (element == Element::F64) {
    result.values64.resize(size_t(result.pattern.slots));
    packValues(result.pattern, tensor.values.data(), result.values64.data());
  } else {
    result.values32.resize(size_t(result.pattern.slots));
    packValues(result.pattern, narrow.data(), result.values32.data());
  }
  return result;
}

void expectSame(const PackedTensor &a, const PackedTensor &b) {
  EXPECT_EQ(a.element, b.element);
  EXPECT_EQ(a.values32, b.values32);
  EXPECT_EQ(a.values64, b.values64);
  EXPECT_EQ(a.pattern.layout, b.pattern.layout);
  EXPECT_EQ(a.pattern.shape, b.pattern.shape);
  EXPECT_EQ(a.pattern.slots, b.pattern.slots);
  EXPECT_EQ(a.pattern.groups, b.pattern.groups);
  EXPECT_EQ(a.pattern.fingerprint, b.pattern.fingerprint);
  EXPECT_EQ(a.pattern.stripBytes, b.pattern.stripBytes);
  EXPECT_EQ(a.pattern.tilesTogether, b.pattern.tilesTogether);
  EXPECT_EQ(a.pattern.workerSpan, b.pattern.workerSpan);
  EXPECT_EQ(a.pattern.segmentRow, b.pattern.segmentRow);
  EXPECT_EQ(a.pattern.segmentTarget, b.pattern.segmentTarget);
  EXPECT_EQ(a.pattern.combinePartial, b.pattern.combinePartial);
  EXPECT_EQ(a.pattern.segmentFirst, b.pattern.segmentFirst);
  EXPECT_EQ(a.pattern.workerGap, b.pattern.workerGap);
  EXPECT_EQ(a.pattern.gapBegin, b.pattern.gapBegin);
  EXPECT_EQ(a.pattern.gapEnd, b.pattern.gapEnd);
  EXPECT_EQ(a.pattern.slotOf, b.pattern.slotOf);
  EXPECT_EQ(entriesOf(a.pattern), entriesOf(b.pattern));
}

KernelFile sampleKernel() {
  KernelFile kernel;
  kernel.entry = "spmm";
  kernel.chip = "sm_90";
  kernel.arguments = {"values", "x", "y"};
  kernel.columnTile = 128;
  kernel.layout.columnBits = 16;
  kernel.ptx = "spmm.ptx";
  return kernel;
}

} // namespace

TEST_F(PackedFile, RoundTripIsExact) {
  for (unsigned bits : {8, 16, 32})
    for (Element element : {Element::F32, Element::F64}) {
      PackedTensor tensor = sample(bits, element);
      Status written = writePacked(path, tensor);
      ASSERT_TRUE(written) << written.message();
      Result<PackedTensor> back = readPacked(path);
      ASSERT_TRUE(back) << back.message();
      expectSame(*back, tensor);
    }
}

TEST_F(PackedFile, EveryTruncationIsRefused) {
  ASSERT_TRUE(writePacked(path, sample(32, Element::F64)));
  std::string whole = bytes();
  for (size_t size = 0; size < whole.size(); size += 11 + size / 8) {
    setBytes(whole.substr(0, size));
    EXPECT_NE(refused(), "read") << size;
  }
  setBytes(whole + "x");
  EXPECT_NE(refused(), "read");
  setBytes("");
  EXPECT_EQ(refused(), "expected a packed tensor but got a file of 0 bytes");
}

TEST_F(PackedFile, EveryFlippedBitIsFound) {
  ASSERT_TRUE(writePacked(path, sample(8, Element::F32)));
  std::string whole = bytes();
  for (size_t i = 0; i < whole.size(); i += i < 400 ? 7 : 199)
    for (int bit : {0, 7}) {
      std::string broken = whole;
      broken[i] = char(broken[i] ^ (1 << bit));
      setBytes(broken);
      EXPECT_NE(refused(), "read") << i;
    }
}

TEST_F(PackedFile, NamesWhatIsWrong) {
  ASSERT_TRUE(writePacked(path, sample(8, Element::F32)));
  std::string whole = bytes();
  auto with = [&](size_t offset, auto value) {
    std::string broken = whole;
    std::memcpy(&broken[offset], &value, sizeof(value));
    setBytes(broken);
    return refused();
  };
  EXPECT_EQ(with(0, 'B'),
            "expected a packed tensor but its first bytes are others");
  EXPECT_EQ(with(8, uint32_t(2)), "expected version 4 but got 2");
  EXPECT_EQ(with(12, uint32_t(0x04030201)),
            "expected this machine's byte order but got another");
  EXPECT_EQ(with(16, ~uint64_t(0)),
            "expected a directory of 18446744073709551615 tables but the file "
            "is too short for it");
  EXPECT_EQ(with(32, uint64_t(0)),
            "expected the checksum of the header but the contents differ");
}

TEST_F(PackedFile, TablesAreProvedBesideTheChecksum) {
  PackedTensor tensor = sample(32, Element::F32);
  tensor.pattern.columns32[0] = 300;
  ASSERT_TRUE(writePacked(path, tensor));
  EXPECT_EQ(refused(), "expected the column of slot 0 in 0..299 but got 300");
  tensor = sample(32, Element::F32);
  tensor.pattern.stripBytes = 100;
  ASSERT_TRUE(writePacked(path, tensor));
  EXPECT_EQ(refused(), "expected strips of a multiple of 64 bytes, at most "
                       "32768, but got 100");
  tensor = sample(32, Element::F32);
  tensor.element = Element::F16;
  ASSERT_TRUE(writePacked(path, tensor));
  EXPECT_EQ(refused(), "expected values in f32 or f64 but got type 2");
  tensor = sample(32, Element::F32);
  tensor.values32.pop_back();
  ASSERT_TRUE(writePacked(path, tensor));
  EXPECT_NE(refused().find(" values but got "), std::string::npos);
}

TEST_F(PackedFile, FilesThatCannotBeReadOrWritten) {
  EXPECT_EQ(readPacked("/nonexistent/A").message(),
            "/nonexistent/A: cannot open: No such file or directory");
  EXPECT_FALSE(writePacked("/nonexistent/A", sample(32, Element::F32)));
}

TEST_F(PackedFile, KernelRoundTrip) {
  KernelFile kernel = sampleKernel();
  setBytes(toJson(kernel));
  Result<KernelFile> back = readKernelFile(path);
  ASSERT_TRUE(back) << back.message();
  EXPECT_EQ(toJson(*back), toJson(kernel));
  EXPECT_EQ(back->arguments, kernel.arguments);
  EXPECT_EQ(back->layout, kernel.layout);
}

TEST_F(PackedFile, KernelsAreChecked) {
  std::string good = toJson(sampleKernel());
  auto with = [&](const std::string &from, const std::string &to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    setBytes(text);
    return refusedKernel();
  };
  EXPECT_EQ(with("{", "").substr(0, 32), "expected JSON but got a parse er");
  EXPECT_EQ(with("\"entry\"", "\"entri\""), "expected no field 'entri'");
  EXPECT_EQ(with("  \"entry\": \"spmm\",\n", ""),
            "entry: expected this field but there is none");
  EXPECT_EQ(with("\"spmm\"", "7"), "entry: expected a string but got 7");
  EXPECT_EQ(with("\"version\": 4", "\"version\": 2"),
            "version: expected an integer in 4..4 but got 2");
  EXPECT_EQ(with("128", "-1"),
            "column_tile: expected an integer in 0..1048576 but got -1");
  EXPECT_EQ(with("\"row_segments\"", "\"rows\""),
            "layout.classes[0]: expected a class of segments but got \"rows\"");
  EXPECT_EQ(with("\"packed\"", "\"tables\""),
            "layout.storage: expected view or packed but got "
            "\"tables\"");
  EXPECT_EQ(with("16", "24"),
            "layout: expected columns of 8, 16 or 32 bits but got 24");
  EXPECT_EQ(with("\"f32\"", "\"i32\""),
            "element: expected f32 or f64 but got \"i32\"");
  setBytes("[]");
  EXPECT_EQ(refusedKernel(), "expected an object but got []");
}
