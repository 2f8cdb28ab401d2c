// SPDX-License-Identifier: Apache-2.0
#include "cluster/tabletserver/tablet_changes.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/tablet_scope.h"
#include "engine/changes/change_reader.h"
#include "engine/model/change_config.h"

namespace sippar::cluster {
namespace {

using engine::ChangePosition;
using engine::ChangeStreamConfig;
using engine::MutationEntry;
using engine::ReadChange;

// Longest delay until the stream notices a cancellation, a split or its end.
constexpr int64_t kPollMicros = 100'000;

StatusOr<ChangeStreamConfig> ConfigOf(const engine::TableSchema& schema) {
  auto config = engine::ChangeStreamOf(schema);
  if (!config.has_value()) {
    return FailedPrecondition(fmt::format(
        "table {} has no change stream; set its change_stream_config first", schema.name));
  }
  if (config->since_us != 0) return *config;
  return Unavailable(
      fmt::format("the change stream of table {} has not begun, because not every tablet keeps its "
                  "changes yet; try again, and if this persists set its change_stream_config again",
                  schema.name));
}

Status CheckStart(int64_t start_us, const ChangeStreamConfig& config, int64_t now_us) {
  int64_t least_us = std::max(config.since_us, now_us - config.retention_us);
  if (start_us >= least_us) return OkStatus();
  return TooOld(fmt::format(
      "start_time is {} us; changes are kept from {} us on, for {} s after their commit", start_us,
      least_us, config.retention_us / 1'000'000));
}

StatusOr<ChangePosition> PositionOf(const std::vector<ChangeToken>& tokens,
                                    const RowRange& partition) {
  std::vector<ChangePosition> positions;
  for (const ChangeToken& token : tokens) {
    ASSIGN_OR_RETURN(ChangePosition position, ChangePosition::Decode(token.token));
    if (position.rows() != token.rows) {
      return InvalidArgument(
          "continuation token: it belongs to another partition than the one that is named with it; "
          "pass each token with the partition that it was returned with");
    }
    positions.push_back(std::move(position));
  }
  ASSIGN_OR_RETURN(ChangePosition joined, engine::JoinPositions(std::move(positions)));
  if (joined.rows() == partition) return joined;
  return InvalidArgument(
      "continuation tokens: their partitions together are not the partition that is read; pass all "
      "tokens of that partition and no others");
}

StatusOr<ChangePosition> StartOf(const ChangesRequest& request, const engine::Tablet& tablet,
                                 int64_t now_us) {
  ASSIGN_OR_RETURN(ChangeStreamConfig config, ConfigOf(*tablet.schema()));
  if (request.partition.IsEmpty()) return InvalidArgument("partition: its range of rows is empty");
  int64_t start_us = request.start_us.value_or(now_us);
  ChangePosition position = ChangePosition::From(tablet.table_id(), request.partition, start_us);
  if (!request.tokens.empty()) {
    ASSIGN_OR_RETURN(position, PositionOf(request.tokens, request.partition));
    start_us = position.time_us;
  }
  if (position.table_id != tablet.table_id()) {
    return InvalidArgument(
        "continuation token: it belongs to another table, perhaps a dropped one of the same name; "
        "read this table from a start time");
  }
  // Only a time that the caller has chosen is checked: the time in a token comes from another
  // server's clock, which may be ahead of this one.
  if (start_us > now_us && request.tokens.empty()) {
    return InvalidArgument(fmt::format("start_time is {} us, which is in the future (now is {} us)",
                                       start_us, now_us));
  }
  if (request.end_us.has_value() && *request.end_us < start_us && request.tokens.empty()) {
    return InvalidArgument(
        fmt::format("end_time ({} us) is before start_time ({} us)", *request.end_us, start_us));
  }
  // Changes before the start of the retention may have been deleted, so the stream would miss some.
  RETURN_IF_ERROR(CheckStart(start_us, config, now_us));
  return position;
}

class TabletChanges final : public ChangeStream {
 public:
  TabletChanges(std::shared_ptr<engine::Tablet> tablet, std::function<bool()> is_here,
                engine::Clock* clock, const ChangesRequest& request, CancelFlag cancel)
      : tablet_(std::move(tablet)),
        is_here_(std::move(is_here)),
        clock_(clock),
        partition_(request.partition),
        end_us_(request.end_us.value_or(INT64_MAX)),
        cancel_(std::move(cancel)),
        start_(StartOf(request, *tablet_, clock->NowMicros())) {}

  StatusOr<ChangeBatch> Next(int64_t wait_us) override {
    const engine::TabletScope scope(tablet_->id());
    RETURN_IF_ERROR(Begin());
    // The ranges differ if the tablet was split or merged before the stream began.
    if (tablet_->range() != partition_) return Elsewhere(token_);
    int64_t limit_us = NowMicros() + wait_us;
    ChangeBatch batch;
    for (;;) {
      if (cancel_ != nullptr && *cancel_)
        return Cancelled("the caller cancelled the stream or disconnected");
      RETURN_IF_ERROR(ConfigOf(*tablet_->schema()).status());
      bool is_whole = false;
      // Checks is_here_ after the read, not before it: if the tablet has left by then, the batch
      // may be incomplete. It is discarded, and the reader continues at another server with the
      // token from before the batch.
      const std::string before = token_;
      RETURN_IF_ERROR(ReadSome(&batch, &is_whole));
      if (!is_here_()) return Elsewhere(before);
      int64_t left_us = limit_us - NowMicros();
      if (!batch.changes.empty() || batch.is_over || left_us <= 0) break;
      if (is_whole) reader_->Wait(std::min(left_us, kPollMicros));
    }
    batch.token = token_;
    batch.low_watermark_us = reader_->position().low_us;
    return batch;
  }

 private:
  int64_t NowMicros() const { return clock_->MonotonicNanos() / 1000; }

  Status Begin() {
    if (reader_ != nullptr) return OkStatus();
    RETURN_IF_ERROR(start_.status());
    token_ = start_->Encode();
    reader_ =
        std::make_unique<engine::ChangeReader>(tablet_->changes().Source(), *std::move(start_));
    return OkStatus();
  }

  static ChangeBatch Elsewhere(std::string token) {
    ChangeBatch batch;
    batch.token = std::move(token);
    batch.is_elsewhere = true;
    return batch;
  }

  Status ReadSome(ChangeBatch* batch, bool* is_whole) {
    int64_t low_us = reader_->position().low_us;
    std::vector<ReadChange> changes;
    RETURN_IF_ERROR(reader_->Read(&changes, is_whole));
    for (ReadChange& change : changes) Give(std::move(change), low_us, batch);
    if (!is_past_end_) token_ = reader_->position().Encode();
    batch->is_over = *is_whole && reader_->position().low_us > end_us_;
    return OkStatus();
  }

  void Give(ReadChange read, int64_t low_us, ChangeBatch* batch) {
    // Commit times of different rows may be out of order by the duration of a write. So the stream
    // does not end at the first change after end_us_, but when the low watermark is after end_us_.
    // Once the stream has left out a change after end_us_, the token no longer advances.
    if (read.record.wall_us > end_us_) is_past_end_ = true;
    if (!is_past_end_) token_ = std::move(read.token);
    if (read.record.wall_us > end_us_) return;
    Change change;
    change.commit_us = read.record.wall_us;
    change.token = token_;
    change.low_watermark_us = low_us;
    change.mutation.row = std::move(read.record.mutation.row);
    for (MutationEntry& entry : read.record.mutation.entries) {
      AddEntry(std::move(entry), &change.mutation);
    }
    if (!change.mutation.entries.empty()) batch->changes.push_back(std::move(change));
  }

  // A deleted row becomes one deletion for each family, because readers of the stream know no other
  // form.
  void AddEntry(MutationEntry entry, RowMutation* mutation) const {
    if (entry.kind != MutationEntry::kDeleteRow) {
      mutation->entries.push_back(std::move(entry));
      return;
    }
    for (const auto& family : tablet_->schema()->families) mutation->DeleteFamily(family.name);
  }

  const std::shared_ptr<engine::Tablet> tablet_;
  const std::function<bool()> is_here_;
  engine::Clock* const clock_;
  const RowRange partition_;
  const int64_t end_us_;
  const CancelFlag cancel_;
  StatusOr<ChangePosition> start_;
  std::string token_;  // position after the last change returned
  bool is_past_end_ = false;
  std::unique_ptr<engine::ChangeReader> reader_;
};

}  // namespace

std::unique_ptr<ChangeStream> NewTabletChanges(std::shared_ptr<engine::Tablet> tablet,
                                               std::function<bool()> is_here, engine::Clock* clock,
                                               const ChangesRequest& request, CancelFlag cancel) {
  return std::make_unique<TabletChanges>(std::move(tablet), std::move(is_here), clock, request,
                                         std::move(cancel));
}

}  // namespace sippar::cluster
