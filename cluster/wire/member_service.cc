// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/member_service.h"

#include <fmt/format.h>

#include "cluster/api/row_codec.h"
#include "cluster/net/failure.h"
#include "cluster/wire/member_call.h"
#include "cluster/wire/member_streams.h"
#include "cluster/wire/methods.h"

namespace sippar::cluster {
namespace {

// The errors in place of parts that do not fit exceed it (api/call_codec.h): about 120 bytes for
// each of the 10,000 writes that a call carries at most (wire/write_parts.h).
constexpr size_t kReplySizeMax = net::kBodySizeMax - (2 << 20);

template <class Interface>
StatusOr<std::string> DoNamedCall(Interface* port, const std::shared_ptr<net::ServerCall>& call) {
  NamedCall named;
  if (!DecodeNamedCall(call->body(), &named)) {
    return InvalidArgument("call cannot be decoded; use the same sippar for server and client");
  }
  CallOptions options = OptionsOf(call);
  // A change is not cancelled when its caller goes: it is carried out all the same, and what this
  // member holds for it must be held until it ends.
  const CallRule* rule = FindRule(typename Interface::Calls(), named.name);
  if (rule == nullptr || rule->effect != Effect::kNone) options.cancel = nullptr;
  StatusOr<std::string> answer = DoNamed(port, named.name, named.call, options, kReplySizeMax);
  if (!answer.ok()) return net::OfBegunCall(answer.status());
  return answer;
}

}  // namespace

void MemberService::Begin(MemberPorts ports) {
  engine::MutexLock lock(&mutex_);
  ports_ = std::make_shared<const MemberPorts>(std::move(ports));
}

std::shared_ptr<const MemberPorts> MemberService::ports() {
  engine::MutexLock lock(&mutex_);
  return ports_;
}

void MemberService::Serve(const std::shared_ptr<net::ServerCall>& call) {
  const std::shared_ptr<const MemberPorts> now = ports();
  if (now == nullptr) {
    return call->Reply(net::MarkNotBegun(
        Unavailable(fmt::format("{}: it does not serve yet; call again later", name_))));
  }
  auto on = [&](const auto& port, const char* role, const auto& work) {
    if (port != nullptr) return work(port.get());
    call->Reply(net::MarkNotBegun(Unavailable(fmt::format("{}: it is not a {}", name_, role))));
  };
  auto reply = [&](auto* port) { call->Reply(DoNamedCall(port, call)); };
  auto read = [&](auto* port) { ServeRead(port, call); };
  auto run = [&](auto* port) { ServeRun(port, call); };
  auto changes = [&](auto* port) { ServeChanges(port, call); };
  switch (static_cast<Method>(call->method())) {
    case Method::kProbe:
      return call->Reply(std::string());
    case Method::kData:
      return on(now->data, "gateway", reply);
    case Method::kAdmin:
      return on(now->admin, "master", reply);
    case Method::kTablets:
      return on(now->tablets, "tablet server", reply);
    case Method::kControl:
      return on(now->control, "tablet server", reply);
    case Method::kNotices:
      return on(now->notices, "master", reply);
    case Method::kReadTable:
      return on(now->data, "gateway", read);
    case Method::kRunTable:
      return on(now->data, "gateway", run);
    case Method::kTableChanges:
      return on(now->data, "gateway", changes);
    case Method::kReadTablet:
      return on(now->tablets, "tablet server", read);
    case Method::kRunTablet:
      return on(now->tablets, "tablet server", run);
    case Method::kTabletChanges:
      return on(now->tablets, "tablet server", changes);
  }
  call->Reply(Unimplemented(
      fmt::format("{}: method {} is not supported; upgrade the older of the two members", name_,
                  call->method())));
}

}  // namespace sippar::cluster
