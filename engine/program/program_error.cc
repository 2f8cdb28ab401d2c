// SPDX-License-Identifier: Apache-2.0
#include "engine/program/program_error.h"

#include <absl/strings/cord.h>

#include <optional>

namespace sippar::engine {
namespace {

constexpr const char* kCodeUrl = "sippar/program-code";
constexpr const char* kHintUrl = "sippar/program-hint";
constexpr const char* kPlaceUrl = "sippar/program-place";

std::string PayloadOf(const Status& status, const char* url) {
  auto payload = status.GetPayload(url);
  return payload.has_value() ? std::string(*payload) : std::string();
}

}  // namespace

Status ProgramError(std::string_view code, const std::string& message, std::string_view hint,
                    StatusCode status_code) {
  Status status(status_code, message);
  status.SetPayload(kCodeUrl, absl::Cord(std::string(code)));
  if (!hint.empty()) status.SetPayload(kHintUrl, absl::Cord(std::string(hint)));
  return status;
}

std::string ProgramErrorCode(const Status& status) { return PayloadOf(status, kCodeUrl); }
std::string ProgramErrorHint(const Status& status) { return PayloadOf(status, kHintUrl); }

Status AtPlace(const Status& status, TextPlace place) {
  if (status.ok() || place.IsNone() || status.GetPayload(kPlaceUrl).has_value()) return status;
  std::string bytes;
  PutVarint(&bytes, place.begin);
  PutVarint(&bytes, place.end);
  Status placed = status;
  placed.SetPayload(kPlaceUrl, absl::Cord(bytes));
  return placed;
}

TextPlace ProgramErrorPlace(const Status& status) {
  std::string bytes = PayloadOf(status, kPlaceUrl);
  Reader reader(bytes);
  auto begin = static_cast<uint32_t>(reader.Varint());
  auto end = static_cast<uint32_t>(reader.Varint());
  return reader.ok() && begin <= end ? TextPlace{begin, end} : TextPlace{};
}

Status AddPlace(const Status& status, std::string_view where) {
  if (status.ok() || where.empty()) return status;
  std::string text(MessageOf(status));
  text.append(" ").append(where);
  // A Status cannot change its message, so a new one takes over the payloads.
  Status placed(status.code(), text);
  for (const char* url : {kCodeUrl, kHintUrl, kPlaceUrl}) {
    auto payload = status.GetPayload(url);
    if (payload.has_value()) placed.SetPayload(url, *payload);
  }
  return placed;
}

}  // namespace sippar::engine
