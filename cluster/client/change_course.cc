// SPDX-License-Identifier: Apache-2.0
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
      // The server did not answer. The error goes to the reader, but its next call looks the tablet
      // up again and continues with the tokens.
      if (batch.status().code() == StatusCode::kUnavailable) tablet_ = nullptr;
      RETURN_IF_ERROR(batch.status());
      // From here on the token holds the position, also for a stream that began at a start time.
      request_.tokens = {{request_.partition, batch->token}};
      if (!batch->is_elsewhere) return batch;
      tablet_ = nullptr;
      if (rows_ != request_.partition) return Successors();
    }
  }

 private:
  // The last batch of the stream: for each tablet that now has rows of the partition, its whole
  // range as the new partition, and a token for the part that this stream has read.
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
  ChangesRequest request_;                // asks for the changes that were not returned yet
  RowRange rows_;                         // range of the tablet that tablet_ reads
  std::unique_ptr<ChangeStream> tablet_;  // null: not open
};

}  // namespace

StatusOr<std::unique_ptr<ChangeStream>> NewChangeCourse(ChangeSources sources,
                                                        ChangesRequest request) {
  return BeginChanges(std::make_unique<ChangeCourse>(std::move(sources), std::move(request)));
}

}  // namespace sippar::cluster
