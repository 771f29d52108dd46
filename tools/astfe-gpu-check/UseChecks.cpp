//===- UseChecks.cpp - threads, streams, numbers near zero ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/Mgpu.h"
#include "Checks.h"
#include <thread>

namespace astfe::gpucheck {

/// Results are compared only after all have been asked for.
static core::Status onAStream(rt::Device &device, const Product &product,
                              const LoadedCase &which, const Sample &sample) {
  Operands operands(which, sample, 128, 11);
  auto status = operands.place(device);
  if (!status)
    return status;
  auto stream = device.createStream();
  if (!stream)
    return stream.error();
  {
    rt::StreamScope scope(*stream);
    for (int i = 0; i < 3 && status; ++i)
      status = product.run(operands);
  }
  if (auto waited = device.synchronizeStream(*stream); status)
    status = waited;
  if (auto destroyed = device.destroyStream(*stream); status)
    status = destroyed;
  if (status)
    status = operands.fetch();
  if (status && worstError(operands) > errorBound(*which))
    return core::Error{"expected the product but got something else"};
  return status;
}

static core::Status inThreads(rt::Device &device, const Product &product,
                              const LoadedCase &which, const Sample &sample) {
  core::Status results[2] = {core::Success(), core::Success()};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5 && results[t]; ++i)
        results[t] = checkProduct(device, product, which, sample, 33 + 31 * t);
    });
  for (std::thread &thread : threads)
    thread.join();
  return results[0] ? results[1] : results[0];
}

/// What atomics add up may be flushed to zero; sums in registers may not.
static core::Status nearZero(rt::Device &device, const Product &product,
                             const LoadedCase &which, const Sample &sample) {
  Operands operands(which, sample, 32, 5);
  for (size_t i = 0; i < operands.b.size(); ++i)
    operands.b.set(i, operands.b.get(i) * 1e-39);
  if (auto status = operands.compute(device, product); !status)
    return status;
  if (worstError(operands) > 1e-4)
    return core::Error{"expected numbers below 1e-38 to be kept"};
  return core::Success();
}

void checkUses(Suite &suite) {
  const Case *which = suite.find(false, true, false, false);
  if (!which)
    return suite.tally.add("uses",
                           core::Error{"expected a deterministic case in f32"});
  auto loaded = LoadedCase::load(suite.folder, *which);
  if (!loaded)
    return suite.tally.add("uses", loaded.error());
  Sample sample = pruned(160, 200, 0.2, 8);
  auto product = Product::make(suite.device, *loaded, sample);
  if (!product)
    return suite.tally.add("uses", product.error());
  auto add = [&](const char *name, auto check) {
    suite.tally.add(name, check(suite.device, **product, *loaded, sample));
  };
  add("products on a stream", onAStream);
  add("products in two threads", inThreads);
  add("numbers near zero", nearZero);
}

} // namespace astfe::gpucheck
