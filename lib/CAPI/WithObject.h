//===- WithObject.h - a call on an object that the caller names -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CAPI_WITHOBJECT_H
#define ASTFE_LIB_CAPI_WITHOBJECT_H

#include "ObjectTable.h"
#include "Objects.h"

namespace astfe::capi {

/// The object of that name; null, after an error, where there is none. `what`
/// is the object in errors, with an article.
template <typename Name, typename Object>
std::shared_ptr<Object> objectOf(const ObjectTable<Name, Object> &table,
                                 const Name *name, const char *what) {
  if (!given(name, what))
    return nullptr;
  std::shared_ptr<Object> object = table.find(name);
  if (!object)
    fail(std::string("expected ") + what + " but got one that was destroyed");
  return object;
}

/// The status of `body(object)`, which returns a core::Status.
template <typename Name, typename Object, typename Body>
AstfeStatus withObject(const ObjectTable<Name, Object> &table, const Name *name,
                       const char *what, Body body) {
  return guarded<AstfeStatus>(1, [&]() -> AstfeStatus {
    std::shared_ptr<Object> object = objectOf(table, name, what);
    if (!object)
      return 1;
    core::Status status = body(*object);
    return status ? 0 : fail(status.message());
  });
}

} // namespace astfe::capi

#endif // ASTFE_LIB_CAPI_WITHOBJECT_H
