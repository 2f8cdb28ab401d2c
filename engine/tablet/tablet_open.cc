// Opens a tablet, replays the log into it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/coding.h"
#include "engine/tablet/tablet.h"

namespace sippar::engine {

Tablet::Tablet(TabletContext* context, TabletState state) : body_(context, std::move(state)) {
  MutexLock state_lock(&body_.state_mutex);
  next_sequence_ = body_.state.redo_sequence + 1;
  redo_sequence_ = body_.state.redo_sequence;
  last_time_us_ = body_.state.last_time_us;
  // Cannot fail: TabletState::Decode has decoded them once.
  static_cast<void>(requests_.Add(body_.state.requests, context->clock->MonotonicNanos() / 1000));
}

std::shared_ptr<Tablet> Tablet::Open(TabletContext* context, TabletState state,
                                     std::shared_ptr<const TableSchema> schema) {
  std::shared_ptr<Tablet> tablet(new Tablet(context, std::move(state)));
  tablet->SetSchema(std::move(schema));
  return tablet;
}

Status Tablet::Replay(const LogRecord& record) {
  uint64_t last = record.first_sequence + record.mutation.entries.size() - 1;
  if (last < next_sequence_) return OkStatus();  // in an SSTable already, or a duplicate
  // Numbers in the log have no gaps, so a gap is lost data.
  if (record.first_sequence > next_sequence_) {
    return DataLoss(
        fmt::format("tablet {}: the log continues at sequence {}, expected {}: records "
                    "are missing",
                    body_.id, record.first_sequence, next_sequence_));
  }
  next_sequence_ = last + 1;
  if (!record.mutation.request.IsNone()) {
    requests_.Remember(record.mutation.request, record.answer, record.wall_us,
                       body_.context->clock->MonotonicNanos() / 1000);
  }
  // Times given after this start must exceed those given before the crash, even if the clock went
  // back.
  if (record.wall_us > last_time_us_) last_time_us_ = record.wall_us;
  std::string body;
  if (changes_.is_kept()) {
    PutFixed64(&body, record.first_sequence);
    AppendLogBody(&body, body_.id, record.wall_us, record.mutation);
  }
  ApplyToMemtables(record.mutation, record.wall_us, record.first_sequence, &body);
  return OkStatus();
}

StatusOr<std::shared_ptr<const TableSchema>> Tablet::SchemaForWrite() const {
  RETURN_IF_ERROR(serving_.Check());
  MutexLock lock(&body_.mutex);
  return body_.schema;
}

std::shared_ptr<const TableSchema> Tablet::schema() const { return body_.TakeSnapshot().schema; }

uint64_t Tablet::last_sequence() const { return body_.TakeSnapshot().sequence; }

int64_t Tablet::oldest_write_us() const {
  MutexLock lock(&body_.mutex);
  return frozen_write_us_ != 0 ? frozen_write_us_ : body_.oldest_write_us;
}

Status Tablet::VerifyFiles() const {
  TabletSnapshot snapshot = body_.TakeSnapshot();
  for (const GroupVersion& group : snapshot.version->groups) {
    for (const TabletRun& run : group.runs) {
      for (const auto& file : run.files) {
        ASSIGN_OR_RETURN(const SstableReader* reader, file->Reader());
        RETURN_IF_ERROR(reader->VerifyAll());
      }
    }
  }
  return changes_.VerifyArchive();
}

}  // namespace sippar::engine
