// DirStream: an endless directory read by cookie, in key order and constant memory. The cookie of
// an entry is its ordinal in this handle; sparse checkpoints (ordinal, key) let a reader go back
// without listing again from the start. Entries: ".", "..", the fixed ones, then those of a source.
// Used by the kernel layer through tree_view. Not thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "fuse/tree/attributes.h"

namespace sippar::fuse {

// Ordered entries that can be entered behind any of them.
class EntrySource {
 public:
  virtual ~EntrySource() = default;
  // To the first entry, or to the first one behind the entry that gave the mark `after`.
  [[nodiscard]] virtual Status Start(const std::optional<std::string>& after) = 0;
  virtual bool Valid() const = 0;
  virtual void Fill(DirEntry* out) = 0;  // Requires: Valid()
  virtual void Next() = 0;               // Requires: Valid()
  // Where the present entry is. Requires: Valid()
  virtual std::string_view Mark() const = 0;
  virtual Status status() const = 0;
};

class DirStream {
 public:
  using FixedEntries = std::function<StatusOr<std::vector<DirEntry>>()>;

  // `fixed` is asked at the start and at each rewind. `source` may be null.
  DirStream(FixedEntries fixed, std::unique_ptr<EntrySource> source)
      : fixed_(std::move(fixed)), source_(std::move(source)) {}

  // The entry with that ordinal, nullptr behind the last one. Asking for ordinal 0 after any other
  // begins afresh. After an error the same call may be made again. The entry lives until the next
  // call.
  [[nodiscard]] StatusOr<const DirEntry*> At(uint64_t ordinal);

 private:
  struct Checkpoint {
    uint64_t ordinal;  // of the source's entry behind `mark`
    std::string mark;
  };

  Status Rewind();
  const Checkpoint* NearestCheckpoint(uint64_t ordinal) const;
  Status StartSource(uint64_t ordinal);
  Status MoveSource(uint64_t ordinal);
  void StepSource();

  FixedEntries fixed_;
  std::unique_ptr<EntrySource> source_;
  std::vector<DirEntry> entries_;  // the fixed ones
  bool is_loaded_ = false;
  uint64_t position_ = 0;

  bool is_started_ = false;
  uint64_t source_ordinal_ = 0;  // of the source's present entry
  Checkpoint last_{0, {}};       // behind the last entry passed; meaningful when ordinal > 0
  std::vector<Checkpoint> checkpoints_;
  uint64_t checkpoint_distance_ = 0;
  bool is_filled_ = false;
  DirEntry entry_;
};

}  // namespace sippar::fuse
