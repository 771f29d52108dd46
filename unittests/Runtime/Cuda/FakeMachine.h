//===- FakeMachine.h - what the stand-in pretends to be -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By commas in ASTFE_FAKE_CUDA, read once:
//
//   devices=0       the driver has no device; no-device: cuInit says so
//   chip=80         of compute capability 8.0 instead of 9.0
//   driver=11080    of CUDA 11.8, whose newest PTX is 7.8; else CUDA 13.0
//   bytes=N         of memory, instead of 1 GiB
//   lost-after=N    the device is lost after N launches
//   microseconds=N  between any two events, instead of a quarter of a second
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_UNITTESTS_RUNTIME_CUDA_FAKEMACHINE_H
#define ASTFE_UNITTESTS_RUNTIME_CUDA_FAKEMACHINE_H

#include <cstddef>
#include <string>

namespace fakecuda {

enum Code {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  Deinitialized = 4,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidContext = 201,
  NoBinaryForGpu = 209,
  InvalidPtx = 218,
  UnsupportedPtx = 222,
  InvalidHandle = 400,
  NotFound = 500,
  IllegalAddress = 700,
  Unknown = 999,
};

struct Machine {
  int initCode = Success;
  int devices = 1;
  int chip = 90;
  int driver = 13000;
  size_t bytes = size_t(1) << 30;
  long lostAfter = 0; ///< launches; 0: never
  long microseconds = 250000;
};

const Machine &machine();

/// Loads PTX as a driver of the machine does, or says why not.
int loadImage(const void *image, void **module, std::string &problem);

} // namespace fakecuda

#endif // ASTFE_UNITTESTS_RUNTIME_CUDA_FAKEMACHINE_H
