// Following a partition's tablet. SPDX-License-Identifier: Apache-2.0
#include "cluster/client/change_course.h"

#include <utility>

#include "cluster/client/begin_changes.h"
#include "engine/changes/change_position.h"

namespace sippar::cluster {
namespace {

using engine::ChangePosition;

class ChangeCourse final : public ChangeStream {
 public:
  ChangeCourse(ChangeSources sources, ChangesRequest request)
      : sources_(std::move(sources)), request_(std::move(request)) {}

  StatusOr<ChangeBatch> Next(int64_t wait_us) override {
    for (;;) {
      if (tablet_ == nullptr) {
        ASSIGN_OR_RETURN(tablet_, sources_.open(request_, &rows_));
      }
      auto batch = tablet_->Next(wait_us);
      // The server has ended: who has the tablet now, or soon, is asked again.
      if (batch.status().code() == StatusCode::kUnavailable) tablet_ = nullptr;
      RETURN_IF_ERROR(batch.status());
      request_.tokens = {{request_.partition, batch->token}};
      if (!batch->is_elsewhere) return batch;
      tablet_ = nullptr;
      if (rows_ != request_.partition) return Successors();
    }
  }

 private:
  StatusOr<ChangeBatch> Successors() {
    ChangeBatch batch;
    batch.is_over = true;
    ASSIGN_OR_RETURN(ChangePosition position,
                     ChangePosition::Decode(request_.tokens.front().token));
    ASSIGN_OR_RETURN(std::vector<RowRange> tablets, sources_.ranges());
    for (RowRange& tablet : tablets) {
      RowRange rows = engine::Intersect(tablet, request_.partition);
      if (rows.IsEmpty()) continue;
      batch.tokens.push_back({rows, position.Clip(rows).Encode()});
      batch.new_partitions.push_back(std::move(tablet));
    }
    return batch;
  }

  const ChangeSources sources_;
  ChangesRequest request_;  // of what was not given yet
  RowRange rows_;           // of tablet_
  std::unique_ptr<ChangeStream> tablet_;
};

}  // namespace

StatusOr<std::unique_ptr<ChangeStream>> NewChangeCourse(ChangeSources sources,
                                                        ChangesRequest request) {
  return BeginChanges(std::make_unique<ChangeCourse>(std::move(sources), std::move(request)));
}

}  // namespace sippar::cluster
