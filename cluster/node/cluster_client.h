// The client of a cluster of many machines: it finds the master and the tablet servers through the
// lock service, and calls each of them directly.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/client/call_course.h"
#include "cluster/client/client.h"
#include "cluster/client/schema_cache.h"
#include "cluster/net/keepalive.h"
#include "cluster/net/lane_loops.h"
#include "cluster/net/tls.h"
#include "cluster/node/cluster_site.h"
#include "cluster/node/cluster_view.h"
#include "cluster/wire/lock_addresses.h"
#include "cluster/wire/member_transport.h"

namespace sippar::cluster {

struct ClusterLinesOptions {
  std::string role = "client";
  std::string name;                   // name of this process, for the servers' error messages
  std::shared_ptr<net::TlsKeys> tls;  // null: connections without TLS
  net::Keepalive keepalive;
};

// The connections of one process to the members of a cluster. Thread safe.
class ClusterLines {
 public:
  // `site` outlives this object.
  ClusterLines(ClusterSite* site, const ClusterLinesOptions& options);

  Transport* transport() { return &transport_; }
  net::LaneLoops* loops() { return &loops_; }

 private:
  net::LaneLoops loops_{"wire"};  // declared first: transport_ uses it
  LockAddresses addresses_;
  MemberTransport transport_;
};

// AdminApi of the master that reigns at the time of a call. A call that was certainly not begun, or
// that is safe to repeat, is repeated within its time, so that callers do not notice when another
// master takes over. Schemas come from the lock service, so no call on rows waits for a master.
class ReigningAdmin final : public AdminApi {
 public:
  // `transport`, `session` and what `settings` points to outlive this object.
  ReigningAdmin(Transport* transport, LockSession* session, const CallSettings& settings)
      : admin_(transport->Admin()), settings_(settings), schemas_(session, settings.clock) {}

  void Carry(const AnyCall& call, const CallOptions& options) override;

 private:
  void CarryToMaster(const AnyCall& call, const CallOptions& options);

  const std::shared_ptr<AdminApi> admin_;
  const CallSettings settings_;
  SchemaCache schemas_;
};

// When OK, the lock service has answered; no server or master has been asked. `tls` null:
// connections without TLS.
[[nodiscard]] StatusOr<std::unique_ptr<Client>> OpenClusterClient(
    std::shared_ptr<ClusterSite> site, const std::shared_ptr<net::TlsKeys>& tls);
// Like OpenClusterClient, but for a process that already has connections to the members: the client
// uses `lines`. `site` and `lines` outlive the client. After `cancel` is set, the client's calls
// are not retried.
[[nodiscard]] StatusOr<std::unique_ptr<Client>> OpenClientOfMember(ClusterSite* site,
                                                                   ClusterLines* lines,
                                                                   const CancelFlag& cancel);

}  // namespace sippar::cluster
