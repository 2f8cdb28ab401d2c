// SPDX-License-Identifier: Apache-2.0
#include "engine/read/row_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sippar::engine {
namespace {

class RowReader final : public CellStream {
 public:
  explicit RowReader(RowReaderOptions&& options)
      : options_(std::move(options)),
        counters_(options_.opened),
        read_(options_.limits),
        matcher_(*options_.columns),
        ranges_(options_.ranges) {
    if (read_.reverse) std::reverse(ranges_.begin(), ranges_.end());
    OpenRange();
    Find();
  }
  ~RowReader() override {
    CountEntries();
    if (options_.totals != nullptr) options_.totals->Add(counters_);
    if (options_.work != nullptr) options_.work->AddRead(counters_);
    if (options_.counters != nullptr) options_.counters->Add(counters_);
  }
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;

  bool Valid() const override { return valid_; }
  const CellView& cell() const override { return cell_; }
  Status status() const override { return WithPlace(options_, status_); }

  void Next() override {
    if (read_.keys_only) return NextRow();
    entries_->Next();
    Find();
  }

  void NextRow() override {
    LeaveRow();
    Find();
  }

 private:
  // Opens ranges_[range_], or the first later range that may hold rows; entries_ stays null after
  // the last range.
  void OpenRange() {
    CountEntries();
    entries_.reset();
    row_seen_ = family_seen_ = column_seen_ = 0;  // a new iterator counts again from 1
    matched_name_ = UINT64_MAX;
    decisions_ = {};
    std::unique_ptr<EntryIterator> input;
    for (; range_ < ranges_.size(); ++range_) {
      input = options_.source(ranges_[range_], &counters_);
      if (input != nullptr) break;
    }
    if (input == nullptr) return;
    const RowRange& range = ranges_[range_];
    options_.visibility.row_limit = SeekKeyForRow(range.limit);
    entries_ = std::make_unique<VisibilityIterator>(std::move(input), options_.visibility);
    if (read_.reverse) {
      reverse_start_ = SeekKeyForRow(range.start);
      reverse_limit_ = options_.visibility.row_limit;
      StepBack();
    } else {
      entries_->SeekRow(SeekKeyForRow(range.start));
    }
  }

  const EntryPlace& place() const { return entries_->place(); }

  void CountEntries() {
    if (entries_ != nullptr) counters_.entries_seen += entries_->entries_seen();
  }

  // Reverse scans: moves to the next lower row of the range that has a visible entry.
  void StepBack() {
    while (entries_->SeekRowBefore(reverse_limit_)) {
      reverse_limit_ = entries_->found_row_part();
      if (entries_->Valid() && place().row_part() == reverse_limit_) return;
      if (reverse_limit_ < reverse_start_) break;  // the row found lies below the range
    }
    if (status_.ok()) status_ = entries_->status();
    back_ended_ = true;
  }

  void LeaveRow() {
    if (read_.reverse) {
      StepBack();
    } else {
      entries_->SkipRow();
    }
  }

  // Makes sure that the iterator is at a row of the current range; otherwise opens the next range.
  // False at the end. A forward read begins at its range's start and stops at its row_limit, so an
  // entry that it finds needs no test.
  bool EnsureInRange() {
    if (!read_.reverse && entries_ != nullptr && entries_->Valid()) [[likely]]
      return true;
    return FindRange();
  }

  bool FindRange() {
    while (entries_ != nullptr) {
      if (!status_.ok()) return false;
      if (!entries_->status().ok()) {
        status_ = entries_->status();
        return false;
      }
      if (read_.reverse && !back_ended_ && LeftReverseRow()) StepBack();
      if (!back_ended_ && entries_->Valid() && ranges_[range_].Contains(place().row())) {
        return true;
      }
      back_ended_ = false;
      ++range_;
      OpenRange();
    }
    return false;
  }

  bool LeftReverseRow() const { return !entries_->Valid() || place().row_part() != reverse_limit_; }

  void Find() {
    valid_ = false;
    while (EnsureInRange()) {
      if (place().row_count() != row_seen_) EnterRow();
      if (place().family_count() != family_seen_) EnterFamily();
      if (place().column_count() != column_seen_ && !EnterColumn()) continue;
      if (Accept()) {
        valid_ = true;
        ++counters_.cells_returned;
        cell_ = {place().row(),        place().family(),
                 place().qualifier(),  entries_->timestamp_us(),
                 entries_->sequence(), {}};
        if (!read_.strip_values && !read_.keys_only) TakeValue();
        return;
      }
    }
  }

  void TakeValue() {
    uint64_t size = read_.value_size_max == kAnyValueSize ? 0 : entries_->value_size();
    if (size > read_.value_size_max) {
      cell_.omitted_size = size;
    } else {
      cell_.value = entries_->value();
      if (!read_.value_part.IsAll()) [[unlikely]]
        CutValue();
    }
  }

  void CutValue() {
    const std::string_view whole = cell_.value;
    cell_.value = whole.substr(std::min<uint64_t>(read_.value_part.offset, whole.size()),
                               read_.value_part.size);
    cell_.omitted_size = whole.size() - cell_.value.size();
  }

  void EnterRow() {
    row_seen_ = place().row_count();
    cells_in_row_ = 0;
  }

  void EnterFamily() {
    family_seen_ = place().family_count();
    cells_in_family_ = 0;
    if (place().family_name_count() == matched_name_) return;
    matched_name_ = place().family_name_count();
    family_matches_ = matcher_.MatchesFamily(place().family());
  }

  // False: the column is not wanted, and the iterator has moved past it.
  bool EnterColumn() {
    if (!family_matches_) {
      entries_->SkipFamily();
      return false;
    }
    if (!matcher_.MatchesAll()) {
      const Decision& decision = DecisionOn(place().qualifier());
      if (decision.action != kTake) {
        Skip(decision);
        return false;
      }
    }
    column_seen_ = place().column_count();
    versions_ = 0;
    return true;
  }

  // What to do with a column of the current family. The decision depends only on the two names.
  // Neighbouring rows mostly have the same columns, so the last two decisions are kept.
  enum ColumnAction : uint8_t { kTake, kSkipFamily, kSkipToNext, kSkipColumn };
  struct Decision {
    uint64_t family = UINT64_MAX;  // family_name_count of the family
    std::string qualifier;
    ColumnAction action = kTake;
    std::string next;  // the next qualifier that may be wanted; only for kSkipToNext
  };
  const Decision& DecisionOn(const std::string& qualifier) {
    const uint64_t family = place().family_name_count();
    for (const Decision& known : decisions_) {
      if (known.family == family && known.qualifier == qualifier) return known;
    }
    Decision& made = decisions_[decided_++ % decisions_.size()];
    made.family = family;
    made.qualifier = qualifier;
    made.action = Decide(qualifier, &made.next);
    return made;
  }
  ColumnAction Decide(const std::string& qualifier, std::string* next) const {
    if (matcher_.Matches(place().family(), qualifier)) return kTake;
    if (!matcher_.NextQualifier(place().family(), qualifier, next)) return kSkipFamily;
    return *next > qualifier ? kSkipToNext : kSkipColumn;
  }
  void Skip(const Decision& decision) {
    if (decision.action == kSkipFamily) {
      entries_->SkipFamily();
    } else if (decision.action == kSkipToNext) {
      entries_->SkipToQualifier(decision.next);
    } else {
      entries_->SkipColumn();
    }
  }

  // True if this version is wanted; if not, the iterator has moved past it.
  bool Accept() {
    if (!read_.time.Contains(entries_->timestamp_us())) {
      // Versions come newest first, so after one that is too old the rest of the column is too old.
      if (entries_->timestamp_us() < read_.time.start_us) {
        entries_->SkipColumn();
      } else {
        entries_->Next();
      }
      return false;
    }
    const uint64_t in_column = versions_++;
    if (in_column < read_.versions_offset) {
      entries_->Next();
      return false;
    }
    if (read_.versions_per_column != 0 &&
        in_column - read_.versions_offset >= read_.versions_per_column) {
      entries_->SkipColumn();
      return false;
    }
    return AcceptByCount();
  }

  // Applies CELLS PER FAMILY, then CELLS PER ROW to the remaining cells.
  bool AcceptByCount() {
    uint64_t in_family = cells_in_family_++;
    if (in_family < read_.cells_per_family_offset) {
      entries_->Next();
      return false;
    }
    if (read_.cells_per_family != 0 &&
        in_family - read_.cells_per_family_offset >= read_.cells_per_family) {
      entries_->SkipFamily();
      return false;
    }
    uint64_t in_row = cells_in_row_++;
    if (in_row < read_.cells_per_row_offset) {
      entries_->Next();
      return false;
    }
    if (read_.cells_per_row != 0 && in_row - read_.cells_per_row_offset >= read_.cells_per_row) {
      LeaveRow();
      return false;
    }
    return true;
  }

  RowReaderOptions options_;
  ReadCounters counters_;  // declared before the iterators that write to it
  const CellLimits& read_;
  const ColumnMatcher& matcher_;
  std::vector<RowRange>& ranges_;
  size_t range_ = 0;
  std::unique_ptr<VisibilityIterator> entries_;
  std::string reverse_limit_;  // row part of the current row of a reverse scan
  std::string reverse_start_;  // row part of the start of the current range
  bool back_ended_ = false;
  CellView cell_;
  bool valid_ = false;
  Status status_;
  bool family_matches_ = true;
  // The family_name_count of the family for which family_matches_ was computed.
  uint64_t matched_name_ = UINT64_MAX;
  std::array<Decision, 2> decisions_;
  size_t decided_ = 0;
  uint64_t row_seen_ = 0, family_seen_ = 0, column_seen_ = 0;
  uint64_t versions_ = 0, cells_in_family_ = 0, cells_in_row_ = 0;
};

}  // namespace

std::unique_ptr<CellStream> NewRowReader(RowReaderOptions&& options) {
  return std::make_unique<RowReader>(std::move(options));
}

Status WithPlace(const RowReaderOptions& options, const Status& status) {
  if (status.code() != StatusCode::kDataLoss || options.schema == nullptr) return status;
  return Annotate(status,
                  fmt::format("table {}, tablet {}", options.schema->name, options.tablet_id));
}

}  // namespace sippar::engine
