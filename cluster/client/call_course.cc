// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/call_course.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "cluster/location/set_aside.h"
#include "cluster/net/failure.h"
#include "engine/base/random.h"

namespace sippar::cluster {
namespace {
constexpr int64_t kCancelCheckUs = 20'000;  // longest wait between two looks at the cancel flags

// Differs for each failure in this process by the counter, and between processes by the time.
// Equal seeds would let the clients of a lost server retry in step.
uint64_t JitterSeed(int64_t failed_nanos) {
  static std::atomic<uint64_t> failures{0};
  return static_cast<uint64_t>(failed_nanos) ^ (++failures << 40);
}
}  // namespace

int64_t CallCourse::TimeLeftUs() const {
  if (time_.is_limited()) return time_.LeftUs();
  return settings_.timeout_us - (settings_.clock->MonotonicNanos() - failing_since_nanos_) / 1000;
}

StatusOr<CallOptions> CallCourse::OptionsNow() const {
  RETURN_IF_ERROR(time_.Check());
  return time_.Left();
}

Status CallCourse::AfterFailure(const Status& failure, Repeat repeat) {
  if (IsSetAside(failure)) return net::OfBegunCall(failure);
  if (failures_++ == 0) failing_since_nanos_ = settings_.clock->MonotonicNanos();
  bool elsewhere = HasCause(failure, Cause::kNotServed);
  FailedCall call{failure.code(), elsewhere, repeat, failures_, TimeLeftUs()};
  RetryDecision decision =
      DecideRetry(settings_.retry, call, engine::Random(JitterSeed(failing_since_nanos_)).Next());
  const bool is_not_begun = net::IsNotBegun(failure) && !may_have_begun_;
  may_have_begun_ = !is_not_begun;
  if (decision.again) return Wait(std::max(decision.wait_us, net::WaitHintOf(failure)));
  if (elsewhere || (failure.code() == StatusCode::kUnavailable && failures_ > 1)) {
    // Callers of the client do not know where tablets are: for them, "not served here" becomes
    // kUnavailable.
    return Unavailable(fmt::format("given up after {} tries: {}", failures_, MessageOf(failure)));
  }
  // If any try may have begun the call, the caller must not be told that it was not begun.
  return is_not_begun ? failure : net::OfBegunCall(failure);
}

Status CallCourse::Wait(int64_t micros) const {
  auto is_set = [](const CancelFlag& flag) {
    return flag != nullptr && flag->load(std::memory_order_relaxed);
  };
  bool looks = time_.cancel() != nullptr || settings_.cancel != nullptr;
  while (true) {
    if (is_set(time_.cancel())) return Cancelled("the call was cancelled");
    if (is_set(settings_.cancel))
      return Cancelled("the client that made this call is being closed");
    if (micros <= 0) return OkStatus();
    int64_t part = looks ? std::min(micros, kCancelCheckUs) : micros;
    settings_.clock->SleepMicros(part);
    micros -= part;
  }
}

}  // namespace sippar::cluster
