// SPDX-License-Identifier: Apache-2.0
#include "engine/changes/change_position.h"

#include <algorithm>

#include "engine/base/checksum.h"
#include "engine/base/coding.h"
#include "engine/base/hex.h"

namespace sippar::engine {
namespace {

constexpr uint8_t kVersion = 1;
constexpr uint64_t kSeed = 0x6368616e67657321;
constexpr size_t kChecksumSize = 4;

StatusOr<std::string> FromHex(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    int byte = HexByte(text, i);
    if (byte < 0) {
      return InvalidArgument(
          "continuation token: it contains a character that tokens never have; pass the token "
          "exactly as it was returned");
    }
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

}  // namespace

ChangePosition ChangePosition::From(uint64_t table_id, const RowRange& rows, int64_t start_us) {
  ChangePosition position;
  position.table_id = table_id;
  position.time_us = start_us;
  position.low_us = start_us;
  position.parts.push_back({rows, start_us, {}});
  return position;
}

bool ChangePosition::Wants(std::string_view row, int64_t commit_us,
                           const ChangePoint& point) const {
  for (const Part& part : parts) {
    // Parts do not overlap, so the first that holds the row decides.
    if (part.rows.Contains(row)) return commit_us >= part.start_us && point > part.after;
  }
  return false;
}

void ChangePosition::Pass(const ChangePoint& point) {
  for (Part& part : parts) part.after = std::max(part.after, point);
  // Joins adjacent parts that have reached the same point, so that tokens do not grow with each
  // merge of tablets.
  auto joined = parts.begin();
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
    if (part->after == joined->after && part->start_us == joined->start_us) {
      joined->rows.limit = part->rows.limit;
    } else if (++joined != part) {
      *joined = std::move(*part);
    }
  }
  parts.erase(joined + 1, parts.end());
}

ChangePoint ChangePosition::Least() const {
  ChangePoint least = parts.front().after;
  for (const Part& part : parts) least = std::min(least, part.after);
  return least;
}

int64_t ChangePosition::LeastStart() const {
  int64_t least = parts.front().start_us;
  for (const Part& part : parts) least = std::min(least, part.start_us);
  return least;
}

ChangePosition ChangePosition::Clip(const RowRange& rows) const {
  ChangePosition clipped = *this;
  for (Part& part : clipped.parts) part.rows = Intersect(part.rows, rows);
  std::erase_if(clipped.parts, [](const Part& part) { return part.rows.IsEmpty(); });
  return clipped;
}

std::string ChangePosition::Encode() const {
  std::string bytes;
  bytes.push_back(static_cast<char>(kVersion));
  PutVarint(&bytes, table_id);
  PutSigned(&bytes, time_us);
  PutSigned(&bytes, low_us);
  PutVarint(&bytes, parts.size());
  for (const Part& part : parts) {
    PutBytes(&bytes, part.rows.start);
    PutBytes(&bytes, part.rows.limit);
    PutSigned(&bytes, part.start_us);
    PutVarint(&bytes, part.after.sequence);
    PutVarint(&bytes, part.after.tablet_id);
  }
  // Clients store the token and send it back: the checksum detects one that was cut or altered.
  PutFixed32(&bytes, static_cast<uint32_t>(Checksum(bytes, kSeed)));
  std::string token;
  token.reserve(2 * bytes.size());
  AppendHex(bytes, &token);
  return token;
}

StatusOr<ChangePosition> ChangePosition::Decode(std::string_view token) {
  // A token is input from a client, so every defect is an error of the request, not data loss.
  Status bad = InvalidArgument(
      "continuation token: it was cut or changed, or no stream returned it; pass the token exactly "
      "as it was returned");
  ASSIGN_OR_RETURN(std::string bytes, FromHex(token));
  if (token.size() % 2 != 0 || bytes.size() < kChecksumSize) return bad;
  std::string_view body = std::string_view(bytes).substr(0, bytes.size() - kChecksumSize);
  uint32_t checksum = GetFixed32(bytes.data() + body.size());
  if (static_cast<uint32_t>(Checksum(body, kSeed)) != checksum) return bad;
  Reader reader(body);
  if (reader.Byte() != kVersion) return bad;
  ChangePosition position;
  position.table_id = reader.Varint();
  position.time_us = reader.Signed();
  position.low_us = reader.Signed();
  size_t count = reader.Count();
  for (size_t i = 0; i < count && reader.ok(); ++i) {
    Part& part = position.parts.emplace_back();
    part.rows.start = reader.Bytes();
    part.rows.limit = reader.Bytes();
    part.start_us = reader.Signed();
    part.after.sequence = reader.Varint();
    part.after.tablet_id = reader.Varint();
  }
  if (!reader.AtEnd() || position.parts.empty()) return bad;
  return position;
}

StatusOr<ChangePosition> JoinPositions(std::vector<ChangePosition> positions) {
  std::sort(positions.begin(), positions.end(),
            [](const auto& a, const auto& b) { return a.rows().start < b.rows().start; });
  ChangePosition joined = std::move(positions.front());
  for (size_t i = 1; i < positions.size(); ++i) {
    std::string limit = joined.rows().limit;
    if (limit.empty() || limit != positions[i].rows().start ||
        joined.table_id != positions[i].table_id) {
      return InvalidArgument(
          "continuation tokens: their partitions overlap, leave a hole, or belong to different "
          "tables; pass the tokens of adjacent partitions of one table");
    }
    // The joined position is only as far as the position that is furthest behind.
    joined.time_us = std::min(joined.time_us, positions[i].time_us);
    joined.low_us = std::min(joined.low_us, positions[i].low_us);
    for (auto& part : positions[i].parts) joined.parts.push_back(std::move(part));
  }
  return joined;
}

}  // namespace sippar::engine
