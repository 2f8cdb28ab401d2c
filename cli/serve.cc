// `sippar serve`: serves a store to clients of the Cloud Bigtable API and to other sippar programs,
// on one port. With --wire, other sippar programs get a second port, which other machines may use
// if it has certificates. With --cluster, runs one process of a cluster (serve_member.h).
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/resource.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/message.h"
#include "cli/ready_notice.h"
#include "cli/serve_member.h"
#include "cli/serve_settings.h"
#include "cli/serve_signals.h"
#include "cli/wait_option.h"
#include "cluster/client/client.h"
#include "cluster/node/cluster_client.h"
#include "cluster/node/open_client.h"
#include "cluster/node/server_client.h"
#include "cluster/serve/api_server.h"
#include "cluster/serve/wire_server.h"
#include "engine/base/thread.h"
#include "engine/program/value.h"
#include "query/api/query_api.h"

namespace sippar::cli {
namespace {

constexpr const char* kExamples =
    "examples:\n"
    "  sippar serve ./data                          created if it does not exist\n"
    "  BIGTABLE_EMULATOR_HOST=localhost:8086 cbt -project sippar -instance default ls\n"
    "  sippar shell localhost:8086                  other sippar programs use the same port\n"
    "tables of project sippar, instance default are those of the shell; every other project and\n"
    "instance exists, unless --strict-instances, and has tables of its own\n";

// Raises this process's limit of descriptors to the maximum that the system allows, or to kEnough
// if that is less. The usual limit, 1,024, suits programs that use select(); a server has a
// descriptor for each connection and each open SSTable.
void RaiseDescriptorLimit() {
  constexpr rlim_t kEnough = 1 << 20;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, kEnough));
  // An error is ignored: the process then keeps its present limit.
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
}

// Path of the socket in the store's directory; "" if there is none. Through this socket, the
// process that has the store open serves it to the user's other processes.
std::string SocketPath(const std::string& target) {
  std::error_code error;
  std::filesystem::path path = std::filesystem::absolute(target, error) / "sippar.sock";
  return !error && std::filesystem::exists(path, error) ? path.lexically_normal().string() : "";
}

struct ServeOptions {
  std::string directory;
  cluster::ApiServerOptions api;
  std::string wire;   // HOST:PORT for other sippar programs; "": no second port
  net::TlsFiles tls;  // certificates for `wire` or for a member; no file names: no TLS for `wire`
  double drain_s = 10;
  // Calls that take at least this long are reported. A large scan takes several seconds.
  double slow_call_s = 10;
  cluster::Patience patience;
  ServeMemberOptions member;
  std::function<bool()> is_over = nullptr;  // true: the server must end; see AwaitStop
};

// Starts the server of the port --wire; returns null if the option was not given.
StatusOr<std::unique_ptr<cluster::WireServer>> StartWire(cluster::Client* client,
                                                         const ServeOptions& options) {
  if (options.wire.empty()) return std::unique_ptr<cluster::WireServer>();
  cluster::WireServerOptions wire;
  wire.listen = options.wire;
  if (!options.tls.certificate.empty()) {
    ASSIGN_OR_RETURN(wire.tls, net::TlsKeys::Load(options.tls));
  }
  return cluster::WireServer::Start(client, wire);
}

void PrintServing(const std::string& target, const ServeOptions& options,
                  const std::string& address, const cluster::WireServer* wire) {
  const bool is_member = !options.member.cluster.empty();
  std::string socket = is_member ? "" : SocketPath(target);
  fmt::print("serving {} on {}{}{}{}\n", engine::PrintEscaped(target), address,
             socket.empty() ? "" : " and unix:" + engine::PrintEscaped(socket),
             wire == nullptr ? "" : " and for sippar's own programs on " + wire->address(),
             is_member ? fmt::format(" as {} {}", kRoleGateway, options.member.name) : "");
  std::fflush(stdout);
  TellReady();
}

int Serve(cluster::Client* client, const ServeOptions& options, const sigset_t& signals) {
  auto api = cluster::ApiServer::Start(client, options.api);
  if (!api.ok()) return Failed("sippar serve", api.status(), kExitFailed);
  auto wire = StartWire(client, options);
  if (!wire.ok()) return Failed("sippar serve", wire.status(), kExitFailed);
  PrintServing(client->target(), options, (*api)->address(), wire->get());
  AwaitStop(signals, options.is_over);
  // Both servers now refuse new calls, and give running calls this much time to end.
  const auto drain_us = static_cast<int64_t>(options.drain_s * 1e6);
  engine::Thread wire_stop("wire-stop", [&] {
    if (*wire != nullptr) (*wire)->Stop(drain_us);
  });
  (*api)->Stop(drain_us);
  wire_stop.Join();
  return kExitOk;
}

void AddWireOptions(CLI::App* app, ServeOptions* options) {
  app->add_option("--wire", options->wire,
                  "HOST:PORT for other sippar programs alone: shell, query ...");
  auto* certificate = app->add_option("--tls-cert", options->tls.certificate,
                                      "PEM file: with it --wire may be any address")
                          ->check(CLI::ExistingFile);
  auto* key = app->add_option("--tls-key", options->tls.key, "PEM file: private key of --tls-cert")
                  ->check(CLI::ExistingFile);
  auto* authority = app->add_option("--tls-ca", options->tls.authority,
                                    "PEM file: callers need a certificate that it signed")
                        ->check(CLI::ExistingFile);
  certificate->needs(key)->needs(authority);
  key->needs(certificate);
  authority->needs(certificate);
}

// Throws if the command line has an option that a process with these roles ignores.
void RefuseUnused(const CLI::App& app, const std::string& roles) {
  std::vector<const char*> unused = {"--lease", "--memory", "--advertise"};
  if (roles != kRoleGateway) unused = {"--wire", "--wait"};
  if (!HasGateway(roles)) {
    unused.insert(unused.end(), {"--strict-instances", "--drain", "--slow-call"});
  }
  for (const char* name : unused) {
    if (app.count(name) == 0) continue;
    throw CLI::ValidationError(name, fmt::format("it is not used with --roles {}", roles));
  }
}

// Throws for combinations of options that CLI11's own rules (needs, check) do not cover.
void CheckCombination(const CLI::App& app, const ServeOptions& options) {
  const bool is_member = !options.member.cluster.empty();
  if (is_member == !options.directory.empty()) {
    throw CLI::ValidationError("serve", "name a directory, or a cluster with --cluster");
  }
  if (is_member && options.member.name.empty()) {
    throw CLI::ValidationError("--cluster", "--name is missing");
  }
  if (is_member) RefuseUnused(app, options.member.roles);
  if (!options.tls.certificate.empty() && options.wire.empty() && !is_member) {
    throw CLI::ValidationError("--tls-cert", "it needs --wire or --cluster");
  }
}

// Opens the directory's store or, for a gateway, a client of its cluster.
StatusOr<std::unique_ptr<cluster::Client>> OpenServed(ServeOptions* options) {
  if (options->member.cluster.empty()) {
    cluster::ClientOptions client;
    client.create_if_missing = true;
    return cluster::OpenClient(options->directory, client, options->patience);
  }
  ASSIGN_OR_RETURN(
      std::shared_ptr<cluster::ClusterSite> site,
      cluster::ClusterSite::Open(options->member.cluster, SiteOptionsOf(options->member)));
  options->is_over = [site] {
    EndUnlessBelongs(site.get());
    return site->IsAskedToStop();
  };
  ASSIGN_OR_RETURN(std::shared_ptr<net::TlsKeys> tls, cluster::TlsKeysOf(options->tls));
  return cluster::OpenClusterClient(std::move(site), tls);
}

}  // namespace

int RunServe(int argc, char** argv) {
  CLI::App app{"Serves a store over the Cloud Bigtable API (gRPC).", "sippar serve"};
  app.footer(kExamples);
  ServeOptions options;
  app.add_option("DIR", options.directory, "directory of the store");
  auto* listen = app.add_option("--listen", options.api.listen,
                                "HOST:PORT of this machine; port 0: any free one")
                     ->capture_default_str();
  AddWireOptions(&app, &options);
  AddMemberOptions(&app, &options.member);
  app.add_flag("--strict-instances", options.api.strict_instances,
               "refuse calls to instances that were not created");
  app.add_option("--drain", options.drain_s, "seconds that running calls get after SIGTERM")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  app.add_option("--slow-call", options.slow_call_s,
                 "a call that takes at least so many seconds is reported on stderr")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  AddWaitOption(&app, &options.patience);
  AddSettings(&app);
  try {
    app.parse(argc, argv);
    CheckCombination(app, options);
  } catch (const CLI::ParseError& error) {
    return ExitOf(app, error);
  }
  options.api.slow_call_us = static_cast<int64_t>(options.slow_call_s * 1e6);
  options.api.on_slow_call = [](const std::string& line) { PrintMessage(line); };
  RaiseDescriptorLimit();
  // The signals are blocked before OpenClient starts threads.
  sigset_t signals = BlockStopSignals();
  if (!options.member.cluster.empty() && options.member.roles != kRoleGateway) {
    if (listen->count() == 0 && !HasGateway(options.member.roles)) {
      options.api.listen = "127.0.0.1:0";
    }
    return ServeMember(options.member, options.api, options.drain_s, options.tls, signals);
  }
  auto client = OpenServed(&options);
  if (!client.ok()) return Failed("sippar serve", client.status(), kExitNoStore);
  auto queries = query::NewQueryApi(client->get());
  options.api.queries = queries.get();
  int code = Serve(client->get(), options, signals);
  Status closed = (*client)->Close();
  return closed.ok() ? code : Failed("sippar serve", closed, kExitFailed);
}

}  // namespace sippar::cli
