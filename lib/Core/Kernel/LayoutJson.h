//===- LayoutJson.h - layouts as values of JSON ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_KERNEL_LAYOUTJSON_H
#define ASTFE_LIB_CORE_KERNEL_LAYOUTJSON_H

#include "ASTFE/Core/Kernel/Kernel.h"
#include "Support/JsonField.h"

namespace astfe::core {

nlohmann::ordered_json layoutJson(const Layout &layout);
/// Errors go to the field.
Layout readLayout(const JsonField &field);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_KERNEL_LAYOUTJSON_H
