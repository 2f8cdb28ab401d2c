// version_history.h says what a GC rule means.
// SPDX-License-Identifier: Apache-2.0
#include "engine/read/visibility_iterator.h"

#include <fmt/format.h>

#include "engine/base/printable.h"

namespace sippar::engine {
namespace {

constexpr uint32_t kStepsBetweenChecks = 4096;

Status DeleteDamage(const EntryPlace& place, size_t size) {
  return DataLoss(fmt::format(
      "row '{}', column {}:{}: a stored delete of {} bytes cannot be "
      "decoded; restore the table from a backup or a copy",
      PrintableBytes(place.row()), place.family(), PrintableBytes(place.qualifier()), size));
}

}  // namespace

VisibilityIterator::VisibilityIterator(std::unique_ptr<EntryIterator> input, Options options)
    : input_(std::move(input)), skips_(input_.get()), options_(std::move(options)) {}

void VisibilityIterator::SeekRow(std::string_view row_part) {
  place_.Leave();
  after_limit_ = false;
  input_->Seek(row_part);
  FindVisible();
}

bool VisibilityIterator::SeekRowBefore(std::string_view row_part) {
  input_->SeekBefore(row_part);
  if (!input_->Valid()) {
    valid_ = false;
    status_ = input_->status();
    return false;
  }
  found_row_part_ = RowPrefix(input_->key());
  options_.row_limit = row_part;  // stops SeekRow before the rows that were already read
  SeekRow(found_row_part_);
  return status_.ok();
}

void VisibilityIterator::Next() {
  input_->Next();
  FindVisible();
}

void VisibilityIterator::SkipColumn() {
  skips_.PastPart(place_.column_part());
  FindVisible();
}

void VisibilityIterator::SkipRow() {
  skips_.PastPart(place_.row_part());
  FindVisible();
}

void VisibilityIterator::SkipFamily() {
  skips_.PastFamily(place_);
  FindVisible();
}

void VisibilityIterator::SkipToQualifier(std::string_view qualifier) {
  skips_.ToQualifier(place_, qualifier);
  FindVisible();
}

void VisibilityIterator::FindVisible() {
  valid_ = false;
  while (input_->Valid()) {
    if (!ReadEntry()) {
      status_ = KeyDamage(key());
      return;
    }
    if (after_limit_) return;
    if (++steps_ % kStepsBetweenChecks == 0 && options_.stop != nullptr) {
      status_ = options_.stop->Check();
      if (!status_.ok()) return;
    }
    bool there = entry_.sequence <= options_.snapshot;
    if (there && (entry_.kind == EntryKind::kCell ? IsVisibleCell() : NoteTombstone())) {
      valid_ = true;
      return;
    }
    if (!status_.ok()) return;
    if (!input_->Valid()) break;
    if (there && options_.mode == VisibilityMode::kEverything && IsOfKnownFamily()) {
      hidden_at_ = steps_;
      valid_ = true;
      return;
    }
    input_->Next();
  }
  if (status_.ok()) status_ = input_->status();
}

bool VisibilityIterator::ReadEntry() {
  std::string_view key = input_->key();
  if (place_.ReadVersion(key, &entry_)) return true;
  if (!place_.HasRow(key) && place_.EnterHeadColumn(key, &entry_)) {
    OnRow();
    OnFamily();
    OnColumn();
    return true;
  }
  if (!place_.Parse(key, &entry_)) return false;
  if (place_.EnterRow(entry_)) OnRow();
  if (place_.EnterFamily(entry_)) OnFamily();
  bool in_column = entry_.kind == EntryKind::kCell || entry_.kind == EntryKind::kColumnTombstone;
  if (in_column && place_.EnterColumn(entry_)) OnColumn();
  return true;
}

void VisibilityIterator::OnRow() {
  after_limit_ = !options_.row_limit.empty() && place_.row_part() >= options_.row_limit;
  deletes_.EnterRow();
}

void VisibilityIterator::OnFamily() {
  deletes_.EnterFamily();
  if (place_.family_name_count() == rule_of_name_) return;
  rule_of_name_ = place_.family_name_count();
  auto found = options_.families->find(place_.family());
  versions_.EnterFamily(found == options_.families->end() ? nullptr : &found->second,
                        options_.now_us);
}

void VisibilityIterator::OnColumn() {
  deletes_.EnterColumn(versions_.birth());
  versions_.EnterColumn();
}

bool VisibilityIterator::NoteTombstone() {
  bool keep = options_.mode == VisibilityMode::kKeepHistory;
  switch (entry_.kind) {
    case EntryKind::kRowTombstone:
      deletes_.DeleteRow(entry_.sequence);
      return keep;
    case EntryKind::kFamilyTombstone:
      deletes_.DeleteFamily(entry_.sequence);
      return keep && versions_.family_exists();
    case EntryKind::kColumnTombstone:
    case EntryKind::kCell:
      break;
  }
  ColumnDelete what;
  if (!DecodeColumnDelete(input_->value(), &what)) {
    status_ = DeleteDamage(place_, input_->value().size());
    return false;
  }
  deletes_.DeleteInColumn(entry_.sequence, what);
  return keep && versions_.family_exists();
}

bool VisibilityIterator::IsVisibleCell() {
  if (!versions_.family_exists() || deletes_.Hides(entry_.sequence)) return false;
  if (options_.mode == VisibilityMode::kKeepHistory) return true;
  if (!deletes_.ranges().empty()) return SurvivesReplay();
  return versions_.Keeps(entry_.timestamp_us);
}

bool VisibilityIterator::SurvivesReplay() {
  if (!versions_.is_replayed()) {
    status_ = versions_.Replay(place_, deletes_, options_.snapshot, input_.get());
    if (!status_.ok() || !input_->Valid()) return false;
  }
  return versions_.Survives({entry_.timestamp_us, entry_.sequence});
}

// True unless the entry belongs to a dropped family. The delete of a row belongs to no family.
bool VisibilityIterator::IsOfKnownFamily() const {
  return entry_.kind == EntryKind::kRowTombstone ||
         (versions_.family_exists() && entry_.sequence >= versions_.birth());
}

}  // namespace sippar::engine
