// SPDX-License-Identifier: Apache-2.0
#include "engine/read/entry_place.h"

namespace sippar::engine {

bool EntryPlace::EnterRow(const ParsedKey& entry) {
  if (entry.row_part == row_part_) return false;
  row_part_ = entry.row_part;
  UnescapeTo(entry.row_part.substr(0, entry.row_part.size() - 2), &row_);
  family_part_.clear();
  column_part_.clear();
  ++row_count_;
  return true;
}

// A new row enters its family anew, even if the name is the one with which the row before it ended.
// A row tombstone enters the family "", which no schema has, so no rule is found for it.
bool EntryPlace::EnterFamily(const ParsedKey& entry) {
  if (entry.family == family_ && !family_part_.empty()) return false;
  family_ = entry.family;
  family_part_.assign(row_part_).append(entry.family);
  column_part_.clear();
  ++family_count_;
  return true;
}

bool EntryPlace::EnterColumn(const ParsedKey& entry) {
  if (entry.column_part == column_part_) return false;
  column_part_ = entry.column_part;
  UnescapeTo(entry.escaped_qualifier, &qualifier_);
  ++column_count_;
  return true;
}

void EntryPlace::Leave() {
  row_part_.clear();
  column_part_.clear();
}

}  // namespace sippar::engine
