// The oracle: the whole data model on std::map, written directly from its definition.
// Garbage-collection rules act at once, after every mutation entry (engine/read/version_history.h
// says why).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/model/mutation.h"
#include "engine/model/read_spec.h"
#include "engine/model/schema.h"

namespace sippar::engine {

class ReferenceTable {
 public:
  explicit ReferenceTable(TableSchema schema) : schema_(std::move(schema)) {}

  // Requires: `mutation` is valid for the schema and gives every timestamp explicitly.
  void Apply(const RowMutation& mutation, int64_t now_us);
  std::vector<Cell> Read(const ReadSpec& read, int64_t now_us) const;  // sequence numbers are 0

 private:
  using Versions = std::map<int64_t, std::string, std::greater<>>;  // newest first
  using Columns = std::map<std::pair<std::string, std::string>, Versions>;

  void ApplyEntry(const MutationEntry& entry, Columns* row, int64_t now_us);
  void Collect(const std::string& family, Versions* versions, int64_t now_us) const;
  void ReadRow(const std::string& row, const Columns& columns, const ReadSpec& read,
               const ColumnMatcher& matcher, int64_t now_us, std::vector<Cell>* out) const;

  TableSchema schema_;
  std::map<std::string, Columns> rows_;
};

// Prints lines "row family:qualifier@time=value", for comparing and for messages.
std::string PrintCells(const std::vector<Cell>& cells);

}  // namespace sippar::engine
