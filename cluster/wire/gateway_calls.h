// Lets a member of a cluster also answer clients that know only its address. Such clients name
// tables, not tablets, and send administrators' calls without knowing which member is the master,
// as they do at a gateway. A client of the cluster, which is opened for the first of these calls,
// carries them out. All other calls go to the member's own roles. Thread safe.
//
// A client's call often needs calls to tablets, which may be tablets of this same member. So
// clients' calls have threads and bounds of their own: they never occupy the threads of the lanes,
// which the calls to tablets need.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "cluster/client/client.h"
#include "cluster/net/admission.h"
#include "cluster/net/lane_threads.h"
#include "cluster/wire/member_service.h"

namespace sippar::cluster {

class GatewayCalls final : public net::Service {
 public:
  using OpenClient = std::function<StatusOr<std::unique_ptr<Client>>()>;

  // `name` is this member's name, for error messages. `roles` serves all calls that are not from
  // such clients, and outlives this object.
  GatewayCalls(std::string name, net::Service* roles);
  ~GatewayCalls() override { Stop(); }
  GatewayCalls(const GatewayCalls&) = delete;
  GatewayCalls& operator=(const GatewayCalls&) = delete;

  // Serves clients from now on; before that, their calls are refused and not begun. To be called
  // once. The first client's call calls `open`, on a thread that may wait; after an error, the next
  // call calls `open` again.
  void Begin(OpenClient open);
  // The client of the cluster, which this call opens if it is not open yet. It lives as long as
  // this object. Errors: those of `open`; kUnavailable before Begin.
  [[nodiscard]] StatusOr<Client*> Reach();
  // To be called before the net::Server stops: cuts the clients' streams, so that they continue at
  // another member (wire/departure.h).
  void Leave() { clients_.Leave(); }
  // To be called after the net::Server has stopped: waits until no call uses the client any more.
  void Stop();

  // Serves clients' calls on threads of this object, and passes all others to `roles`.
  bool ServeAtOnce(const std::shared_ptr<net::ServerCall>& call) override;
  void Serve(const std::shared_ptr<net::ServerCall>& call) override { roles_->Serve(call); }

 private:
  void Keep(const std::shared_ptr<net::ServerCall>& call);
  void Carry(const std::shared_ptr<net::ServerCall>& call);

  const std::string name_;
  net::Service* const roles_;
  engine::Mutex admission_mutex_;  // never held while a call is served
  net::Admission admission_ GUARDED_BY(admission_mutex_);
  engine::Mutex open_mutex_;  // held while the client is opened
  OpenClient open_ GUARDED_BY(open_mutex_);
  std::unique_ptr<Client> client_ GUARDED_BY(open_mutex_);
  MemberService clients_;  // serves the interfaces of client_
  net::LaneThreads calls_, streams_;
};

}  // namespace sippar::cluster
