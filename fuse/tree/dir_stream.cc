// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/dir_stream.h"

#include <algorithm>

#include "fuse/tree/tree_limits.h"

namespace sippar::fuse {

StatusOr<const DirEntry*> DirStream::At(uint64_t ordinal) {
  // A call for ordinal 0 after a call for another ordinal is a rewinddir, which must show the
  // current state. A repeated call for 0 is only a retry.
  if (!is_loaded_ || (ordinal == 0 && position_ != 0)) RETURN_IF_ERROR(Rewind());
  position_ = ordinal;
  if (ordinal < entries_.size()) {
    fixed_entry_ = entries_[ordinal];
    fixed_entry_.entry.age_us += (clock_->MonotonicNanos() - loaded_at_ns_) / 1000;
    return &fixed_entry_;
  }
  if (source_ == nullptr) return nullptr;
  RETURN_IF_ERROR(MoveSource(ordinal - entries_.size()));
  if (!source_->Valid()) return nullptr;
  // An entry that did not fit into a reply is asked for again, perhaps much later. It is filled
  // again, since its age has changed.
  source_->Fill(&entry_);
  return &entry_;
}

Status DirStream::Rewind() {
  // The time is taken before the entries are read, so that they never seem younger than they are.
  loaded_at_ns_ = clock_->MonotonicNanos();
  ASSIGN_OR_RETURN(entries_, fixed_());
  is_loaded_ = true;
  is_started_ = false;
  source_ordinal_ = 0;
  last_.ordinal = 0;
  checkpoints_.clear();
  checkpoint_distance_ = kCheckpointDistance;
  return OkStatus();
}

// Returns the last checkpoint at or before `ordinal`; nullptr if there is none.
const DirStream::Checkpoint* DirStream::NearestCheckpoint(uint64_t ordinal) const {
  auto behind =
      std::upper_bound(checkpoints_.begin(), checkpoints_.end(), ordinal,
                       [](uint64_t wanted, const Checkpoint& c) { return wanted < c.ordinal; });
  return behind == checkpoints_.begin() ? nullptr : &*std::prev(behind);
}

// Starts the source at the nearest known place at or before `ordinal`; MoveSource then steps to
// `ordinal`.
Status DirStream::StartSource(uint64_t ordinal) {
  const Checkpoint* best = NearestCheckpoint(ordinal);
  // last_ is the place where the listing stopped. Usually this place is exactly at `ordinal`. After
  // an error, a listing that continues there reads no entry twice.
  bool last_is_before = last_.ordinal > 0 && last_.ordinal <= ordinal;
  if (last_is_before && (best == nullptr || best->ordinal < last_.ordinal)) best = &last_;
  std::optional<std::string> after;
  if (best != nullptr) after = best->mark;
  source_ordinal_ = best == nullptr ? 0 : best->ordinal;
  RETURN_IF_ERROR(source_->Start(after));
  is_started_ = true;
  return OkStatus();
}

Status DirStream::MoveSource(uint64_t ordinal) {
  const Checkpoint* nearest = is_started_ ? NearestCheckpoint(ordinal) : nullptr;
  // On the way forward, restarts at a checkpoint only if it lies between the current entry and
  // `ordinal`; otherwise stepping costs no more than a restart.
  bool is_far = nearest != nullptr && nearest->ordinal > source_ordinal_;
  if (!is_started_ || ordinal < source_ordinal_ || is_far) {
    RETURN_IF_ERROR(StartSource(ordinal));
  }
  while (source_ordinal_ < ordinal && source_->Valid()) StepSource();
  Status status = source_->Valid() ? OkStatus() : source_->status();
  // After an error the next call starts the source again, usually after the last entry that
  // StepSource has passed.
  if (!status.ok()) is_started_ = false;
  return status;
}

void DirStream::StepSource() {
  last_.mark.assign(source_->Mark());
  last_.ordinal = ++source_ordinal_;
  bool is_new = checkpoints_.empty() || checkpoints_.back().ordinal < last_.ordinal;
  if (is_new && last_.ordinal % checkpoint_distance_ == 0) {
    checkpoints_.push_back(last_);
    // Above the limit, every second checkpoint is dropped: this bounds the memory, and a seek steps
    // twice as far.
    if (checkpoints_.size() > kCheckpointsMax) {
      checkpoint_distance_ *= 2;
      std::erase_if(checkpoints_,
                    [&](const Checkpoint& c) { return c.ordinal % checkpoint_distance_ != 0; });
    }
  }
  source_->Next();
}

}  // namespace sippar::fuse
