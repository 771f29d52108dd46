//===- Strips.h - wide dense operands, strip by strip ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product with many dense columns can take whole rows of B, one after the
// other, or one strip of columns after the other, each for all nonzeros of a
// worker. A strip of B may fit the last cache where B does not. But the rows of
// a strip lie far apart, so that each costs the translation of an address, and
// the processor does not fetch them ahead.
//
// **Definition.** Of k nonzeros, m miss the last cache if rows of B and C are
// whole, and n if they are cut to kStripBytes; both are counted by walking the
// packed tables once, from an empty cache, which is what the next strip finds.
// A strip of a row, a_l seconds from level l (Machine.h), then takes
//
//   whole rows   m a_memory     + (k - m) a_near    by its neighbours' side
//   strips       n 2 a_memory   + (k - n) a_far     far from all others
//
// seconds for all nonzeros (twice the access: measured, docs/Performance.md).
// Strips are taken where they need less than nine tenths.
//
// **Worked example.** 500000 nonzeros anywhere in 31250 columns, 512 columns of
// f32: B has 64 MB. Whole rows miss 57 % of the time, 37 ns an access on
// average; the strip of 16 MB stays, and only the first access of each row
// misses: 25 ns. Of a graph whose hubs take most nonzeros whole rows miss 15 %:
// 17 ns, and no strip is as fast.
//
// **Complexity.** O(slots), 8 bytes for each row of B and C; O(1) where
// everything fits the last cache, or a row is no wider than a strip.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_PACK_STRIPS_H
#define ASTFE_CORE_PACK_STRIPS_H

#include "ASTFE/Core/Pack/Packed.h"
#include "ASTFE/Core/Target/Machine.h"

namespace astfe::core {

/// Packed::stripBytes for a product with rows of B and C of `denseBytes`:
/// kStripBytes, or 0 for whole rows.
int64_t chooseStripBytes(const Machine &machine, const Packed &packed,
                         int64_t denseBytes);

} // namespace astfe::core

#endif // ASTFE_CORE_PACK_STRIPS_H
