// SPDX-License-Identifier: Apache-2.0
#include "engine/base/status_coding.h"

#include <map>
#include <string_view>

namespace sippar::engine {
namespace {

// Our own statuses have at most three payloads. SetPayload searches all earlier payloads, so
// without this bound a damaged count could cost quadratic time.
constexpr size_t kPayloadsMax = 16;

}  // namespace

void EncodeStatus(const Status& status, std::string* out) {
  PutVarint(out, static_cast<uint64_t>(status.code()));
  if (status.ok()) [[likely]]
    return;
  PutBytes(out, MessageOf(status));
  std::map<std::string, std::string> payloads;
  status.ForEachPayload(
      [&](auto name, const auto& value) { payloads[std::string(name)] = std::string(value); });
  PutVarint(out, payloads.size());
  for (const auto& [name, value] : payloads) {
    PutBytes(out, name);
    PutBytes(out, value);
  }
}

Status DecodeStatus(Reader* reader) {
  const uint64_t code = reader->Varint();
  if (code > static_cast<uint64_t>(StatusCode::kUnauthenticated)) reader->Fail();
  if (code == 0 || !reader->ok()) [[likely]]
    return OkStatus();
  Status status(static_cast<StatusCode>(code), std::string(reader->Bytes()));
  const size_t count = reader->Count();
  if (count > kPayloadsMax) reader->Fail();
  for (size_t i = 0; i < count && reader->ok(); ++i) {
    const std::string name(reader->Bytes());
    status.SetPayload(name, absl::Cord(std::string(reader->Bytes())));
  }
  return status;
}

}  // namespace sippar::engine
