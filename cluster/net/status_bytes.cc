// SPDX-License-Identifier: Apache-2.0
#include "cluster/net/status_bytes.h"

#include <fmt/format.h>

#include <map>

#include "engine/base/coding.h"

namespace sippar::net {
namespace {

// Both parts together stay below kSmallBodySizeMax, so a failure fits into every frame.
constexpr size_t kMessageMax = 8 << 10;
constexpr size_t kPayloadsMax = 6 << 10;

}  // namespace

std::string EncodeStatus(const Status& status) {
  std::map<std::string, std::string> payloads;
  size_t size = 0;
  status.ForEachPayload([&](absl::string_view name, const absl::Cord& value) {
    size += name.size() + value.size() + 8;
    if (size <= kPayloadsMax) payloads[std::string(name)] = std::string(value);
  });
  std::string bytes;
  engine::PutVarint(&bytes, static_cast<uint64_t>(status.code()));
  engine::PutBytes(&bytes, MessageOf(status).substr(0, kMessageMax));
  for (const auto& [name, value] : payloads) {
    engine::PutBytes(&bytes, name);
    engine::PutBytes(&bytes, value);
  }
  return bytes;
}

Status DecodeFailure(std::string_view bytes) {
  engine::Reader reader(bytes);
  uint64_t code = reader.Varint();
  std::string_view message = reader.Bytes();
  constexpr auto kLast = static_cast<uint64_t>(StatusCode::kUnauthenticated);
  if (!reader.ok() || code == 0 || code > kLast) {
    return Internal(fmt::format("failure of a call: {} bytes that are no status", bytes.size()));
  }
  Status status(static_cast<StatusCode>(code), absl::string_view(message.data(), message.size()));
  while (reader.left() > 0) {
    std::string_view name = reader.Bytes();
    std::string_view value = reader.Bytes();
    if (!reader.ok()) return Internal("failure of a call: a payload is cut short");
    status.SetPayload(absl::string_view(name.data(), name.size()),
                      absl::Cord(absl::string_view(value.data(), value.size())));
  }
  return status;
}

}  // namespace sippar::net
