// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/program_batch.h"

#include <fmt/format.h>

#include "engine/base/coding.h"

namespace sippar::cluster {
namespace {

using engine::Reader;

constexpr uint8_t kVersion = 1;

}  // namespace

std::string EncodeBatch(const engine::ProgramBatch& batch) {
  std::string out(1, static_cast<char>(kVersion));
  engine::PutVarint(&out, batch.rows.size());
  for (const engine::Row& row : batch.rows) {
    engine::PutVarint(&out, row.size());
    for (const engine::Value& value : row) value.Encode(&out);
  }
  engine::PutBytes(&out, batch.last_row);
  engine::PutVarint(&out, batch.rows_seen);
  engine::PutVarint(&out, batch.cells_seen);
  return out;
}

StatusOr<engine::ProgramBatch> DecodeBatch(std::string_view bytes) {
  Reader reader(bytes);
  uint8_t version = reader.Byte();
  if (version != kVersion) {
    return InvalidArgument(
        fmt::format("batch of rows: it has format version {}, this program knows only {}; use the "
                    "same version of sippar for server and client",
                    version, kVersion));
  }
  engine::ProgramBatch batch;
  size_t rows = reader.Count();
  for (size_t i = 0; i < rows && reader.ok(); ++i) {
    engine::Row& row = batch.rows.emplace_back();
    size_t values = reader.Count();
    for (size_t v = 0; v < values && reader.ok(); ++v) {
      row.push_back(engine::Value::Decode(&reader));
    }
  }
  batch.last_row = reader.Bytes();
  batch.rows_seen = reader.Varint();
  batch.cells_seen = reader.Varint();
  if (!reader.AtEnd())
    return InvalidArgument(
        "batch of rows cannot be decoded; use the same version of sippar for server and client");
  return batch;
}

}  // namespace sippar::cluster
