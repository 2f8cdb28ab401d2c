// Table files. SPDX-License-Identifier: Apache-2.0
#include "cluster/master/table_file.h"

#include "engine/base/coding.h"

namespace sippar::cluster::master {
namespace {

constexpr uint64_t kFormat = 1;

}  // namespace

std::string EncodeTableFile(const TableFile& file) {
  std::string out;
  engine::PutVarint(&out, kFormat);
  engine::PutVarint(&out, static_cast<uint64_t>(file.life));
  engine::PutVarint(&out, file.table.table_id);
  engine::PutVarint(&out, file.table.schema_version);
  engine::PutSigned(&out, file.table.changed_at_us);
  engine::PutBytes(&out, file.table.schema.Encode());
  return out;
}

StatusOr<TableFile> DecodeTableFile(std::string_view bytes) {
  engine::Reader reader(bytes);
  if (reader.Varint() != kFormat) return DataLoss("a table file of an unknown format");
  TableFile file;
  uint64_t life = reader.Varint();
  file.table.table_id = reader.Varint();
  file.table.schema_version = reader.Varint();
  file.table.changed_at_us = reader.Signed();
  std::string_view schema = reader.Bytes();
  if (!reader.AtEnd() || life > static_cast<uint64_t>(TableLife::kDropping)) {
    return DataLoss("a table file that does not decode");
  }
  file.life = static_cast<TableLife>(life);
  ASSIGN_OR_RETURN(file.table.schema, TableSchema::Decode(schema));
  return file;
}

}  // namespace sippar::cluster::master
