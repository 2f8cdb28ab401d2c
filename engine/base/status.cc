// SPDX-License-Identifier: Apache-2.0
#include "engine/base/status.h"

#include <absl/strings/cord.h>

namespace sippar {
namespace {

constexpr char kCauseUrl[] = "sippar/cause";

Status WithCause(StatusCode code, const std::string& text, Cause cause) {
  Status status(code, text);
  status.SetPayload(kCauseUrl, absl::Cord(std::string(1, static_cast<char>(cause))));
  return status;
}

}  // namespace

Status NotServed(const std::string& text) {
  return WithCause(StatusCode::kOutOfRange, text, Cause::kNotServed);
}
Status TooOld(const std::string& text) {
  return WithCause(StatusCode::kOutOfRange, text, Cause::kTooOld);
}
Status TooLarge(const std::string& text) {
  return WithCause(StatusCode::kOutOfRange, text, Cause::kTooLarge);
}
Status SessionOver(const std::string& text) {
  return WithCause(StatusCode::kFailedPrecondition, text, Cause::kSessionOver);
}
Status DiskFull(const std::string& text) {
  return WithCause(StatusCode::kResourceExhausted, text, Cause::kDiskFull);
}
Status QueryExpired(const std::string& text) {
  return WithCause(StatusCode::kFailedPrecondition, text, Cause::kQueryExpired);
}

bool HasCause(const Status& status, Cause cause) {
  if (status.ok()) return false;
  auto payload = status.GetPayload(kCauseUrl);
  return payload.has_value() && *payload == std::string(1, static_cast<char>(cause));
}

// Copies only the cause: the payloads of program and query errors describe the old message.
Status Annotate(const Status& status, std::string_view context) {
  if (status.ok()) return status;
  std::string text(context);
  text.append(": ").append(MessageOf(status));
  Status annotated(status.code(), text);
  if (auto cause = status.GetPayload(kCauseUrl); cause.has_value()) {
    annotated.SetPayload(kCauseUrl, *cause);
  }
  return annotated;
}

}  // namespace sippar
