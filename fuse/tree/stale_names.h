// Decides which names of the tree a change of a row can have made wrong, and which names may be
// kept until a change makes them wrong. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/model/mutation.h"
#include "engine/model/schema.h"
#include "fuse/tree/name_codec.h"
#include "fuse/tree/node.h"

namespace sippar::fuse {

// A name in a directory; what is below it is stale, too.
struct StaleName {
  Node directory;
  std::string name;
  bool operator==(const StaleName&) const = default;
};

// True for the names that the functions below report: rows of a table, their families and the
// newest values of columns, but not below .as-of, .versions or a query directory.
bool IsFollowedName(const Node& directory, const Node& entry);
// True if only changes in the table's change stream alter its rows: it has such a stream, and no
// family drops cells by their age.
bool CanFollow(const engine::TableSchema& schema);
// Appends the names that `mutation` may have made stale: of the row after a delete, else of the
// columns that it wrote. A row or a family that the write has made needs no name, because the
// kernel keeps no names that it did not find.
void AddStaleNames(uint64_t table_id, const engine::RowMutation& mutation, const NameCodec& codec,
                   std::vector<StaleName>* stale);
// The name of the whole table.
StaleName NameOfTable(const std::string& table, const NameCodec& codec);

}  // namespace sippar::fuse
