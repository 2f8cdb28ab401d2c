// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/resolve_entries.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/model/aggregate_cell.h"
#include "engine/tablet/added_cells.h"

namespace sippar::engine {
namespace {

// Adds `addition` to this mutation's own put of the same cell if there is one, else to the value
// that the tablet has. So many additions to one cell become one entry in the log.
Status ResolveAddition(TabletReader* reader, FamilyType type, const std::string& row,
                       MutationEntry addition, AddedCells* cells,
                       std::vector<MutationEntry>* resolved) {
  AddedCells::Place place = cells->Find(*resolved, addition);
  if (place.put) return AddToState(type, addition, &(*resolved)[*place.put].value);
  std::string state;
  if (!place.is_deleted) {
    ReadSpec read;
    read.columns = {ColumnPattern::Exact(addition.family, addition.qualifier)};
    int64_t time_us = addition.timestamp_us;
    read.time = {time_us, time_us == kTimeMax ? kTimeMax : time_us + 1};
    ASSIGN_OR_RETURN(std::unique_ptr<CellStream> found, reader->ReadRow(row, read));
    // For kTimeMax - 1 the read may also return a cell at kTimeMax, because a range that ends at
    // kTimeMax includes it.
    while (found->Valid() && found->cell().timestamp_us != time_us) found->Next();
    RETURN_IF_ERROR(found->status());
    if (found->Valid()) state = found->cell().value;
  }
  RETURN_IF_ERROR(Annotate(AddToState(type, addition, &state), fmt::format("row '{}'", row)));
  addition.kind = MutationEntry::kSet;
  addition.value = std::move(state);
  resolved->push_back(std::move(addition));
  cells->Note(*resolved);
  return OkStatus();
}

// Resolves `entry` against the newest value. A time that the server gives is never below the time
// of that value: otherwise the result would not be the newest version and would have no effect.
Status ResolveOnNewest(TabletReader* reader, const std::string& row,
                       const std::vector<MutationEntry>& earlier, int64_t now_us,
                       MutationEntry* entry) {
  if (std::any_of(earlier.begin(), earlier.end(),
                  [entry](const MutationEntry& before) { return Touches(before, *entry); })) {
    return InvalidArgument(fmt::format(
        "one mutation may not increment or append to {}:{} after changing it; use two mutations",
        entry->family, entry->qualifier));
  }
  ReadSpec read;
  read.columns = {ColumnPattern::Exact(entry->family, entry->qualifier)};
  read.versions_per_column = 1;
  ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells, reader->ReadRow(row, read));
  RETURN_IF_ERROR(cells->status());
  Cell newest = cells->Valid() ? Cell(cells->cell()) : Cell();
  if (entry->timestamp_us == kServerTime) {
    entry->timestamp_us = cells->Valid() ? std::max(now_us, newest.timestamp_us) : now_us;
  }
  return Annotate(ResolveOn(newest.value, entry), fmt::format("row '{}'", row));
}

}  // namespace

Status ResolveEntries(const TableSchema& schema, int64_t now_us, TabletReader* reader,
                      RowMutation* mutation) {
  std::vector<MutationEntry> entries = std::exchange(mutation->entries, {});
  std::vector<MutationEntry>* resolved = &mutation->entries;
  AddedCells cells;
  for (MutationEntry& entry : entries) {
    bool is_addition = entry.kind == MutationEntry::kAdd || entry.kind == MutationEntry::kMerge;
    if (entry.kind == MutationEntry::kIncrement || entry.kind == MutationEntry::kAppend) {
      RETURN_IF_ERROR(ResolveOnNewest(reader, mutation->row, *resolved, now_us, &entry));
    } else if (entry.timestamp_us == kServerTime) {
      entry.timestamp_us = now_us;
    }
    if (is_addition) {
      FamilyType type = schema.FindFamily(entry.family)->type;
      RETURN_IF_ERROR(
          ResolveAddition(reader, type, mutation->row, std::move(entry), &cells, resolved));
    } else {
      resolved->push_back(std::move(entry));
      if (resolved->back().kind != MutationEntry::kSet) cells.Note(*resolved);
    }
  }
  return mutation->ValidateSizes();  // the value that an append results in may exceed the limit
}

}  // namespace sippar::engine
