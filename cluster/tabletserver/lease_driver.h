// Keeps a server's lease by the rules of lease_step.h. A thread sends the heartbeats and acts on
// the answers; a watchdog thread only compares two numbers with the clock: it touches no file,
// takes no lock, allocates nothing, and ends the process when the first thread hangs past the
// lease. A session without timeout (the service is in this process) has neither thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "cluster/lock/lock_service.h"
#include "cluster/tabletserver/lease_step.h"
#include "engine/base/clock.h"
#include "engine/base/status.h"
#include "engine/base/thread.h"

namespace sippar::cluster {

struct LeaseOptions {
  LockService* service = nullptr;  // for a new session when the old one is lost
  SessionOptions session;          // its clock is the lease's
  std::string path;                // the server's lock file
  // Called by the driver's thread when serving stops (false: calls in flight should end; may wait
  // for them, not longer than T/3) and when it goes on (true). May be empty.
  std::function<void(bool serving)> on_change;
  // Ends the process at once (_exit), without a clean-up that could hang. `why` is a literal. In
  // tests and simulations it may return; then nothing is served ever again.
  std::function<void(const char* why)> end_process;
};

// Thread safe.
class LeaseDriver {
 public:
  // `session` holds the lock of options.path. Sends the first heartbeat: errors of
  // LockSession::Heartbeat.
  [[nodiscard]] static StatusOr<std::unique_ptr<LeaseDriver>> Start(
      LeaseOptions options, std::shared_ptr<LockSession> session);
  // Stops the threads; does not wait for the lease or give the lock back (Leave).
  ~LeaseDriver();

  // OK while the lease is certainly held. Before a group commit is answered (after its sync) and
  // before a read is answered (after its snapshot). One load and one look at the clock.
  [[nodiscard]] Status CheckLease() const {
    if (clock_->MonotonicNanos() < serve_until_nanos_.load(std::memory_order_acquire)) [[likely]]
      return OkStatus();
    return LeaseOver();
  }

  // The one that holds the lock now; another one after each loss. Its calls fail when it is lost.
  std::shared_ptr<LockSession> session() const;

  // No lease and no heartbeat from here on: the process is about to end. Waits for nobody.
  void End();

  // Clean exit, when nothing is served any more: no lease from here on, the server's file is
  // removed and the session closed.
  [[nodiscard]] Status Leave();
  // As the death of the process: no lease from here on, and the session is left to time out.
  void Abandon();

 private:
  LeaseDriver(LeaseOptions options, std::shared_ptr<LockSession> session, LeaseState state);
  void Drive();
  void Watch();
  LeaseEvent Ask();
  LeaseEvent Regain();
  void Step(const LeaseEvent& event);
  void Stop();
  Status LeaseOver() const;

  const LeaseOptions options_;
  engine::Clock* const clock_;
  LeaseState state_;  // of the driver's thread

  // What the other threads see of it.
  std::atomic<int64_t> serve_until_nanos_;
  std::atomic<int64_t> confirm_by_nanos_;
  std::atomic<bool> stop_watchdog_{false};

  mutable engine::Mutex mutex_;
  engine::CondVar wake_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::shared_ptr<LockSession> session_ GUARDED_BY(mutex_);

  engine::Thread driver_;
  engine::Thread watchdog_;
};

}  // namespace sippar::cluster
