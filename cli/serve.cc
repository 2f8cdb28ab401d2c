// `sippar serve`: answers the Cloud Bigtable API from a store. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/message.h"
#include "cli/wait_option.h"
#include "cluster/client/client.h"
#include "cluster/node/open_client.h"
#include "cluster/serve/api_server.h"
#include "engine/program/value.h"
#include "query/api/query_api.h"

namespace sippar::cli {
namespace {

constexpr const char* kExamples =
    "examples:\n"
    "  sippar serve ./data                          created if it does not exist\n"
    "  BIGTABLE_EMULATOR_HOST=localhost:8086 cbt -project sippar -instance default ls\n"
    "tables of project sippar, instance default are those of the shell; every other project and\n"
    "instance exists, unless --strict-instances, and has tables of its own\n";

int Failed(const Status& status, int code) {
  PrintMessage("sippar serve", MessageOf(status));
  return code;
}

// Blocks the signals in this thread and in every thread that it starts, so that only sigwait in
// Serve receives them.
sigset_t BlockStopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  sigprocmask(SIG_BLOCK, &signals, nullptr);  // the process still has one thread
  signal(SIGPIPE, SIG_IGN);
  return signals;
}

// Path of the socket in the store's directory, on which the process that has the store open serves
// it to others; "" if there is none.
std::string SocketPath(const std::string& target) {
  std::error_code error;
  std::filesystem::path path = std::filesystem::absolute(target, error) / "sippar.sock";
  return !error && std::filesystem::exists(path, error) ? path.lexically_normal().string() : "";
}

int Serve(cluster::Client* client, const cluster::ApiServerOptions& options, double drain_s,
          const sigset_t& signals) {
  auto server = cluster::ApiServer::Start(client, options);
  if (!server.ok()) return Failed(server.status(), kExitFailed);
  std::string socket = SocketPath(client->target());
  fmt::print("serving {} on {}{}\n", engine::PrintEscaped(client->target()), (*server)->address(),
             socket.empty() ? "" : " and unix:" + engine::PrintEscaped(socket));
  std::fflush(stdout);
  int signal_number = 0;
  sigwait(&signals, &signal_number);
  // New calls are refused; running ones get this time to end.
  (*server)->Stop(static_cast<int64_t>(drain_s * 1e6));
  return kExitOk;
}

}  // namespace

int RunServe(int argc, char** argv) {
  CLI::App app{"Serves a store over the Cloud Bigtable API (gRPC).", "sippar serve"};
  app.footer(kExamples);
  std::string directory;
  cluster::ApiServerOptions options;
  double drain_s = 10;
  cluster::Patience patience;
  double slow_call_s = 10;  // a large scan takes several seconds
  app.add_option("DIR", directory, "directory of the store")->required();
  app.add_option("--listen", options.listen, "HOST:PORT of this machine; port 0: any free one")
      ->capture_default_str();
  app.add_flag("--strict-instances", options.strict_instances,
               "only instances that were made exist");
  app.add_option("--drain", drain_s, "seconds that running calls get after SIGTERM")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  app.add_option("--slow-call", slow_call_s,
                 "a call that takes at least so many seconds is reported on stderr")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  AddWaitOption(&app, &patience);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return ExitOf(app, error);
  }
  // Before OpenClient, which starts threads.
  sigset_t signals = BlockStopSignals();
  cluster::ClientOptions client_options;
  client_options.create_if_missing = true;
  auto client = cluster::OpenClient(directory, client_options, patience);
  if (!client.ok()) return Failed(client.status(), kExitNoStore);
  auto queries = query::NewQueryApi(client->get());
  options.queries = queries.get();
  options.slow_call_us = static_cast<int64_t>(slow_call_s * 1e6);
  options.on_slow_call = [](const std::string& line) { PrintMessage(line); };
  int code = Serve(client->get(), options, drain_s, signals);
  Status closed = (*client)->Close();
  return closed.ok() ? code : Failed(closed, kExitFailed);
}

}  // namespace sippar::cli
