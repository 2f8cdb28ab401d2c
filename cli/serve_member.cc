// SPDX-License-Identifier: Apache-2.0
#include "cli/serve_member.h"

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "cli/crash_handler.h"
#include "cli/exit_code.h"
#include "cli/message.h"
#include "cli/parameter.h"
#include "cli/ready_notice.h"
#include "cli/serve_signals.h"
#include "cluster/node/member.h"
#include "cluster/node/server_client.h"
#include "cluster/serve/api_connections.h"
#include "query/api/query_api.h"

namespace sippar::cli {
namespace {

constexpr std::string_view kRoleServer = "tabletserver";
constexpr std::string_view kRoleMaster = "master";

Status ParseRoles(std::string_view roles, cluster::MemberOptions* member) {
  while (!roles.empty()) {
    const std::string_view role = roles.substr(0, roles.find(','));
    roles.remove_prefix(std::min(role.size() + 1, roles.size()));
    member->is_server = member->is_server || role == kRoleServer;
    member->is_master = member->is_master || role == kRoleMaster;
    if (role != kRoleServer && role != kRoleMaster && role != kRoleGateway) {
      return InvalidArgument(fmt::format(
          "role '{}': not supported; use master, tabletserver, gateway, or several with "
          "commas",
          role));
    }
  }
  if (member->is_server || member->is_master) return OkStatus();
  return InvalidArgument("--roles is missing; use master, tabletserver or gateway");
}

StatusOr<int64_t> ParseTime(const char* name, const std::string& text) {
  auto value = ParseParameter("time:DURATION=" + text);
  if (value.ok() && value->second.integer() > 0) return value->second.integer();
  return InvalidArgument(fmt::format("{} '{}': not a time; write one such as 6s", name, text));
}

// Called when a tablet server has lost its lease for good. Ends the process without clean-up,
// because the clean-up could hang.
void EndProcess(const char* why) {
  for (const char* part : {"sippar serve: this tablet server ends its process: ", why, "\n"}) {
    if (::write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
  }
  ::_exit(kExitFailed);
}

}  // namespace

void AddMemberOptions(CLI::App* app, ServeMemberOptions* options) {
  auto* cluster =
      app->add_option("--cluster", options->cluster,
                      "zk://HOST:PORT,HOST:PORT/NAME: be a process of this cluster (no DIR)");
  auto add = [&](const char* option, auto* value, const char* help) {
    app->add_option(option, *value, help)->needs(cluster);
  };
  add("--roles", &options->roles, "master, tabletserver, gateway, or several with commas");
  add("--name", &options->name, "name of this process: a-z, 0-9 and '-'");
  add("--advertise", &options->advertise, "host by which others reach this process (--listen's)");
  add("--zk-secret", &options->secret_file,
      "file whose first line is the cluster's secret in ZooKeeper");
  add("--lease", &options->lease, "a process that is silent for so long is taken for dead (6s)");
  add("--store-timeout", &options->store_timeout,
      "a tablet server ends when a call of its file system hangs for so long (30s)");
  add("--memory", &options->memory, "bytes of memtables and caches of a tablet server");
  app->add_flag("--insecure-network", options->insecure_network,
                "accept connections from other machines without certificates")
      ->needs(cluster);
  // It needs no --cluster: its variable may be set for all programs of a user.
  app->add_flag("--store-unsafe", options->allows_unsafe_store,
                "be a process of a cluster whose store lies on NFS, SMB, 9p or AFS, where "
                "acknowledged writes can be lost");
}

cluster::SiteOptions SiteOptionsOf(const ServeMemberOptions& options) {
  cluster::SiteOptions site;
  site.secret_file =
      options.secret_file.empty() ? cluster::SecretFileOfEnvironment() : options.secret_file;
  site.allows_unsafe_store = options.allows_unsafe_store;
  return site;
}

bool HasGateway(const std::string& roles) {
  return ("," + roles + ",").find(fmt::format(",{},", kRoleGateway)) != std::string::npos;
}

void EndUnlessBelongs(cluster::ClusterSite* site) {
  const Status belongs = site->CheckBelongs();
  if (belongs.ok()) return;
  PrintMessage("sippar serve", MessageOf(belongs));
  ::_exit(kExitFailed);
}

int ServeMember(const ServeMemberOptions& options, cluster::ApiServerOptions api, double drain_s,
                const net::TlsFiles& tls, const sigset_t& signals) {
  cluster::MemberOptions member;
  member.name = options.name;
  member.listen = api.listen;
  member.advertise = options.advertise;
  member.is_open_to_all = options.insecure_network;
  member.memory_limit = options.memory;
  member.version = SIPPAR_VERSION;
  member.end_process = EndProcess;
  member.note_crashes_in = NoteCrashesIn;
  if (Status roles = ParseRoles(options.roles, &member); !roles.ok()) {
    return Failed("sippar serve", roles, kExitUsage);
  }
  auto lease_us = ParseTime("lease", options.lease);
  if (!lease_us.ok()) return Failed("sippar serve", lease_us.status(), kExitUsage);
  member.lease_us = *lease_us;
  auto store_timeout_us = ParseTime("store-timeout", options.store_timeout);
  if (!store_timeout_us.ok()) return Failed("sippar serve", store_timeout_us.status(), kExitUsage);
  member.store_timeout_us = *store_timeout_us;
  auto keys = cluster::TlsKeysOf(tls);
  if (!keys.ok()) return Failed("sippar serve", keys.status(), kExitUsage);
  member.tls = *std::move(keys);
  // Outlives the member, which uses it to answer queries.
  std::unique_ptr<cluster::QueryApi> queries;
  member.drain_us = static_cast<int64_t>(drain_s * 1e6);
  if (HasGateway(options.roles)) {
    member.start_api = [&](cluster::Client* client) {
      queries = query::NewQueryApi(client);
      api.queries = queries.get();
      return cluster::ApiConnections::Start(client, api);
    };
  }
  auto site = cluster::ClusterSite::Open(options.cluster, SiteOptionsOf(options));
  if (!site.ok()) return Failed("sippar serve", site.status(), kExitNoStore);
  auto started = cluster::Member::Start(site->get(), member);
  if (!started.ok()) return Failed("sippar serve", started.status(), kExitNoStore);
  fmt::print("serving {} on {} as {} {}\n", options.cluster, (*started)->address(), options.roles,
             options.name);
  std::fflush(stdout);
  TellReady();
  auto ending = cluster::Ending::kOneServer;
  AwaitStop(signals, [&] {
    EndUnlessBelongs(site->get());
    const bool is_asked = (*site)->IsAskedToStop();
    if (is_asked) ending = cluster::Ending::kAllServers;
    return is_asked;
  });
  Status left = (*started)->Leave(ending);
  return left.ok() ? kExitOk : Failed("sippar serve", left, kExitFailed);
}

}  // namespace sippar::cli
