// SPDX-License-Identifier: Apache-2.0
#include "cluster/net/failure.h"

#include <fmt/format.h>

#include "engine/base/coding.h"
#include "engine/base/status_coding.h"

namespace sippar::net {
namespace {

constexpr size_t kGoodbyeTextMax = 8 << 10;  // text bytes; keeps the body below kSmallBodySizeMax

}  // namespace

Status MarkNotBegun(Status status, int64_t wait_us) {
  std::string bytes;
  engine::PutSigned(&bytes, wait_us);
  status.SetPayload(kNotBegun, absl::Cord(bytes));
  return status;
}

Status MarkNotTaken(Status status) {
  status.SetPayload(kNotTaken, absl::Cord());
  return status;
}

bool IsNotBegun(const Status& status) { return status.GetPayload(kNotBegun).has_value(); }

Status Retold(const Status& failure, StatusCode code, const std::string& text) {
  Status retold(code, text);
  failure.ForEachPayload(
      [&](auto url, const absl::Cord& payload) { retold.SetPayload(url, payload); });
  return retold;
}

bool IsWithoutHello(const Status& status) { return status.GetPayload(kNoHello).has_value(); }

bool HasBadHello(const Status& status) { return status.GetPayload(kBadHello).has_value(); }

Status OfBegunCall(Status status) {
  status.ErasePayload(kNotBegun);
  status.ErasePayload(kNotTaken);
  status.ErasePayload(kNoHello);
  status.ErasePayload(kBadHello);
  return status;
}

Status OfServedCall(Status status) {
  const bool is_taken = !status.GetPayload(kNotTaken).has_value();
  Status outcome = OfBegunCall(std::move(status));
  return is_taken ? outcome : MarkNotBegun(std::move(outcome));
}

int64_t WaitHintOf(const Status& status) {
  auto payload = status.GetPayload(kNotBegun);
  if (!payload.has_value()) return 0;
  std::string bytes(*payload);
  return engine::Reader(bytes).Signed();
}

std::string EncodeFailure(const Status& status) {
  std::string bytes;
  engine::EncodeStatus(status, &bytes);
  return bytes;
}

std::string EncodeGoodbye(const Status& why) {
  return EncodeFailure({why.code(), std::string(MessageOf(why).substr(0, kGoodbyeTextMax))});
}

Status DecodeFailure(std::string_view bytes) {
  engine::Reader reader(bytes);
  Status status = engine::DecodeStatus(&reader);
  if (reader.AtEnd() && !status.ok()) return status;
  return Internal(
      fmt::format("failure of a call: its {} bytes cannot be decoded; use the same version of "
                  "sippar for both ends",
                  bytes.size()));
}

}  // namespace sippar::net
