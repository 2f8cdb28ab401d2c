// SPDX-License-Identifier: Apache-2.0
#include "cluster/location/table_file.h"

#include <fmt/format.h>

#include "engine/base/coding.h"

namespace sippar::cluster {
namespace {
constexpr uint8_t kVersion = 1;
}  // namespace

std::string EncodeTableFile(const TableRecord& table) {
  std::string out(1, static_cast<char>(kVersion));
  engine::PutVarint(&out, table.table_id);
  engine::PutVarint(&out, table.schema_version);
  engine::PutSigned(&out, table.changed_at_us);
  engine::PutBytes(&out, table.schema.Encode());
  return out;
}

StatusOr<TableRecord> DecodeTableFile(std::string_view content) {
  engine::Reader reader(content);
  uint8_t version = reader.Byte();
  if (reader.ok() && version > kVersion) {
    return FailedPrecondition(fmt::format(
        "table file has format version {}; this program knows up to {}; use a newer sippar",
        version, kVersion));
  }
  TableRecord table;
  table.table_id = reader.Varint();
  table.schema_version = reader.Varint();
  table.changed_at_us = reader.Signed();
  std::string_view schema = reader.Bytes();
  if (!reader.AtEnd() || version != kVersion)
    return DataLoss("table file cannot be decoded; put it back from a copy");
  auto decoded = engine::TableSchema::Decode(schema);
  if (!decoded.ok()) {
    return Annotate(decoded.status(),
                    fmt::format("table file of table {} (put it back from a copy)", table.table_id));
  }
  table.schema = *std::move(decoded);
  return table;
}

}  // namespace sippar::cluster
