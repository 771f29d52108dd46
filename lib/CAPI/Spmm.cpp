//===- Spmm.cpp - a product with bias and activation, and its gradients ---===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE-c/Spmm.h"
#include "ASTFE/Product/Spmm.h"
#include "Compiler.h"
#include "GivenDevice.h"
#include "ValueType.h"
#include "WithObject.h"

using namespace astfe;
using capi::fail;
using capi::guarded;
using product::Spmm;

static_assert(ASTFE_ACTIVATION_NONE == int(product::Activation::None) &&
              ASTFE_ACTIVATION_RELU == int(product::Activation::Relu) &&
              ASTFE_ACTIVATION_TANH == int(product::Activation::Tanh) &&
              ASTFE_ACTIVATION_SIGMOID == int(product::Activation::Sigmoid));

/// Never destroyed: code may still run while the process ends.
static capi::ObjectTable<AstfeSpmm, Spmm> &products() {
  static auto &table = *new capi::ObjectTable<AstfeSpmm, Spmm>();
  return table;
}

static core::Result<std::unique_ptr<Spmm>> create(const AstfeCsr *matrix,
                                                  const void *values,
                                                  int32_t valueType,
                                                  const char *device) {
  auto view = capi::checkedViewOf(matrix);
  if (!view)
    return view.error();
  auto element = capi::chainElement(valueType);
  if (!element)
    return element.error();
  auto place = capi::GivenDevice::of(device);
  if (!place)
    return place.error();
  return Spmm::create(*view, values, *element, capi::compileChain,
                      {place->device, place->chip});
}

AstfeSpmm *astfeSpmmCreate(const AstfeCsr *matrix, const void *values,
                           int32_t valueType) {
  return astfeSpmmCreateOnDevice(matrix, values, valueType, /*device=*/nullptr);
}

AstfeSpmm *astfeSpmmCreateOnDevice(const AstfeCsr *matrix, const void *values,
                                   int32_t valueType, const char *device) {
  return guarded<AstfeSpmm *>(nullptr, [&]() -> AstfeSpmm * {
    auto made = create(matrix, values, valueType, device);
    if (!made)
      return fail(made.message()), nullptr;
    return products().add(std::move(*made));
  });
}

void astfeSpmmDestroy(AstfeSpmm *spmm) { products().remove(spmm); }

template <typename Body>
static AstfeStatus withProduct(const AstfeSpmm *name, Body body) {
  return capi::withObject(products(), name, "a product", body);
}

/// An operand of so many rows of n columns, which Spmm checks.
static core::Status checkOperand(const char *name, const void *data,
                                 int64_t rows, int64_t n) {
  return capi::checkGiven(data, n > 0 ? rows : 0, name);
}

AstfeStatus astfeSpmmSetValues(AstfeSpmm *spmm, const void *values) {
  return withProduct(spmm, [&](Spmm &p) -> core::Status {
    auto status = capi::checkGiven(values, p.nonzeros(), "values");
    return status ? p.setValues(values) : status;
  });
}

static core::Status checkForward(const Spmm &p, int64_t n, const void *B,
                                 int32_t activation, const void *C) {
  const auto known = int32_t(product::activationNames().size());
  if (activation < 0 || activation >= known)
    return core::Error{"activation: expected 0.." + std::to_string(known - 1) +
                       " but got " + std::to_string(activation)};
  auto status = checkOperand("B", B, p.columns(), n);
  return status ? checkOperand("C", C, p.rows(), n) : status;
}

static core::Status checkBackward(const Spmm &p, int64_t n, const void *B,
                                  const void *G, const void *dA) {
  auto status = checkOperand("G", G, p.rows(), n);
  return status && dA ? checkOperand("B", B, p.columns(), n) : status;
}

AstfeStatus astfeSpmmForward(const AstfeSpmm *spmm, int64_t n, const void *B,
                             const void *bias, int32_t activation, void *C) {
  return withProduct(spmm, [&](Spmm &p) -> core::Status {
    auto status = checkForward(p, n, B, activation, C);
    return status ? p.forward(n, B, bias, product::Activation(activation), C)
                  : status;
  });
}

AstfeStatus astfeSpmmForwardOnStream(const AstfeSpmm *spmm, int64_t n,
                                     const void *B, const void *bias,
                                     int32_t activation, void *C,
                                     void *stream) {
  return withProduct(spmm, [&](Spmm &p) -> core::Status {
    auto status = checkForward(p, n, B, activation, C);
    return status ? p.forwardOn(stream, n, B, bias,
                                product::Activation(activation), C)
                  : status;
  });
}

AstfeStatus astfeSpmmBackward(const AstfeSpmm *spmm, int64_t n, const void *B,
                              const void *G, void *dA, void *dB) {
  return withProduct(spmm, [&](Spmm &p) -> core::Status {
    auto status = checkBackward(p, n, B, G, dA);
    return status ? p.backward(n, B, G, dA, dB) : status;
  });
}

AstfeStatus astfeSpmmBackwardOnStream(const AstfeSpmm *spmm, int64_t n,
                                      const void *B, const void *G, void *dA,
                                      void *dB, void *stream) {
  return withProduct(spmm, [&](Spmm &p) -> core::Status {
    auto status = checkBackward(p, n, B, G, dA);
    return status ? p.backwardOn(stream, n, B, G, dA, dB) : status;
  });
}
