// Following a tablet's changes. SPDX-License-Identifier: Apache-2.0
#include "cluster/tabletserver/change_stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/changes/change_reader.h"
#include "engine/model/change_config.h"

namespace sippar::cluster {
namespace {

using engine::ChangePosition;
using engine::ChangeStreamConfig;
using engine::MutationEntry;
using engine::ReadChange;

// How late a cancelled call, a split or the end of the stream may be noticed.
constexpr int64_t kPollMicros = 100'000;

StatusOr<ChangeStreamConfig> ConfigOf(const engine::TableSchema& schema) {
  auto config = engine::ChangeStreamOf(schema);
  if (config.has_value()) return *config;
  return FailedPrecondition(fmt::format(
      "table {} has no change stream; give it a change_stream_config first", schema.name));
}

Status CheckStart(int64_t start_us, const ChangeStreamConfig& config, int64_t now_us) {
  int64_t least_us = std::max(config.since_us, now_us - config.retention_us);
  if (start_us >= least_us) return OkStatus();
  return OutOfRange(
      fmt::format("changes from {} us on are wanted; kept are those from {} us on, for {} s after "
                  "their commit",
                  start_us, least_us, config.retention_us / 1'000'000));
}

StatusOr<ChangePosition> PositionOf(const std::vector<ChangeToken>& tokens,
                                    const RowRange& partition) {
  std::vector<ChangePosition> positions;
  for (const ChangeToken& token : tokens) {
    ASSIGN_OR_RETURN(ChangePosition position, ChangePosition::Decode(token.token));
    if (position.rows() != token.rows) {
      return InvalidArgument("a continuation token is of another partition than it is given for");
    }
    positions.push_back(std::move(position));
  }
  ASSIGN_OR_RETURN(ChangePosition joined, engine::JoinPositions(std::move(positions)));
  if (joined.rows() == partition) return joined;
  return InvalidArgument("the partitions of the continuation tokens do not make up the partition");
}

StatusOr<ChangePosition> StartOf(const ChangesRequest& request, const engine::CatalogTable& table,
                                 int64_t now_us) {
  ASSIGN_OR_RETURN(ChangeStreamConfig config, ConfigOf(table.schema));
  if (request.partition.IsEmpty()) return InvalidArgument("partition has no rows");
  int64_t start_us = request.start_us.value_or(now_us);
  ChangePosition position = ChangePosition::From(table.table_id, request.partition, start_us);
  if (!request.tokens.empty()) {
    ASSIGN_OR_RETURN(position, PositionOf(request.tokens, request.partition));
    start_us = position.time_us;
  }
  if (position.table_id != table.table_id) {
    return InvalidArgument("a continuation token is of another table");
  }
  if (start_us > now_us && request.tokens.empty()) {
    return InvalidArgument(
        fmt::format("start_time is {} us, in the future: now is {} us", start_us, now_us));
  }
  if (request.end_us.has_value() && *request.end_us < start_us && request.tokens.empty()) {
    return InvalidArgument("end_time is before start_time");
  }
  RETURN_IF_ERROR(CheckStart(start_us, config, now_us));
  return position;
}

class TabletChangeStream final : public ChangeStream {
 public:
  TabletChangeStream(engine::Store* store, engine::Clock* clock, std::string table,
                     ChangePosition position, int64_t end_us, CancelFlag cancel)
      : store_(store),
        clock_(clock),
        table_(std::move(table)),
        rows_(position.rows()),
        end_us_(end_us),
        cancel_(std::move(cancel)),
        token_(position.Encode()),
        start_(std::move(position)) {}

  StatusOr<ChangeBatch> Next(int64_t wait_us) override {
    int64_t limit_us = NowMicros() + wait_us;
    ChangeBatch batch;
    for (;;) {
      if (cancel_ != nullptr && *cancel_) return Cancelled("the reader of changes is gone");
      ASSIGN_OR_RETURN(bool is_found, FindTablet());
      if (!is_found) return GoOnElsewhere();
      bool is_whole = false;
      RETURN_IF_ERROR(ReadSome(&batch, &is_whole));
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
  const ChangePosition& position() const {
    return reader_ == nullptr ? start_ : reader_->position();
  }

  // False: the partition is no tablet (any more).
  StatusOr<bool> FindTablet() {
    ASSIGN_OR_RETURN(std::shared_ptr<engine::Tablet> tablet,
                     store_->FindTablet(table_, rows_.start));
    RETURN_IF_ERROR(ConfigOf(*tablet->schema()).status());
    if (tablet->range() != rows_) return false;
    if (tablet == tablet_) return true;
    reader_ = std::make_unique<engine::ChangeReader>(tablet->Changes(), position());
    tablet_ = std::move(tablet);
    return true;
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
    // Times of different rows may be out of order by what a write takes: the end is where the low
    // watermark says, and no token goes beyond what was left out.
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

  void AddEntry(MutationEntry entry, RowMutation* mutation) const {
    if (entry.kind != MutationEntry::kDeleteRow) {
      mutation->entries.push_back(std::move(entry));
      return;
    }
    for (const auto& family : tablet_->schema()->families) mutation->DeleteFamily(family.name);
  }

  StatusOr<ChangeBatch> GoOnElsewhere() {
    ChangeBatch batch;
    batch.is_over = true;
    auto position = ChangePosition::Decode(token_);
    RETURN_IF_ERROR(position.status());
    ASSIGN_OR_RETURN(std::vector<std::shared_ptr<engine::Tablet>> tablets, store_->Tablets(table_));
    for (const auto& tablet : tablets) {
      RowRange rows = Intersect(tablet->range(), rows_);
      if (rows.IsEmpty()) continue;
      batch.new_partitions.push_back(tablet->range());
      batch.tokens.push_back({rows, position->Clip(rows).Encode()});
    }
    return batch;
  }

  engine::Store* const store_;
  engine::Clock* const clock_;
  const std::string table_;
  const RowRange rows_;
  const int64_t end_us_;
  const CancelFlag cancel_;
  std::string token_;  // behind what was given
  bool is_past_end_ = false;
  const ChangePosition start_;
  std::shared_ptr<engine::Tablet> tablet_;
  std::unique_ptr<engine::ChangeReader> reader_;  // of tablet_
};

}  // namespace

StatusOr<std::unique_ptr<ChangeStream>> NewChangeStream(engine::Store* store, engine::Clock* clock,
                                                        const std::string& table,
                                                        const ChangesRequest& request,
                                                        CancelFlag cancel) {
  ASSIGN_OR_RETURN(engine::CatalogTable entry, store->GetTable(table));
  ASSIGN_OR_RETURN(ChangePosition position, StartOf(request, entry, clock->NowMicros()));
  return std::unique_ptr<ChangeStream>(
      std::make_unique<TabletChangeStream>(store, clock, table, std::move(position),
                                           request.end_us.value_or(INT64_MAX), std::move(cancel)));
}

}  // namespace sippar::cluster
