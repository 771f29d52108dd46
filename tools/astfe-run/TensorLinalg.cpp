//===- TensorLinalg.cpp - a tensor's product as linalg, on its fibers -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorLinalg.h"
#include "ASTFE/Compiler/BodyText.h"
#include "ASTFE/Core/Support/Shape.h"
#include "ASTFE/Execution/KernelCache.h"
#include "ASTFE/Pipelines/Upstream.h"
#include "ASTFE/Runtime/CallPointers.h"
#include "ASTFE/Transforms/Passes.h"
#include "InTurn.h"
#include "ModuleText.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <numeric>

namespace astfe::run {

//===----------------------------------------------------------------------===//
// Fibers
//===----------------------------------------------------------------------===//

/// The nonzeros in the order of the levels.
static std::vector<int64_t> sortedBy(const core::CooTensor &tensor,
                                     const std::vector<unsigned> &modes) {
  std::vector<int64_t> order(size_t(tensor.nonzeros()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t c) {
    for (unsigned mode : modes) {
      const auto &column = tensor.coordinates[mode];
      if (column[size_t(a)] != column[size_t(c)])
        return column[size_t(a)] < column[size_t(c)];
    }
    return a < c;
  });
  return order;
}

core::Result<Fibers> Fibers::get(const core::CooTensor &tensor,
                                 const Dense &values,
                                 const product::TensorProduct &product) {
  if (std::max(*std::max_element(tensor.shape.begin(), tensor.shape.end()),
               tensor.nonzeros()) > INT32_MAX)
    return core::Error{"expected extents and nonzeros below 2^31 but got " +
                       core::shapeText(tensor.shape) + " and " +
                       std::to_string(tensor.nonzeros())};
  if (tensor.shape.size() < 2)
    return core::Error{"expected a tensor of 2 modes or more but got 1"};
  Fibers fibers;
  fibers.shape = tensor.shape;
  const auto rank = unsigned(tensor.shape.size());
  auto &modes = fibers.modes;
  for (unsigned dim : product.output)
    if (dim < rank)
      modes.push_back(dim);
  for (unsigned mode = 0; mode < rank; ++mode)
    if (std::find(modes.begin(), modes.end(), mode) == modes.end())
      modes.push_back(mode);
  const size_t levels = fibers.modes.size() - 1;
  fibers.positions.assign(levels, {0});
  fibers.coordinates.resize(levels);
  fibers.values = Dense::zero(tensor.nonzeros(), 1, values.element);
  const auto &rows = tensor.coordinates[fibers.modes.front()];
  auto closeRows = [&](int64_t before) {
    while (int64_t(fibers.positions.front().size()) <= before)
      fibers.positions.front().push_back(
          int32_t(fibers.coordinates.front().size()));
  };
  int64_t last = -1, place = 0;
  for (int64_t n : sortedBy(tensor, fibers.modes)) {
    closeRows(rows[size_t(n)]);
    bool isNew = last < 0 || rows[size_t(n)] != rows[size_t(last)];
    for (size_t l = 0; l < levels; ++l) {
      const auto &column = tensor.coordinates[fibers.modes[l + 1]];
      isNew |= last >= 0 && column[size_t(n)] != column[size_t(last)];
      // Nonzeros of equal coordinates are entries of their own.
      if (!isNew && l + 1 < levels)
        continue;
      fibers.coordinates[l].push_back(int32_t(column[size_t(n)]));
      if (l + 1 < levels)
        fibers.positions[l + 1].push_back(0);
    }
    for (size_t l = 1; l < levels; ++l)
      fibers.positions[l].back() = int32_t(fibers.coordinates[l].size());
    const auto bytes = size_t(core::elementBytes(values.element));
    std::copy_n(values.bytes.data() + size_t(n) * bytes, bytes,
                fibers.values.bytes.data() + size_t(place++) * bytes);
    last = n;
  }
  closeRows(tensor.shape[fibers.modes.front()]);
  return fibers;
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

namespace {
class Writer {
public:
  Writer(const product::TensorProduct &product,
         const core::Arithmetic &arithmetic, const Fibers &fibers,
         bool accumulate)
      : product(product), arithmetic(arithmetic), fibers(fibers),
        accumulate(accumulate), element(compiler::typeText(arithmetic.element)),
        sum(compiler::typeText(arithmetic.result())) {}

  std::string text();

private:
  std::string map(const std::vector<unsigned> &dims) const;
  std::string dense(llvm::StringRef kind, const std::vector<int64_t> &extents,
                    const std::string &type) const {
    return (kind + "<" + core::shapeText(extents) + "x" + type + ">").str();
  }
  std::string encoding() const;
  void writeGeneric(llvm::raw_ostream &out, const std::string &output) const;
  void writeBody(llvm::raw_ostream &out) const;

  const product::TensorProduct &product;
  const core::Arithmetic arithmetic;
  const Fibers &fibers;
  const bool accumulate;
  const std::string element, sum; ///< types
};

std::string list(size_t count, const std::string &prefix) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + prefix + std::to_string(i);
  return text;
}

std::string Writer::map(const std::vector<unsigned> &dims) const {
  std::string text = "affine_map<(" +
                     list(product.rank + product.dense.size(), "d") + ") -> (";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", d" : "d") + std::to_string(dims[i]);
  return text + ")>";
}

std::string Writer::encoding() const {
  std::string text =
      "#sparse_tensor.encoding<{map = (" + list(product.rank, "d") + ") -> (";
  for (size_t l = 0; l < fibers.modes.size(); ++l)
    text += (l ? ", d" : "d") + std::to_string(fibers.modes[l]) +
            (l ? " : compressed" : " : dense");
  return text + "), posWidth = 32, crdWidth = 32}>";
}

void Writer::writeBody(llvm::raw_ostream &out) const {
  const size_t inputs = product.inputs.size();
  out << "  ^bb0(%x: " << element;
  std::vector<std::string> factors = {"%x"};
  for (size_t i = 0; i < inputs; ++i) {
    factors.push_back("%x" + std::to_string(i));
    out << ", " << factors.back() << ": " << element;
  }
  out << ", %sum: " << sum << "):\n" << bodyText(arithmetic, factors, "%sum");
}

void Writer::writeGeneric(llvm::raw_ostream &out,
                          const std::string &output) const {
  out << "  %0 = linalg.generic {indexing_maps = [#t";
  for (size_t i = 0; i < product.inputs.size(); ++i)
    out << ", #m" << i;
  out << ", #out], iterator_types = [";
  for (unsigned d = 0; d < product.rank + product.dense.size(); ++d) {
    const bool isParallel =
        std::find(product.output.begin(), product.output.end(), d) !=
        product.output.end();
    out << (d ? ", " : "") << (isParallel ? "\"parallel\"" : "\"reduction\"");
  }
  out << "]}\n      ins(%T";
  for (size_t i = 0; i < product.inputs.size(); ++i)
    out << ", %d" << i;
  out << " : tensor<" << core::shapeText(fibers.shape) << "x" << element
      << ", #CSF>";
  for (const std::vector<unsigned> &input : product.inputs)
    out << ", "
        << dense("tensor", product.extentsOf(input, fibers.shape), element);
  out << ") outs(%C : " << output << ") {\n";
  writeBody(out);
  out << "  } -> " << output << "\n";
}

std::string Writer::text() {
  const std::vector<int64_t> extents =
      product.extentsOf(product.output, fibers.shape);
  const std::string output = dense("tensor", extents, sum),
                    buffer = dense("memref", extents, sum);
  std::vector<unsigned> modes(product.rank);
  std::iota(modes.begin(), modes.end(), 0u);
  std::string result;
  llvm::raw_string_ostream out(result);
  out << "#CSF = " << encoding() << "\n#t = " << map(modes) << "\n";
  for (size_t i = 0; i < product.inputs.size(); ++i)
    out << "#m" << i << " = " << map(product.inputs[i]) << "\n";
  out << "#out = " << map(product.output) << "\nfunc.func @product(%T: tensor<"
      << core::shapeText(fibers.shape) << "x" << element << ", #CSF>";
  for (size_t i = 0; i < product.inputs.size(); ++i)
    out << ", %d" << i << ": "
        << dense("tensor", product.extentsOf(product.inputs[i], fibers.shape),
                 element);
  out << ", %M: " << buffer << ") -> " << output
      << "\n    attributes {llvm.emit_c_interface} {\n";
  if (!accumulate)
    out << "  %zero = " << compiler::opsOf(arithmetic).identity << " : " << sum
        << "\n  linalg.fill ins(%zero : " << sum << ") outs(%M : " << buffer
        << ")\n";
  out << "  %C = bufferization.to_tensor %M restrict writable : " << buffer
      << " to " << output << "\n";
  writeGeneric(out, output);
  out << "  return %0 : " << output << "\n}\n";
  return result;
}
} // namespace

std::string tensorModuleText(const product::TensorProduct &product,
                             const core::Arithmetic &arithmetic,
                             const Fibers &fibers, bool accumulate) {
  return Writer(product, arithmetic, fibers, accumulate).text();
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

core::Result<std::unique_ptr<FiberProgram>>
FiberProgram::upstream(Lowering &lowering, const Settings &settings,
                       const product::TensorProduct &product,
                       const Fibers &fibers, int64_t vectorLength) {
  const double begin = now();
  JitOptions jit;
  jit.cpu = settings.cpu;
  jit.features = settings.features;
  jit.contract = true;
  UpstreamOptions options;
  options.vectorLength = vectorLength;
  const std::string name = "upstream-vl" + std::to_string(vectorLength);
  const std::vector<Stage> stages = {
      compiler::stage("entry",
                      [](mlir::OpPassManager &pm) {
                        pm.addPass(createExposeBuffersPass());
                      }),
      {"upstream", [=](mlir::OpPassManager &pm) {
         return buildUpstreamSparsifier(pm, options);
       }}};
  auto module = lowering.parse(tensorModuleText(product, settings.arithmetic,
                                                fibers, settings.accumulate),
                               "product.mlir");
  if (!module)
    return module.error();
  auto code = KernelCache::process().compile(**module, jit, name, [&] {
    return lowering.run(**module, stages, settings.dumpIr, name + "-");
  });
  if (!code)
    return code.error();
  auto entry = code->jit->lookup("_mlir_ciface_product");
  if (!entry)
    return entry.error();
  auto program = std::make_unique<FiberProgram>();
  program->jit = code->jit;
  program->entry = *entry;
  program->seconds = now() - begin;
  return program;
}

core::Status FiberProgram::run(const Fibers &fibers,
                               const std::vector<product::DenseTensor> &inputs,
                               const product::DenseTensor &output) const {
  std::vector<std::vector<int64_t>> descriptors;
  auto add = [&](const void *data, size_t size) {
    const product::DenseTensor array{const_cast<void *>(data), {int64_t(size)}};
    descriptors.push_back(array.descriptor());
  };
  // The result comes first: what the entry returns is written there.
  descriptors.push_back(output.descriptor());
  for (size_t l = 0; l < fibers.positions.size(); ++l) {
    add(fibers.positions[l].data(), fibers.positions[l].size());
    add(fibers.coordinates[l].data(), fibers.coordinates[l].size());
  }
  add(fibers.values.data(), fibers.coordinates.back().size());
  const size_t sizes = descriptors.size();
  for (const product::DenseTensor &input : inputs)
    descriptors.push_back(input.descriptor());
  descriptors.push_back(output.descriptor());
  std::vector<void *> arguments;
  for (size_t i = 0; i < descriptors.size(); ++i) {
    if (i == sizes)
      for (int64_t extent : fibers.shape)
        arguments.push_back(reinterpret_cast<void *>(extent));
    arguments.push_back(descriptors[i].data());
  }
  return rt::callPointers(entry, arguments);
}

} // namespace astfe::run
