//===- ErrorChecks.cpp - errors that leave all as it was -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include <cstring>

namespace astfe::gpucheck {

namespace {

/// A product that is known to be right, before and after what goes wrong.
struct Witness {
  Suite &suite;
  const LoadedCase &which;
  const Sample &sample;
  const Product &product;

  core::Status isAlive() const {
    return checkProduct(suite.device, product, which, sample, 64);
  }
};

/// `status` is an error with these words.
core::Status expectError(const core::Status &status, const char *words) {
  if (status)
    return core::Error{"expected an error but got none"};
  if (status.message().find(words) == std::string::npos)
    return core::Error{std::string("expected an error with '") + words +
                       "' but got '" + status.message() + "'"};
  return core::Success();
}

core::Status bothOf(core::Status first, const Witness &witness) {
  return first ? witness.isAlive() : first;
}

core::Status refusedKernels(const Witness &witness) {
  const char wrong[] = ".version 7.0\n.target sm_80\n.address_size 64\nwrong\n";
  auto module = witness.suite.device.loadModule(wrong, 0);
  if (module)
    return core::Error{"expected PTX that is wrong to be refused"};
  return bothOf(expectError(module.error(), "ptxas"), witness);
}

core::Status otherExtents(const Witness &witness) {
  Operands operands(witness.which, witness.sample, 64, 1);
  auto status = operands.place(witness.suite.device);
  if (!status)
    return status;
  status = witness.product.run(operands.bData, witness.sample.columns - 1,
                               operands.cData, witness.sample.rows, 64);
  return bothOf(expectError(status, "extents"), witness);
}

/// Pointers that a kernel would end the context for, or compute nonsense from.
core::Status otherPointers(const Witness &witness) {
  const Sample &sample = witness.sample;
  const int64_t columns = 62;
  Operands operands(witness.which, sample, 64, 1);
  if (auto status = operands.place(witness.suite.device); !status)
    return status;
  auto run = [&](void *b, void *c, const char *words) {
    return bothOf(expectError(witness.product.run(b, sample.columns, c,
                                                  sample.rows, columns),
                              words),
                  witness);
  };
  auto status = run(operands.b.bytes.data(), operands.cData, "host memory");
  if (status)
    status = run(operands.bData, operands.c.bytes.data(), "host memory");
  if (status)
    status = run(operands.cData, operands.cData, "overlaps");
  if (status)
    status = run(static_cast<char *>(operands.bData) + 2, operands.cData,
                 "divisible");
  return status;
}

/// All memory of the device but less than `least` bytes.
std::vector<std::unique_ptr<DeviceMemory>> takeMemory(rt::Device &device,
                                                      size_t least) {
  std::vector<std::unique_ptr<DeviceMemory>> taken;
  for (size_t bytes = size_t(1) << 38; bytes >= least;) {
    auto memory = DeviceMemory::allocate(device, bytes);
    if (memory)
      taken.push_back(std::move(*memory));
    else
      bytes /= 2;
  }
  return taken;
}

/// The tables of a pattern that nobody multiplied by yet find no memory.
core::Status noMemory(const Witness &witness) {
  rt::Device &device = witness.suite.device;
  const Sample sample = uniform(20000, 2000, 16, 9);
  auto product = Product::make(device, witness.which, sample);
  if (!product)
    return product.error();
  Operands operands(witness.which, sample, 4, 3);
  auto status = operands.place(device);
  if (!status)
    return status;
  {
    auto taken = takeMemory(device, 4096);
    status = expectError((*product)->run(operands), "OUT_OF_MEMORY");
  }
  if (status)
    status = operands.fetch();
  if (!status)
    return status;
  if (operands.c.bytes != operands.start.bytes)
    return core::Error{"expected C to stay as it was"};
  // The same pattern has its tables then.
  status = checkProduct(device, **product, witness.which, sample, 4);
  return bothOf(status, witness);
}

} // namespace

/// All of them for one case.
static void checkErrorsOf(Suite &suite, const Case *which, const char *kind) {
  auto add = [&](const char *name, const core::Status &status) {
    suite.tally.add(std::string(kind) + ", " + name, status);
  };
  if (!which)
    return add("errors", core::Error{"expected such a case in f32"});
  auto loaded = LoadedCase::load(suite.folder, *which);
  if (!loaded)
    return add("errors", loaded.error());
  const Sample sample = uniform(300, 300, 9, 4); // B is as large as C
  auto product = Product::make(suite.device, *loaded, sample);
  if (!product)
    return add("errors", product.error());
  const Witness witness{suite, *loaded, sample, **product};
  add("before errors", witness.isAlive());
  add("PTX that is wrong", refusedKernels(witness));
  add("extents that differ", otherExtents(witness));
  add("pointers that are wrong", otherPointers(witness));
  if (!which->isView())
    add("no memory for tables", noMemory(witness));
}

void checkErrors(Suite &suite) {
  checkErrorsOf(suite, suite.find(false, false, false, false), "packed");
  checkErrorsOf(suite, suite.find(true, false, false, false), "view");
}

} // namespace astfe::gpucheck
