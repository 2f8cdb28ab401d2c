// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/gateway_calls.h"

#include <fmt/format.h>

#include "cluster/net/failure.h"

namespace sippar::cluster {
namespace {

// Bounds of all clients' calls together: half of what a lane admits (net/lane.h). The other half is
// for calls to tablets.
constexpr net::LaneBounds kLane{};
constexpr size_t kCallsMax = kLane.calls_of_all_max / 2;
constexpr size_t kBytesMax = kLane.bytes_of_all_max / 2;

constexpr int64_t kBusyWaitMicros = 20'000;  // time that a refused caller is asked to wait

// True for a call of a client that knows only this member's address. Administrators' calls also
// come from members and clients of the cluster; those name the cluster in their hello, and look up
// the reigning master themselves.
bool IsOfClient(const net::ServerCall& call) {
  switch (static_cast<Method>(call.method())) {
    case Method::kData:
    case Method::kReadTable:
    case Method::kRunTable:
    case Method::kTableChanges:
      return true;
    case Method::kAdmin:
      return call.peer().cluster.empty();
    default:
      return false;
  }
}

}  // namespace

GatewayCalls::GatewayCalls(std::string name, net::Service* roles)
    : name_(std::move(name)),
      roles_(roles),
      admission_(kCallsMax, kBytesMax),
      clients_(name_),
      calls_("net-clients", kLane.threads_max, kCallsMax),
      streams_("net-clients", kLane.streams_max, kCallsMax) {}

void GatewayCalls::Begin(OpenClient open) {
  engine::MutexLock lock(&open_mutex_);
  open_ = std::move(open);
}

// The shared pointers that clients_ gets here own nothing: client_ owns the two interfaces.
StatusOr<Client*> GatewayCalls::Reach() {
  engine::MutexLock lock(&open_mutex_);
  if (client_ != nullptr) return client_.get();
  if (open_ == nullptr) return Unavailable("it does not serve yet; call again later");
  ASSIGN_OR_RETURN(client_, open_());
  const std::shared_ptr<void> unowned;
  clients_.Begin({.data = std::shared_ptr<DataApi>(unowned, client_->data()),
                  .admin = std::shared_ptr<AdminApi>(unowned, client_->admin())});
  return client_.get();
}

void GatewayCalls::Stop() {
  calls_.Stop();
  streams_.Stop();
}

bool GatewayCalls::ServeAtOnce(const std::shared_ptr<net::ServerCall>& call) {
  if (!IsOfClient(*call)) return roles_->ServeAtOnce(call);
  Keep(call);
  return true;
}

void GatewayCalls::Keep(const std::shared_ptr<net::ServerCall>& call) {
  const size_t bytes = call->body().size();
  auto leave = [this, bytes] {
    engine::MutexLock lock(&admission_mutex_);
    admission_.Leave(bytes);
  };
  auto refuse = [&](std::string_view why) {
    call->Reply(
        net::MarkNotBegun(Unavailable(fmt::format("member {}: {}", name_, why)), kBusyWaitMicros));
  };
  bool is_admitted = false;
  {
    engine::MutexLock lock(&admission_mutex_);
    is_admitted = admission_.Enter(bytes);
  }
  if (!is_admitted) return refuse("too many calls of clients are in flight; call again later");
  const bool runs = (call->is_stream() ? streams_ : calls_).Run([this, call, leave] {
    Carry(call);
    leave();
  });
  if (runs) return;
  leave();
  refuse("it is stopping, or all its threads for clients are busy; call again later");
}

void GatewayCalls::Carry(const std::shared_ptr<net::ServerCall>& call) {
  auto refuse = [&](std::string_view why) {
    call->Reply(net::MarkNotBegun(Unavailable(fmt::format("member {}: {}", name_, why))));
  };
  if (call->IsOver()) return refuse("the call's time was over before it began");
  const auto client = Reach();
  if (!client.ok()) return refuse(MessageOf(client.status()));
  clients_.Serve(call);
}

}  // namespace sippar::cluster
