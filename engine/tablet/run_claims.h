// Which runs of a tablet are being compacted, so that no run is the input of two compactions, and
// whether another compaction may begin.
//
// Thread safe. Its lock comes before body's mutex: a run is looked up and claimed in one step, and
// a compaction installs its output before it releases the inputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "engine/compaction/compaction_schedule.h"
#include "engine/tablet/compaction_inputs.h"
#include "engine/tablet/tablet_body.h"
#include "engine/tablet/tablet_serving.h"

namespace sippar::engine {

class RunClaims {
 public:
  // The arguments outlive this object.
  RunClaims(const TabletBody* body, const TabletServing* serving)
      : body_(body), serving_(serving) {}
  RunClaims(const RunClaims&) = delete;
  RunClaims& operator=(const RunClaims&) = delete;

  // No compaction runs between Pause and Resume. Pause waits until running compactions have ended,
  // and until another caller has resumed: a settling and a split must not end each other's pause.
  void Pause();
  void Resume();

  // Adds one candidate, for the schedule to choose from, for each group that has runs and awaits no
  // settling compaction; none if no compaction may begin.
  void AddCandidates(std::vector<CompactionCandidate>* candidates) const;
  // Claims the chosen runs. False if they are no longer neighbours, one of them is claimed, or no
  // compaction may begin.
  bool Take(const CompactionCandidate& candidate, const CompactionChoice& choice,
            CompactionInputs* inputs);
  // Waits for the running compactions of the group, then claims all its runs, or none if the tablet
  // is no longer served. kAborted: a family has moved since the group was chosen, so its deletes
  // may be needed for cells in another group.
  [[nodiscard]] Status TakeAll(const std::string& group, CompactionInputs* inputs);
  void Release(const CompactionInputs& inputs);

 private:
  bool MayBegin() const REQUIRES(mutex_) {
    return serving_->is_open() && !paused_ && waiting_ == 0;
  }
  bool AnyTaken(const std::vector<TabletRun>& runs) const REQUIRES(mutex_);
  // Claims the runs in `inputs`, and sets its group, schema, rules and rest_from. `unflushed_from`:
  // entries with a lower sequence are in a run of the snapshot.
  void Claim(const std::string& group, const TabletSnapshot& snapshot, uint64_t unflushed_from,
             CompactionInputs* inputs) REQUIRES(mutex_);

  const TabletBody* const body_;
  const TabletServing* const serving_;
  mutable Mutex mutex_;
  std::set<uint64_t> taken_ GUARDED_BY(mutex_);  // run ids: the inputs of running compactions
  bool paused_ GUARDED_BY(mutex_) = false;       // while true, no compaction may begin
  // Calls of TakeAll that wait. While there are any, no other compaction may begin.
  size_t waiting_ GUARDED_BY(mutex_) = 0;
  CondVar released_;
};

}  // namespace sippar::engine
