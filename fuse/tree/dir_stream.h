// DirStream: a directory of any size, read by cookie in key order and in constant memory. The
// cookie of an entry is its ordinal in this handle. Sparse checkpoints (ordinal, key) let a reader
// go back without listing from the start. Order: ".", "..", the fixed entries, then the entries of
// the source. Used by the kernel layer through TreeView. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/status.h"
#include "fuse/tree/attributes.h"

namespace sippar::fuse {

// A sequence of ordered entries; reading can start after any of them.
class EntrySource {
 public:
  virtual ~EntrySource() = default;
  // Moves to the first entry, or to the first entry after the one whose mark is `after`.
  [[nodiscard]] virtual Status Start(const std::optional<std::string>& after) = 0;
  virtual bool Valid() const = 0;
  // Sets *out to the current entry, with its age now. Requires: Valid()
  virtual void Fill(DirEntry* out) = 0;
  virtual void Next() = 0;  // Requires: Valid()
  // Identifies the current entry for Start. Requires: Valid()
  virtual std::string_view Mark() const = 0;
  virtual Status status() const = 0;
};

class DirStream {
 public:
  using FixedEntries = std::function<StatusOr<std::vector<DirEntry>>()>;

  // `fixed` is called at the start and at each rewind. `source` may be null.
  DirStream(FixedEntries fixed, std::unique_ptr<EntrySource> source, engine::Clock* clock)
      : fixed_(std::move(fixed)), source_(std::move(source)), clock_(clock) {}

  // Returns the entry with this ordinal, with its age at the time of the call; nullptr after the
  // last entry. Ordinal 0 after any other ordinal starts a new listing. After an error the same
  // call may be repeated. The entry is valid until the next call.
  [[nodiscard]] StatusOr<const DirEntry*> At(uint64_t ordinal);

 private:
  struct Checkpoint {
    uint64_t ordinal;  // ordinal of the first source entry after `mark`
    std::string mark;
  };

  Status Rewind();
  const Checkpoint* NearestCheckpoint(uint64_t ordinal) const;
  Status StartSource(uint64_t ordinal);
  Status MoveSource(uint64_t ordinal);
  void StepSource();

  FixedEntries fixed_;
  std::unique_ptr<EntrySource> source_;
  engine::Clock* const clock_;
  // ".", ".." and the fixed entries, with their ages at loaded_at_ns_.
  std::vector<DirEntry> entries_;
  int64_t loaded_at_ns_ = 0;
  bool is_loaded_ = false;
  uint64_t position_ = 0;

  bool is_started_ = false;
  uint64_t source_ordinal_ = 0;  // ordinal of the source's current entry
  // The checkpoint after the last entry that StepSource has passed; valid if its ordinal is > 0.
  Checkpoint last_{0, {}};
  std::vector<Checkpoint> checkpoints_;
  uint64_t checkpoint_distance_ = 0;
  DirEntry fixed_entry_;
  DirEntry entry_;
};

}  // namespace sippar::fuse
