// `sippar serve --cluster`: one process of a cluster of many machines.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <cstdint>
#include <string>

#include "cluster/net/tls.h"
#include "cluster/node/cluster_site.h"
#include "cluster/serve/api_server.h"

namespace CLI {
class App;
}

namespace sippar::cli {

// The role of a process that answers the Cloud Bigtable API and other sippar programs for the whole
// cluster.
inline constexpr char kRoleGateway[] = "gateway";

struct ServeMemberOptions {
  std::string cluster;  // zk://HOST:PORT,HOST:PORT/NAME; "": this process serves a directory
  std::string roles;    // "master", "tabletserver", "gateway", or several with commas
  std::string name;
  std::string advertise;
  std::string secret_file;
  bool insecure_network = false;
  std::string lease = "6s";
  uint64_t memory = 0;
};

cluster::SiteOptions SiteOptionsOf(const ServeMemberOptions& options);
void AddMemberOptions(CLI::App* app, ServeMemberOptions* options);
// True if the list of roles has the gateway's.
bool HasGateway(const std::string& roles);
// Ends this process at once, with the reason, if it belongs to no cluster any more. It could hand
// nothing over, and waiting for a lock service that has lost the cluster would be in vain; nothing
// that was acknowledged is lost.
void EndUnlessBelongs(cluster::ClusterSite* site);
// Runs a tablet server, a master or both, with or without the role of a gateway, until a signal or
// `sippar admin stop` ends it; returns the exit code. `api` has the address of the process and, for
// a gateway, the settings of its calls; `drain_s` is their time at the end. `signals` is what
// BlockStopSignals returned. A process that is a gateway alone runs in serve.cc.
int ServeMember(const ServeMemberOptions& options, cluster::ApiServerOptions api, double drain_s,
                const net::TlsFiles& tls, const sigset_t& signals);

}  // namespace sippar::cli
