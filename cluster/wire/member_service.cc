// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/member_service.h"

#include <fmt/format.h>

#include <optional>

#include "cluster/api/row_codec.h"
#include "cluster/net/failure.h"
#include "cluster/wire/admin_with_traces.h"
#include "cluster/wire/member_call.h"
#include "cluster/wire/member_streams.h"
#include "cluster/wire/methods.h"
#include "cluster/wire/recorded_call.h"
#include "engine/base/clock.h"
#include "engine/base/printable.h"

namespace sippar::cluster {
namespace {

// Size limit of the answers in a reply; the rest of the frame is room for errors. Answers of a
// batch that do not fit are replaced by errors, which may exceed this limit (api/call_codec.h): an
// error has about 120 bytes, and a batch at most 10,000 writes (wire/write_parts.h).
constexpr size_t kReplySizeMax = net::kBodySizeMax - (2 << 20);

template <class Interface>
StatusOr<std::string> DoNamedCall(Interface* port, const std::shared_ptr<net::ServerCall>& call,
                                  Departure* departure) {
  departure->CountCall();
  NamedCall named;
  if (!DecodeNamedCall(call->body(), &named)) {
    return InvalidArgument(fmt::format(
        "call of {}: it cannot be decoded; use the same version of sippar for both ends",
        call->peer().role + " " + call->peer().name));
  }
  CallOptions options = OptionsOf(call);
  // A change is not cancelled when its caller disconnects: it is carried out all the same, and
  // until it ends, this member must keep what it holds for the change.
  const CallRule* rule = FindRule(typename Interface::Calls(), named.name);
  if (rule == nullptr || rule->effect != Effect::kNone) options.cancel = nullptr;
  // A call that must not be repeated begins only while the gate is open. A process that leaves the
  // store shuts the gate and waits for such calls that still run, so each of them is either
  // finished or not begun. Calls that are safe to repeat need no gate.
  std::optional<CallGate::Pass> pass;
  if (rule != nullptr && rule->repeat == Repeat::kUnsafe) pass.emplace(departure->changes());
  if (pass.has_value() && !pass->is_open()) return Departure::Refusal();
  StatusOr<std::string> answer = DoNamed(port, named.name, named.call, options, kReplySizeMax);
  if (!answer.ok()) return net::OfServedCall(answer.status());
  return answer;
}

// False for streams of changes: they last as long as their readers want, so they are neither traced
// nor reported as slow.
bool HasDuration(Method method) {
  return method != Method::kTableChanges && method != Method::kTabletChanges;
}

engine::CpuCount* CpuOf(const MemberPorts& ports) {
  return ports.tablets == nullptr ? nullptr : ports.tablets->cpu();
}

// A large batch takes a thousand times as long as a short write, and pays for its own clock.
engine::CpuScope CpuOfWrite(const MemberPorts& ports, const net::ServerCall& call) {
  constexpr size_t kLargeBytes = 64 << 10;
  const bool is_large = call.body().size() > kLargeBytes;
  return {CpuOf(ports), is_large ? engine::CpuScope::kEach : engine::CpuScope::kOneInMany};
}

}  // namespace

void MemberService::Begin(MemberPorts ports) {
  if (ports.admin != nullptr) {
    ports.admin = std::make_shared<AdminWithTraces>(std::move(ports.admin));
  }
  engine::MutexLock lock(&mutex_);
  ports_ = std::make_shared<const MemberPorts>(std::move(ports));
}

std::shared_ptr<const MemberPorts> MemberService::ports() {
  engine::MutexLock lock(&mutex_);
  return ports_;
}

bool MemberService::ServeAtOnce(const std::shared_ptr<net::ServerCall>& call) {
  const auto method = static_cast<Method>(call->method());
  const bool is_read = method == Method::kReadTablet || method == Method::kReadTable;
  if (method != Method::kProbe && !is_read) return false;
  const std::shared_ptr<const MemberPorts> now = ports();
  if (now == nullptr) return false;
  if (method == Method::kProbe) {
    Do(*now, call);
    return true;
  }
  return ReadAtOnce(*now, call);
}

bool MemberService::ReadAtOnce(const MemberPorts& ports,
                               const std::shared_ptr<net::ServerCall>& call) {
  RecordedCall record(*call, call->arrived_nanos());
  const bool is_of_tablet = static_cast<Method>(call->method()) == Method::kReadTablet;
  const bool is_read =
      is_of_tablet
          ? ports.tablets != nullptr && ServeReadAtOnce(ports.tablets.get(), call, &departure_)
          : ports.data != nullptr && ServeReadAtOnce(ports.data.get(), call, &departure_);
  if (is_read) record.End(*call, name_);
  return is_read;
}

void MemberService::Serve(const std::shared_ptr<net::ServerCall>& call) {
  const std::shared_ptr<const MemberPorts> now = ports();
  if (now == nullptr) {
    return call->Reply(net::MarkNotBegun(
        Unavailable(fmt::format("{}: it does not serve yet; call again later", name_))));
  }
  if (!HasDuration(static_cast<Method>(call->method()))) return Do(*now, call);
  RecordedCall record(*call, engine::Clock::System()->MonotonicNanos());
  if (slow_calls_ == nullptr) {
    Do(*now, call);
    return record.End(*call, name_);
  }
  engine::Clock* clock = slow_calls_->clock();
  const int64_t start_nanos = clock->MonotonicNanos();
  Do(*now, call);
  const int64_t nanos = clock->MonotonicNanos() - start_nanos;
  record.End(*call, name_);
  if (!slow_calls_->IsSlow(nanos)) return;
  slow_calls_->Report(fmt::format("slow call: {} took {:.3f} s, trace {}, from {} {}",
                                  RecordedCall::NameOf(*call), static_cast<double>(nanos) / 1e9,
                                  record.trace().ToHex(), engine::PrintableBytes(call->peer().role),
                                  engine::PrintableBytes(call->peer().name)));
}

void MemberService::Do(const MemberPorts& ports, const std::shared_ptr<net::ServerCall>& call) {
  auto on = [&](const auto& port, const char* role, const auto& work) {
    if (port != nullptr) return work(port.get());
    call->Reply(net::MarkNotBegun(Unavailable(fmt::format("{}: it is not a {}", name_, role))));
  };
  auto ask_master = [&](auto* port) {
    NamedCall named;
    const bool is_call = DecodeNamedCall(call->body(), &named);
    if (!is_call || ports.takes == nullptr || ports.takes(named.name)) {
      return call->Reply(DoNamedCall(port, call, &departure_));
    }
    call->Reply(net::MarkNotBegun(
        Unavailable(fmt::format("{}: it is not the master now, or still starting", name_))));
  };
  auto reply = [&](auto* port) { call->Reply(DoNamedCall(port, call, &departure_)); };
  auto read = [&](auto* port) { ServeRead(port, call, &departure_); };
  auto run = [&](auto* port) { ServeRun(port, call, &departure_); };
  auto changes = [&](auto* port) { ServeChanges(port, call, &departure_); };
  switch (static_cast<Method>(call->method())) {
    case Method::kProbe:
      departure_.CountCall();
      return call->Reply(std::string());
    case Method::kData:
      return on(ports.data, "gateway", reply);
    case Method::kAdmin:
      return on(ports.admin, "master", ask_master);
    case Method::kTablets: {
      const engine::CpuScope cpu = CpuOfWrite(ports, *call);
      return on(ports.tablets, "tablet server", reply);
    }
    case Method::kControl: {
      const engine::CpuScope cpu(CpuOf(ports), engine::CpuScope::kEach);
      return on(ports.control, "tablet server", reply);
    }
    case Method::kNotices:
      return on(ports.notices, "master", ask_master);
    case Method::kReadTable:
      return on(ports.data, "gateway", read);
    case Method::kRunTable:
      return on(ports.data, "gateway", run);
    case Method::kTableChanges:
      return on(ports.data, "gateway", changes);
    case Method::kReadTablet:
      return on(ports.tablets, "tablet server", read);
    case Method::kRunTablet:
      return on(ports.tablets, "tablet server", run);
    case Method::kTabletChanges:
      return on(ports.tablets, "tablet server", changes);
  }
  call->Reply(Unimplemented(
      fmt::format("{}: method {} is not supported; upgrade the older of the two members", name_,
                  call->method())));
}

}  // namespace sippar::cluster
