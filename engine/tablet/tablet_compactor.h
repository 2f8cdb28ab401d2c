// Merging, major and settling compactions of one tablet: carries out the policy's choice while
// reads and writes continue (paper section 5.4). One saved state replaces the inputs by the output;
// an input file may leave the disk once no reader holds it and no other state names it.
// tablet_compactor.cc merges within a locality group, tablet_settle.cc moves families between
// groups.
//
// Thread safe: compactions of different runs may run concurrently (run_claims.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/compaction/compaction_schedule.h"
#include "engine/compaction/rate_limiter.h"
#include "engine/tablet/compaction_inputs.h"
#include "engine/tablet/run_claims.h"
#include "engine/tablet/tablet_body.h"
#include "engine/tablet/tablet_flusher.h"
#include "engine/tablet/tablet_serving.h"

namespace sippar::engine {

class TabletCompactor {
 public:
  // The arguments outlive this object.
  TabletCompactor(TabletBody* body, const TabletServing* serving, TabletFlusher* flusher)
      : body_(body), serving_(serving), flusher_(flusher), claims_(body, serving) {}
  TabletCompactor(const TabletCompactor&) = delete;
  TabletCompactor& operator=(const TabletCompactor&) = delete;

  // No compaction runs between Pause and Resume.
  void Pause() { claims_.Pause(); }
  void Resume() { claims_.Resume(); }

  // See RunClaims::AddCandidates.
  void AddCandidates(std::vector<CompactionCandidate>* candidates) const {
    claims_.AddCandidates(candidates);
  }
  // Carries out a choice. False if its runs are gone or already being compacted, or no compaction
  // may begin. Choices of the same group may run concurrently. `limiter` may be null.
  [[nodiscard]] StatusOr<bool> Compact(const CompactionCandidate& candidate,
                                       const CompactionChoice& choice, RateLimiter* limiter);
  // Settles moved families (SettleOnce) or, if there are none, runs one compaction if the policy
  // wants one; true if it did either.
  [[nodiscard]] StatusOr<bool> CompactOnce(CompactionPolicyOptions options = {});
  // Moves the older cells of families that ALTER moved to their new group; true if there were any.
  [[nodiscard]] StatusOr<bool> SettleOnce();
  // Flush and major compaction of one group ("": all): leaves one run without tombstones or
  // garbage. Groups with moved families get a settling compaction instead, which may leave garbage.
  // If the tablet is no longer served: the status of TabletServing::Check, or kAborted if its rows
  // were given away while a compaction ran. kAborted also if a family moved meanwhile.
  [[nodiscard]] Status CompactMajor(const std::string& group);

 private:
  Status CompactWhole(const std::string& group, const std::string& reason, RateLimiter* limiter);
  Status CarryOut(const CompactionInputs& inputs);
  Status Rewrite(const CompactionInputs& inputs, uint64_t* bytes_out);
  StatusOr<std::vector<FileSummary>> MergeRuns(const CompactionInputs& inputs);
  Status Install(const CompactionInputs& inputs, const TabletRun& output);

  StatusOr<std::set<std::string>> SettleAlone(const std::string& group);
  StatusOr<std::set<std::string>> Settle(const std::string& group);
  Status SettleGroups(const SettlingPlan& plan, const TabletSnapshot& snapshot);
  StatusOr<std::vector<FileSummary>> MergeFamilies(const std::string& group,
                                                   const std::set<std::string>& families,
                                                   const std::vector<TabletRun>& runs,
                                                   const TabletSnapshot& snapshot);
  Status InstallSettled(const SettlingPlan& plan, const TabletSnapshot& snapshot,
                        const std::map<std::string, TabletRun>& outputs);

  TabletBody* const body_;
  const TabletServing* const serving_;
  TabletFlusher* const flusher_;
  RunClaims claims_;
};

}  // namespace sippar::engine
