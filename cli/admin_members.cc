// SPDX-License-Identifier: Apache-2.0
#include "cli/admin_members.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <vector>

#include "cli/exit_code.h"
#include "cli/message.h"
#include "cli/parameter.h"
#include "cli/signals.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/node/cluster_site.h"
#include "cluster/node/server_client.h"

namespace sippar::cli {
namespace {

constexpr int64_t kLookUs = 100'000;

cluster::SiteOptions Site() {
  cluster::SiteOptions options;
  options.secret_file = cluster::SecretFileOfEnvironment();
  options.allows_unsafe_store = cluster::AllowsUnsafeStoreByEnvironment();
  return options;
}

// The lock files of the servers and masters whose processes run.
StatusOr<std::vector<std::string>> Members(cluster::LockSession* session) {
  ASSIGN_OR_RETURN(std::vector<std::string> members,
                   cluster::HeldFiles(session, cluster::lock_paths::Servers()));
  ASSIGN_OR_RETURN(std::vector<std::string> masters,
                   cluster::HeldFiles(session, cluster::lock_paths::Masters()));
  members.insert(members.end(), masters.begin(), masters.end());
  return members;
}

}  // namespace

void MemberCommands::AddTo(CLI::App* app) {
  init_ = app->add_subcommand("init", "make a cluster of many machines");
  init_->add_option("TARGET", target_, "zk://HOST:PORT,HOST:PORT/NAME")->required();
  init_
      ->add_option("--store", store_,
                   "posix:DIR, an absolute path that all machines of the cluster see")
      ->required();
  init_->add_flag("--store-unsafe", allows_unsafe_store_,
                  "also on NFS, SMB, 9p or AFS, where acknowledged writes can be lost");
  init_->footer(
      "The directory is empty, or a store that was used as a directory: it becomes the cluster's\n"
      "with all its tables, and from then on only TARGET opens it. A second init of the same\n"
      "cluster changes nothing.\n"
      "examples:\n"
      "  sippar admin init zk://127.0.0.1:2181/demo --store posix:/srv/demo\n"
      "  sippar serve --cluster zk://127.0.0.1:2181/demo --roles tabletserver --name ts1\n");
  stop_ = app->add_subcommand("stop", "end all processes of a cluster, so that it starts at once");
  stop_->add_option("TARGET", target_, "zk://HOST:PORT,HOST:PORT/NAME")->required();
  stop_->add_option("--timeout", timeout_, "how long to wait for the end of the processes")
      ->capture_default_str();
  collapse_ = app->add_subcommand(
      "collapse", "turn the directory of a stopped cluster back into a store of one process");
  collapse_->add_option("TARGET", target_, "zk://HOST:PORT,HOST:PORT/NAME")->required();
  collapse_->add_option("DIR", directory_, "the cluster's directory")->required();
  collapse_->footer(
      "The opposite of init: afterwards DIR is the target, and the cluster is gone from "
      "ZooKeeper.\n"
      "examples:\n"
      "  sippar admin stop zk://127.0.0.1:2181/demo\n"
      "  sippar admin collapse zk://127.0.0.1:2181/demo /srv/demo && sippar shell /srv/demo\n");
}

bool MemberCommands::parsed() const {
  return init_->parsed() || stop_->parsed() || collapse_->parsed();
}

int MemberCommands::Run() const {
  if (collapse_->parsed()) return Collapse();
  return init_->parsed() ? Init() : Stop();
}

int MemberCommands::Init() const {
  cluster::SiteOptions options = Site();
  options.allows_unsafe_store = options.allows_unsafe_store || allows_unsafe_store_;
  auto made = cluster::MakeCluster(target_, store_, options);
  if (!made.ok()) {
    const bool is_usage = made.status().code() == StatusCode::kInvalidArgument;
    return Failed("sippar admin", made.status(), is_usage ? kExitUsage : kExitNoStore);
  }
  if (*made) {
    fmt::print("cluster {} made; its files are in {}\n", target_, store_);
  } else {
    fmt::print("cluster {} exists; its files are in {}\n", target_, store_);
  }
  return kExitOk;
}

int MemberCommands::Collapse() const {
  const std::string directory = std::filesystem::absolute(directory_).lexically_normal().string();
  Status collapsed = cluster::CollapseCluster(target_, directory, Site());
  if (!collapsed.ok()) {
    const bool is_usage = collapsed.code() == StatusCode::kInvalidArgument;
    return Failed("sippar admin", collapsed, is_usage ? kExitUsage : kExitNoStore);
  }
  fmt::print("cluster {} is collapsed; its store is the directory {}\n", target_, directory);
  return kExitOk;
}

int MemberCommands::Stop() const {
  auto timeout = ParseParameter("timeout:DURATION=" + timeout_);
  if (!timeout.ok()) {
    return Failed("sippar admin",
                  InvalidArgument(fmt::format(
                      "--timeout '{}': not a time; write one such as 30s or 500ms", timeout_)),
                  kExitUsage);
  }
  InstallSignalHandlers();
  CancelScope interrupts(nullptr, 0);
  cluster::SiteOptions options = Site();
  options.may_wait = [](const std::string&) { return !InterruptSeen(); };
  auto site = cluster::ClusterSite::Open(target_, options);
  if (InterruptSeen()) return kExitInterrupted;
  if (!site.ok()) return Failed("sippar admin", site.status(), kExitNoStore);
  if (Status asked = (*site)->AskToStop(); !asked.ok())
    return Failed("sippar admin", asked, kExitNoStore);
  engine::Clock* clock = (*site)->options().clock;
  const int64_t until_nanos = clock->MonotonicNanos() + timeout->second.integer() * 1000;
  for (;;) {
    auto members = Members((*site)->session());
    if (!members.ok()) return Failed("sippar admin", members.status(), kExitNoStore);
    if (members->empty()) break;
    if (InterruptSeen()) return kExitInterrupted;
    if (clock->MonotonicNanos() > until_nanos) {
      return Failed("sippar admin",
                    DeadlineExceeded(fmt::format(
                        "cluster {}: after {} these processes still run: {}; wait for their end, "
                        "or kill them with SIGKILL: no acknowledged write is lost",
                        target_, timeout_, fmt::join(*members, ", "))),
                    kExitTimeout);
    }
    clock->SleepMicros(kLookUs);
  }
  fmt::print("cluster {} stopped\n", target_);
  return kExitOk;
}

}  // namespace sippar::cli
