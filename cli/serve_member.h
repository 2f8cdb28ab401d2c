// `sippar serve --cluster`: one process of a cluster of many machines.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <cstdint>
#include <string>

#include "cluster/net/tls.h"
#include "cluster/node/cluster_site.h"

namespace CLI {
class App;
}

namespace sippar::cli {

// The role of a process that answers the Cloud Bigtable API and other sippar programs for the whole
// cluster. It cannot be combined with other roles.
inline constexpr char kRoleGateway[] = "gateway";

struct ServeMemberOptions {
  std::string cluster;  // zk://HOST:PORT,HOST:PORT/NAME; "": this process serves a directory
  std::string roles;    // "master", "tabletserver", or both with a comma; or "gateway" alone
  std::string name;
  std::string advertise;
  std::string secret_file;
  bool insecure_network = false;
  std::string lease = "6s";
  uint64_t memory = 0;
};

cluster::SiteOptions SiteOptionsOf(const ServeMemberOptions& options);
void AddMemberOptions(CLI::App* app, ServeMemberOptions* options);
// Runs a tablet server, a master or both until a signal or `sippar admin stop` ends it; returns the
// exit code. `signals` is what BlockStopSignals returned. Gateways run in serve.cc.
int ServeMember(const ServeMemberOptions& options, const std::string& listen,
                const net::TlsFiles& tls, const sigset_t& signals);

}  // namespace sippar::cli
