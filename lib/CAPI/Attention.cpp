//===- Attention.cpp - sparse attention and its gradients -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE-c/Attention.h"
#include "ASTFE/Product/Attention.h"
#include "Compiler.h"
#include "GivenDevice.h"
#include "ValueType.h"
#include "WithObject.h"

using namespace astfe;
using capi::fail;
using capi::guarded;
using product::Attention;

static_assert(ASTFE_MASK_PATTERN == int(product::Mask::Pattern) &&
              ASTFE_MASK_MULTIPLY == int(product::Mask::Multiply) &&
              ASTFE_MASK_ADD == int(product::Mask::Add));

/// Never destroyed: code may still run while the process ends.
static capi::ObjectTable<AstfeAttention, Attention> &attentions() {
  static auto &table = *new capi::ObjectTable<AstfeAttention, Attention>();
  return table;
}

static core::Result<std::unique_ptr<Attention>>
create(const AstfeCsr *matrix, const void *values, int32_t valueType,
       int32_t mask, int64_t heads, int64_t dim, const char *device) {
  auto view = capi::checkedViewOf(matrix);
  if (!view)
    return view.error();
  auto element = capi::chainElement(valueType);
  if (!element)
    return element.error();
  const auto masks = int32_t(product::maskNames().size());
  if (mask < 0 || mask >= masks)
    return core::Error{"mask: expected 0.." + std::to_string(masks - 1) +
                       " but got " + std::to_string(mask)};
  auto place = capi::GivenDevice::of(device);
  if (!place)
    return place.error();
  return Attention::create(*view, values,
                           {heads, dim, *element, product::Mask(mask)},
                           capi::compileChain, {place->device, place->chip});
}

AstfeAttention *astfeAttentionCreate(const AstfeCsr *matrix, const void *values,
                                     int32_t valueType, int32_t mask,
                                     int64_t heads, int64_t dim) {
  return astfeAttentionCreateOnDevice(matrix, values, valueType, mask, heads,
                                      dim, /*device=*/nullptr);
}

AstfeAttention *astfeAttentionCreateOnDevice(const AstfeCsr *matrix,
                                             const void *values,
                                             int32_t valueType, int32_t mask,
                                             int64_t heads, int64_t dim,
                                             const char *device) {
  return guarded<AstfeAttention *>(nullptr, [&]() -> AstfeAttention * {
    auto made = create(matrix, values, valueType, mask, heads, dim, device);
    if (!made)
      return fail(made.message()), nullptr;
    return attentions().add(std::move(*made));
  });
}

void astfeAttentionDestroy(AstfeAttention *attention) {
  attentions().remove(attention);
}

template <typename Body>
static AstfeStatus withAttention(const AstfeAttention *name, Body body) {
  return capi::withObject(attentions(), name, "an attention", body);
}

/// Null operands are allowed where they have no elements.
static core::Status checkOperands(
    std::initializer_list<std::pair<const void *, int64_t>> operands) {
  for (auto [data, rows] : operands)
    if (auto status = capi::checkGiven(data, rows, "operands of attention");
        !status)
      return status;
  return core::Success();
}

AstfeStatus astfeAttentionSetValues(AstfeAttention *attention,
                                    const void *values) {
  return withAttention(attention, [&](Attention &a) -> core::Status {
    return a.setValues(values);
  });
}

/// The operands of forward, and those of backward.
static core::Status checkForward(const Attention &a, const void *q,
                                 const void *k, const void *v, const void *o,
                                 const void *lse) {
  const int64_t rows = a.rows(), columns = a.columns();
  return checkOperands(
      {{q, rows}, {k, columns}, {v, columns}, {o, rows}, {lse, rows}});
}

static core::Status checkBackward(const Attention &a, const void *q,
                                  const void *k, const void *v, const void *go,
                                  const void *lse, const void *dq,
                                  const void *dk, const void *dv) {
  const int64_t rows = a.rows(), columns = a.columns();
  auto status = checkForward(a, q, k, v, go, lse);
  return status ? checkOperands({{dq, rows}, {dk, columns}, {dv, columns}})
                : status;
}

AstfeStatus astfeAttentionForward(const AstfeAttention *attention,
                                  const void *q, const void *k, const void *v,
                                  void *o, void *lse) {
  return withAttention(attention, [&](Attention &a) -> core::Status {
    auto status = checkForward(a, q, k, v, o, lse);
    return status ? a.forward({q, k, v}, o, lse) : status;
  });
}

AstfeStatus astfeAttentionForwardOnStream(const AstfeAttention *attention,
                                          const void *q, const void *k,
                                          const void *v, void *o, void *lse,
                                          void *stream) {
  return withAttention(attention, [&](Attention &a) -> core::Status {
    auto status = checkForward(a, q, k, v, o, lse);
    return status ? a.forwardOn(stream, {q, k, v}, o, lse) : status;
  });
}

AstfeStatus astfeAttentionBackward(const AstfeAttention *attention,
                                   const void *q, const void *k, const void *v,
                                   const void *go, const void *lse, void *dq,
                                   void *dk, void *dv) {
  return withAttention(attention, [&](Attention &a) -> core::Status {
    auto status = checkBackward(a, q, k, v, go, lse, dq, dk, dv);
    return status ? a.backward({q, k, v}, go, lse, {dq, dk, dv}) : status;
  });
}

AstfeStatus astfeAttentionBackwardOnStream(const AstfeAttention *attention,
                                           const void *q, const void *k,
                                           const void *v, const void *go,
                                           const void *lse, void *dq, void *dk,
                                           void *dv, void *stream) {
  return withAttention(attention, [&](Attention &a) -> core::Status {
    auto status = checkBackward(a, q, k, v, go, lse, dq, dk, dv);
    return status ? a.backwardOn(stream, {q, k, v}, go, lse, {dq, dk, dv})
                  : status;
  });
}
