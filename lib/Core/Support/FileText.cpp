//===- FileText.cpp - whole files in and out, never half of one -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Support/FileText.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

using namespace astfe::core;

static Error failure(const std::string &path, const char *what, int code) {
  return Error{path + ": " + what + ": " + std::strerror(code)};
}

static Result<std::string> readOpen(FILE *file, const std::string &path) {
  struct stat information;
  bool sized = ::fstat(::fileno(file), &information) == 0 &&
               S_ISREG(information.st_mode) && information.st_size > 0;
  // Pipes have no size, and files may grow: read until nothing comes.
  size_t chunk = sized ? size_t(information.st_size) + 1 : size_t(1) << 16;
  std::string text;
  for (size_t used = 0;;) {
    text.resize(used + chunk);
    size_t got = std::fread(text.data() + used, 1, chunk, file);
    used += got;
    if (got == chunk) {
      chunk = used;
      continue;
    }
    if (std::ferror(file))
      return failure(path, "cannot read", errno);
    text.resize(used);
    return text;
  }
}

Result<std::string> astfe::core::readFile(const std::string &path) {
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path.c_str(), "rb"),
                                              std::fclose);
  if (!file)
    return failure(path, "cannot open", errno);
  return withinMemory(failure(path, "cannot read", ENOMEM),
                      [&] { return readOpen(file.get(), path); });
}

Status astfe::core::checkRegular(const std::string &path) {
  struct stat information;
  if (::stat(path.c_str(), &information) != 0 || S_ISREG(information.st_mode))
    return Success{};
  return Error{path + ": expected a regular file but got one of another "
                      "kind"};
}

void astfe::core::makePrivateFolder(const std::string &path) {
  std::error_code ignored;
  std::filesystem::path folder(path);
  if (!folder.has_filename()) // A separator ends it.
    folder = folder.parent_path();
  std::filesystem::create_directories(folder.parent_path(), ignored);
  ::mkdir(folder.c_str(), 0700);
}

void astfe::core::failBeyondSizeLimit() { std::signal(SIGXFSZ, SIG_IGN); }

/// 0, or the error number.
static int writeAll(int file, std::string_view text) {
  while (!text.empty()) {
    ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno != EINTR)
      return errno;
    if (count > 0)
      text.remove_prefix(size_t(count));
  }
  return 0;
}

/// Pipes and devices cannot be renamed over.
static Status writeThrough(const std::string &path, std::string_view text) {
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path.c_str(), "wb"),
                                              std::fclose);
  if (!file)
    return failure(path, "cannot write", errno);
  if (int code = writeAll(::fileno(file.get()), text))
    return failure(path, "cannot write", code);
  return Success{};
}

/// What a new file may be, as if open() had made it.
static mode_t permissions(const struct stat *existing) {
  if (existing)
    return existing->st_mode & 0777;
  mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

Status astfe::core::writeFile(const std::string &path, std::string_view text) {
  struct stat information;
  bool exists = ::stat(path.c_str(), &information) == 0;
  if (exists && !S_ISREG(information.st_mode))
    return writeThrough(path, text);
  std::string temporary = path + ".XXXXXX";
  int file = ::mkstemp(temporary.data());
  if (file < 0)
    return failure(path, "cannot write", errno);
  int code = writeAll(file, text);
  if (code == 0 &&
      ::fchmod(file, permissions(exists ? &information : nullptr)) != 0)
    code = errno;
  if (::close(file) != 0 && code == 0)
    code = errno;
  if (code == 0 && std::rename(temporary.c_str(), path.c_str()) != 0)
    code = errno;
  if (code == 0)
    return Success{};
  ::unlink(temporary.c_str());
  return failure(path, "cannot write", code);
}
