// SPDX-License-Identifier: Apache-2.0
#include "query/execute/tail_position.h"

#include <utility>

#include "engine/base/coding.h"
#include "query/plan/token_text.h"

namespace sippar::query {
namespace {

constexpr uint8_t kVersion = 1;

}  // namespace

std::string EncodeTailPosition(const TailPosition& position) {
  std::string bytes(1, static_cast<char>(kVersion));
  engine::PutVarint(&bytes, position.table_id);
  engine::PutVarint(&bytes, position.parts.size());
  for (const TailPart& part : position.parts) {
    engine::PutBytes(&bytes, part.rows.start);
    engine::PutBytes(&bytes, part.rows.limit);
    engine::PutBytes(&bytes, part.token);
    engine::PutSigned(&bytes, part.start_us);
  }
  return ToTokenText(std::move(bytes));
}

std::optional<TailPosition> DecodeTailPosition(std::string_view text) {
  std::string bytes;
  if (!FromTokenText(text, &bytes)) return std::nullopt;
  engine::Reader reader(bytes);
  if (reader.Byte() != kVersion) return std::nullopt;
  TailPosition position;
  position.table_id = reader.Varint();
  const size_t count = reader.Count();
  for (size_t i = 0; i < count && reader.ok(); ++i) {
    TailPart& part = position.parts.emplace_back();
    part.rows.start = reader.Bytes();
    part.rows.limit = reader.Bytes();
    part.token = reader.Bytes();
    part.start_us = reader.Signed();
  }
  if (!reader.AtEnd() || position.parts.empty()) return std::nullopt;
  return position;
}

}  // namespace sippar::query
