// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/wire_codec.h"

#include <fmt/format.h>

#include "engine/base/coding.h"
#include "engine/program/program_coding.h"

namespace sippar::cluster {
namespace {

using engine::Reader;

constexpr uint8_t kVersion = 1;

}  // namespace

std::string EncodeMutation(const engine::RowMutation& mutation) {
  std::string out(1, static_cast<char>(kVersion));
  engine::PutBytes(&out, mutation.row);
  mutation.request.Encode(&out);
  engine::PutVarint(&out, mutation.entries.size());
  for (const engine::MutationEntry& entry : mutation.entries) engine::EncodeEntry(entry, &out);
  return out;
}

StatusOr<engine::RowMutation> DecodeMutation(std::string_view bytes, size_t entries_max) {
  Reader reader(bytes);
  if (reader.Byte() != kVersion) return InvalidArgument("mutation: its version is not supported");
  engine::RowMutation mutation(reader.Bytes());
  mutation.request = engine::RequestId::Decode(&reader);
  size_t count = reader.Count();
  // A limit is needed although the bytes are limited: an entry takes about a hundred times the
  // memory of the byte from which it may be decoded.
  if (count > entries_max) {
    return InvalidArgument(
        fmt::format("mutation of {} entries; the limit is {}", count, entries_max));
  }
  for (size_t i = 0; i < count && reader.ok(); ++i) {
    mutation.entries.push_back(engine::DecodeEntry(&reader));
  }
  if (!reader.AtEnd()) return InvalidArgument("mutation cannot be decoded");
  return mutation;
}

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
  if (reader.Byte() != kVersion)
    return InvalidArgument("batch of rows: its version is not supported");
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
  if (!reader.AtEnd()) return InvalidArgument("batch of rows cannot be decoded");
  return batch;
}

std::string EncodeRead(const engine::ReadSpec& read) {
  std::string out;
  engine::EncodeReadSpec(read, &out);
  return out;
}

StatusOr<engine::ReadSpec> DecodeRead(std::string_view bytes) {
  Reader reader(bytes);
  engine::ReadSpec read = engine::DecodeReadSpec(&reader);
  if (!reader.AtEnd()) return InvalidArgument("the read request cannot be decoded");
  return read;
}

}  // namespace sippar::cluster
