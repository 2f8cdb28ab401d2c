// SPDX-License-Identifier: Apache-2.0
#include "cli/cluster/up.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/cluster/home.h"
#include "cli/cluster/processes.h"
#include "cli/cluster_wait.h"
#include "cli/message.h"
#include "cli/signals.h"
#include "cluster/node/cluster_site.h"
#include "cluster/node/open_client.h"
#include "cluster/node/server_client.h"
#include "engine/base/clock.h"
#include "engine/program/value.h"

namespace sippar::cli {
namespace {

constexpr int64_t kPollMicros = 100'000;
constexpr int64_t kAnswerMicros = 2'000'000;
constexpr const char* kJar = "/usr/share/java/zookeeper.jar";
// The jar of ZooKeeper's logging back end; without it ZooKeeper writes no log.
constexpr const char* kLogJar = "/usr/share/java/slf4j-simple.jar";

bool IsOnPath(const std::string& program) {
  const char* value = std::getenv("PATH");
  for (std::string_view path = value == nullptr ? "" : value; !path.empty();) {
    const std::string_view folder = path.substr(0, path.find(':'));
    path.remove_prefix(std::min(folder.size() + 1, path.size()));
    if (::access(fmt::format("{}/{}", folder, program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

StatusOr<ClusterPrograms> FindPrograms() {
  const char* chosen = std::getenv("ZOOKEEPER_JAR");
  const std::string jar = chosen == nullptr || *chosen == '\0' ? kJar : chosen;
  std::error_code error;
  std::string missing = IsOnPath("java") ? "" : "java";
  if (!std::filesystem::exists(jar, error)) {
    missing += fmt::format("{}{}", missing.empty() ? "" : " and ", jar);
  }
  if (!missing.empty()) {
    return FailedPrecondition(fmt::format(
        "ZooKeeper: not found ({}); install it with `apt install zookeeper "
        "openjdk-17-jre-headless`, or name another zookeeper.jar in the variable ZOOKEEPER_JAR",
        missing));
  }
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  // The path is absolute, because the processes run in the cluster's directory.
  const std::string path = std::filesystem::absolute(jar, error).string();
  return ClusterPrograms{self.string(), fmt::format("{}:{}", path, kLogJar)};
}

class Starter {
 public:
  Starter(const ClusterPlan& plan, int64_t timeout_us)
      : plan_(plan), timeout_us_(timeout_us), end_us_(NowMicros() + timeout_us) {}

  // Returns true if at least one process was started.
  StatusOr<bool> Run() {
    RETURN_IF_ERROR(Await({ProcessKind::kZooKeeper}, [this] { return LackOfMembers(); }));
    RETURN_IF_ERROR(Await({ProcessKind::kZooKeeper}, [this] { return Make(); }));
    const auto lack = [this] { return LackOfCluster(); };
    Status status = Await({ProcessKind::kZooKeeper, ProcessKind::kServer, ProcessKind::kMaster,
                           ProcessKind::kGateway},
                          lack);
    for (auto* client : {&client_, &gateway_}) {
      Status closed = *client == nullptr ? OkStatus() : (*client)->Close();
      if (status.ok()) status = closed;
    }
    RETURN_IF_ERROR(status);
    return !started_.empty();
  }

 private:
  using Lack = StatusOr<ClusterLack>;

  static int64_t NowMicros() { return engine::Clock::System()->MonotonicNanos() / 1000; }

  // Keeps the processes of these kinds running until `lack` finds nothing missing. An error of
  // `lack` ends the wait and is returned.
  Status Await(const std::set<ProcessKind>& kinds, const std::function<Lack()>& lack) {
    for (;;) {
      RETURN_IF_ERROR(KeepRunning(kinds));
      ASSIGN_OR_RETURN(ClusterLack found, lack());
      if (found.why.empty()) return OkStatus();
      if (InterruptSeen()) return Cancelled("interrupted");
      if (NowMicros() > end_us_) {
        ShowLogs(found.names);
        return DeadlineExceeded(fmt::format("it is not ready after {} ({})",
                                            engine::PrintDuration(timeout_us_), found.why));
      }
      engine::Clock::System()->SleepMicros(kPollMicros);
    }
  }

  // Starts the processes of these kinds that do not run. A process that was found running may end
  // later, such as a server whose ZooKeeper was killed; such a process is started again. If a
  // process that this program started ends, that is an error.
  Status KeepRunning(const std::set<ProcessKind>& kinds) {
    for (const PlannedProcess& process : plan_.processes) {
      if (!kinds.contains(process.kind)) continue;
      if (InterruptSeen()) return Cancelled("interrupted");
      const pid_t running = processes_.Running(process);
      if (running != 0) {
        if (seen_.insert(process.name).second) Tell(process, "runs as", running);
        continue;
      }
      if (started_.contains(process.name)) {
        ShowLogs({process.name});
        return Unavailable(fmt::format("{}: it has ended; its log is {}/{}", process.name,
                                       plan_.directory, LogFileOf(process.name)));
      }
      ASSIGN_OR_RETURN(pid_t pid, processes_.Start(process));
      started_.insert(process.name);
      seen_.insert(process.name);
      Tell(process, "starts as", pid);
    }
    return OkStatus();
  }

  Lack LackOfMembers() const {
    for (const PlannedProcess* member : ProcessesOf(plan_, ProcessKind::kZooKeeper)) {
      if (MemberServes(member->ports.front())) continue;
      return ClusterLack{fmt::format("ZooKeeper's member {} does not serve", member->name),
                         {member->name}};
    }
    return ClusterLack();
  }

  Lack Make() const {
    cluster::SiteOptions site;
    site.secret_file = cluster::SecretFileOfEnvironment();
    site.allows_unsafe_store = cluster::AllowsUnsafeStoreByEnvironment();
    const Status made = cluster::MakeCluster(plan_.target, plan_.store, site).status();
    if (made.ok()) return ClusterLack();
    if (!MayPass(made)) return made;
    return ClusterLack{std::string(MessageOf(made)), NamesOf(ProcessKind::kZooKeeper)};
  }

  Lack LackOfCluster() {
    auto health = Ask(plan_.target, &client_);
    if (!health.ok() && !MayPass(health.status())) return health.status();
    if (!health.ok()) {
      return ClusterLack{std::string(MessageOf(health.status())), NamesOf(ProcessKind::kMaster)};
    }
    ClusterLack lack = LackOf(plan_, Pids(), *health);
    if (!lack.why.empty()) return lack;
    auto passed_on = Ask(plan_.gateway, &gateway_);
    if (passed_on.ok()) return lack;
    if (!MayPass(passed_on.status())) return passed_on.status();
    return ClusterLack{std::string(MessageOf(passed_on.status())), NamesOf(ProcessKind::kGateway)};
  }

  ClusterPids Pids() const {
    ClusterPids pids;
    for (const PlannedProcess& process : plan_.processes) {
      pids[process.name] = static_cast<uint64_t>(processes_.Running(process));
    }
    return pids;
  }

  static StatusOr<cluster::ClusterHealth> Ask(const std::string& target,
                                              std::unique_ptr<cluster::Client>* client) {
    if (*client == nullptr) {
      cluster::Patience patience;
      patience.wait_us = kAnswerMicros;
      patience.may_wait = [](const std::string&) { return !InterruptSeen(); };
      ASSIGN_OR_RETURN(*client, cluster::OpenClient(target, {}, patience));
    }
    cluster::CallOptions call;
    call.timeout_us = kAnswerMicros;
    return (*client)->admin()->Do(cluster::calls::ClusterStatus{}, call);
  }

  std::vector<std::string> NamesOf(ProcessKind kind) const {
    std::vector<std::string> names;
    for (const PlannedProcess* process : ProcessesOf(plan_, kind)) names.push_back(process->name);
    return names;
  }

  void Tell(const PlannedProcess& process, std::string_view what, pid_t pid) const {
    PrintMessage(fmt::format("{:<4} {} process {}, log {}/{}", process.name, what, pid,
                             plan_.directory, LogFileOf(process.name)));
  }

  void ShowLogs(const std::vector<std::string>& names) const {
    for (const PlannedProcess& process : plan_.processes) {
      if (std::find(names.begin(), names.end(), process.name) == names.end()) continue;
      PrintMessage(fmt::format("last lines of {}/{}:", plan_.directory, LogFileOf(process.name)));
      const std::string end = processes_.EndOfLog(process);
      for (std::string_view rest = end; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        PrintMessage("  " + std::string(line));
      }
    }
  }

  const ClusterPlan& plan_;
  const ClusterProcesses processes_{plan_};
  const int64_t timeout_us_;
  const int64_t end_us_;
  std::set<std::string> seen_;     // processes that this program found running or started
  std::set<std::string> started_;  // processes that this program started
  std::unique_ptr<cluster::Client> client_;
  std::unique_ptr<cluster::Client> gateway_;
};

// True if any process of the directory's cluster runs.
bool AnyRuns(const ClusterHome& home, const ClusterPrograms& programs) {
  if (!home.settings()) return false;
  const ClusterPlan plan = PlanCluster(home.directory(), *home.settings(), programs);
  return ClusterProcesses(plan).AnyRuns();
}

}  // namespace

Status ClusterUp(const ClusterUpOptions& options) {
  ASSIGN_OR_RETURN(ClusterPrograms programs, FindPrograms());
  ASSIGN_OR_RETURN(std::unique_ptr<ClusterHome> home, ClusterHome::Open(options.directory, true));
  auto settings = SettingsFor(home->settings(), options.wishes, AnyRuns(*home, programs));
  RETURN_IF_ERROR(Annotate(settings.status(), "cluster " + home->directory()));
  RETURN_IF_ERROR(home->Keep(*settings));
  const ClusterPlan plan = PlanCluster(home->directory(), *settings, programs);
  RETURN_IF_ERROR(home->Prepare(plan));
  InstallSignalHandlers();
  CancelScope interrupts(nullptr, 0);
  auto started = Starter(plan, options.timeout_us).Run();
  if (!started.ok()) {
    PrintMessage(
        fmt::format("the processes that were started run on; `sippar cluster down {}` ends them",
                    options.directory));
    return Annotate(started.status(), "cluster " + plan.target);
  }
  if (!*started) PrintMessage(fmt::format("cluster {} runs; nothing was started", plan.target));
  fmt::print("cluster {} gateway {} ready\n", plan.target, plan.gateway);
  return OkStatus();
}

}  // namespace sippar::cli
