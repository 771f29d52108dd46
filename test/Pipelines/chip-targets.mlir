// RUN: astfe-opt %s --split-input-file --astfe-to-ptx --verify-diagnostics

// A target that somebody else wrote is refused where it stands; LLVM would end
// the process.

// expected-error @below {{expected the target's chip to be sm_70, sm_72, }}
gpu.module @unknown [#nvvm.target<chip = "sm_99">] {
}

// -----

// expected-error @below {{expected features of sm_90 to be +ptx78, }}
gpu.module @old [#nvvm.target<chip = "sm_90", features = "+ptx70">] {
}

// -----

// expected-error @below {{expected features of sm_80 to be +ptx70, }}
gpu.module @none [#nvvm.target<chip = "sm_80", features = "+banana">] {
}
