// Decides which versions of the current column exist under the GC rule of its family. Versions come
// newest first, so in the usual case they are ranked as they stream by; in a column with deletes of
// time ranges the history is replayed once (version_history.h). Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/model/cell_iterator.h"
#include "engine/read/delete_marks.h"
#include "engine/read/entry_place.h"
#include "engine/read/family_rule.h"
#include "engine/read/version_history.h"

namespace sippar::engine {

// The kDataLoss error for a stored key that cannot be decoded.
[[nodiscard]] Status KeyDamage(std::string_view key);

class ColumnVersions {
 public:
  // `rule` is nullptr when the family no longer exists; otherwise it must stay valid until the next
  // EnterFamily.
  void EnterFamily(const FamilyRule* rule, int64_t now_us) {
    rule_ = rule;
    now_us_ = now_us;
  }
  void EnterColumn() {
    is_replayed_ = false;
    rank_ = 0;
    has_timestamp_ = false;
  }

  bool family_exists() const { return rule_ != nullptr; }
  uint64_t birth() const { return rule_ == nullptr ? 0 : rule_->birth; }

  // True if this version exists. Requires: the family exists, and the column has no deletes of time
  // ranges. Call it once for each version that no delete hides. Of several versions with the same
  // timestamp the one written last comes first and replaces the others.
  bool Keeps(int64_t timestamp_us) {
    if (has_timestamp_ && timestamp_us == last_timestamp_us_) return false;
    has_timestamp_ = true;
    last_timestamp_us_ = timestamp_us;
    ++rank_;
    // The two most common rules are tested inline, without a call for each version.
    if (rule_->gc.kind == GcPolicy::kKeepAll || !rule_->acts_at_end) return true;
    if (rule_->gc.kind == GcPolicy::kMaxVersions) return rank_ <= rule_->gc.max_versions;
    return !rule_->gc.MayDrop(rank_, timestamp_us, now_us_);
  }

  // For a column with deletes of time ranges, call Replay once and then Survives for each version.
  bool is_replayed() const { return is_replayed_; }
  // Reads the versions of the column up to `snapshot` from `input`, which must be at the first of
  // them, then moves `input` back there. Holds the time and sequence number of each version and no
  // values.
  [[nodiscard]] Status Replay(const EntryPlace& place, const DeleteMarks& deletes,
                              uint64_t snapshot, EntryIterator* input);
  bool Survives(const Version& version);

 private:
  const FamilyRule* rule_ = nullptr;
  int64_t now_us_ = 0;
  uint64_t rank_ = 0;
  bool has_timestamp_ = false;
  int64_t last_timestamp_us_ = 0;
  bool is_replayed_ = false;
  std::vector<Version> survivors_;  // newest first
  size_t next_survivor_ = 0;
};

}  // namespace sippar::engine
