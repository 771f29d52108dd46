//===- DeviceProductTest.cpp - products on a GPU's streams ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver is the stand-in with the emulator behind it: kernels are compiled
// to PTX, as for a GPU, and once more to the bitcode that the stand-in runs
// instead.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Compiler/KernelCompiler.h"
#include "ASTFE/Compiler/KernelText.h"
#include "ASTFE/Compiler/LoweringStages.h"
#include "ASTFE/Product/KernelTable.h"
#include "ASTFE/Product/PackedMatrix.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

using namespace astfe;
using namespace astfe::product;
namespace fs = std::filesystem;

namespace {

/// Compiles as KernelCompiler does, after it has left PTX and bitcode of the
/// kernels in a folder.
class PairCompiler final : public KernelSource {
public:
  explicit PairCompiler(fs::path folder) : folder(std::move(folder)) {}

  core::Result<std::shared_ptr<const Kernel>>
  get(const KernelRequest &request) override {
    const std::string name = "kernel" + std::to_string(count++);
    for (const auto &[format, suffix] :
         {std::pair("isa", ".ptx"), std::pair("llvm", ".bc")}) {
      auto image = imageOf(request, format);
      if (!image)
        return image.error();
      std::ofstream(folder / (name + suffix), std::ios::binary) << *image;
    }
    return compiler.get(request);
  }

private:
  core::Result<std::string> imageOf(const KernelRequest &request,
                                    const char *format) {
    compiler::Lowering lowering;
    auto module = lowering.parse(
        compiler::kernelText(lowering.mlirContext(), request), "product.mlir");
    if (!module)
      return module.error();
    compiler::LoweringTarget target;
    target.chip = request.chip;
    target.format = format;
    target.deviceOperands = true;
    target.kernelsOnly = true;
    std::vector<compiler::Stage> stages = compiler::loweringStages(target);
    stages.insert(stages.begin(), compiler::selectStage(request));
    if (auto status = lowering.run(**module, stages); !status)
      return status.error();
    std::string image;
    (*module)->walk([&](mlir::gpu::BinaryOp binary) {
      auto object = mlir::cast<mlir::gpu::ObjectAttr>(binary.getObjects()[0]);
      image = object.getObject().getValue().str();
    });
    // PTX is zero-terminated, for the driver.
    while (std::string(format) == "isa" && !image.empty() &&
           image.back() == '\0')
      image.pop_back();
    return image;
  }

  const fs::path folder;
  int count = 0;
  compiler::KernelCompiler compiler;
};

/// A matrix of random rows, the first of which holds half of all.
struct Matrix {
  static constexpr int64_t kRows = 70, kColumns = 90;
  std::vector<int32_t> positions{0}, coordinates;
  std::vector<float> values;

  Matrix() {
    std::mt19937 random(5);
    for (int64_t row = 0; row < kRows; ++row) {
      for (int32_t column = 0; column < kColumns; ++column)
        if (row == 0 || random() % 30 == 0) {
          coordinates.push_back(column);
          values.push_back(float(random() % 64) / 32 - 1);
        }
      positions.push_back(int32_t(coordinates.size()));
    }
  }

  core::SparseView view() const {
    return core::SparseView::csr(
        kRows, kColumns,
        core::IndexArray(positions.data(), int64_t(positions.size())),
        core::IndexArray(coordinates.data(), int64_t(coordinates.size())));
  }
};

class DeviceProductTest : public testing::Test {
protected:
  DeviceProductTest()
      : folder(fs::path(testing::TempDir()) / "astfe-device-product"),
        source(folder) {
    fs::remove_all(folder);
    fs::create_directories(folder);
    setenv("ASTFE_LIBCUDA", ASTFE_EMULATED_CUDA, 1);
    setenv("ASTFE_FAKE_CUDA_BITCODE", folder.c_str(), 1);
    setenv("ASTFE_FAKE_CUDA_LOG", (folder / "log").c_str(), 1);
    setenv("ASTFE_KERNEL_CACHE", "off", 1);
    auto opened = rt::cudaDevice();
    EXPECT_TRUE(bool(opened)) << opened.message();
    device = *opened;
  }
  ~DeviceProductTest() override {
    for (void *memory : allocated)
      EXPECT_TRUE(bool(device->free(memory)));
    fs::remove_all(folder);
  }

  std::unique_ptr<PackedMatrix> pack() {
    MatrixOptions options;
    options.device = device;
    options.chip = device->chip();
    options.columns = 64;
    auto plan = core::makePlan(matrix.view(), planOptions(options));
    EXPECT_TRUE(bool(plan));
    auto packed = PackedMatrix::pack(matrix.view(), matrix.values.data(),
                                     plan->fused, options, source);
    EXPECT_TRUE(bool(packed));
    return std::move(*packed);
  }

  float *upload(const std::vector<float> &data) {
    auto memory = device->allocate(data.size() * 4, false);
    EXPECT_TRUE(bool(memory));
    EXPECT_TRUE(
        bool(device->copy(*memory, data.data(), data.size() * 4, nullptr)));
    allocated.push_back(*memory);
    return static_cast<float *>(*memory);
  }

  /// What was logged since the last call.
  std::string takeLog() {
    std::ifstream stream(folder / "log");
    std::stringstream text;
    text << stream.rdbuf();
    std::ofstream(folder / "log").flush();
    return text.str();
  }

  const fs::path folder;
  PairCompiler source;
  rt::Device *device = nullptr;
  std::vector<void *> allocated;
  Matrix matrix;
};

TEST_F(DeviceProductTest, OperandsStayAndNothingIsCopiedBetweenProducts) {
  auto packed = pack();
  auto stream = device->createStream();
  ASSERT_TRUE(bool(stream));
  for (int64_t n : {1, 33, 64}) {
    std::vector<float> b(size_t(Matrix::kColumns * n)),
        c(size_t(Matrix::kRows * n), 0.25f);
    for (size_t i = 0; i < b.size(); ++i)
      b[i] = float(i % 17) / 16 - 0.5f;
    const Dense operand{upload(b), Matrix::kColumns, n, n},
        result{upload(c), Matrix::kRows, n, n};
    auto status = packed->multiplyOn(*stream, operand, result, false);
    ASSERT_TRUE(bool(status)) << status.message();
    takeLog();
    // C = A B, again, and then C += A B.
    for (bool accumulate : {false, true}) {
      if (accumulate) // Its kernel is loaded by the first product.
        ASSERT_TRUE(bool(packed->compile(n, true)));
      takeLog();
      status = packed->multiplyOn(*stream, operand, result, accumulate);
      ASSERT_TRUE(bool(status)) << status.message();
      const std::string log = takeLog();
      EXPECT_NE(log.find("launch "), log.npos) << log;
      EXPECT_EQ(log.find("copy"), log.npos) << log;
      EXPECT_EQ(log.find("allocate"), log.npos) << log;
    }
    ASSERT_TRUE(bool(device->synchronizeStream(*stream)));
    ASSERT_TRUE(
        bool(device->copy(c.data(), result.data, c.size() * 4, nullptr)));
    for (size_t row = 0; row < size_t(Matrix::kRows); ++row)
      for (size_t j = 0; j < size_t(n); ++j) {
        double sum = 0, size = 0;
        for (auto at = size_t(matrix.positions[row]);
             at < size_t(matrix.positions[row + 1]); ++at) {
          const double term =
              2.0 * double(matrix.values[at]) *
              double(b[size_t(matrix.coordinates[at]) * size_t(n) + j]);
          sum += term;
          size += std::abs(term);
        }
        EXPECT_NEAR(double(c[row * size_t(n) + j]), sum, 1e-6 * size);
      }
  }
  EXPECT_TRUE(bool(device->destroyStream(*stream)));
}

TEST_F(DeviceProductTest, WrongOperandsAreErrors) {
  auto packed = pack();
  constexpr int64_t n = 8;
  std::vector<float> zeros(size_t(Matrix::kColumns * n));
  float *b = upload(zeros), *c = upload(zeros);
  auto error = [&](void *bData, void *cData) {
    takeLog();
    auto status =
        packed->multiplyOn(nullptr, {bData, Matrix::kColumns, n, n},
                           {cData, Matrix::kRows, n, n}, /*accumulate=*/false);
    EXPECT_EQ(takeLog().find("launch"), std::string::npos);
    return status ? std::string("none") : status.message();
  };
  EXPECT_EQ(error(zeros.data(), c),
            "B: expected memory of 'cuda:0 Fake' but got host memory");
  EXPECT_EQ(error(b + 1, c), "B: expected 2880 bytes of memory but got 2876");
  EXPECT_EQ(error(reinterpret_cast<char *>(b) + 2, c),
            "B: expected an address divisible by 4 but got one that ends in 2");
  EXPECT_EQ(error(b, b), "expected B and C apart but got memory that overlaps");
  auto status = packed->multiplyOn(nullptr, {b, Matrix::kColumns, n, n},
                                   {c, Matrix::kRows, n, n}, false);
  EXPECT_TRUE(bool(status)) << status.message();
}

} // namespace
