// Reads of one tablet: a snapshot, the groups that the columns name, merged.
// SPDX-License-Identifier: Apache-2.0
#include "engine/base/checksum.h"
#include "engine/base/coding.h"
#include "engine/read/merging_iterator.h"
#include "engine/read/row_reader.h"
#include "engine/tablet/tablet.h"

namespace sippar::engine {
namespace {

// Groups with a family that a pattern may match; all when none are named.
std::vector<const GroupVersion*> GroupsToRead(const ColumnMatcher& matcher,
                                              const TableSchema& schema,
                                              const TabletVersion& version) {
  std::vector<const GroupVersion*> groups;
  for (const LocalityGroupSchema& group : schema.groups) {
    bool wanted = matcher.MatchesAll();
    for (const std::string& family : group.families) {
      wanted = wanted || matcher.MatchesFamily(family);
    }
    const GroupVersion* found = wanted ? version.Group(group.name) : nullptr;
    if (found != nullptr) groups.push_back(found);
  }
  return groups;
}

std::vector<RowRange> ClippedRanges(const RowSet& rows, const RowRange& tablet) {
  std::vector<RowRange> ranges = rows.ranges();
  if (tablet == RowRange::All()) return ranges;
  for (RowRange& range : ranges) range = Intersect(range, tablet);
  std::erase_if(ranges, [](const RowRange& range) { return range.IsEmpty(); });
  return ranges;
}

}  // namespace

StatusOr<std::unique_ptr<CellStream>> Tablet::Read(const ReadSpec& read, const StopSignal* stop) {
  Snapshot snapshot = TakeSnapshot();
  RowReaderOptions options;
  ASSIGN_OR_RETURN(options.columns, ColumnMatcher::Compile(read.columns));
  options.ranges = ClippedRanges(read.rows, range_);
  options.limits = read;
  options.visibility.snapshot = snapshot.sequence;
  options.visibility.now_us = context_->clock->NowMicros();
  options.visibility.stop = stop;
  options.visibility.families = std::move(snapshot.rules);
  std::vector<const GroupVersion*> groups =
      GroupsToRead(*options.columns, *snapshot.schema, *snapshot.version);
  options.source = [version = std::move(snapshot.version),
                    groups = std::move(groups)](const RowRange& range) {
    std::vector<std::unique_ptr<EntryIterator>> sources;
    ReadAhead read_ahead = range.IsSingle() ? ReadAhead::kNone : ReadAhead::kScan;
    for (const GroupVersion* group : groups) AddGroupSources(*group, range, read_ahead, &sources);
    return sources.empty() ? nullptr : NewMergingIterator(std::move(sources));
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
