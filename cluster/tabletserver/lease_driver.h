// Keeps a server's lease by the rules of lease_step.h. One thread sends the heartbeats and acts on
// the answers. A second thread, the watchdog, ends the process when the first hangs past the lease,
// or when a call of the file system does not return. To be safe from whatever makes another thread
// hang, the watchdog only compares numbers: it touches no file and no lock, and allocates no
// memory. A session without a timeout (the lock service is in this process) needs neither thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cluster/lock/lock_service.h"
#include "cluster/tabletserver/lease_step.h"
#include "engine/base/clock.h"
#include "engine/base/status.h"
#include "engine/base/thread.h"

namespace sippar::cluster {

struct LeaseOptions {
  LockService* service = nullptr;  // opens a new session when the old one is lost
  SessionOptions session;          // its clock is also the lease's clock
  std::string path;                // the server's lock file
  std::string store_mark;          // content that lock file `store` must have; "": any
  // The driver's thread calls this with false when serving stops: calls in flight should end, and
  // the function may wait for them, for at most a third of the session's timeout. It calls it with
  // true when serving continues. May be empty.
  std::function<void(bool serving)> on_change;
  // Ends the process at once (_exit), because a clean-up could hang. `why` lives as long as the
  // process. In tests and simulations it may return; the server then never serves again.
  std::function<void(const char* why)> end_process;
  // The watchdog calls this with the microseconds since its last call. If it returns a reason, the
  // watchdog ends the process with that reason: a call of the file system hangs
  // (engine/fs/call_watch.h). It must take no lock and no heap memory. May be empty.
  std::function<const char*(int64_t passed_us)> overdue_call = nullptr;
};

// Thread safe.
class LeaseDriver {
 public:
  // Starts to keep the lease. Requires: `session` holds the lock of options.path. Sends the first
  // heartbeat and returns its error, if any.
  [[nodiscard]] static StatusOr<std::unique_ptr<LeaseDriver>> Start(
      LeaseOptions options, std::shared_ptr<LockSession> session);
  // Stops the threads. It neither waits for the end of the lease nor releases the lock (Leave
  // releases it).
  ~LeaseDriver();

  // OK while the lease is certainly held. To be called between a group commit's sync and its
  // answer, and between a read's snapshot and its answer. Costs one load and one look at the clock.
  [[nodiscard]] Status CheckLease() const {
    if (clock_->MonotonicNanos() < serve_until_nanos_.load(std::memory_order_acquire)) [[likely]]
      return OkStatus();
    return LeaseOver();
  }

  // Time until CheckLease fails if the lease is not renewed; negative: CheckLease already fails.
  // nullopt: the session has no timeout.
  std::optional<int64_t> LeftMicros() const;

  // The session that holds the lock now; after each loss of the lock a new session follows. Calls
  // on a lost session fail.
  std::shared_ptr<LockSession> session() const;

  // Stops serving and heartbeats for good, because the process is about to end. Waits for no
  // thread.
  void End();

  // Gives the lease up cleanly: stops serving for good, removes the server's file and closes the
  // session. To be called after the last tablet was unloaded.
  [[nodiscard]] Status Leave();
  // Simulates the death of the process: stops serving for good and leaves the session to time out.
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
  // Only the driver's thread uses state_ and why_gone_.
  LeaseState state_;
  // Argument of end_process in the phase kGone; a string literal.
  const char* why_gone_ = "its lock file was removed, so its tablets go to other servers";

  // Copies of two times in state_ that other threads read.
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
