// Reads of one tablet: a snapshot, the groups that the columns name, merged.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/base/checksum.h"
#include "engine/base/coding.h"
#include "engine/read/merging_iterator.h"
#include "engine/read/row_reader.h"
#include "engine/tablet/tablet.h"

namespace sippar::engine {
namespace {

struct GroupToRead {
  const GroupVersion* version = nullptr;
  const LocalityGroupSchema* settings = nullptr;  // null: the schema has no such group any more
};

// Groups that families on the move have left and that are not there yet.
void AddOldGroups(const ColumnMatcher& matcher, const TableSchema& schema,
                  const TabletVersion& version, std::vector<GroupToRead>* groups) {
  for (const auto& [family, left] : version.old_groups) {
    if (!matcher.MatchesFamily(family)) continue;
    for (const auto& [name, sequence] : left) {
      const GroupVersion* group = version.Group(name);
      bool there = std::any_of(groups->begin(), groups->end(), [group](const GroupToRead& other) {
        return other.version == group;
      });
      if (group != nullptr && !there) groups->push_back({group, schema.FindGroup(name)});
    }
  }
}

// Groups that may hold a family that a pattern may match; all when none are named.
std::vector<GroupToRead> GroupsToRead(const ColumnMatcher& matcher, const TableSchema& schema,
                                      const TabletVersion& version) {
  std::vector<GroupToRead> groups;
  for (const LocalityGroupSchema& group : schema.groups) {
    bool wanted = matcher.MatchesAll();
    for (const std::string& family : group.families) {
      wanted = wanted || matcher.MatchesFamily(family);
    }
    const GroupVersion* found = wanted ? version.Group(group.name) : nullptr;
    if (found != nullptr) groups.push_back({found, &group});
  }
  AddOldGroups(matcher, schema, version, &groups);
  return groups;
}

// The times whose cells can change the answer. Older ones than the read wants never can: a version
// counts only for those that are older. Newer ones can where a GC rule counts versions.
TimeRange TimesThatMatter(const TimeRange& wanted, const ColumnMatcher& matcher,
                          const FamilyRules& rules) {
  TimeRange matter = wanted;
  for (const auto& [family, rule] : rules) {
    if (rule.gc.CountsVersions() && matcher.MatchesFamily(family)) matter.limit_us = kTimeMax;
  }
  return matter;
}

// What the sources of one read are made from; keeps them alive.
struct ReadPlan {
  std::shared_ptr<const TabletVersion> version;
  std::shared_ptr<const TableSchema> schema;
  std::vector<GroupToRead> groups;
  TimeRange time;
  std::vector<ColumnPattern> exact_columns;  // empty: others are wanted, too

  std::unique_ptr<EntryIterator> Open(const RowRange& range, ReadCounters* counters) const {
    std::vector<std::unique_ptr<EntryIterator>> sources;
    FileRead read(range.IsSingle() ? ReadAhead::kNone : ReadAhead::kScan);
    read.time = time;
    read.counters = counters;
    for (const GroupToRead& group : groups) {
      std::vector<std::string> columns;
      read.in_memory = group.settings != nullptr && group.settings->in_memory;
      if (range.IsSingle() && group.settings != nullptr &&
          group.settings->bloom == BloomKind::kRowColumn) {
        columns = ColumnParts(range.start);
      }
      AddGroupSources(*group.version, range, read, columns, &sources);
    }
    return sources.empty() ? nullptr : NewMergingIterator(std::move(sources));
  }

 private:
  std::vector<std::string> ColumnParts(const std::string& row) const {
    std::vector<std::string> parts;
    for (const ColumnPattern& column : exact_columns) {
      parts.push_back(
          EncodeColumnPart(EncodeRowPart(row), column.family.text, column.qualifier.text));
    }
    return parts;
  }
};

constexpr size_t kColumnsToAskMax = 16;  // more are likely to be there

std::vector<ColumnPattern> ExactColumns(const std::vector<ColumnPattern>& columns) {
  bool exact = columns.size() <= kColumnsToAskMax &&
               std::all_of(columns.begin(), columns.end(),
                           [](const ColumnPattern& column) { return column.IsExact(); });
  return exact ? columns : std::vector<ColumnPattern>();
}

std::vector<RowRange> ClippedRanges(const RowSet& rows, const RowRange& tablet) {
  std::vector<RowRange> ranges = rows.ranges();
  if (tablet == RowRange::All()) return ranges;
  for (RowRange& range : ranges) range = Intersect(range, tablet);
  std::erase_if(ranges, [](const RowRange& range) { return range.IsEmpty(); });
  return ranges;
}

}  // namespace

StatusOr<std::unique_ptr<CellStream>> Tablet::Read(const ReadSpec& read, const StopSignal* stop,
                                                   ReadCounters* counters) {
  Snapshot snapshot = TakeSnapshot();
  RowReaderOptions options;
  ASSIGN_OR_RETURN(options.columns, ColumnMatcher::Compile(read.columns));
  options.ranges = ClippedRanges(read.rows, range_);
  options.limits = read;
  options.totals = read_totals_;
  options.counters = counters;
  options.visibility.snapshot = snapshot.sequence;
  options.visibility.now_us = context_->clock->NowMicros();
  options.visibility.stop = stop;
  ReadPlan plan;
  plan.groups = GroupsToRead(*options.columns, *snapshot.schema, *snapshot.version);
  if (!read.time.IsAll()) {
    plan.time = TimesThatMatter(read.time, *options.columns, *snapshot.rules);
  }
  plan.exact_columns = ExactColumns(read.columns);
  options.opened.reads = 1;
  options.opened.groups_read = plan.groups.size();
  options.opened.groups_left = snapshot.version->groups.size() - plan.groups.size();
  options.visibility.families = std::move(snapshot.rules);
  plan.version = std::move(snapshot.version);
  plan.schema = std::move(snapshot.schema);
  options.source = [plan = std::move(plan)](const RowRange& range, ReadCounters* counted) {
    return plan.Open(range, counted);
  };
  return NewRowReader(std::move(options));
}

StatusOr<std::unique_ptr<CellStream>> Tablet::ReadRow(const std::string& row,
                                                      const ReadSpec& read) {
  ReadSpec of_row = read;
  of_row.rows = RowSet(RowRange::Single(row));
  of_row.reverse = false;
  return Read(of_row);
}

StatusOr<uint64_t> DigestCells(CellStream* stream) {
  uint64_t digest = 0;
  std::string bytes;
  for (; stream->Valid(); stream->Next()) {
    const CellView& cell = stream->cell();
    bytes.clear();
    PutBytes(&bytes, cell.row);
    PutBytes(&bytes, cell.family);
    PutBytes(&bytes, cell.qualifier);
    PutSigned(&bytes, cell.timestamp_us);
    PutVarint(&bytes, cell.sequence);
    digest = Checksum(cell.value, Checksum(bytes, digest));
  }
  RETURN_IF_ERROR(stream->status());
  return digest;
}

}  // namespace sippar::engine
