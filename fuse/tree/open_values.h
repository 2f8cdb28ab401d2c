// OpenValues: the bytes of open files, in pieces (PieceSize) that are read when a read needs them
// and held in memory within a budget; all opens of one version share them. When room is needed,
// pieces that were idle for a while are dropped and read again on demand. Used by fuse/directories.
// Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/status.h"
#include "engine/base/thread.h"
#include "engine/model/read_spec.h"
#include "fuse/tree/node.h"

namespace sippar::fuse {

using ValuePtr = std::shared_ptr<const std::string>;

// If so many readers wait (for room, or for a piece that another reader loads), a further one that
// needs room gets an error at once. One that needs a piece that another reader loads waits all the
// same, because an error would be worse than to wait; the kernel sends only so many reads ahead at
// a time (kernel/dispatch_lookup.cc). Both leave threads of the mount (kernel/mount.cc) free to
// answer other requests.
inline constexpr unsigned kReadersWaitingMax = 48;

// The bytes of a value from `offset` on.
struct ValuePiece {
  ValuePtr bytes;
  uint64_t offset = 0;
};
// Reads a part of a value.
using LoadPart = std::function<StatusOr<std::string>(const engine::ValuePart& part)>;

// The size of the pieces of a value of this size; its last piece may be smaller.
uint64_t PieceSize(uint64_t value_size);

class OpenValues;

// A version of a cell, or a control file, that at least one handle has open.
class OpenValue {
 public:
  const Node& node() const { return node_; }
  uint64_t size_bytes() const { return size_bytes_; }

 private:
  friend class OpenValues;
  struct Piece {
    ValuePtr bytes;  // null: not read yet, or dropped to make room
    bool is_loading = false;
    bool was_held = false;  // has been read before
    int64_t used_at_ns = 0;
  };

  OpenValue(std::string key, const Node& node, uint64_t size_bytes);
  engine::ValuePart PartAt(uint64_t offset) const;

  const std::string key_;
  const Node node_;
  const uint64_t size_bytes_;
  const uint64_t piece_size_;
  // The members below are guarded by the mutex of OpenValues.
  uint64_t handles_ = 0;
  std::vector<Piece> pieces_;
  size_t pieces_max_;  // limit of the pieces held in memory
};
// One open of a version, which ends when the last copy of the pointer is destroyed.
using OpenValuePtr = std::shared_ptr<OpenValue>;

// Must outlive the values and the bytes that it returns.
class OpenValues {
 public:
  OpenValues(uint64_t budget_bytes, engine::Clock* clock)
      : budget_bytes_(budget_bytes), clock_(clock) {}

  // Returns TooLarge if a piece of the value is larger than the whole budget.
  [[nodiscard]] StatusOr<OpenValuePtr> Open(const Node& node, uint64_t size_bytes) EXCLUDES(mutex_);
  // Returns the piece that has the byte at `offset`, which must be within the value; calls `load`,
  // without the lock, if it is not held. Waits for room for up to `timeout_us`; kResourceExhausted
  // if there is none then, or at once if kReadersWaitingMax readers are already waiting.
  // kDeadlineExceeded if another reader is still loading the piece then.
  [[nodiscard]] StatusOr<ValuePiece> PieceAt(OpenValue* value, uint64_t offset, int64_t timeout_us,
                                             const LoadPart& load) EXCLUDES(mutex_);
  uint64_t held_bytes() EXCLUDES(mutex_);

 private:
  void Close(OpenValue* value) EXCLUDES(mutex_);
  void Release(uint64_t size_bytes) EXCLUDES(mutex_);
  ValuePtr TakeIdle(int64_t idle_us_min) REQUIRES(mutex_);
  static void FindOldest(std::vector<OpenValue::Piece>* pieces, OpenValue::Piece** oldest);
  static ValuePtr TakeSurplus(OpenValue* value);
  // Reserves the piece's bytes in the budget and marks it as loading; false: there is no room.
  bool Reserve(OpenValue* value, OpenValue::Piece* piece, uint64_t size_bytes) REQUIRES(mutex_);
  StatusOr<ValuePtr> Load(OpenValue* value, OpenValue::Piece* piece, const engine::ValuePart& part,
                          const LoadPart& load) EXCLUDES(mutex_);
  Status Wait(const OpenValue& value, bool is_loading, uint64_t size_bytes, int64_t left_us)
      REQUIRES(mutex_);

  const uint64_t budget_bytes_;
  engine::Clock* const clock_;
  engine::Mutex mutex_;
  engine::CondVar changed_;  // notified when there is room, and when a load ends
  uint64_t held_bytes_ GUARDED_BY(mutex_) = 0;
  unsigned waiting_ GUARDED_BY(mutex_) = 0;
  std::unordered_map<std::string, OpenValue*> open_ GUARDED_BY(mutex_);
};

}  // namespace sippar::fuse
