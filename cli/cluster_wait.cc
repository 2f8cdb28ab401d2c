// SPDX-License-Identifier: Apache-2.0
#include "cli/cluster_wait.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "cli/exit_code.h"
#include "cli/message.h"
#include "cli/signals.h"
#include "cluster/node/open_client.h"
#include "engine/base/clock.h"
#include "engine/program/value.h"

namespace sippar::cli {
namespace {

constexpr int64_t kPollMicros = 100'000;
// Shortest time limit of a call. The last call may run past the end of the wait by this much,
// because its answer explains why the cluster is not ready.
constexpr int64_t kAnswerMicros = 500'000;
// Longest time limit of a call. Ctrl-C is checked between calls, so it may have to wait this long.
constexpr int64_t kStepMicros = 2'000'000;

class Waiter {
 public:
  explicit Waiter(const ClusterWait& wait)
      : wait_(wait), end_us_(NowMicros() + wait.timeout_us), shows_(isatty(STDERR_FILENO) == 1) {}

  int Run() {
    const Status status = Poll();
    Wipe();
    const Status closed = client_ == nullptr ? OkStatus() : client_->Close();
    if (!status.ok()) return Failed("sippar admin", status, kExitNoStore);
    if (why_.empty()) return closed.ok() ? kExitOk : Failed("sippar admin", closed, kExitFailed);
    if (InterruptSeen()) return kExitInterrupted;
    PrintMessage("sippar admin",
                 fmt::format("target {}: it is not ready after {} ({})", wait_.target,
                             engine::PrintDuration(wait_.timeout_us), why_));
    return kExitTimeout;
  }

 private:
  static int64_t NowMicros() { return engine::Clock::System()->MonotonicNanos() / 1000; }
  int64_t LeftMicros() const { return std::max<int64_t>(end_us_ - NowMicros(), 0); }

  // Asks until the cluster is ready (why_ is then empty), the time is up or Ctrl-C was pressed.
  // Returns an error only if waiting cannot help.
  Status Poll() {
    for (;;) {
      auto health = Ask();
      if (!health.ok() && !MayPass(health.status())) return health.status();
      why_ = health.ok() ? WhyNotReady(wait_, *health) : std::string(MessageOf(health.status()));
      if (why_.empty() || InterruptSeen()) return OkStatus();
      Show();
      engine::Clock::System()->SleepMicros(std::min(kPollMicros, LeftMicros()));
      if (LeftMicros() == 0) return OkStatus();
    }
  }

  StatusOr<cluster::ClusterHealth> Ask() {
    if (client_ == nullptr) {
      cluster::Patience patience;
      patience.wait_us = std::min(kStepMicros, LeftMicros());
      patience.may_wait = [](const std::string&) { return !InterruptSeen(); };
      ASSIGN_OR_RETURN(client_, cluster::OpenClient(wait_.target, {}, patience));
    }
    cluster::CallOptions options;
    options.timeout_us = std::clamp(LeftMicros(), kAnswerMicros, kStepMicros);
    return client_->admin()->Do(cluster::calls::ClusterStatus{}, options);
  }

  void Show() {
    if (!shows_) return;
    fmt::print(stderr, "\r\x1b[Kwaiting: {}", engine::PrintEscaped(why_.substr(0, kShownMax)));
    std::fflush(stderr);
  }
  void Wipe() const {
    if (shows_) fmt::print(stderr, "\r\x1b[K");
  }

  static constexpr size_t kShownMax = 70;  // limit of characters, for one line of a terminal
  const ClusterWait& wait_;
  const int64_t end_us_;
  const bool shows_;
  std::unique_ptr<cluster::Client> client_;
  std::string why_;
};

}  // namespace

bool MayPass(const Status& status) {
  return status.code() == StatusCode::kUnavailable || status.code() == StatusCode::kNotFound ||
         status.code() == StatusCode::kDeadlineExceeded || status.code() == StatusCode::kCancelled;
}

std::string WhyNotReady(const ClusterWait& wait, const cluster::ClusterHealth& health) {
  if (!health.master.is_running) return "the master is starting";
  const auto live = static_cast<uint64_t>(
      std::count_if(health.servers.begin(), health.servers.end(),
                    [](const cluster::ServerStatus& server) { return server.state == "live"; }));
  if (wait.servers && *wait.servers != live) {
    return fmt::format("{} servers are live, {} are wanted", live, *wait.servers);
  }
  // While a server with tablets is silent, the cluster is not ready, although the master still
  // counts these tablets as served.
  for (const cluster::ServerStatus& server : health.servers) {
    if (server.state == "silent" && server.tablets > 0) {
      return fmt::format("server {} does not answer the master", server.id.ToString());
    }
  }
  if (!health.recoveries.empty()) {
    return fmt::format("server {} is being recovered", health.recoveries.front().server.ToString());
  }
  if (!health.unserved.empty()) {
    const cluster::UnservedTablet& first = health.unserved.front();
    return fmt::format("{} of {} tablets are served; table {}: {}", health.tablets.online,
                       health.tablets.total, first.table, first.why);
  }
  return health.healthy ? "" : "the master says that not all is served";
}

int WaitForCluster(const ClusterWait& wait) {
  InstallSignalHandlers();
  CancelScope interrupts(nullptr, 0);
  return Waiter(wait).Run();
}

}  // namespace sippar::cli
