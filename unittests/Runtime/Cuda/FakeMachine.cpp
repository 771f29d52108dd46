//===- FakeMachine.cpp - what the stand-in pretends to be -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeMachine.h"
#include "Processor.h"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace fakecuda;

static Machine readMachine() {
  Machine machine;
  const char *given = std::getenv("ASTFE_FAKE_CUDA");
  const std::string text = std::string(",") + (given ? given : "") + ",";
  auto number = [&](const char *name, auto &value) {
    const std::string key = std::string(",") + name + "=";
    const size_t at = text.find(key);
    if (at != text.npos)
      value = decltype(value + 0)(std::atol(&text[at + key.size()]));
  };
  number("devices", machine.devices);
  number("chip", machine.chip);
  number("driver", machine.driver);
  number("bytes", machine.bytes);
  number("lost-after", machine.lostAfter);
  number("microseconds", machine.microseconds);
  if (text.find(",no-device,") != text.npos)
    machine.initCode = NoDevice;
  return machine;
}

const Machine &fakecuda::machine() {
  static const Machine machine = readMachine();
  return machine;
}

/// Behind comments and blanks the text begins with .version.
static bool isPtx(const char *text) {
  for (;;) {
    while (std::isspace(static_cast<unsigned char>(*text)))
      ++text;
    if (std::strncmp(text, "//", 2))
      return !std::strncmp(text, ".version", 8);
    text += std::strcspn(text, "\n");
  }
}

/// Ten times the number behind a directive of PTX, or 0: "7.8" is 78.
static long tenfold(const std::string &text, const char *directive) {
  const size_t at = text.find(directive);
  return at == text.npos
             ? 0
             : std::lround(10 * std::atof(&text[at + std::strlen(directive)]));
}

int fakecuda::loadImage(const void *image, void **module,
                        std::string &problem) {
  auto *text = static_cast<const char *>(image);
  if (!std::strncmp(text, "\177ELF", 4))
    return NoBinaryForGpu;
  problem = "line 3: no such";
  if (!isPtx(text))
    return InvalidPtx;
  // CUDA 11.0 came with PTX 7.0.
  const int cuda = machine().driver / 1000,
            minor = machine().driver % 1000 / 10;
  if (tenfold(text, ".version") > 70 + (cuda - 11) * 10 + minor) {
    problem = "Unsupported .version";
    return UnsupportedPtx;
  }
  if (tenfold(text, ".target sm_") > 10 * machine().chip) {
    problem = "SM version specified by .target is higher than default SM "
              "version assumed";
    return InvalidPtx;
  }
  *module = processor().load(text, problem);
  return *module ? Success : InvalidPtx;
}
