// The client of a cluster of many machines: it finds master and tablet servers through the lock
// service, and calls each of them directly. SPDX-License-Identifier: Apache-2.0
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
  std::string name;                   // of this process, in error messages of the servers it calls
  std::shared_ptr<net::TlsKeys> tls;  // null: connections without TLS
  net::Keepalive keepalive;
};

// The connections of one process to the members of a cluster. Thread safe.
class ClusterLines {
 public:
  // `site` outlives it.
  ClusterLines(ClusterSite* site, const ClusterLinesOptions& options);

  Transport* transport() { return &transport_; }
  net::LaneLoops* loops() { return &loops_; }

 private:
  net::LaneLoops loops_{"wire"};  // declared first: transport_ uses it
  LockAddresses addresses_;
  MemberTransport transport_;
};

// AdminApi of whichever master reigns. A call that certainly was not begun, or is safe to repeat,
// is made again within its time: so calls do not notice that a master takes over from another one.
// Schemas come from the lock service, so no call on rows waits for a master.
class ReigningAdmin final : public AdminApi {
 public:
  // `transport`, `session` and what `settings` points to outlive it.
  ReigningAdmin(Transport* transport, LockSession* session, const CallSettings& settings)
      : admin_(transport->Admin()), settings_(settings), schemas_(session, settings.clock) {}

  void Carry(const AnyCall& call, const CallOptions& options) override;

 private:
  void CarryToMaster(const AnyCall& call, const CallOptions& options);

  const std::shared_ptr<AdminApi> admin_;
  const CallSettings settings_;
  SchemaCache schemas_;
};

// When OK, the lock service has answered; no server or master is asked. `tls` null: connections
// without TLS.
[[nodiscard]] StatusOr<std::unique_ptr<Client>> OpenClusterClient(
    std::shared_ptr<ClusterSite> site, const std::shared_ptr<net::TlsKeys>& tls);
// The same for a process that has connections to the members already: it uses `lines`. Both outlive
// the client. When `cancel` is set, the client's calls are not retried any more.
[[nodiscard]] StatusOr<std::unique_ptr<Client>> OpenClientOfMember(ClusterSite* site,
                                                                   ClusterLines* lines,
                                                                   const CancelFlag& cancel);

}  // namespace sippar::cluster
