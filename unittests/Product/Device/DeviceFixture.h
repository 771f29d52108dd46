//===- DeviceFixture.h - products on the driver's stand-in ------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver is the stand-in with the emulator behind it: kernels are compiled
// to PTX, as for a GPU, and once more to the bitcode that the stand-in runs
// instead.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_UNITTESTS_PRODUCT_DEVICE_DEVICEFIXTURE_H
#define ASTFE_UNITTESTS_PRODUCT_DEVICE_DEVICEFIXTURE_H

#include "ASTFE/Compiler/KernelCompiler.h"
#include "ASTFE/Compiler/KernelText.h"
#include "ASTFE/Compiler/LoweringStages.h"
#include "ASTFE/Product/KernelTable.h"
#include "ASTFE/Product/PackedMatrix.h"
#include "ASTFE/Product/TensorRequest.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace astfe::product {

/// Compiles as KernelCompiler does, after it has left PTX and bitcode of the
/// kernels in a folder.
class PairCompiler final : public KernelSource, public TensorKernelSource {
public:
  explicit PairCompiler(std::filesystem::path folder)
      : folder(std::move(folder)) {}

  core::Result<std::shared_ptr<const Kernel>>
  get(const KernelRequest &request) override {
    if (auto status = save(request, request); !status)
      return status.error();
    return compiler.get(request);
  }
  core::Result<std::shared_ptr<const Kernel>>
  get(const TensorRequest &request) override {
    KernelRequest select;
    select.chip = request.chip;
    if (auto status = save(request, select); !status)
      return status.error();
    return compiler.get(request);
  }

private:
  /// `select` says what kernels are selected for.
  template <typename Request>
  core::Status save(const Request &request, const KernelRequest &select) {
    const std::string name = "kernel" + std::to_string(count++);
    for (const auto &[format, suffix] :
         {std::pair("isa", ".ptx"), std::pair("llvm", ".bc")}) {
      auto image = imageOf(request, select, format);
      if (!image)
        return image.error();
      std::ofstream(folder / (name + suffix), std::ios::binary) << *image;
    }
    return core::Success();
  }

  template <typename Request>
  core::Result<std::string> imageOf(const Request &request,
                                    const KernelRequest &select,
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
    target.longRows = select.view && select.view->cutsRows;
    std::vector<compiler::Stage> stages = compiler::loweringStages(target);
    stages.insert(stages.begin(), compiler::selectStage(select));
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

  const std::filesystem::path folder;
  int count = 0;
  compiler::KernelCompiler compiler;
};

class DeviceTest : public testing::Test {
protected:
  DeviceTest()
      : folder(std::filesystem::path(testing::TempDir()) /
               "astfe-device-product"),
        source(folder) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    setenv("ASTFE_LIBCUDA", ASTFE_EMULATED_CUDA, 1);
    // So little memory that a test can fill it.
    setenv("ASTFE_FAKE_CUDA", "bytes=33554432", 1);
    setenv("ASTFE_FAKE_CUDA_BITCODE", folder.c_str(), 1);
    setenv("ASTFE_FAKE_CUDA_LOG", (folder / "log").c_str(), 1);
    setenv("ASTFE_KERNEL_CACHE", "off", 1);
    auto opened = rt::cudaDevice();
    EXPECT_TRUE(bool(opened)) << opened.message();
    device = *opened;
  }
  ~DeviceTest() override {
    for (void *memory : allocated)
      EXPECT_TRUE(bool(device->free(memory)));
    std::filesystem::remove_all(folder);
  }

  /// For products with so many columns.
  MatrixOptions optionsFor(int64_t columns) const {
    MatrixOptions options;
    options.device = device;
    options.chip = device->chip();
    options.columns = columns;
    return options;
  }

  template <typename T>
  std::vector<T> download(const void *memory, size_t size) {
    std::vector<T> data(size);
    EXPECT_TRUE(
        bool(device->copy(data.data(), memory, size * sizeof(T), nullptr)));
    return data;
  }

  template <typename T>
  T *upload(const std::vector<T> &data) {
    auto memory = device->allocate(data.size() * sizeof(T), false);
    EXPECT_TRUE(bool(memory));
    EXPECT_TRUE(bool(
        device->copy(*memory, data.data(), data.size() * sizeof(T), nullptr)));
    allocated.push_back(*memory);
    return static_cast<T *>(*memory);
  }

  /// What was logged since the last call.
  std::string takeLog() {
    std::ifstream stream(folder / "log");
    std::stringstream text;
    text << stream.rdbuf();
    std::ofstream(folder / "log").flush();
    return text.str();
  }

  const std::filesystem::path folder;
  PairCompiler source;
  rt::Device *device = nullptr;
  std::vector<void *> allocated;
};

} // namespace astfe::product

#endif // ASTFE_UNITTESTS_PRODUCT_DEVICE_DEVICEFIXTURE_H
