// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/tablet_reader.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "engine/read/entry_reader.h"
#include "engine/read/merging_iterator.h"

namespace sippar::engine {
namespace {

struct GroupToRead {
  const GroupVersion* version = nullptr;
  const LocalityGroupSchema* settings = nullptr;  // null: the group is not in the schema
};

using FamilyTest = std::function<bool(std::string_view family)>;

// Returns a function that tells whether a family is wanted. Without a `matcher`, `columns` has only
// exact names, or is empty, which means all columns.
FamilyTest FamiliesOf(const std::vector<ColumnPattern>& columns, const ColumnMatcher* matcher) {
  if (matcher != nullptr) {
    return [matcher](std::string_view family) { return matcher->MatchesFamily(family); };
  }
  return [&columns](std::string_view family) {
    return columns.empty() ||
           std::any_of(columns.begin(), columns.end(), [family](const ColumnPattern& column) {
             return column.family.text == family;
           });
  };
}

// Adds the groups that moving families have left, if they are not in the list yet: their older
// cells are still there.
void AddOldGroups(const FamilyTest& wants, const TableSchema& schema, const TabletVersion& version,
                  std::vector<GroupToRead>* groups) {
  for (const auto& [family, left] : version.old_groups) {
    if (!wants(family)) continue;
    for (const auto& [name, sequence] : left) {
      const GroupVersion* group = version.Group(name);
      bool there = std::any_of(groups->begin(), groups->end(), [group](const GroupToRead& other) {
        return other.version == group;
      });
      if (group != nullptr && !there) groups->push_back({group, schema.FindGroup(name)});
    }
  }
}

// Groups that may hold a wanted family.
std::vector<GroupToRead> GroupsToRead(const FamilyTest& wants, const TableSchema& schema,
                                      const TabletVersion& version) {
  std::vector<GroupToRead> groups;
  for (const LocalityGroupSchema& group : schema.groups) {
    bool wanted = std::any_of(group.families.begin(), group.families.end(), std::cref(wants));
    const GroupVersion* found = wanted ? version.Group(group.name) : nullptr;
    if (found != nullptr) groups.push_back({found, &group});
  }
  AddOldGroups(wants, schema, version, &groups);
  return groups;
}

// The times of the cells that can change the answer. Cells older than the wanted times cannot: a
// version only affects the rank of older versions. Newer cells can if a GC rule counts versions.
TimeRange TimesThatMatter(const TimeRange& wanted, const FamilyTest& wants,
                          const FamilyRules& rules) {
  TimeRange matter = wanted;
  for (const auto& [family, rule] : rules) {
    if (rule.gc.CountsVersions() && wants(family)) matter.limit_us = kTimeMax;
  }
  return matter;
}

// What the sources of one read are made from. Keeps the version and its files alive; the options of
// the row reader keep the schema alive.
struct ReadPlan {
  std::shared_ptr<const TabletVersion> version;
  std::vector<GroupToRead> groups;
  TimeRange time;
  uint64_t value_size_max = kAnyValueSize;
  bool from_memory = false;

  // Finds the sources that may hold rows of `range`; the result is empty if there are none, mostly
  // because Bloom filters exclude them. If `columns` is not empty, only these columns are wanted,
  // and all of them are exact names.
  std::vector<GroupSources> Find(const RowRange& range, std::span<const ColumnPattern> columns,
                                 ReadCounters* counters) const {
    std::vector<GroupSources> found;
    for (const GroupToRead& group : groups) {
      bool by_column = group.settings != nullptr && group.settings->bloom == BloomKind::kRowColumn;
      GroupSources sources;
      bool any = FindGroupSources(*group.version, range, HowToRead(group, range, counters),
                                  by_column ? columns : std::span<const ColumnPattern>(), &sources);
      if (any) found.push_back(std::move(sources));
    }
    return found;
  }

  // Null if there are no sources.
  std::unique_ptr<EntryIterator> Open(std::vector<GroupSources> found, const RowRange& range,
                                      ReadCounters* counters) const {
    std::vector<std::unique_ptr<EntryIterator>> sources;
    for (GroupSources& of_group : found) {
      auto group = std::find_if(groups.begin(), groups.end(), [&](const GroupToRead& candidate) {
        return candidate.version == of_group.group;
      });
      OpenGroupSources(std::move(of_group), HowToRead(*group, range, counters), &sources);
    }
    return sources.empty() ? nullptr : NewMergingIterator(std::move(sources));
  }

 private:
  FileRead HowToRead(const GroupToRead& group, const RowRange& range,
                     ReadCounters* counters) const {
    FileRead read(range.IsSingle() ? ReadAhead::kNone : ReadAhead::kScan);
    read.time = time;
    read.value_size_max = value_size_max;
    read.from_memory = from_memory;
    read.counters = counters;
    read.in_memory = group.settings != nullptr && group.settings->in_memory;
    return read;
  }
};

// Leaves the plan's `version` null. The caller sets it if the read continues: a read of an absent
// row ends before it needs it.
ReadPlan PlanOf(const TabletSnapshot& snapshot, const ReadSpec& read,
                const ColumnMatcher* matcher) {
  FamilyTest wants = FamiliesOf(read.columns, matcher);
  ReadPlan plan;
  plan.groups = GroupsToRead(wants, *snapshot.schema, *snapshot.version);
  plan.value_size_max = read.strip_values || read.keys_only ? 0 : read.value_size_max;
  if (!read.time.IsAll()) plan.time = TimesThatMatter(read.time, wants, *snapshot.rules);
  return plan;
}

// Opens the sources of each range when the reader comes to it. `found` are the sources of the first
// range if the caller has already found them, else empty. `columns` are the columns to look up in
// Bloom filters.
EntrySource SourcesOf(ReadPlan plan, std::vector<GroupSources> found,
                      std::vector<ColumnPattern> columns) {
  return [plan = std::move(plan), found = std::move(found), columns = std::move(columns)](
             const RowRange& range, ReadCounters* counted) mutable {
    if (found.empty()) found = plan.Find(range, columns, counted);
    return plan.Open(std::exchange(found, {}), range, counted);
  };
}

// The answer to a read of a single row that Bloom filters show to be absent, as in many point reads
// of a sparse table. It saves building a row reader.
class NoCells final : public CellStream {
 public:
  bool Valid() const override { return false; }
  const CellView& cell() const override { return cell_; }
  void Next() override {}
  void NextRow() override {}
  Status status() const override { return OkStatus(); }

 private:
  CellView cell_;
};

// Most columns that are looked up in Bloom filters. If a read wants more columns, one of
// them likely exists.
constexpr size_t kColumnsToAskMax = 16;

// Also true for an empty list, which means all columns.
bool AreFewExact(const std::vector<ColumnPattern>& columns) {
  return columns.size() <= kColumnsToAskMax &&
         std::all_of(columns.begin(), columns.end(),
                     [](const ColumnPattern& column) { return column.IsExact(); });
}

std::vector<RowRange> ClippedRanges(const RowSet& rows, const RowRange& tablet) {
  std::vector<RowRange> ranges = rows.ranges();
  if (tablet == RowRange::All()) return ranges;
  for (RowRange& range : ranges) range = Intersect(range, tablet);
  std::erase_if(ranges, [](const RowRange& range) { return range.IsEmpty(); });
  return ranges;
}

// The range of the read if it is a single row of the tablet, else null.
const RowRange* OnlyRow(const RowSet& rows, const RowRange& tablet) {
  const std::vector<RowRange>& ranges = rows.ranges();
  bool only = ranges.size() == 1 && ranges[0].IsSingle() && tablet.Contains(ranges[0].start);
  return only ? &ranges[0] : nullptr;
}

}  // namespace

StatusOr<std::unique_ptr<CellStream>> TabletReader::Read(const ReadSpec& read,
                                                         const StopSignal* stop,
                                                         ReadCounters* counters, ReadForm form) {
  return ReadSnapshot(body_->TakeSnapshot(), read, stop, counters, form);
}

StatusOr<std::unique_ptr<CellStream>> TabletReader::ReadRow(const std::string& row,
                                                            const ReadSpec& read) {
  return ReadRowIn(body_->TakeSnapshot(), row, read);
}

StatusOr<std::unique_ptr<CellStream>> TabletReader::ReadRowIn(TabletSnapshot snapshot,
                                                              const std::string& row,
                                                              const ReadSpec& read) {
  ReadSpec of_row = read;
  of_row.rows = RowSet(RowRange::Single(row));
  of_row.reverse = false;
  return ReadSnapshot(std::move(snapshot), of_row, nullptr, nullptr, ReadForm::kCells);
}

StatusOr<std::unique_ptr<CellStream>> TabletReader::ReadSnapshot(TabletSnapshot snapshot,
                                                                 const ReadSpec& read,
                                                                 const StopSignal* stop,
                                                                 ReadCounters* counters,
                                                                 ReadForm form) {
  // Exact columns are compiled only once the row may exist: a read of an absent row does not need
  // them.
  const bool exact = AreFewExact(read.columns);
  std::unique_ptr<ColumnMatcher> matcher;
  if (!exact) {
    ASSIGN_OR_RETURN(matcher, ColumnMatcher::Compile(read.columns));
  }
  ReadPlan plan = PlanOf(snapshot, read, matcher.get());
  plan.from_memory = stop != nullptr && stop->from_memory;
  // An entry of any time may tell whether another one is visible.
  if (form == ReadForm::kEntries) plan.time = {};
  ReadCounters opened;
  opened.reads = 1;
  opened.groups_read = plan.groups.size();
  opened.groups_left = snapshot.version->groups.size() - plan.groups.size();
  std::vector<GroupSources> found;
  std::vector<ColumnPattern> columns;
  if (const RowRange* row = OnlyRow(read.rows, body_->range); row != nullptr) {
    found = plan.Find(*row, exact ? read.columns : columns, &opened);
    if (found.empty()) return NoCellsOf(opened, counters);
  } else if (exact) {
    columns = read.columns;
  }
  if (exact) {
    ASSIGN_OR_RETURN(matcher, ColumnMatcher::Compile(read.columns));
  }
  plan.version = std::move(snapshot.version);
  RowReaderOptions options = OptionsOf(std::move(snapshot), read, stop);
  options.columns = std::move(matcher);
  options.counters = counters;
  options.opened = opened;
  options.source = SourcesOf(std::move(plan), std::move(found), std::move(columns));
  return form == ReadForm::kEntries ? NewEntryReader(std::move(options))
                                    : NewRowReader(std::move(options));
}

RowReaderOptions TabletReader::OptionsOf(TabletSnapshot snapshot, const ReadSpec& read,
                                         const StopSignal* stop) const {
  RowReaderOptions options;
  options.ranges = ClippedRanges(read.rows, body_->range);
  options.limits = read;
  options.schema = std::move(snapshot.schema);
  options.tablet_id = body_->id;
  options.totals = totals_;
  options.work = body_->work;
  options.visibility.snapshot = snapshot.sequence;
  options.visibility.now_us = body_->context->clock->NowMicros();
  options.visibility.stop = stop;
  options.visibility.families = std::move(snapshot.rules);
  return options;
}

// Counts a read that ends before it has a stream.
std::unique_ptr<CellStream> TabletReader::NoCellsOf(const ReadCounters& opened,
                                                    ReadCounters* counters) {
  totals_->Add(opened);
  body_->work->AddRead(opened);
  if (counters != nullptr) counters->Add(opened);
  return std::make_unique<NoCells>();
}

}  // namespace sippar::engine
