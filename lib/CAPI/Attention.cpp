//===- Attention.cpp - sparse attention and its gradients -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE-c/Attention.h"
#include "ASTFE/Product/Attention.h"
#include "Compiler.h"
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
       int32_t mask, int64_t heads, int64_t dim) {
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
  return Attention::create(*view, values,
                           {heads, dim, *element, product::Mask(mask)},
                           capi::compileChain);
}

AstfeAttention *astfeAttentionCreate(const AstfeCsr *matrix, const void *values,
                                     int32_t valueType, int32_t mask,
                                     int64_t heads, int64_t dim) {
  return guarded<AstfeAttention *>(nullptr, [&]() -> AstfeAttention * {
    auto made = create(matrix, values, valueType, mask, heads, dim);
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

AstfeStatus astfeAttentionForward(const AstfeAttention *attention,
                                  const void *q, const void *k, const void *v,
                                  void *o, void *lse) {
  return withAttention(attention, [&](Attention &a) -> core::Status {
    const int64_t rows = a.rows(), columns = a.columns();
    auto status = checkOperands(
        {{q, rows}, {k, columns}, {v, columns}, {o, rows}, {lse, rows}});
    return status ? a.forward({q, k, v}, o, lse) : status;
  });
}

AstfeStatus astfeAttentionBackward(const AstfeAttention *attention,
                                   const void *q, const void *k, const void *v,
                                   const void *go, const void *lse, void *dq,
                                   void *dk, void *dv) {
  return withAttention(attention, [&](Attention &a) -> core::Status {
    const int64_t rows = a.rows(), columns = a.columns();
    auto status = checkOperands({{q, rows},
                                 {k, columns},
                                 {v, columns},
                                 {go, rows},
                                 {lse, rows},
                                 {dq, rows},
                                 {dk, columns},
                                 {dv, columns}});
    return status ? a.backward({q, k, v}, go, lse, {dq, dk, dv}) : status;
  });
}
