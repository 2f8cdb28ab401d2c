// The content of two sections of an SSTable: the properties (its summary and the options it was
// written with) and the hashes in the filter. Used by the writer and the reader. Pure.
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

// The hashes in the filter. Rows and columns are hashed as their key prefixes. A row with a row or
// family tombstone has a second hash, since the tombstone affects all its columns.
uint64_t RowFilterHash(std::string_view row_prefix);
uint64_t ColumnFilterHash(std::string_view column_prefix);
uint64_t WideTombstoneFilterHash(std::string_view row_prefix);

}  // namespace sippar::engine
