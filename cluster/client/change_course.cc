// Following a partition's tablet. SPDX-License-Identifier: Apache-2.0
#include "cluster/client/change_course.h"

#include <optional>
#include <utility>

#include "engine/changes/change_position.h"

namespace sippar::cluster {
namespace {

using engine::ChangePosition;

class ChangeCourse final : public ChangeStream {
 public:
  ChangeCourse(ChangeSources sources, ChangesRequest request)
      : sources_(std::move(sources)), request_(std::move(request)) {}

  // "From now on" begins here, and an error of the request is one of the call.
  Status Open() {
    ASSIGN_OR_RETURN(first_, Read(0));
    return OkStatus();
  }

  StatusOr<ChangeBatch> Next(int64_t wait_us) override {
    std::optional<ChangeBatch> first = std::exchange(first_, std::nullopt);
    if (first.has_value() && (first->is_over || !first->changes.empty())) return *std::move(first);
    return Read(wait_us);
  }

 private:
  StatusOr<ChangeBatch> Read(int64_t wait_us) {
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
  std::optional<ChangeBatch> first_;
};

}  // namespace

StatusOr<std::unique_ptr<ChangeStream>> NewChangeCourse(ChangeSources sources,
                                                        ChangesRequest request) {
  auto course = std::make_unique<ChangeCourse>(std::move(sources), std::move(request));
  RETURN_IF_ERROR(course->Open());
  return std::unique_ptr<ChangeStream>(std::move(course));
}

}  // namespace sippar::cluster
