// Opens a tablet, replays the log into it, saves its state, and keeps whether it is served.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/coding.h"
#include "engine/tablet/tablet.h"

namespace sippar::engine {

Tablet::Tablet(TabletContext* context, TabletState state)
    : context_(context),
      id_(state.tablet_id),
      table_id_(state.table_id),
      range_(state.range),
      opened_at_us_(context->clock->NowMicros()),
      read_totals_(context->read_totals(state.table_id)),
      state_(std::move(state)),
      next_sequence_(state_.redo_sequence + 1),
      redo_sequence_(state_.redo_sequence),
      last_time_us_(state_.last_time_us) {
  visible_sequence_ = state_.redo_sequence;
}

Tablet::~Tablet() { *context_->memtable_bytes -= memtable_bytes_.load(); }

std::shared_ptr<Tablet> Tablet::Open(TabletContext* context, TabletState state,
                                     std::shared_ptr<const TableSchema> schema) {
  std::shared_ptr<Tablet> tablet(new Tablet(context, std::move(state)));
  tablet->FindFiles();
  tablet->SetSchema(std::move(schema));
  return tablet;
}

void Tablet::FindFiles() {
  auto version = std::make_shared<TabletVersion>();
  MutexLock state_lock(&state_mutex_);
  // Cannot fail: TabletState::Decode has decoded them once.
  static_cast<void>(requests_.Add(state_.requests, context_->clock->MonotonicNanos() / 1000));
  for (const GroupState& group : state_.groups) {
    GroupVersion& found = version->groups.emplace_back();
    found.name = group.name;
    found.active = std::make_shared<Memtable>();
    for (const RunState& run : group.runs) found.runs.push_back(FindRun(run));
  }
  // Named before the first reader can hold and release a file.
  context_->files->Name(state_.FileIds());
  MutexLock lock(&mutex_);
  version_ = std::move(version);
}

TabletRun Tablet::FindRun(const RunState& state) {
  TabletRun run;
  run.run_id = state.run_id;
  run.made_us = state.made_us;
  run.major = state.major;
  for (const FileRef& file : state.files) {
    run.files.push_back(
        std::make_shared<TabletFile>(file, context_->files->Find(file.summary.file_id)));
  }
  return run;
}

// Opens the outputs before a state names them: a file that does not open is removed and never
// installed.
StatusOr<TabletRun> Tablet::OpenOutput(std::vector<FileSummary> files) {
  RunState state;
  for (FileSummary& file : files) state.files.emplace_back(std::move(file));
  state.run_id = state.files.front().summary.file_id;
  TabletRun run = FindRun(state);
  for (const auto& file : run.files) {
    Status opened = file->Reader().status();
    if (opened.ok()) continue;
    RemoveOutput(run);
    return opened;
  }
  return run;
}

// Requires: no state names the run. Best effort: what stays is an orphan that the next start
// sweeps.
void Tablet::RemoveOutput(const TabletRun& run) {
  for (const auto& file : run.files) {
    (void)context_->fs->Remove(context_->files->PathOf(file->summary().file_id));
  }
}

Status Tablet::Replay(const LogRecord& record) {
  uint64_t last = record.first_sequence + record.mutation.entries.size() - 1;
  if (last < next_sequence_) return OkStatus();  // in an SSTable already, or a duplicate
  // Numbers in the log have no gaps, so a gap is lost data.
  if (record.first_sequence > next_sequence_) {
    return DataLoss(
        fmt::format("tablet {}: the log continues at sequence {}, expected {}: records "
                    "are missing",
                    id_, record.first_sequence, next_sequence_));
  }
  next_sequence_ = last + 1;
  if (!record.mutation.request.IsNone()) {
    requests_.Remember(record.mutation.request, record.answer, record.wall_us,
                       context_->clock->MonotonicNanos() / 1000);
  }
  // Times given after this start must exceed those given before the crash, even if the clock went
  // back.
  if (record.wall_us > last_time_us_) last_time_us_ = record.wall_us;
  std::string body;
  if (changes_.is_kept()) {
    PutFixed64(&body, record.first_sequence);
    AppendLogBody(&body, id_, record.wall_us, record.mutation);
  }
  ApplyToMemtables(record.mutation, record.wall_us, record.first_sequence, &body);
  return OkStatus();
}

Status Tablet::SaveState(TabletState changed) {
  if (Status saved = context_->states->Save(changed); !saved.ok()) {
    // The state on disk may be the old or the new one, so no file of either may be swept until a
    // later save settles it.
    if (!unsure_.runs()) unsure_ = context_->unpublished->KeepAll();
    return saved;
  }
  unsure_ = UnpublishedFiles::Job();
  // New names first: a file that both states name is never without a name.
  context_->files->Name(changed.FileIds());
  context_->files->Unname(state_.FileIds());
  state_ = std::move(changed);
  return OkStatus();
}

void Tablet::Release(Serving why) {
  MutexLock state_lock(&state_mutex_);
  SetServing(why);
  context_->files->Unname(state_.FileIds());
  // Without groups a running compaction finds its inputs gone and does not install its output.
  state_.groups.clear();
}

void Tablet::SetServing(Serving serving) {
  MutexLock lock(&mutex_);
  serving_ = serving;
}

Tablet::Serving Tablet::serving() const {
  MutexLock lock(&mutex_);
  return serving_;
}

Status Tablet::CheckServing() const { return WhyClosed(serving()); }

StatusOr<std::shared_ptr<const TableSchema>> Tablet::SchemaForWrite() const {
  MutexLock lock(&mutex_);
  if (serving_ != Serving::kOpen) return WhyClosed(serving_);
  return schema_;
}

Status Tablet::WhyClosed(Serving serving) const {
  switch (serving) {
    case Serving::kOpen:
      return OkStatus();
    case Serving::kMoved:
      return OutOfRange(fmt::format("tablet {} was split or merged", id_));
    case Serving::kDropped:
      return NotFound("the table was dropped");
    case Serving::kUnknown:
      break;
  }
  return Unavailable(
      fmt::format("a split or merge of tablet {} failed half-way; open the store again", id_));
}

Tablet::Snapshot Tablet::TakeSnapshot() const {
  MutexLock lock(&mutex_);
  return {version_, rules_, schema_, visible_sequence_};
}

std::shared_ptr<const TableSchema> Tablet::schema() const { return TakeSnapshot().schema; }

uint64_t Tablet::last_sequence() const { return TakeSnapshot().sequence; }

int64_t Tablet::oldest_write_us() const {
  MutexLock lock(&mutex_);
  return frozen_write_us_ != 0 ? frozen_write_us_ : oldest_write_us_;
}

Status Tablet::VerifyFiles() const {
  Snapshot snapshot = TakeSnapshot();
  for (const GroupVersion& group : snapshot.version->groups) {
    for (const TabletRun& run : group.runs) {
      for (const auto& file : run.files) {
        ASSIGN_OR_RETURN(const SstableReader* reader, file->Reader());
        RETURN_IF_ERROR(reader->VerifyAll());
      }
    }
  }
  // The archive also has files of tablets that no longer exist, so one tablet, the first of the
  // table, verifies all of it.
  if (!changes_.is_kept() || !range_.start.empty()) return OkStatus();
  return VerifyChangeFiles(context_->fs, Changes().directory);
}

}  // namespace sippar::engine
