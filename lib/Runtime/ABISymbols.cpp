//===- ABISymbols.cpp - the runtime's functions by name -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/ABISymbols.h"
#include "ASTFE/Runtime/ABI.h"
#include <type_traits>
#include <utility>

using namespace astfe::rt;

namespace {
template <auto function, typename Signature = decltype(function)>
struct Caller;
template <auto function, typename Result, typename... Arguments>
struct Caller<function, Result (*)(Arguments...)> {
  static void call(void **arguments) {
    callWith(arguments, std::index_sequence_for<Arguments...>());
  }

private:
  template <size_t... I>
  static void callWith([[maybe_unused]] void **arguments,
                       std::index_sequence<I...>) {
    if constexpr (std::is_void_v<Result>)
      function(*static_cast<Arguments *>(arguments[I])...);
    else
      *static_cast<Result *>(arguments[sizeof...(I)]) =
          function(*static_cast<Arguments *>(arguments[I])...);
  }
};
} // namespace

template <auto function>
static Symbol symbol(const char *name) {
  return {name, reinterpret_cast<void *>(function), Caller<function>::call};
}

const Symbol *astfe::rt::abiSymbols() {
#define S(NAME)                                                                \
  symbol<_mlir_ciface_astfe_rt_##NAME>("_mlir_ciface_astfe_rt_" #NAME)
  static const Symbol symbols[] = {S(profile_p32c32),
                                   S(profile_p32c64),
                                   S(profile_p64c32),
                                   S(profile_p64c64),
                                   S(reordered_profile_p32c32),
                                   S(reordered_profile_p32c64),
                                   S(reordered_profile_p64c32),
                                   S(reordered_profile_p64c64),
                                   S(partition),
                                   S(refine),
                                   S(fuse),
                                   S(graph),
                                   S(known_profile),
                                   S(pack_p32c32),
                                   S(pack_p32c64),
                                   S(pack_p64c32),
                                   S(pack_p64c64),
                                   S(pack_unless_stored_p32c32),
                                   S(pack_unless_stored_p32c64),
                                   S(pack_unless_stored_p64c32),
                                   S(pack_unless_stored_p64c64),
                                   S(is_stored),
                                   S(slots),
                                   S(nonzeros),
                                   S(in_order),
                                   S(pattern_workers),
                                   S(partial_rows),
                                   S(tiles_together),
                                   S(strip_bytes),
                                   S(extent),
                                   S(fits),
                                   S(table_i8),
                                   S(table_i16),
                                   S(table_i32),
                                   S(table_i64),
                                   S(device_table_i8),
                                   S(device_table_i16),
                                   S(device_table_i32),
                                   S(device_table_i64),
                                   S(profile_levels),
                                   S(searched_profile_p32c32),
                                   S(searched_profile_p32c64),
                                   S(searched_profile_p64c32),
                                   S(searched_profile_p64c64),
                                   S(searched_profile_levels),
                                   S(reordered_profile_levels),
                                   S(pack_matrix),
                                   S(pack_levels),
                                   S(bricks_fit),
                                   S(bricks_expect_gpu),
                                   S(brick_slices),
                                   S(brick_slice),
                                   S(brick_slice_values),
                                   S(brick_rows_ascend),
                                   S(brick_count),
                                   S(brick_bits),
                                   S(brick_reach),
                                   S(brick_parts),
                                   S(brick_row_parts),
                                   S(brick_fiber_mode),
                                   S(brick_table_i16),
                                   S(brick_table_i32),
                                   S(brick_table_i64),
                                   S(brick_device_table_i16),
                                   S(brick_device_table_i32),
                                   S(brick_device_table_i64),
                                   S(lend),
                                   S(take_back),
                                   S(lend_spare),
                                   S(device_lend),
                                   S(device_take_back),
                                   S(retain),
                                   S(release),
                                   S(report),
                                   S(threads),
                                   S(workers),
                                   S(device_workers),
                                   S(row_teams),
                                   S(reachable),
                                   S(apart),
                                   S(grid),
#define ASTFE_CARRIER(name, Type)                                              \
  S(values_##name), S(unpack_##name), S(brick_values_##name),                  \
      S(brick_unpack_##name),
#include "Carriers.def"
                                   {nullptr, nullptr}};
#undef S
  return symbols;
}
