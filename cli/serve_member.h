// `sippar serve --cluster`: runs one process of a cluster of many machines.
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

// The role of a process that serves the Cloud Bigtable API and other sippar programs on behalf of
// the whole cluster.
inline constexpr char kRoleGateway[] = "gateway";

struct ServeMemberOptions {
  std::string cluster;  // zk://HOST:PORT,HOST:PORT/NAME; "": this process serves a directory
  std::string roles;  // "master", "tabletserver", "gateway", or several of them separated by commas
  std::string name;
  std::string advertise;
  std::string secret_file;
  bool insecure_network = false;
  std::string lease = "6s";
  std::string store_timeout = "30s";
  bool allows_unsafe_store = false;
  uint64_t memory = 0;
};

cluster::SiteOptions SiteOptionsOf(const ServeMemberOptions& options);
void AddMemberOptions(CLI::App* app, ServeMemberOptions* options);
// True if `roles` contains the gateway.
bool HasGateway(const std::string& roles);
// Prints the reason and ends this process at once if the process no longer belongs to a cluster.
// Such a process could not hand over its tablets, and would wait in vain for the lock service,
// which no longer knows its cluster. Acknowledged writes are not lost.
void EndUnlessBelongs(cluster::ClusterSite* site);
// Runs a tablet server, a master or both, and optionally a gateway, until a signal or `sippar admin
// stop` ends it; returns the exit code. `api` has the address of the process and, for a gateway,
// the settings of its calls. `drain_s` is the time that running calls get at the end. `signals` is
// the result of BlockStopSignals. A process that is only a gateway runs in serve.cc.
int ServeMember(const ServeMemberOptions& options, cluster::ApiServerOptions api, double drain_s,
                const net::TlsFiles& tls, const sigset_t& signals);

}  // namespace sippar::cli
