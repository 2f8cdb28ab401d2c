// The tables and tablets of a store of format 1: one state file, replaced as a whole. A cluster
// keeps the same facts in the lock service (schemas) and in METADATA (tablets).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/model/row_set.h"
#include "engine/model/schema.h"

namespace sippar::engine {

struct CatalogTablet {
  uint64_t tablet_id = 0;
  RowRange range;
};

struct CatalogTable {
  uint64_t table_id = 0;
  uint64_t schema_version = 1;
  int64_t changed_at_us = 0;
  TableSchema schema;
  std::vector<CatalogTablet> tablets;  // in key order; they cover the key space
};

struct Catalog {
  uint64_t next_table_id = 1;  // ids are never reused
  uint64_t next_tablet_id = 1;
  std::map<std::string, CatalogTable> tables;

  std::string Encode() const;
  // kDataLoss if it cannot be decoded, or the tablets of a table do not cover the key space.
  [[nodiscard]] static StatusOr<Catalog> Decode(std::string_view bytes);
};

}  // namespace sippar::engine
