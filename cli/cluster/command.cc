// `sippar cluster up` and `down`: run a whole cluster of processes on this machine, for
// experiments.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <optional>

#include "cli/arguments.h"
#include "cli/cluster/down.h"
#include "cli/cluster/up.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/message.h"
#include "cli/wait_option.h"

namespace sippar::cli {
namespace {

constexpr const char* kFooter =
    "examples:\n"
    "  sippar cluster up ./lab                     3 tablet servers, 2 masters, ZooKeeper, "
    "gateway\n"
    "  sippar cluster up ./lab --servers 5         two more; starts whatever does not run\n"
    "  kill -9 $(cat ./lab/pids/ts2)               a server dies; the others take its tablets\n"
    "  sippar cluster down ./lab                   `up` starts it again, with its data\n"
    "The last line of `up` has the cluster's two addresses. Every command takes either one:\n"
    "  sippar query zk://127.0.0.1:21801/local -e \"SHOW TABLES\"\n"
    "  sippar admin status 127.0.0.1:21800\n"
    "All files are below DIR: log/NAME, pids/NAME, store, zookeeper/1. ZooKeeper comes from\n"
    "Debian's packages: apt install zookeeper openjdk-17-jre-headless\n";

int CodeOf(const Status& status) {
  switch (status.code()) {
    case StatusCode::kOk:
      return kExitOk;
    case StatusCode::kDeadlineExceeded:
      return kExitTimeout;
    case StatusCode::kCancelled:
      return kExitInterrupted;
    case StatusCode::kInvalidArgument:
      return kExitUsage;
    default:
      return kExitNoStore;
  }
}

CLI::App* AddUp(CLI::App* app, ClusterUpOptions* options) {
  const ClusterSettings defaults;
  CLI::App* up = app->add_subcommand("up", "start what does not run; wait until all serves");
  up->add_option("DIR", options->directory, "directory of the cluster; made if it is missing")
      ->required();
  const auto add = [&](const char* name, std::optional<int>* value, const char* what, int normal) {
    return up->add_option(name, *value,
                          fmt::format("{} ({} at first, then what the cluster has)", what, normal));
  };
  ClusterWishes* wishes = &options->wishes;
  add("--servers", &wishes->servers, "tablet servers", defaults.servers)
      ->check(CLI::Range(1, ClusterSettings::kProcessesMax));
  add("--masters", &wishes->masters, "masters", defaults.masters)
      ->check(CLI::Range(1, ClusterSettings::kProcessesMax));
  add("--members", &wishes->members, "members of ZooKeeper", defaults.members)
      ->check(CLI::IsMember({1, 3, 5}));
  add("--port", &wishes->port, "port of the gateway; ZooKeeper uses the ports above it",
      defaults.port)
      ->check(CLI::Range(1, ClusterSettings::kPortMax));
  AddDurationOption(up, "--timeout", &options->timeout_us, "how long to wait");
  up->footer(kFooter);
  return up;
}

CLI::App* AddDown(CLI::App* app, ClusterDownOptions* options) {
  CLI::App* down = app->add_subcommand("down", "end all processes of a cluster");
  down->add_option("DIR", options->directory, "directory of the cluster")->required();
  down->add_flag("--kill", options->kill, "kill all processes at once (SIGKILL)");
  AddDurationOption(down, "--timeout", &options->timeout_us, "how long to wait");
  down->footer(kFooter);
  return down;
}

}  // namespace

int RunCluster(int argc, char** argv) {
  CLI::App app{"Runs a whole cluster of processes on this machine.", "sippar cluster"};
  app.footer(kFooter);
  app.require_subcommand(1);
  ClusterUpOptions up_options;
  ClusterDownOptions down_options;
  CLI::App* up = AddUp(&app, &up_options);
  AddDown(&app, &down_options);
  if (IsUnknownWord(app, argc, argv)) return kExitUsage;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return ExitOf(app, error);
  }
  const Status status = up->parsed() ? ClusterUp(up_options) : ClusterDown(down_options);
  if (!status.ok()) PrintMessage("sippar cluster", MessageOf(status));
  return CodeOf(status);
}

}  // namespace sippar::cli
