// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/part_stream.h"

#include <algorithm>
#include <utility>

#include "cluster/net/failure.h"
#include "cluster/wire/stream_messages.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kPollUs = 20'000;  // time between two looks at a caller's cancel flag
constexpr int64_t kLongUs = 3'600'000'000;

}  // namespace

bool PartStream::Await(int64_t wait_us) {
  if (is_over_) return true;
  const bool looks = time_.cancel() != nullptr;
  while (!stream_->Await(looks ? std::min(wait_us, kPollUs) : wait_us)) {
    wait_us -= kPollUs;
    if (IsCancelled()) return true;
    if (!looks || wait_us <= 0) return false;
  }
  return true;
}

StatusOr<std::optional<std::string>> PartStream::Next() {
  if (is_over_) return std::optional<std::string>();
  while (!Await(kLongUs)) continue;
  if (IsCancelled()) {
    stream_->Cancel();
    return Cancelled("the call was cancelled");
  }
  StatusOr<std::optional<std::string>> part = stream_->Next();
  if (!part.ok()) return Broken(part.status());
  return part->has_value() ? std::move(part) : TakeEnd();
}

Status PartStream::Broken(const Status& why) const {
  // If another process answers at the member's address, the member cannot be reached: kUnavailable
  // for the caller, as in line.cc.
  const bool is_lost = why.code() == StatusCode::kUnavailable || net::IsWithoutHello(why);
  if (!is_lost) return why;
  const Status caller = time_.Check();
  return net::Retold(why, caller.ok() ? StatusCode::kUnavailable : caller.code(),
                     std::string(MessageOf(why)));
}

StatusOr<std::optional<std::string>> PartStream::TakeEnd() {
  LastPart last;
  if (!DecodeValue(stream_->End(), &last)) {
    return Internal(
        "the server's answer cannot be decoded (end of a stream); use the same version of sippar "
        "for server and client");
  }
  is_over_ = true;
  end_ = std::move(last.end);
  if (last.part.empty()) return std::optional<std::string>();
  return std::optional<std::string>(std::move(last.part));
}

}  // namespace sippar::cluster
