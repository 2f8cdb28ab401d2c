// Writes of one tablet: validate, resolve times and counters, append to the log, apply to
// memtables.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/seeded_bug.h"
#include "engine/model/aggregate_cell.h"
#include "engine/tablet/added_cells.h"
#include "engine/tablet/prepared_write.h"

namespace sippar::engine {

std::vector<Status> Tablet::Apply(std::span<const RowMutation* const> mutations) {
  if (mutations.size() != 1) return ApplyBatch(mutations);
  OneRowLock lock(body_.context->row_locks, body_.id, mutations[0]->row, LockMode(mutations));
  auto schema = SchemaForWrite();
  if (!schema.ok()) return {schema.status()};
  auto answered = FindAnswer(*mutations[0]);
  if (answered) return {*std::move(answered)};
  return {CommitOne(*mutations[0], **schema)};
}

// How the rows are locked. A write with a request id looks for its answer first, which is a read as
// well. With a change stream, exclusive locks keep the times of a row's changes in the order of the
// log (except for writes in flight when changes are first kept).
RowLock::Mode Tablet::LockMode(std::span<const RowMutation* const> mutations) const {
  bool reads = std::any_of(mutations.begin(), mutations.end(), [](const RowMutation* mutation) {
    return mutation->ReadsRow() || !mutation->request.IsNone();
  });
  return reads || changes_.is_kept() ? RowLock::kAlone : RowLock::kShared;
}

std::vector<Status> Tablet::ApplyBatch(std::span<const RowMutation* const> mutations) {
  std::vector<size_t> stripes;
  for (const RowMutation* mutation : mutations) {
    stripes.push_back(body_.context->row_locks->StripeOf(body_.id, mutation->row));
  }
  RowLockGuard lock(body_.context->row_locks, std::move(stripes), LockMode(mutations));
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
    Status status = Commit({writes.data(), count});
    for (size_t position : positions) statuses[position] = status;
    positions.clear();
    count = 0;
  };
  for (size_t i = 0; i < mutations.size(); ++i) {
    if (auto answered = FindAnswer(*mutations[i])) {
      statuses[i] = *std::move(answered);
      continue;
    }
    if (mutations[i]->ReadsRow()) commit();
    statuses[i] = Prepare(*mutations[i], **schema, &writes[count]);
    if (!statuses[i].ok()) continue;
    if (!mutations[i]->request.IsNone()) Answer(&writes[count], mutations[i]->request, "");
    positions.push_back(i);
    ++count;
    if (mutations[i]->ReadsRow()) commit();
  }
  commit();
  return statuses;
}

Status Tablet::Prepare(const RowMutation& mutation, const TableSchema& schema, PreparedWrite* out) {
  RETURN_IF_ERROR(mutation.Validate(schema));
  if (!body_.range.Contains(mutation.row)) {
    return Unavailable(fmt::format("row is not in tablet {}", body_.id));
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
    // A copy: the caller's mutation stays as it is, so that it can be routed to another tablet.
    out->resolved = mutation;
    RETURN_IF_ERROR(Resolve(schema, &out->resolved));
    out->mutation = &out->resolved;
  }
  // Never below a time given before: recovery takes the last given time from the records.
  int64_t least_us = last_time_us_.load();
  out->wall_us = changes_.is_kept()
                     ? out->flight.TakeOff(changes_.tail(), body_.context->clock, least_us)
                     : std::max(body_.context->clock->NowMicros(), least_us);
  out->write.tablet_id = body_.id;
  out->write.entry_count = out->mutation->entries.size();
  out->write.next_sequence = &next_sequence_;
  out->write.body.clear();
  out->write.body.reserve(LogBodySizeMax(mutation));
  // Room for the sequence number, which the leader of the log fills in.
  out->write.body.assign(8, '\0');
  AppendLogBody(&out->write.body, body_.id, out->wall_us, *out->mutation);
  return OkStatus();
}

// Gives server times, and turns entries that depend on the row's cells into puts, so that replaying
// the log needs no reads. Row lock held.
Status Tablet::Resolve(const TableSchema& schema, RowMutation* mutation) {
  int64_t now_us = NextServerTime(schema);
  std::vector<MutationEntry> entries = std::exchange(mutation->entries, {});
  std::vector<MutationEntry>* resolved = &mutation->entries;
  AddedCells cells;
  for (MutationEntry& entry : entries) {
    bool is_addition = entry.kind == MutationEntry::kAdd || entry.kind == MutationEntry::kMerge;
    if (entry.kind == MutationEntry::kIncrement || entry.kind == MutationEntry::kAppend) {
      RETURN_IF_ERROR(ResolveOnNewest(mutation->row, *resolved, now_us, &entry));
    } else if (entry.timestamp_us == kServerTime) {
      entry.timestamp_us = now_us;
    }
    if (is_addition) {
      FamilyType type = schema.FindFamily(entry.family)->type;
      RETURN_IF_ERROR(ResolveAddition(type, mutation->row, std::move(entry), &cells, resolved));
    } else {
      resolved->push_back(std::move(entry));
      if (resolved->back().kind != MutationEntry::kSet) cells.Note(*resolved);
    }
  }
  return mutation->ValidateSizes();  // an append may exceed the limit only now
}

// Adds to the put of the same cell if this mutation has one, else to the value that the tablet has:
// a cell that is added to many times is logged once.
Status Tablet::ResolveAddition(FamilyType type, const std::string& row, MutationEntry addition,
                               AddedCells* cells, std::vector<MutationEntry>* resolved) {
  AddedCells::Place place = cells->Find(*resolved, addition);
  if (place.put) return AddToState(type, addition, &(*resolved)[*place.put].value);
  std::string state;
  if (!place.is_deleted) {
    ReadSpec read;
    read.columns = {ColumnPattern::Exact(addition.family, addition.qualifier)};
    int64_t time_us = addition.timestamp_us;
    read.time = {time_us, time_us == kTimeMax ? kTimeMax : time_us + 1};
    ASSIGN_OR_RETURN(std::unique_ptr<CellStream> found, reader_.ReadRow(row, read));
    // A range that ends at kTimeMax includes it, so for t = kTimeMax - 1 the first cell found may
    // be another.
    while (found->Valid() && found->cell().timestamp_us != time_us) found->Next();
    RETURN_IF_ERROR(found->status());
    if (found->Valid()) state = found->cell().value;
  }
  RETURN_IF_ERROR(Annotate(AddToState(type, addition, &state), fmt::format("row '{}'", row)));
  addition.kind = MutationEntry::kSet;
  addition.value = std::move(state);
  resolved->push_back(std::move(addition));
  cells->Note(*resolved);
  return OkStatus();
}

// Resolves `entry` against the newest value. A server-given time is never below that value's time:
// otherwise the result would not be the newest version, and the call would have no effect.
Status Tablet::ResolveOnNewest(const std::string& row, const std::vector<MutationEntry>& earlier,
                               int64_t now_us, MutationEntry* entry) {
  if (std::any_of(earlier.begin(), earlier.end(),
                  [entry](const MutationEntry& before) { return Touches(before, *entry); })) {
    return InvalidArgument(
        fmt::format("one mutation may not increment or append to {}:{} after changing it; use two",
                    entry->family, entry->qualifier));
  }
  ReadSpec read;
  read.columns = {ColumnPattern::Exact(entry->family, entry->qualifier)};
  read.versions_per_column = 1;
  ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells, reader_.ReadRow(row, read));
  RETURN_IF_ERROR(cells->status());
  Cell newest = cells->Valid() ? Cell(cells->cell()) : Cell();
  if (entry->timestamp_us == kServerTime) {
    entry->timestamp_us = cells->Valid() ? std::max(now_us, newest.timestamp_us) : now_us;
  }
  return Annotate(ResolveOn(newest.value, entry), fmt::format("row '{}'", row));
}

Status Tablet::Commit(std::span<PreparedWrite> writes) {
  for (PreparedWrite& prepared : writes) {
    body_.work->AddWrite(prepared.mutation->entries.size());
    prepared.write.apply = [this, &prepared](uint64_t first_sequence) {
      // Before the entries: a flush that includes them must find the answer too, since it lets the
      // log go.
      if (!prepared.request.IsNone()) {
        requests_.Remember(prepared.request, prepared.answer, prepared.wall_us,
                           body_.context->clock->MonotonicNanos() / 1000);
      }
      ApplyToMemtables(*prepared.mutation, prepared.wall_us, first_sequence, &prepared.write.body);
    };
  }
  if (CommitLog::Write* only = &writes[0].write; writes.size() == 1) {
    return body_.context->log->Append({&only, 1});
  }
  std::vector<CommitLog::Write*> pointers;
  for (PreparedWrite& prepared : writes) pointers.push_back(&prepared.write);
  return body_.context->log->Append(pointers);
}

Status Tablet::CommitOne(const RowMutation& mutation, const TableSchema& schema) {
  PreparedWrite write;
  RETURN_IF_ERROR(Prepare(mutation, schema, &write));
  if (!mutation.request.IsNone()) Answer(&write, mutation.request, "");
  return Commit({&write, 1});
}

std::optional<Status> Tablet::FindAnswer(const RowMutation& mutation) const {
  if (mutation.request.IsNone()) [[likely]]
    return std::nullopt;
  auto found = requests_.Find(mutation.request);
  if (!found.ok()) return found.status();
  if (found->has_value()) return OkStatus();
  return std::nullopt;
}

void Tablet::Answer(PreparedWrite* write, const RequestId& request, std::string answer) {
  write->request = request;
  write->answer = std::move(answer);
  AppendLogAnswer(&write->write.body, request, write->answer);
}

void Tablet::ApplyToMemtables(const RowMutation& mutation, int64_t wall_us, uint64_t first_sequence,
                              std::string* log_body) {
  MutexLock apply_lock(&body_.apply_mutex);
  TabletSnapshot snapshot = body_.TakeSnapshot();
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
                 if (family.empty()) {  // every group needs a row tombstone
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
  body_.memory.Add(static_cast<int64_t>(after - before));
  {
    MutexLock lock(&body_.mutex);
    // Last: readers see a mutation as a whole or not at all.
    body_.visible_sequence = first_sequence + mutation.entries.size() - 1;
    if (body_.oldest_write_us == 0) body_.oldest_write_us = wall_us;
  }
  if (changes_.is_kept()) [[unlikely]]
    changes_.Add(log_body);
}

// In a table of milliseconds, timestamps are whole milliseconds: two writes within one have the
// same time, and the later write counts. In other tables no time is given twice.
int64_t Tablet::NextServerTime(const TableSchema& schema) {
  const bool is_millis = schema.options.contains(kGranularityOption);
  int64_t now_us = body_.context->clock->NowMicros();
  int64_t last = last_time_us_.load();
  int64_t next = 0;
  do {
    next = std::max(now_us, is_millis ? last : last + 1);
    if (SEEDED_BUG("timestamp-not-monotonic")) next = now_us;
  } while (!last_time_us_.compare_exchange_weak(last, next));
  return is_millis ? next / 1000 * 1000 : next;
}

}  // namespace sippar::engine
