//===- Handles.h - what handles point to ----------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handle of the C interface is a pointer to one of these reference-counted
// objects. C++ code that holds Core values makes handles of them, and reads
// handles that compiled code returns.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_RUNTIME_HANDLES_H
#define ASTFE_RUNTIME_HANDLES_H

#include "ASTFE/Core/Pack/SlotNonzeros.h"
#include "ASTFE/Core/Pack/SumTargets.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

namespace astfe::rt {

enum class HandleKind { Profile, Graph, Pattern, Bricks };

class Device;

class Handle {
public:
  explicit Handle(HandleKind kind);
  virtual ~Handle();
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;

  HandleKind kind() const { return handleKind; }
  void retain() { ++references; }
  /// Deletes the object with its last reference.
  void release();
  /// Handles of this process that are alive, for tests of leaks.
  static int64_t live();

private:
  HandleKind handleKind;
  std::atomic<int64_t> references{1};
};

/// A profile, or the space alone of so many nonzeros that stay one block.
struct CountedProfile {
  CountedProfile(core::Profile profile,
                 std::optional<int64_t> whole = std::nullopt)
      : profile(std::move(profile)), whole(whole) {}
  core::Profile profile;
  std::optional<int64_t> whole;
};

struct ProfileHandle : Handle {
  static constexpr HandleKind kKind = HandleKind::Profile;
  explicit ProfileHandle(CountedProfile counted)
      : Handle(kKind), value(std::move(counted.profile)), whole(counted.whole) {
  }
  core::Profile value;
  std::optional<int64_t> whole; ///< of CountedProfile
};

struct GraphHandle : Handle {
  static constexpr HandleKind kKind = HandleKind::Graph;
  explicit GraphHandle(core::Graph value)
      : Handle(kKind), value(std::move(value)) {}
  core::Graph value;
};

/// Memory of devices that a handle lends for the length of a call, as it does
/// the host's: copies of operands that lie on the host, partial rows.
class DeviceLoans {
public:
  DeviceLoans() = default;
  DeviceLoans(const DeviceLoans &) = delete;
  ~DeviceLoans();

  /// Memory of `device` for at least so many bytes. Where the device has none,
  /// what is not lent goes first.
  core::Result<void *> lend(Device *device, size_t bytes);
  /// Keeps what was lent for later calls. The device is done with it.
  void takeBack(void *memory);
  /// The same for work on a caller's stream, which may still run when the call
  /// ends: what comes back is lent to that stream again, behind that work, and
  /// to others once there are many. Nothing waits but on the device.
  /// While the stream is recorded, to run at any later time, the memory is part
  /// of the recording.
  core::Result<void *> lendOn(Device *device, size_t bytes, void *stream);
  core::Status takeBackOn(Device *device, void *memory, void *stream);

private:
  struct Block {
    Device *device;
    void *memory;
    size_t bytes;
    bool isLent;
    /// On a caller's stream: when its last work is done. Another stream may
    /// have the address of one that is gone.
    void *event = nullptr, *stream = nullptr;
  };
  using BlockIt = std::vector<Block>::iterator;
  BlockIt findFree(Device *device, size_t bytes); ///< all under the lock
  bool freeOne(Device *device);
  template <typename Predicate>
  bool freeFirst(Predicate isOne);
  static void freeBlock(const Block &block);
  core::Result<void *> allocate(Device *device, size_t bytes);
  core::Result<void *> makeOn(Device *device, size_t bytes, void *stream);
  BlockIt findFreeOn(Device *device, void *stream, size_t bytes);

  std::mutex mutex;
  std::vector<Block> blocks;
};

/// A handle that lends memory for the length of a call: values in the order of
/// the slots, private partial rows, windows of operands. What comes back is
/// kept, so that the next call allocates nothing.
///
/// Worked example: a call borrows 4000 bytes for values and 256 for partial
/// rows and gives both back. The next call gets the same two blocks. A call of
/// a wider product asks for 1024 bytes of partial rows while the 4000 are out:
/// the block of 256, which is too small, is freed and one of 1024 is made. So
/// there are never more blocks than were out at the same time.
class LendingHandle : public Handle {
public:
  using Handle::Handle;
  ~LendingHandle() override;

  /// Memory for at least so many bytes, which begins a cache line; null where
  /// there is none. The handle lives until the memory is given back.
  void *lend(size_t bytes);
  /// Gives back what some handle lent.
  static void takeBack(void *memory);

  DeviceLoans ofDevices;

private:
  struct Loan;
  Loan *findFree(size_t bytes);

  std::mutex lending;
  Loan *unused = nullptr;
};

/// Tables in the memory of devices.
class DeviceCopies {
public:
  DeviceCopies() = default;
  DeviceCopies(const DeviceCopies &) = delete;
  ~DeviceCopies();

  /// Memory of `device` with these bytes, which `key` names: copied by the
  /// first call for that device.
  core::Result<void *> get(Device *device, int64_t key, const void *data,
                           size_t bytes);
  /// The same, if it is there; null if not.
  void *find(Device *device, int64_t key);

private:
  struct Copy {
    Device *device;
    int64_t key;
    void *memory;
  };
  void *known(Device *device, int64_t key) const; ///< under the lock

  std::mutex mutex;
  std::vector<Copy> copies;
};

struct PatternHandle : LendingHandle {
  static constexpr HandleKind kKind = HandleKind::Pattern;
  explicit PatternHandle(core::Packed value)
      : LendingHandle(kKind), value(std::move(value)),
        classes(this->value.classes()) {}

  core::Packed value;
  /// Those of the spans: what a kernel must have emitters for.
  const core::ClassSet classes;
  DeviceCopies onDevice; ///< by the numbers of tables

  /// The matrix is read where it is stored: there is no pattern, of no workers.
  bool isStored() const { return value.workerSpan.empty(); }

  /// Made by the first call for each.
  core::Result<const core::SumTargets *> sumTargets(bool bySlot);
  /// Made by the first call, which says what is narrow: the default but in
  /// tests.
  core::Result<const core::SlotNonzeros *>
  slotNonzeros(int64_t mostNarrow = std::numeric_limits<int32_t>::max());

private:
  std::mutex making;
  std::optional<core::SumTargets> sums[2];   ///< under the lock until made
  std::optional<core::SlotNonzeros> bySlots; ///< likewise
};

/// The handle as that kind, or null with an error set. Null stays null without
/// a new error, since the caller should read the first failure.
template <typename T>
T *handleAs(void *handle);
template <>
ProfileHandle *handleAs(void *handle);
template <>
GraphHandle *handleAs(void *handle);
template <>
PatternHandle *handleAs(void *handle);
/// A pattern or bricks.
template <>
LendingHandle *handleAs(void *handle);

} // namespace astfe::rt

#endif // ASTFE_RUNTIME_HANDLES_H
