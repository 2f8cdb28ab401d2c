// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/tablet_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/coding.h"
#include "engine/base/printable.h"
#include "engine/tablet/resolve_entries.h"

namespace sippar::engine {

TabletWriter::TabletWriter(TabletBody* body, const TabletServing* serving, TabletReader* reader,
                           KeptChanges* changes)
    : body_(body),
      serving_(serving),
      reader_(reader),
      changes_(changes),
      time_(body->context->clock, body->state.last_time_us),
      next_sequence_(body->state.redo_sequence + 1) {
  // Cannot fail: TabletState::Decode has already decoded these bytes once.
  static_cast<void>(
      requests_.Add(body->state.requests, body->context->clock->MonotonicNanos() / 1000));
}

std::vector<Status> TabletWriter::Apply(std::span<const RowMutation* const> mutations) {
  if (mutations.size() != 1) return ApplyBatch(mutations);
  const RowMutation& mutation = *mutations[0];
  OneRowLock lock(body_->context->row_locks, body_->id, mutation.row, LockFor(mutation));
  auto schema = SchemaForWrite();
  if (!schema.ok()) return {schema.status()};
  if (auto answered = FindAnswer(mutation.request)) return {*std::move(answered)};
  PreparedWrite write;
  Status prepared = Prepare(mutation, **schema, &write);
  if (!prepared.ok()) return {prepared};
  return {Commit({&write, 1}, [&lock] { lock.HasPlace(); })};
}

// Returns the mode in which to lock the row. A write with a request id first looks for its answer,
// which counts as a read. With a change stream, exclusive locks keep the times of a row's changes
// in the order of the log (except for writes in flight when changes are first kept).
RowLock::Mode TabletWriter::LockFor(const RowMutation& mutation) const {
  if (mutation.ReadsRow() || !mutation.request.IsNone() || changes_->is_kept()) {
    return RowLock::kAlone;
  }
  const bool takes_time =
      std::any_of(mutation.entries.begin(), mutation.entries.end(), [](const MutationEntry& entry) {
        return entry.kind == MutationEntry::kSet && entry.timestamp_us == kServerTime;
      });
  return takes_time ? RowLock::kInOrder : RowLock::kShared;
}

StatusOr<std::shared_ptr<const TableSchema>> TabletWriter::SchemaForWrite() const {
  RETURN_IF_ERROR(serving_->Check());
  MutexLock lock(&body_->mutex);
  return body_->schema;
}

std::optional<Status> TabletWriter::FindAnswer(const RequestId& request) const {
  if (request.IsNone()) [[likely]]
    return std::nullopt;
  auto found = requests_.Find(request);
  if (!found.ok()) return found.status();
  if (found->has_value()) return OkStatus();
  return std::nullopt;
}

std::vector<Status> TabletWriter::ApplyBatch(std::span<const RowMutation* const> mutations) {
  std::vector<size_t> stripes;
  for (const RowMutation* mutation : mutations) {
    stripes.push_back(body_->context->row_locks->StripeOf(body_->id, mutation->row));
  }
  RowLock::Mode mode = RowLock::kShared;  // the strictest mode that any of the mutations needs
  for (const RowMutation* mutation : mutations) mode = std::max(mode, LockFor(*mutation));
  RowLockGuard lock(body_->context->row_locks, std::move(stripes), mode);
  auto schema = SchemaForWrite();
  std::vector<Status> statuses(mutations.size(), schema.status());
  if (!schema.ok()) return statuses;
  std::vector<PreparedWrite> writes(mutations.size());
  std::vector<size_t> positions;
  size_t count = 0;
  // Commits what is prepared so far. A mutation that reads its row must see the mutations before
  // it.
  auto commit = [&] {
    if (count == 0) return;
    // A mutation that reads its row needs mode kAlone. In mode kInOrder there is no such mutation,
    // so all writes are in this one commit. After this commit has its place in the log, other
    // writes may share the lock.
    Status status = Commit({writes.data(), count}, [&lock] { lock.HasPlace(); });
    for (size_t position : positions) statuses[position] = status;
    positions.clear();
    count = 0;
  };
  for (size_t i = 0; i < mutations.size(); ++i) {
    if (auto answered = FindAnswer(mutations[i]->request)) {
      statuses[i] = *std::move(answered);
      continue;
    }
    if (mutations[i]->ReadsRow()) commit();
    statuses[i] = Prepare(*mutations[i], **schema, &writes[count]);
    if (!statuses[i].ok()) continue;
    positions.push_back(i);
    ++count;
    if (mutations[i]->ReadsRow()) commit();
  }
  commit();
  return statuses;
}

Status TabletWriter::Prepare(const RowMutation& mutation, const TableSchema& schema,
                             PreparedWrite* out) {
  RETURN_IF_ERROR(mutation.Validate(schema));
  if (!body_->range.Contains(mutation.row)) {
    return Unavailable(
        fmt::format("row '{}' is not in tablet {}", PrintableBytes(mutation.row), body_->id));
  }
  bool complete = true;
  for (const MutationEntry& entry : mutation.entries) {
    bool timed = entry.kind == MutationEntry::kSet && entry.timestamp_us != kServerTime;
    bool is_delete =
        entry.kind >= MutationEntry::kDeleteColumn && entry.kind <= MutationEntry::kDeleteRow;
    complete &= timed || is_delete;
  }
  out->mutation = &mutation;
  if (!complete) {
    // Completes a copy and leaves the caller's mutation as it is, because the caller may have to
    // send that mutation to another tablet.
    out->resolved = mutation;
    RETURN_IF_ERROR(ResolveEntries(schema, time_.Next(schema), reader_, &out->resolved));
    out->mutation = &out->resolved;
  }
  // A record's time is never below the times that time_ has given to writes, because recovery
  // restores the last of these from the records. If time_ has just given this write a time, last_us
  // serves as the record's time, and the clock need not be read again.
  int64_t least_us = time_.last_us();
  if (changes_->is_kept()) {
    out->wall_us = out->flight.TakeOff(changes_->tail(), body_->context->clock, least_us);
  } else {
    out->wall_us = complete ? std::max(body_->context->clock->NowMicros(), least_us) : least_us;
  }
  out->write.tablet_id = body_->id;
  out->write.entry_count = out->mutation->entries.size();
  out->write.next_sequence = &next_sequence_;
  out->write.body.clear();
  out->write.body.reserve(LogBodySizeMax(mutation));
  // Reserves the place of the sequence number, which the leader of the log fills in.
  out->write.body.assign(8, '\0');
  AppendLogBody(&out->write.body, body_->id, out->wall_us, *out->mutation);
  if (!mutation.request.IsNone()) Answer(out, mutation.request, "");
  return OkStatus();
}

Status TabletWriter::Commit(std::span<PreparedWrite> writes,
                            const std::function<void()>& has_place) {
  for (PreparedWrite& prepared : writes) {
    body_->work->AddWrite(prepared.mutation->entries.size());
    prepared.write.apply = [this, &prepared](uint64_t first_sequence) {
      // Stores the answer before the entries: a flush that includes the entries must also save the
      // answer, because the log may be removed after the flush.
      if (!prepared.request.IsNone()) {
        Remember(prepared.request, prepared.answer, prepared.wall_us);
      }
      ApplyToMemtables(*prepared.mutation, prepared.wall_us, first_sequence, &prepared.write.body);
    };
  }
  if (CommitLog::Write* only = &writes[0].write; writes.size() == 1) {
    return body_->context->log->Append({&only, 1}, has_place);
  }
  std::vector<CommitLog::Write*> pointers;
  for (PreparedWrite& prepared : writes) pointers.push_back(&prepared.write);
  return body_->context->log->Append(pointers, has_place);
}

void TabletWriter::Answer(PreparedWrite* write, const RequestId& request, std::string answer) {
  write->request = request;
  write->answer = std::move(answer);
  AppendLogAnswer(&write->write.body, request, write->answer);
}

void TabletWriter::Remember(const RequestId& request, const std::string& answer, int64_t wall_us) {
  requests_.Remember(request, answer, wall_us, body_->context->clock->MonotonicNanos() / 1000);
}

void TabletWriter::ApplyToMemtables(const RowMutation& mutation, int64_t wall_us,
                                    uint64_t first_sequence, std::string* log_body) {
  MutexLock apply_lock(&body_->apply_mutex);
  TabletSnapshot snapshot = body_->TakeSnapshot();
  size_t before = 0;
  size_t after = 0;
  auto add_to = [&](const GroupVersion& group, std::string_view key, std::string_view value,
                    uint64_t sequence) {
    before += group.active->memory_bytes();
    group.active->Add(key, value, sequence);
    after += group.active->memory_bytes();
  };
  ForEachEntry(mutation, first_sequence, wall_us,
               [&](std::string_view family, std::string_view key, std::string_view value,
                   uint64_t sequence) {
                 if (family.empty()) {  // a row tombstone: every group needs it
                   for (const GroupVersion& group : snapshot.version->groups) {
                     add_to(group, key, value, sequence);
                   }
                   return;
                 }
                 // The family was dropped after validation: no read can see the entry.
                 if (snapshot.schema->FindFamily(family) == nullptr) return;
                 const std::string& name = snapshot.schema->GroupOf(family).name;
                 add_to(*snapshot.version->Group(name), key, value, sequence);
               });
  body_->memory.Add(static_cast<int64_t>(after - before));
  {
    MutexLock lock(&body_->mutex);
    // Set last, so that readers see a mutation as a whole or not at all.
    body_->visible_sequence = first_sequence + mutation.entries.size() - 1;
    if (body_->oldest_write_us == 0) body_->oldest_write_us = wall_us;
  }
  if (changes_->is_kept()) [[unlikely]]
    changes_->Add(log_body);
}

Status TabletWriter::Replay(const LogRecord& record) {
  uint64_t last = record.first_sequence + record.mutation.entries.size() - 1;
  if (last < next_sequence_) return OkStatus();  // already in an SSTable, or a duplicate
  // Numbers in the log have no gaps, so a gap is lost data.
  if (record.first_sequence > next_sequence_) {
    return DataLoss(
        fmt::format("tablet {}: the log continues at sequence {}, expected {}: records "
                    "are missing; put the log back from a copy",
                    body_->id, record.first_sequence, next_sequence_));
  }
  next_sequence_ = last + 1;
  if (!record.mutation.request.IsNone()) {
    Remember(record.mutation.request, record.answer, record.wall_us);
  }
  // Times given from now on must not be below those given before the crash, even if the clock went
  // back or another server gave them.
  time_.Raise(record.wall_us);
  std::string body;
  if (changes_->is_kept()) {
    PutFixed64(&body, record.first_sequence);
    AppendLogBody(&body, body_->id, record.wall_us, record.mutation);
  }
  ApplyToMemtables(record.mutation, record.wall_us, record.first_sequence, &body);
  return OkStatus();
}

void TabletWriter::SaveTo(TabletState* state) const {
  state->requests = requests_.Encode();
  state->last_time_us = std::max(state->last_time_us, time_.last_us());
}

}  // namespace sippar::engine
