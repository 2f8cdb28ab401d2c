// Opening a tablet, replaying the log into it, changing its schema. SPDX-License-Identifier:
// Apache-2.0
#include <fmt/format.h>

#include "engine/tablet/tablet.h"

namespace sippar::engine {

std::string TabletContext::SstablePath(uint64_t file_id) const {
  return fmt::format("{}/{:016x}.sst", sstable_directory, file_id);
}

Tablet::Tablet(TabletContext* context, TabletState state)
    : context_(context),
      id_(state.tablet_id),
      range_(state.range),
      state_(std::move(state)),
      next_sequence_(state_.redo_sequence + 1),
      redo_sequence_(state_.redo_sequence),
      last_time_us_(state_.last_time_us) {
  visible_sequence_ = state_.redo_sequence;
}

Tablet::~Tablet() { *context_->memtable_bytes -= memtable_bytes_.load(); }

StatusOr<std::shared_ptr<Tablet>> Tablet::Open(TabletContext* context, TabletState state,
                                               std::shared_ptr<const TableSchema> schema) {
  std::shared_ptr<Tablet> tablet(new Tablet(context, std::move(state)));
  RETURN_IF_ERROR(Annotate(tablet->OpenFiles(), fmt::format("open tablet {}", tablet->id_)));
  tablet->SetSchema(std::move(schema));
  return tablet;
}

Status Tablet::OpenFiles() {
  auto version = std::make_shared<TabletVersion>();
  MutexLock state_lock(&state_mutex_);
  for (const GroupState& group : state_.groups) {
    GroupVersion& open = version->groups.emplace_back();
    open.name = group.name;
    open.active = std::make_shared<Memtable>();
    for (const RunState& run : group.runs) {
      ASSIGN_OR_RETURN(TabletRun opened, OpenRun(run.files));
      open.runs.push_back(std::move(opened));
    }
  }
  MutexLock lock(&mutex_);
  version_ = std::move(version);
  return OkStatus();
}

StatusOr<TabletRun> Tablet::OpenRun(const std::vector<FileSummary>& files) {
  TabletRun run;
  run.run_id = files.front().file_id;
  for (const FileSummary& file : files) {
    ASSIGN_OR_RETURN(std::shared_ptr<SstableReader> reader,
                     SstableReader::Open(context_->fs, context_->SstablePath(file.file_id),
                                         file.file_id, context_->cache));
    run.files.push_back(
        std::make_shared<TabletFile>(context_->fs, context_->cache, std::move(reader)));
  }
  return run;
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
  if (record.wall_us > last_time_us_) last_time_us_ = record.wall_us;
  ApplyToMemtables(record.mutation, record.wall_us, record.first_sequence);
  return OkStatus();
}

std::shared_ptr<const FamilyRules> Tablet::MakeRules(const TableSchema& schema,
                                                     const TabletState& state) {
  auto rules = std::make_shared<FamilyRules>();
  for (const FamilySchema& family : schema.families) {
    auto birth = state.family_births.find(family.name);
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
    if (old->FindFamily(family.name) == nullptr) {
      changed.family_births[family.name] = next_visible;
    }
  }
  if (changed.family_births == state_.family_births) return OkStatus();
  RETURN_IF_ERROR(context_->states->Save(changed));
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
  version_ = std::move(version);
  rules_ = MakeRules(*schema, state_);
  schema_ = std::move(schema);
}

void Tablet::Drop() {
  MutexLock lock(&mutex_);
  dropped_ = true;
  for (const GroupVersion& group : version_->groups) {
    for (const TabletRun& run : group.runs) {
      for (const auto& file : run.files) file->MarkObsolete();
    }
  }
}

Tablet::Snapshot Tablet::TakeSnapshot() const {
  MutexLock lock(&mutex_);
  return {version_, rules_, schema_, visible_sequence_};
}

std::vector<TabletGroupStats> Tablet::Stats() const {
  Snapshot snapshot = TakeSnapshot();
  std::vector<TabletGroupStats> all;
  for (const GroupVersion& group : snapshot.version->groups) {
    TabletGroupStats& stats = all.emplace_back();
    stats.group = group.name;
    stats.memtable_bytes = group.active->raw_bytes();
    stats.entries = group.active->entries();
    for (const auto& memtable : group.frozen) {
      stats.memtable_bytes += memtable->raw_bytes();
      stats.entries += memtable->entries();
    }
    stats.raw_bytes = stats.memtable_bytes;
    stats.runs = group.runs.size();
    for (const TabletRun& run : group.runs) {
      stats.sstables += run.files.size();
      for (const auto& file : run.files) {
        stats.stored_bytes += file->summary().size_bytes;
        stats.raw_bytes += file->summary().raw_bytes;
        stats.entries += file->summary().entries;
      }
    }
  }
  return all;
}

Status Tablet::VerifyFiles() const {
  Snapshot snapshot = TakeSnapshot();
  for (const GroupVersion& group : snapshot.version->groups) {
    for (const TabletRun& run : group.runs) {
      for (const auto& file : run.files) RETURN_IF_ERROR(file->reader().VerifyAll());
    }
  }
  return OkStatus();
}

}  // namespace sippar::engine
