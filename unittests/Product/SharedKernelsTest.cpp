//===- SharedKernelsTest.cpp - where kernels are kept ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/SharedKernels.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace astfe::product;
namespace fs = std::filesystem;

namespace {
/// A file that stands for a compiler.
struct SharedKernelsTest : testing::Test {
  SharedKernelsTest() {
    fs::create_directories(folder);
    std::ofstream(compiler) << "compiler";
  }
  ~SharedKernelsTest() override { fs::remove_all(folder); }

  std::string placeOf(const KernelRequest &request) {
    return SharedKernels(folder, compiler).place(request).path;
  }

  const std::string folder = testing::TempDir() + "astfe-shared-kernels";
  const std::string compiler = folder + "/compiler.so";
};
} // namespace

TEST_F(SharedKernelsTest, EachRequestHasAPlaceInTheFolder) {
  KernelRequest request, other;
  other.columns = 3;
  EXPECT_EQ(placeOf(request).compare(0, folder.size(), folder), 0);
  EXPECT_EQ(placeOf(request), placeOf(request));
  EXPECT_NE(placeOf(request), placeOf(other));
}

/// Another build may make other code, even one of the same size.
TEST_F(SharedKernelsTest, ACompilerBuiltAnewHasPlacesOfItsOwn) {
  const std::string before = placeOf({});
  fs::last_write_time(compiler, fs::last_write_time(compiler) -
                                    std::chrono::milliseconds(1));
  const std::string later = placeOf({});
  EXPECT_NE(later, before);
  const auto time = fs::last_write_time(compiler);
  std::ofstream(compiler, std::ios::app) << "!";
  fs::last_write_time(compiler, time);
  EXPECT_NE(placeOf({}), later);
}

TEST_F(SharedKernelsTest, NowhereWithoutFolderOrCompilerAndForGPUs) {
  KernelRequest gpu;
  gpu.chip = "sm_90";
  EXPECT_EQ(placeOf(gpu), "");
  EXPECT_EQ(SharedKernels("", compiler).place({}).path, "");
  EXPECT_EQ(SharedKernels(folder, folder + "/none").place({}).path, "");
}

/// Its other end may never be opened.
TEST_F(SharedKernelsTest, APipeIsNoEntry) {
  const SharedKernels kernels(folder, compiler);
  const KeptKernel kept = kernels.place({});
  ASSERT_EQ(::mkfifo(kept.path.c_str(), 0600), 0);
  EXPECT_EQ(SharedKernels::load(kept), nullptr);
  const auto status = SharedKernels::keep(kept, "object");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.message(),
            kept.path + ": expected a regular file but got one of another "
                        "kind");
}
