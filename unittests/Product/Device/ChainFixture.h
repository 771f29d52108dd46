//===- ChainFixture.h - chains on a GPU behind the stand-in -----*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_UNITTESTS_PRODUCT_DEVICE_CHAINFIXTURE_H
#define ASTFE_UNITTESTS_PRODUCT_DEVICE_CHAINFIXTURE_H

#include "ASTFE/Compiler/JitProgram.h"
#include "ASTFE/Execution/KernelCache.h"
#include "ASTFE/Pipelines/ToPTX.h"
#include "ASTFE/Product/ChainMatrix.h"
#include "DeviceFixture.h"
#include <random>

namespace astfe::product {

/// Compressed rows.
struct Pattern {
  int64_t rows, columns;
  std::vector<int64_t> positions{0};
  std::vector<int32_t> coordinates;

  /// Rows of up to eleven nonzeros; every seventh is empty.
  static Pattern random(int64_t rows, int64_t columns) {
    std::mt19937 random(7);
    Pattern made{rows, columns};
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t step = 1 + int64_t(random() % 5);
      if (i % 7 != 3)
        for (int64_t j = int64_t(random() % 3), n = 0; j < columns && n < 11;
             j += step, ++n)
          made.coordinates.push_back(int32_t(j));
      made.positions.push_back(int64_t(made.coordinates.size()));
    }
    return made;
  }
  /// The second row has nearly all columns, and the first column all rows.
  static Pattern withLongRow(int64_t rows, int64_t columns) {
    Pattern made{rows, columns};
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < (i == 1 ? columns - 100 : 2); ++j)
        made.coordinates.push_back(int32_t(j));
      made.positions.push_back(int64_t(made.coordinates.size()));
    }
    return made;
  }
  static Pattern empty(int64_t rows, int64_t columns) {
    Pattern made{rows, columns};
    made.positions.assign(size_t(rows) + 1, 0);
    return made;
  }

  int64_t nonzeros() const { return int64_t(coordinates.size()); }
  core::SparseView view() const {
    return core::SparseView::csr(
        rows, columns,
        core::IndexArray(positions.data(), int64_t(positions.size())),
        core::IndexArray(coordinates.data(), nonzeros()));
  }
};

/// Multiples of 1/32 in [-1, 1).
template <typename T>
std::vector<T> someNumbers(int64_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> data(static_cast<size_t>(size));
  for (T &x : data)
    x = T(int(random() % 64) - 32) / 32;
  return data;
}

inline int64_t countOf(const std::string &text, const std::string &part) {
  int64_t count = 0;
  for (size_t at = text.find(part); at != text.npos;
       at = text.find(part, at + 1))
    ++count;
  return count;
}

template <typename T>
void expectNear(const std::vector<T> &got, const std::vector<double> &wanted,
                double tolerance) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (double(got[i]) != wanted[i]) // infinite ones
      ASSERT_NEAR(double(got[i]), wanted[i],
                  tolerance * (1 + std::abs(wanted[i])))
          << "at " << i;
  }
}

class ChainTest : public DeviceTest {
protected:
  ChainPlace place() { return {device, device->chip()}; }

  /// As libASTFE.so compiles chains, after PTX and bitcode of the kernels are
  /// in the folder.
  CompileChain compile() {
    return [this](const std::string &text, const ChainTarget &target)
               -> core::Result<std::shared_ptr<const Program>> {
      for (const char *format : {"isa", "llvm"})
        if (auto status = save(text, target, format); !status)
          return status.error();
      return compileFor(text, target);
    };
  }

private:
  /// The module of a text behind --astfe-to-ptx.
  using Lowered = mlir::OwningOpRef<mlir::ModuleOp>;
  static core::Result<Lowered> lower(compiler::Lowering &lowering,
                                     const std::string &text,
                                     const ChainTarget &target,
                                     const char *format, bool host) {
    auto module = lowering.parse(text, "chain.mlir");
    if (!module)
      return module.error();
    auto options = std::make_shared<ToPTXOptions>();
    options->chip = target.chip;
    options->deviceOperands = true;
    options->longRows = target.longRows;
    options->format = format;
    options->host = host;
    auto status = lowering.run(
        **module, {compiler::stage("ptx", [&](mlir::OpPassManager &pm) {
          buildToPTXPipeline(pm, *options);
        })});
    if (!status)
      return status.error();
    return std::move(*module);
  }

  core::Result<std::shared_ptr<const Program>>
  compileFor(const std::string &text, const ChainTarget &target) {
    compiler::Lowering lowering;
    auto module = lower(lowering, text, target, "isa", /*host=*/true);
    if (!module)
      return module.error();
    auto code = KernelCache::process().compile(**module, JitOptions());
    if (!code)
      return code.error();
    return compiler::programOf(code->jit);
  }

  core::Status save(const std::string &text, const ChainTarget &target,
                    const char *format) {
    compiler::Lowering lowering;
    auto module = lower(lowering, text, target, format, /*host=*/false);
    if (!module)
      return module.error();
    const bool isText = std::string(format) == "isa";
    (*module)->walk([&](mlir::gpu::BinaryOp binary) {
      auto object = mlir::cast<mlir::gpu::ObjectAttr>(binary.getObjects()[0]);
      std::string image = object.getObject().getValue().str();
      // PTX is zero-terminated, for the driver.
      while (isText && !image.empty() && image.back() == '\0')
        image.pop_back();
      std::ofstream(folder / ("chain" + std::to_string(saved[isText]++) +
                              (isText ? ".ptx" : ".bc")),
                    std::ios::binary)
          << image;
    });
    return core::Success();
  }

  int saved[2] = {0, 0};
};

} // namespace astfe::product

#endif // ASTFE_UNITTESTS_PRODUCT_DEVICE_CHAINFIXTURE_H
