// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/tablet_flusher.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/crash_point.h"
#include "engine/base/seeded_bug.h"
#include "engine/compaction/compaction_job.h"
#include "engine/read/merging_iterator.h"
#include "engine/read/visibility_iterator.h"
#include "engine/tablet/run_output.h"

namespace sippar::engine {
namespace {

std::unique_ptr<EntryIterator> FrozenEntries(const GroupVersion& group) {
  std::vector<std::unique_ptr<EntryIterator>> sources;
  for (const auto& memtable : group.frozen) sources.push_back(memtable->NewIterator());
  return NewMergingIterator(std::move(sources));
}

VisibilityIterator::Options FlushVisibility(std::shared_ptr<const FamilyRules> rules) {
  VisibilityIterator::Options options;
  options.mode = VisibilityMode::kKeepHistory;  // this mode does not use the current time
  options.families = std::move(rules);
  return options;
}

// Reads the new run back and compares it with the memtables from which it was made (tests/FAULTS.md
// D5).
Status CompareWithFrozen(const GroupVersion& group, VisibilityIterator::Options visibility,
                         const TabletRun& run) {
  VisibilityIterator expected(FrozenEntries(group), std::move(visibility));
  std::unique_ptr<EntryIterator> written = NewRunIterator(run.files, ReadAhead::kScan);
  uint64_t entries = 0;
  written->Seek("");
  for (expected.SeekRow(""); expected.Valid() || written->Valid();
       expected.Next(), written->Next(), ++entries) {
    RETURN_IF_ERROR(written->status());
    if (expected.Valid() && written->Valid() && written->key() == expected.key() &&
        written->value() == expected.value()) {
      continue;
    }
    RETURN_IF_ERROR(expected.status());
    return DataLoss(
        fmt::format("entry {} of group {} was written, but another is read back from "
                    "the new SSTable: this machine's memory or disk is faulty; test both, or use "
                    "another machine",
                    entries, group.name));
  }
  RETURN_IF_ERROR(written->status());
  return expected.status();
}

}  // namespace

TabletFlusher::Frozen TabletFlusher::Freeze() {
  MutexLock apply_lock(&body_->apply_mutex);
  MutexLock lock(&body_->mutex);
  auto frozen = std::make_shared<TabletVersion>(*body_->version);
  bool any = false;
  for (GroupVersion& group : frozen->groups) {
    if (group.active->empty()) continue;
    any = true;
    group.frozen.push_back(std::move(group.active));
    group.active = std::make_shared<Memtable>();
  }
  if (any) body_->version = std::move(frozen);
  // A failed flush leaves frozen memtables. Their writes are older than those frozen now, so
  // frozen_write_us_ keeps its value.
  if (frozen_write_us_ == 0) frozen_write_us_ = body_->oldest_write_us;
  body_->oldest_write_us = 0;
  // No write is being applied, so every entry with a number up to here is in a frozen memtable now,
  // or in none (a write to a family that was dropped before the write arrived).
  return {body_->version, body_->visible_sequence};
}

Status TabletFlusher::Flush() {
  MutexLock flush_lock(&mutex_);
  const Frozen frozen = Freeze();
  CRASH_POINT("flush.after_freeze");
  if (serving_->is_dropped()) return OkStatus();
  const std::vector<GroupVersion>& groups = frozen.version->groups;
  bool any = std::any_of(groups.begin(), groups.end(),
                         [](const GroupVersion& group) { return !group.frozen.empty(); });
  // With nothing frozen the redo point may still move: writes to dropped families have numbers but
  // no entries, and would otherwise hold back the log forever.
  if (!any && frozen.sequence == redo_sequence_) return OkStatus();
  return Annotate(WriteFrozen(frozen), fmt::format("minor compaction of tablet {}", body_->id));
}

StatusOr<TabletState> TabletFlusher::HandOver() {
  RETURN_IF_ERROR(Flush());
  uint64_t visible = body_->TakeSnapshot().sequence;
  MutexLock state_lock(&body_->state_mutex);
  TabletState state = body_->state;
  // Nothing is in memory: every entry up to here is in an SSTable, or was ignored because its
  // family was dropped. So the log is not needed.
  state.redo_sequence = visible;
  writer_->SaveTo(&state);
  return state;
}

int64_t TabletFlusher::oldest_write_us() const {
  MutexLock lock(&body_->mutex);
  return frozen_write_us_ != 0 ? frozen_write_us_ : body_->oldest_write_us;
}

Status TabletFlusher::WriteFrozen(const Frozen& frozen) {
  // Archives the changes first: once the redo point has moved, the log may be removed, and nothing
  // else holds the changes.
  RETURN_IF_ERROR(changes_->Archive(frozen.sequence));
  UnpublishedFiles::Job job = body_->context->unpublished->Begin();
  GroupRuns runs;
  Status written = WriteGroups(*frozen.version, &runs);
  // Removes the files of a failed flush; otherwise repeated flushes would fill the disk.
  if (!written.ok()) {
    for (const auto& [name, run] : runs) RemoveOutput(*body_->context, run);
    return written;
  }
  CRASH_POINT("flush.before_state");
  {
    MutexLock state_lock(&body_->state_mutex);
    TabletState changed = body_->state;
    for (const auto& [name, run] : runs) changed.Group(name)->runs.push_back(StateOf(run));
    // Uses the sequence number of the freeze and not the newest visible one: writes after the
    // freeze are only in the active memtables, so a restart must replay them from the log.
    changed.redo_sequence = frozen.sequence;
    if (SEEDED_BUG("redo-point-too-high")) changed.redo_sequence = body_->TakeSnapshot().sequence;
    writer_->SaveTo(&changed);
    // If the table was dropped, no state may name the files; a sweep removes them later.
    if (serving_->is_dropped()) return OkStatus();
    // After an error it is unknown whether the saved state names the files. The files stay; if the
    // state does not name them, a sweep (at the next start, or by the master) removes them.
    RETURN_IF_ERROR(body_->SaveState(std::move(changed)));
    Install(runs, *frozen.version);
  }
  CRASH_POINT("flush.after_state");
  // Set only after the save: from now on log segments with no record above this number may be
  // removed.
  redo_sequence_ = frozen.sequence;
  body_->context->metrics->Get("flushes")->Add();
  return OkStatus();
}

// After an error *runs holds the runs that were already written; the caller removes them.
Status TabletFlusher::WriteGroups(const TabletVersion& frozen, GroupRuns* runs) {
  TabletSnapshot snapshot = body_->TakeSnapshot();
  int64_t made_us = oldest_write_us();
  for (const GroupVersion& group : frozen.groups) {
    if (group.frozen.empty()) continue;
    ASSIGN_OR_RETURN(std::vector<FileSummary> files, WriteGroup(group, snapshot));
    if (files.empty()) continue;
    body_->context->metrics->Get("flush_bytes_written")->Add(StoredBytes(files));
    ASSIGN_OR_RETURN(TabletRun run, OpenOutput(*body_->context, std::move(files)));
    run.made_us = made_us;
    runs->emplace_back(group.name, run);
    if (!body_->context->paranoid_flush) continue;
    RETURN_IF_ERROR(CompareWithFrozen(group, FlushVisibility(snapshot.rules), run));
  }
  return OkStatus();
}

StatusOr<std::vector<FileSummary>> TabletFlusher::WriteGroup(const GroupVersion& group,
                                                             const TabletSnapshot& snapshot) {
  CompactionRequest request =
      NewCompactionRequest(*body_->context, *snapshot.schema, group.name, /*is_final=*/false);
  request.entries = FrozenEntries(group);
  request.visibility = FlushVisibility(snapshot.rules);
  request.sample = [&group](std::string_view, std::string_view) -> StatusOr<std::string> {
    const Memtable& newest = *group.frozen.back();
    return newest.Sample(DictionarySampleSize(newest.raw_bytes()));
  };
  CompactionRecord record{
      snapshot.schema->name,      body_->id,          group.name, CompactionKind::kMinor,
      "minor: memtables to disk", group.frozen.size()};
  for (const auto& memtable : group.frozen) record.bytes_in += memtable->raw_bytes();
  uint64_t history_id = body_->context->compactions->Begin(std::move(record));
  auto files = RunCompaction(std::move(request), body_->context->files->directory());
  body_->context->compactions->End(history_id, files.status(),
                                   files.ok() ? StoredBytes(*files) : 0);
  return files;
}

// Removes exactly the memtables that were flushed: a later freeze may have added more.
void TabletFlusher::Install(const GroupRuns& runs, const TabletVersion& flushed) {
  int64_t freed = 0;
  {
    MutexLock lock(&body_->mutex);
    auto changed = std::make_shared<TabletVersion>(*body_->version);
    for (const GroupVersion& group : flushed.groups) {
      GroupVersion* present = changed->Group(group.name);
      for (const auto& memtable : group.frozen) {
        freed += static_cast<int64_t>(memtable->memory_bytes());
        std::erase(present->frozen, memtable);
      }
    }
    for (const auto& [name, run] : runs) changed->Group(name)->runs.push_back(run);
    body_->version = std::move(changed);
    frozen_write_us_ = 0;
  }
  body_->memory.Free(freed);
}

}  // namespace sippar::engine
