//===- LaunchToolTest.cpp - astfe-launch as a program ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's stand-in computes no product: its kernel adds its second
// argument to the first one's integers. That is right for a tensor of zeros
// while the first is a table, and wrong when it is the output.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Kernel/KernelFile.h"
#include "ASTFE/Core/Pack/PackedFile.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sys/wait.h>

using namespace astfe;
namespace fs = std::filesystem;

namespace {

class LaunchToolTest : public testing::Test {
protected:
  LaunchToolTest() {
    folder = fs::path(testing::TempDir()) /
             testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::create_directories(folder);
    kernel.entry = "add";
    kernel.chip = "sm_90";
    kernel.arguments = {"segment_row", "workers", "output"};
    kernel.columnTile = 32;
    kernel.blockThreads = 1;
    kernel.ptx = "k.ptx";
    std::ofstream(folder / "k.ptx") << ".version 8.0\n";
    writeTensor();
    writeKernel();
  }
  ~LaunchToolTest() override { fs::remove_all(folder); }

  /// One zero at (0, 1) of a matrix with 2 rows.
  void writeTensor(int64_t columns = 3) {
    core::PackedTensor tensor;
    core::Packed &p = tensor.pattern;
    p.shape = {2, columns};
    p.nonzeros = p.slots = p.groups = 1;
    p.workerSpan = {0, 1};
    p.spanSlot = {0, 1};
    p.spanSegment = {0, 1};
    p.spanColumn = {0};
    p.spanClass = {0};
    p.spanWidth = {0};
    p.segmentRow = {0};
    p.segmentTarget = {0};
    p.segmentEnd = {1};
    p.columns32 = {1};
    p.combineBegin = {0};
    p.workerGap = {0, 1};
    p.gapBegin = {1};
    p.gapEnd = {2};
    p.slotOf = {0};
    tensor.values32 = {0};
    core::Status status =
        core::writePacked((folder / "a.packed").string(), tensor);
    ASSERT_TRUE(bool(status)) << status.message();
  }

  void writeKernel() {
    std::ofstream(folder / "k.json") << core::toJson(kernel);
  }

  /// Runs the tool; its output and errors in `output`.
  int run(const std::string &options, const char *driver = ASTFE_FAKE_CUDA) {
    std::string command = std::string("ASTFE_LIBCUDA=") + driver +
                          " ASTFE_FAKE_CUDA=" + machine + " " + ASTFE_LAUNCH +
                          " --kernel=" + folder.string() +
                          "/k.json --packed=" + folder.string() + "/a.packed " +
                          " 2>&1 " + options;
    FILE *pipe = popen(command.c_str(), "r");
    output.clear();
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
      output += char(c);
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  bool says(const std::string &text) const {
    return output.find(text) != std::string::npos;
  }

  fs::path folder;
  core::KernelFile kernel;
  std::string machine, output;
};

TEST_F(LaunchToolTest, WithoutADriver) {
  EXPECT_EQ(run("--check", "/nowhere/libcuda.so.1"), 1);
  EXPECT_TRUE(says("astfe-launch: error: expected a CUDA driver but got "
                   "'/nowhere/libcuda.so.1: cannot open"))
      << output;
}

/// Each ends with a text that says which it is, and with status 1.
TEST_F(LaunchToolTest, MachinesThatCannotRunIt) {
  auto errorOn = [&](const char *settings, const char *image) {
    machine = settings;
    std::ofstream(folder / "k.ptx") << image;
    EXPECT_EQ(run("--check"), 1) << settings;
    const std::string prefix = "astfe-launch: error: ";
    EXPECT_EQ(output.find(prefix), 0u) << output;
    return output.substr(prefix.size(), output.find('\n') - prefix.size());
  };
  const char *ptx = "//\n.version 8.0\n.target sm_90\n.address_size 64\n";
  EXPECT_EQ(errorOn("no-device", ptx),
            "cuInit failed: CUDA_ERROR_NO_DEVICE (what the driver says)");
  EXPECT_EQ(errorOn("devices=0", ptx),
            "expected a CUDA device but the driver has none");
  EXPECT_EQ(errorOn("driver=11080", ptx),
            "cuModuleLoadDataEx failed: CUDA_ERROR_UNSUPPORTED_PTX_VERSION "
            "(what the driver says): expected code for sm_90 and a driver of "
            "CUDA 11.8 but got PTX 8.0 for sm_90: ptxas: Unsupported .version");
  EXPECT_EQ(errorOn("chip=80", ptx),
            "cuModuleLoadDataEx failed: CUDA_ERROR_INVALID_PTX (what the "
            "driver says): expected code for sm_80 and a driver of CUDA 13.0 "
            "but got PTX 8.0 for sm_90: ptxas: SM version specified by .target "
            "is higher than default SM version assumed");
  EXPECT_EQ(errorOn("chip=80", "\177ELF of sm_90"),
            "cuModuleLoadDataEx failed: CUDA_ERROR_NO_BINARY_FOR_GPU (what the "
            "driver says): expected code for sm_80 and a driver of CUDA 13.0 "
            "but got machine code for another");
  EXPECT_EQ(errorOn("bytes=8", ptx),
            "segment_row: cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (what "
            "the driver says) for 4 bytes");
  EXPECT_EQ(errorOn("lost-after=1", ptx),
            "cuCtxSynchronize failed: CUDA_ERROR_UNKNOWN (what the driver "
            "says)");
  EXPECT_EQ(
      errorOn("lost-after=3", ptx),
      "cuLaunchKernel failed: CUDA_ERROR_UNKNOWN (what the driver says)");
}

/// Short runs are timed many at a time, without what a pair of events takes.
TEST_F(LaunchToolTest, BatchesOfShortRuns) {
  const std::string log = (folder / "log").string();
  machine = "microseconds=15 ASTFE_FAKE_CUDA_LOG=" + log;
  EXPECT_EQ(run("--repeat=2 --json"), 0) << output;
  EXPECT_TRUE(says("\"batch\": 533")) << output;
  EXPECT_TRUE(says("\"run_median\": 2.81")) << output; // 15 us of 533 runs
  std::ifstream stream(log);
  int launches = 0, fills = 0, between = 0;
  for (std::string line; std::getline(stream, line);) {
    launches += line.find("launch add") == 0;
    fills += line.find("fill ") == 0;
    // Of the check's run, and between runs that are timed.
    between += line.find("fill ") == 0 && launches > 0 && launches < 1071;
  }
  EXPECT_EQ(launches, 1 + 4 + 2 * 533);
  EXPECT_EQ(between, 0) << "times of products have no clearing in them";
  EXPECT_GT(fills, 4) << "which is timed by itself";
}

/// Tables that are packed wrongly are right about themselves.
TEST_F(LaunchToolTest, ChecksAgainstTheMatrixItself) {
  const std::string file = (folder / "a.mtx").string();
  auto write = [&](const char *shape, const char *value) {
    std::ofstream(file) << "%%MatrixMarket matrix coordinate real general\n"
                        << shape << " 1\n1 2 " << value << "\n";
  };
  EXPECT_NE(run("--columns=64 --matrix=" + file), 0);
  EXPECT_NE(output.find("--matrix: expected --check"), std::string::npos)
      << output;
  const std::string options = "--columns=64 --check --matrix=" + file;
  write("2 3", "0");
  EXPECT_EQ(run(options), 0) << output;
  write("2 3", "1");
  EXPECT_EQ(run("--columns=64 --check"), 0) << output;
  EXPECT_EQ(run(options), 1);
  EXPECT_TRUE(says("expected the result of the loop in float64")) << output;
  // In the last row, too.
  std::ofstream(file) << "%%MatrixMarket matrix coordinate real general\n"
                         "2 3 1\n2 1 1\n";
  EXPECT_EQ(run(options), 1);
  EXPECT_TRUE(says("expected the result of the loop in float64")) << output;
  std::ofstream(file) << "%%MatrixMarket matrix coordinate real general\n"
                         "2 3 2\n1 2 0\n2 1 0\n";
  EXPECT_EQ(run(options), 1);
  EXPECT_TRUE(says("2 x 3 with 1 nonzeros, but got 2 x 3 with 2")) << output;
  write("2 4", "0");
  EXPECT_EQ(run(options), 1);
  EXPECT_TRUE(says("expected the matrix that was packed, 2 x 3 with 1 "
                   "nonzeros, but got 2 x 4 with 1"))
      << output;
}

TEST_F(LaunchToolTest, ALibraryThatIsNoDriver) {
  EXPECT_EQ(run("--check", "libm.so.6"), 1);
  EXPECT_TRUE(says("expected 'cuInit' in 'libm.so.6', as drivers of CUDA 11.2 "
                   "and later have it, but got a library without it"))
      << output;
}

TEST_F(LaunchToolTest, PassesAndPrintsOneObject) {
  EXPECT_EQ(run("--columns=64 --check --repeat=3 --json"), 0) << output;
  EXPECT_EQ(output.front(), '{');
  EXPECT_TRUE(says("\"kernel\": \"add\"")) << output;
  EXPECT_TRUE(says("\"device\": \"cuda:0 Fake\""));
  EXPECT_TRUE(says("\"rows\": 2"));
  EXPECT_TRUE(says("\"columns\": 64"));
  EXPECT_TRUE(says("\"run_median\": 0.25"));
  EXPECT_TRUE(says("\"check\": \"passed\""));
}

TEST_F(LaunchToolTest, AWrongResultFails) {
  kernel.arguments = {"output", "workers"};
  kernel.element = core::Element::F32;
  writeKernel();
  EXPECT_EQ(run("--columns=64 --check"), 1);
  EXPECT_TRUE(says("failed")) << output;
  EXPECT_TRUE(says("astfe-launch: error: expected the result of the loop"));
  EXPECT_EQ(run("--columns=64"), 0) << output;
}

TEST_F(LaunchToolTest, TooManyTilesForOneGrid) {
  EXPECT_EQ(run("--columns=2097184"), 0) << output;
}

TEST_F(LaunchToolTest, OutOfMemoryIsAnError) {
  // 2^62 elements of B are more than a vector can ever have.
  kernel.wide = true;
  writeKernel();
  writeTensor(std::numeric_limits<int32_t>::max());
  EXPECT_EQ(run("--columns=2147483648"), 1);
  EXPECT_TRUE(says("astfe-launch: error: out of memory for operands of "
                   "2147483648 columns"))
      << output;
}

TEST_F(LaunchToolTest, OutputThatIsLostIsAnError) {
  EXPECT_EQ(run("--json >/dev/full"), 1);
  EXPECT_TRUE(says("astfe-launch: error: cannot write to standard output: No "
                   "space left on device"))
      << output;
}

TEST_F(LaunchToolTest, WrongInputIsNamed) {
  EXPECT_EQ(run("--colums=64"), 1);
  EXPECT_TRUE(says("colums")) << output;
  fs::remove(folder / "k.ptx");
  EXPECT_EQ(run(""), 1);
  EXPECT_TRUE(says("k.ptx: expected the kernel's PTX")) << output;
  fs::resize_file(folder / "a.packed", 40);
  std::ofstream(folder / "k.ptx") << ".version 8.0\n";
  EXPECT_EQ(run(""), 1);
  EXPECT_TRUE(says("a.packed")) << output;
  std::ofstream(folder / "k.json") << "{}";
  EXPECT_EQ(run(""), 1);
  EXPECT_TRUE(says("k.json")) << output;
}

} // namespace
