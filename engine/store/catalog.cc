// SPDX-License-Identifier: Apache-2.0
#include "engine/store/catalog.h"

#include <fmt/format.h>

#include "engine/base/coding.h"

namespace sippar::engine {
namespace {

// Rows in a hole would silently be absent, so a catalog with one does not open.
Status CheckTiling(const CatalogTable& table) {
  std::string expected;
  bool ended = false;
  for (const CatalogTablet& tablet : table.tablets) {
    if (ended || tablet.range.start != expected) {
      return DataLoss(fmt::format("tablets of table {} leave a hole before tablet {}",
                                  table.schema.name, tablet.tablet_id));
    }
    expected = tablet.range.limit;
    ended = expected.empty();
  }
  if (!ended) return DataLoss(fmt::format("tablets of table {} end early", table.schema.name));
  return OkStatus();
}

}  // namespace

std::string Catalog::Encode() const {
  std::string out;
  PutVarint(&out, next_table_id);
  PutVarint(&out, next_tablet_id);
  PutVarint(&out, tables.size());
  for (const auto& [name, table] : tables) {
    PutVarint(&out, table.table_id);
    PutVarint(&out, table.schema_version);
    PutSigned(&out, table.changed_at_us);
    PutBytes(&out, table.schema.Encode());
    PutVarint(&out, table.tablets.size());
    for (const CatalogTablet& tablet : table.tablets) {
      PutVarint(&out, tablet.tablet_id);
      PutBytes(&out, tablet.range.start);
      PutBytes(&out, tablet.range.limit);
    }
  }
  return out;
}

StatusOr<Catalog> Catalog::Decode(std::string_view bytes) {
  Reader reader(bytes);
  Catalog catalog;
  catalog.next_table_id = reader.Varint();
  catalog.next_tablet_id = reader.Varint();
  size_t count = reader.Count();
  for (size_t i = 0; i < count && reader.ok(); ++i) {
    CatalogTable table;
    table.table_id = reader.Varint();
    table.schema_version = reader.Varint();
    table.changed_at_us = reader.Signed();
    ASSIGN_OR_RETURN(table.schema, TableSchema::Decode(reader.Bytes()));
    size_t tablets = reader.Count();
    for (size_t j = 0; j < tablets && reader.ok(); ++j) {
      CatalogTablet& tablet = table.tablets.emplace_back();
      tablet.tablet_id = reader.Varint();
      tablet.range.start = reader.Bytes();
      tablet.range.limit = reader.Bytes();
    }
    RETURN_IF_ERROR(CheckTiling(table));
    std::string name = table.schema.name;
    catalog.tables[name] = std::move(table);
  }
  if (!reader.AtEnd()) return DataLoss("catalog cannot be decoded");
  return catalog;
}

}  // namespace sippar::engine
