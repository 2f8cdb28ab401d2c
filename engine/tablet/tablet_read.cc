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
std::vector<std::string> GroupsToRead(const ReadSpec& read, const ColumnMatcher& matcher,
                                      const TableSchema& schema) {
  std::vector<std::string> names;
  for (const LocalityGroupSchema& group : schema.groups) {
    bool wanted = read.columns.empty();
    for (const std::string& family : group.families) wanted |= matcher.MatchesFamily(family);
    if (wanted) names.push_back(group.name);
  }
  return names;
}

}  // namespace

StatusOr<std::unique_ptr<CellStream>> Tablet::Read(const ReadSpec& read) {
  Snapshot snapshot = TakeSnapshot();
  ASSIGN_OR_RETURN(std::unique_ptr<ColumnMatcher> matcher, ColumnMatcher::Compile(read.columns));
  RowReaderOptions options;
  options.visibility.snapshot = snapshot.sequence;
  options.visibility.now_us = context_->clock->NowMicros();
  options.visibility.families = snapshot.rules;
  options.source = [version = snapshot.version,
                    names = GroupsToRead(read, *matcher, *snapshot.schema)](const RowRange& range) {
    std::vector<std::unique_ptr<EntryIterator>> sources;
    ReadAhead read_ahead = range.IsSingle() ? ReadAhead::kNone : ReadAhead::kScan;
    for (const std::string& name : names) {
      const GroupVersion* group = version->Group(name);
      if (group != nullptr) AddGroupSources(*group, range, read_ahead, &sources);
    }
    return NewMergingIterator(std::move(sources));
  };
  if (range_ == RowRange::All()) return NewRowReader(read, std::move(options));
  ReadSpec clipped = read;
  clipped.rows = read.rows.Intersection(RowSet(range_));
  return NewRowReader(clipped, std::move(options));
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
