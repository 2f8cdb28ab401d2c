// Opening a tablet, replaying the log into it, changing its schema. SPDX-License-Identifier:
// Apache-2.0
#include <fmt/format.h>

#include "engine/base/coding.h"
#include "engine/base/crash_point.h"
#include "engine/model/change_config.h"
#include "engine/tablet/reshape.h"
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
  // Decode has seen that they decode.
  static_cast<void>(requests_.Add(state_.requests, context_->clock->MonotonicNanos() / 1000));
  for (const GroupState& group : state_.groups) {
    GroupVersion& found = version->groups.emplace_back();
    found.name = group.name;
    found.active = std::make_shared<Memtable>();
    for (const RunState& run : group.runs) found.runs.push_back(FindRun(run));
  }
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

// Opened before anything names them: what does not open is not installed, nor kept.
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

// Requires: no state names it. What stays is an orphan that the next start sweeps.
void Tablet::RemoveOutput(const TabletRun& run) {
  for (const auto& file : run.files) {
    (void)context_->fs->Remove(context_->files->PathOf(file->summary().file_id));
  }
}

Status Tablet::Replay(const LogRecord& record) {
  uint64_t last = record.first_sequence + record.mutation.entries.size() - 1;
  if (last < next_sequence_) return OkStatus();  // behind the redo point, or a duplicate
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
  if (record.wall_us > last_time_us_) last_time_us_ = record.wall_us;
  std::string body;
  if (changes_.is_kept()) {
    PutFixed64(&body, record.first_sequence);
    AppendLogBody(&body, id_, record.wall_us, record.mutation);
  }
  ApplyToMemtables(record.mutation, record.wall_us, record.first_sequence, &body);
  return OkStatus();
}

namespace {

bool IsSame(const FamilySchema* before, const FamilySchema& family) {
  return before != nullptr && before->incarnation == family.incarnation;
}

// What is left of families that are gone.
void ForgetBirthsOfDropped(const TableSchema& old, const TableSchema& schema,
                           std::map<std::string, uint64_t>* births) {
  std::set<std::string> known;
  for (const TableSchema* each : {&old, &schema}) {
    for (const FamilySchema& family : each->families) known.insert(BirthKey(family));
  }
  std::erase_if(*births, [&known](const auto& birth) { return !known.contains(birth.first); });
}

}  // namespace

std::shared_ptr<const FamilyRules> Tablet::MakeRules(const TableSchema& schema,
                                                     const TabletState& state) {
  auto rules = std::make_shared<FamilyRules>();
  for (const FamilySchema& family : schema.families) {
    auto birth = state.family_births.find(BirthKey(family));
    (*rules)[family.name] = {family.gc, birth == state.family_births.end() ? 0 : birth->second};
  }
  return rules;
}

Status Tablet::PrepareSchema(const TableSchema& schema) {
  std::shared_ptr<const TableSchema> old = TakeSnapshot().schema;
  MutexLock state_lock(&state_mutex_);
  TabletState changed = state_;
  uint64_t next_visible = TakeSnapshot().sequence + 1;
  for (const FamilySchema& family : schema.families) {
    if (IsSame(old->FindFamily(family.name), family)) continue;
    changed.family_births[BirthKey(family)] = next_visible;
  }
  ForgetBirthsOfDropped(*old, schema, &changed.family_births);
  NoteMoves(*old, schema, next_visible, &changed.old_groups);
  if (changed.family_births == state_.family_births && changed.old_groups == state_.old_groups) {
    return OkStatus();
  }
  CRASH_POINT("alter_table.before_state");
  RETURN_IF_ERROR(SaveState(std::move(changed)));
  CRASH_POINT("alter_table.after_state");
  return OkStatus();
}

namespace {

// Families that left a group while nobody had the tablet: by what its files hold.
void NoteUnheardMoves(const TabletState& state, const TableSchema& schema, uint64_t sequence,
                      OldGroups* old) {
  for (const GroupState& group : state.groups) {
    for (const RunState& run : group.runs) {
      for (const FileRef& file : run.files) {
        for (const auto& [family, bytes] : file.summary.families) {
          if (schema.FindFamily(family) == nullptr) continue;
          if (schema.GroupOf(family).name == group.name) continue;
          (*old)[family].emplace(group.name, sequence);
        }
      }
    }
  }
}

}  // namespace

Status Tablet::HearOfFamilies() {
  Snapshot snapshot = TakeSnapshot();
  {
    MutexLock state_lock(&state_mutex_);
    TabletState changed = state_;
    for (const FamilySchema& family : snapshot.schema->families) {
      if (family.incarnation == 0) continue;
      changed.family_births.emplace(BirthKey(family), snapshot.sequence + 1);
    }
    NoteUnheardMoves(state_, *snapshot.schema, snapshot.sequence, &changed.old_groups);
    if (changed.family_births == state_.family_births && changed.old_groups == state_.old_groups) {
      return OkStatus();
    }
    RETURN_IF_ERROR(SaveState(std::move(changed)));
  }
  SetSchema(std::move(snapshot.schema));
  return OkStatus();
}

Status Tablet::SaveState(TabletState changed) {
  if (Status saved = context_->states->Save(changed); !saved.ok()) {
    if (!unsure_.runs()) unsure_ = context_->unpublished->KeepAll();
    return saved;
  }
  unsure_ = UnpublishedFiles::Job();
  // First the new names: files that stay are never without one.
  context_->files->Name(changed.FileIds());
  context_->files->Unname(state_.FileIds());
  state_ = std::move(changed);
  return OkStatus();
}

void Tablet::SetSchema(std::shared_ptr<const TableSchema> schema) {
  MutexLock apply_lock(&apply_mutex_);
  MutexLock state_lock(&state_mutex_);
  MutexLock lock(&mutex_);
  auto version = std::make_shared<TabletVersion>(*version_);
  for (const LocalityGroupSchema& group : schema->groups) {
    if (version->Group(group.name) != nullptr) continue;
    GroupVersion& fresh = version->groups.emplace_back();
    fresh.name = group.name;
    fresh.active = std::make_shared<Memtable>();
  }
  ForgetDropped(*schema, &state_.old_groups);
  version->old_groups = state_.old_groups;
  version_ = std::move(version);
  rules_ = MakeRules(*schema, state_);
  schema_ = std::move(schema);
  if (!ChangeStreamOf(*schema_).has_value()) {
    FreeMemory(changes_.Stop());
  } else if (!context_->change_directory.empty()) {
    changes_.Keep(visible_sequence_ + 1);
  }
}

void Tablet::Release(Serving why) {
  MutexLock state_lock(&state_mutex_);
  SetServing(why);
  context_->files->Unname(state_.FileIds());
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

Status Tablet::CheckServing() const {
  switch (serving()) {
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

namespace {

// A shared file counts with the share of its bytes that lies in the tablet's rows: an estimate
// until the tablet's first major compaction.
void AddFile(const FileRef& file, GroupStats* stats) {
  const FileSummary& whole = file.summary;
  double share = file.IsWhole() ? 1.0
                                : static_cast<double>(file.part_bytes) /
                                      static_cast<double>(std::max<uint64_t>(1, whole.size_bytes));
  auto part = [&](uint64_t count) {
    return file.IsWhole() ? count : static_cast<uint64_t>(static_cast<double>(count) * share);
  };
  ++stats->sstables;
  stats->stored_bytes += file.part_bytes;
  stats->raw_bytes += part(whole.raw_bytes);
  stats->entries += part(whole.entries);
  stats->rows += part(whole.rows);
  for (const auto& [name, bytes] : whole.families) {
    FamilyBytes& family = stats->families[name];
    family.cells += part(bytes.cells);
    family.raw_bytes += part(bytes.raw_bytes);
  }
}

}  // namespace

std::vector<GroupStats> Tablet::Stats() const {
  Snapshot snapshot = TakeSnapshot();
  std::vector<GroupStats> all;
  for (const GroupVersion& group : snapshot.version->groups) {
    GroupStats& stats = all.emplace_back();
    stats.group = group.name;
    stats.memtable_bytes = group.active->raw_bytes();
    stats.entries = group.active->entries();
    for (const auto& memtable : group.frozen) {
      stats.memtable_bytes += memtable->raw_bytes();
      stats.entries += memtable->entries();
    }
    stats.raw_bytes = stats.memtable_bytes;
    for (const TabletRun& run : group.runs) {
      for (const auto& file : run.files) AddFile(file->ref(), &stats);
    }
  }
  return all;
}

uint64_t Tablet::stored_bytes() const {
  uint64_t bytes = 0;
  Snapshot snapshot = TakeSnapshot();
  for (const GroupVersion& group : snapshot.version->groups) {
    for (const TabletRun& run : group.runs) {
      for (const auto& file : run.files) bytes += file->ref().part_bytes;
    }
  }
  return bytes;
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
  return OkStatus();
}

}  // namespace sippar::engine
