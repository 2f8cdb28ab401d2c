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

// A gateway goes alone: it answers the Cloud Bigtable API and other sippar programs.
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
// Runs the process until it is asked to end; the return value is its exit code. `signals` are those
// of BlockStopSignals. Not for a gateway, which serves a client.
int ServeMember(const ServeMemberOptions& options, const std::string& listen,
                const net::TlsFiles& tls, const sigset_t& signals);

}  // namespace sippar::cli
