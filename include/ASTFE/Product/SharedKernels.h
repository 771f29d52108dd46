//===- SharedKernels.h - compiled kernels of other processes --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of the host are kept as shared objects in a folder, so that a process
// whose kernels were all compiled before never loads LLVM. An entry is an ELF
// file with a tail behind what the loader reads:
//
//   shared object | key | sizes of both, checksum of all before it, magic
//
// The key is the text of the request, the CPU, the compiler's file (its size
// and time) and the version of the runtime's interface; the name of an entry is
// a hash of it. An entry whose tail does not fit, because it was cut short or
// damaged or is another key's, is none: its kernel is compiled anew, and
// replaces it. docs/KernelCache.md says who uses it.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_SHAREDKERNELS_H
#define ASTFE_PRODUCT_SHAREDKERNELS_H

#include "ASTFE/Product/KernelSource.h"

namespace astfe::product {

/// Where a kernel is kept, and what the entry must say of itself.
struct KeptKernel {
  std::string path; ///< empty: nowhere
  std::string key;
};

/// The function that a kept kernel exports.
constexpr const char *kKernelEntry = "_mlir_ciface_product";

class SharedKernels {
public:
  /// `folder` may be empty: nothing is kept then. `compiler` is the file that
  /// compiles.
  SharedKernels(std::string folder, const std::string &compiler);

  /// $ASTFE_KERNEL_CACHE, else $XDG_CACHE_HOME/astfe/kernels, else
  /// $HOME/.cache/astfe/kernels; empty where the first is "off".
  static std::string fromEnvironment();

  KeptKernel place(const KernelRequest &request) const;
  /// The kernel of a complete entry that can be loaded; else null.
  static std::shared_ptr<const Kernel> load(const KeptKernel &kept);
  /// Writes an entry, whole or not at all; makes the folder, for its user
  /// alone.
  static core::Status keep(const KeptKernel &kept, std::string_view object);

private:
  std::string folder, identity;
};

} // namespace astfe::product

#endif // ASTFE_PRODUCT_SHAREDKERNELS_H
