//===- Cases.h - host programs that were compiled ahead -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A case is a product, or attention, that was compiled ahead of time: a shared
// object with the host code and, inside it, the kernels. cases.json beside them
// says what each one is for; utils/gpu_cases.py writes both.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_GPUCHECK_CASES_H
#define ASTFE_TOOLS_GPUCHECK_CASES_H

#include "ASTFE/Core/Kernel/Kernel.h"
#include "ASTFE/Core/Support/Status.h"

namespace astfe::gpucheck {

enum class Computation { Product, Attention };

struct Case {
  std::string name, library;
  std::string ptx;                  ///< empty: only in the library
  std::vector<std::string> kernels; ///< in it
  bool isDouble = false, isVector = false;
  int64_t columns = 0;   ///< of B and C; 0: any number; of attention's operands
  bool overwrite = true; ///< C = A B; else C += A B
  bool hostOperands = false; ///< the program copies them
  core::Layout layout;
  bool longRows = false; ///< of a view: are cut

  bool isView() const { return layout.storage == core::Storage::View; }
  size_t elementBytes() const { return isDouble ? 8 : 4; }
  /// Sums that several warps have a part of are added up in a fixed order.
  bool isDeterministic() const {
    return isView() ? longRows : layout.deterministic;
  }
};

/// What FOLDER/cases.json lists of one computation.
core::Result<std::vector<Case>> readCases(const std::string &folder,
                                          Computation computation);

/// Empty, or why a device of that chip takes nothing of the folder: PTX is for
/// its chip and newer ones, machine code for chips of the same generation.
core::Result<std::string> whyNotFor(const std::string &folder,
                                    const std::string &chip);

/// A case whose kernels are loaded into the current device.
class LoadedCase {
public:
  /// The error is the driver's, where it refuses the kernels.
  static core::Result<LoadedCase> load(const std::string &folder,
                                       const Case &which);
  LoadedCase(LoadedCase &&other) noexcept;
  ~LoadedCase();

  const Case &operator*() const { return *which; }
  const Case *operator->() const { return which; }
  void *entry() const { return address; }

private:
  LoadedCase(const Case &which, void *library, void *address)
      : which(&which), library(library), address(address) {}

  const Case *which;
  void *library, *address;
};

} // namespace astfe::gpucheck

#endif // ASTFE_TOOLS_GPUCHECK_CASES_H
