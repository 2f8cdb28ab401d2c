// SPDX-License-Identifier: Apache-2.0
#include "cli/cluster/down.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cli/cluster/home.h"
#include "cli/cluster/plan.h"
#include "cli/cluster/processes.h"
#include "cli/message.h"
#include "cli/signals.h"
#include "cluster/node/cluster_site.h"
#include "cluster/node/server_client.h"
#include "engine/base/clock.h"
#include "engine/program/value.h"

namespace sippar::cli {
namespace {

constexpr int64_t kPollMicros = 50'000;
// Time between writing the stop request to ZooKeeper and sending SIGTERM. A serving process checks
// for the request once a second; a process that is still starting may miss it.
constexpr int64_t kSeenMicros = 5'000'000;

class Ender {
 public:
  Ender(const ClusterPlan& plan, int64_t timeout_us)
      : plan_(plan), timeout_us_(timeout_us), end_us_(NowMicros() + timeout_us) {}

  // ZooKeeper is ended last, because servers and masters need it to give up their tablets and
  // locks.
  Status Run() {
    using Kind = ProcessKind;
    if (AnyRuns({Kind::kServer, Kind::kMaster, Kind::kGateway}) && AskAll()) {
      ASSIGN_OR_RETURN(bool all_ended, Await({Kind::kServer, Kind::kMaster, Kind::kGateway},
                                             NowMicros() + kSeenMicros));
      if (!all_ended) {
        PrintMessage(fmt::format(
            "waiting for these processes to end: {}",
            fmt::join(StillRunning({Kind::kServer, Kind::kMaster, Kind::kGateway}), ", ")));
      }
    }
    RETURN_IF_ERROR(End({Kind::kServer, Kind::kGateway}));
    RETURN_IF_ERROR(End({Kind::kMaster}));
    return End({Kind::kZooKeeper});
  }

  Status Kill() {
    const std::set<ProcessKind> all = {ProcessKind::kServer, ProcessKind::kMaster,
                                       ProcessKind::kGateway, ProcessKind::kZooKeeper};
    SignalAll(all, SIGKILL);
    return AwaitEnd(all);
  }

 private:
  static int64_t NowMicros() { return engine::Clock::System()->MonotonicNanos() / 1000; }

  std::vector<std::string> StillRunning(const std::set<ProcessKind>& kinds) const {
    std::vector<std::string> names;
    for (const PlannedProcess& process : plan_.processes) {
      if (kinds.contains(process.kind) && processes_.Running(process) != 0) {
        names.push_back(process.name);
      }
    }
    return names;
  }
  bool AnyRuns(const std::set<ProcessKind>& kinds) const { return !StillRunning(kinds).empty(); }

  void SignalAll(const std::set<ProcessKind>& kinds, int number) const {
    for (const PlannedProcess& process : plan_.processes) {
      if (kinds.contains(process.kind)) processes_.Signal(process, number);
    }
  }

  // Asks all processes to stop with one request in ZooKeeper, so that no server hands its tablets
  // to another server that is about to stop. Returns false if ZooKeeper cannot be reached now.
  bool AskAll() const {
    size_t serving = 0;
    for (const PlannedProcess* member : ProcessesOf(plan_, ProcessKind::kZooKeeper)) {
      if (MemberServes(member->ports.front())) ++serving;
    }
    if (serving * 2 <= plan_.members.size()) return false;
    cluster::SiteOptions options;
    options.secret_file = cluster::SecretFileOfEnvironment();
    auto site = cluster::ClusterSite::Open(plan_.target, options);
    return site.ok() && (*site)->AskToStop().ok();
  }

  // Waits for the processes of these kinds. Returns true if all have ended before `until_us`.
  StatusOr<bool> Await(const std::set<ProcessKind>& kinds, int64_t until_us) const {
    while (AnyRuns(kinds)) {
      if (InterruptSeen()) return Cancelled("interrupted");
      if (NowMicros() > std::min(until_us, end_us_)) return false;
      engine::Clock::System()->SleepMicros(kPollMicros);
    }
    return true;
  }

  Status End(const std::set<ProcessKind>& kinds) const {
    SignalAll(kinds, SIGTERM);
    return AwaitEnd(kinds);
  }

  Status AwaitEnd(const std::set<ProcessKind>& kinds) const {
    ASSIGN_OR_RETURN(bool all_ended, Await(kinds, end_us_));
    if (!all_ended) {
      return DeadlineExceeded(
          fmt::format("after {} these processes still run: {}; try again, or kill them with "
                      "`sippar cluster down --kill`: no acknowledged write is lost",
                      engine::PrintDuration(timeout_us_), fmt::join(StillRunning(kinds), ", ")));
    }
    for (const PlannedProcess& process : plan_.processes) {
      if (kinds.contains(process.kind)) processes_.Forget(process);
    }
    return OkStatus();
  }

  const ClusterPlan& plan_;
  const ClusterProcesses processes_{plan_};
  const int64_t timeout_us_;
  const int64_t end_us_;
};

}  // namespace

Status ClusterDown(const ClusterDownOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<ClusterHome> home, ClusterHome::Open(options.directory, false));
  const ClusterPlan plan = PlanCluster(home->directory(), *home->settings(), ClusterPrograms());
  InstallSignalHandlers();
  CancelScope interrupts(nullptr, 0);
  Ender ender(plan, options.timeout_us);
  RETURN_IF_ERROR(Annotate(options.kill ? ender.Kill() : ender.Run(), "cluster " + plan.target));
  fmt::print("cluster {} stopped\n", plan.target);
  return OkStatus();
}

}  // namespace sippar::cli
