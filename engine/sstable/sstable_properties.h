// The two small sections of an SSTable that say what is in it: properties (summary and the options
// it was written with) and the filter with its kind. Used by writer and reader.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/sstable/file_summary.h"
#include "engine/sstable/sstable_options.h"

namespace sippar::engine {

struct SstableProperties {
  FileSummary summary;
  SstableOptions options;

  std::string Encode() const;
  [[nodiscard]] bool Decode(std::string_view bytes);
};

// What the filter is asked for. Rows and columns are hashed as their key prefixes; a row that holds
// a row or family tombstone is there a second time, since the tombstone concerns all its columns.
uint64_t RowFilterHash(std::string_view row_prefix);
uint64_t ColumnFilterHash(std::string_view column_prefix);
uint64_t WideTombstoneFilterHash(std::string_view row_prefix);

}  // namespace sippar::engine
