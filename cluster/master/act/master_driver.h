// A master process's loop: waits for the master lock, then feeds what happens to Step and carries
// out what it asks for, until the lock is lost (paper section 5.2). Any number may run; one reigns.
//
// Threads: one holds the lock (heartbeats, ticks); workers carry actions out. Actions that need one
// level of METADATA never wait in a queue behind those that need a higher one, or a dead METADATA
// server could not be recovered. An action that is under way when the lock is lost ends when it
// ends: conditions make it harmless (master_action.h). SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/api/control_api.h"
#include "cluster/lock/lock_service.h"
#include "cluster/master/act/action_job.h"
#include "cluster/master/decide/master_step.h"
#include "engine/base/thread.h"

namespace sippar::cluster::master {

struct MasterDriverOptions {
  std::string name;  // for people
  LockService* locks = nullptr;
  int64_t session_us = 0;  // SessionOptions::timeout_us
  ActionPlaces places;
  MasterOptions policy;
  uint64_t seed = 0;
  int64_t tick_us = 50'000;
  size_t threads = 2;       // for each kind of action
  size_t user_threads = 8;  // of user tablets: their changes of METADATA share syncs
};

// Thread safe. Everything in the options outlives it.
class MasterDriver final : public MasterNotices {
 public:
  explicit MasterDriver(MasterDriverOptions options);
  ~MasterDriver() override;
  // Gives the lock up. No call is running afterwards; a second Stop does nothing.
  void Stop();

  // kUnavailable: another one reigns, or it is starting. kDeadlineExceeded.
  [[nodiscard]] Status WaitUntilRunning(int64_t timeout_us);
  // Why it does not get on with its start: what failed again and again. OK: nothing.
  [[nodiscard]] Status StartFailure();
  // Feeds the event that `make` makes with a request's number, and waits for the reply. After
  // kUnavailable and kDeadlineExceeded the outcome is unknown.
  [[nodiscard]] Status Request(const std::function<Event(uint64_t request)>& make);
  // Looks at the state of a master that has read METADATA. kUnavailable: this is none.
  [[nodiscard]] Status Look(const std::function<void(MasterState& state)>& look);
  // The session that holds the master's lock; what it writes is a master's. kUnavailable.
  [[nodiscard]] StatusOr<std::shared_ptr<LockSession>> Session();
  // A hint: servers/ has changed.
  void ServersChanged();

  Status SplitDone(const ServerId& server, uint64_t parent_tablet_id) override;

 private:
  // One time of holding the lock. Workers keep it: the session outlives what they do with it.
  struct Reign {
    Reign(std::unique_ptr<LockSession> held, const ActionPlaces& places, uint64_t its_epoch)
        : session(std::move(held)), job(places, session.get(), its_epoch), epoch(its_epoch) {}
    const std::unique_ptr<LockSession> session;
    ActionJob job;
    const uint64_t epoch;
    MasterState state;
  };
  enum Lane : uint8_t { kLocks, kMetadata, kUser, kCalls, kLanes };
  struct Work {
    std::shared_ptr<Reign> reign;
    Action action;
  };

  static Lane LaneOf(const ActionBody& body);
  void Live();
  std::unique_ptr<LockSession> WaitForLock();
  void Hold(const std::shared_ptr<Reign>& reign);
  void End(const std::shared_ptr<Reign>& reign);
  void WatchServers(Reign* reign);
  void Serve(Lane lane);
  void Feed(const std::shared_ptr<Reign>& reign, const Event& event) EXCLUDES(mutex_);
  void FeedLocked(const Event& event) REQUIRES(mutex_);
  void NoteFailure(const Event& event) REQUIRES(mutex_);
  // False when stopping.
  bool Sleep(int64_t micros);
  int64_t NowMicros() const { return options_.places.clock->MonotonicNanos() / 1000; }

  const MasterDriverOptions options_;
  engine::Mutex mutex_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  engine::CondVar wake_;  // stopping
  std::atomic<bool> watching_{false};
  std::shared_ptr<Reign> reign_ GUARDED_BY(mutex_);
  std::array<std::deque<Work>, kLanes> queues_ GUARDED_BY(mutex_);
  std::array<engine::CondVar, kLanes> work_;
  std::map<std::string, int> start_failures_ GUARDED_BY(mutex_);  // by text; until it runs
  Status start_failure_ GUARDED_BY(mutex_);
  uint64_t next_request_ GUARDED_BY(mutex_) = 1;
  std::map<uint64_t, Status> replies_ GUARDED_BY(mutex_);  // kUnknown: waits
  engine::CondVar replied_;
  std::vector<engine::Thread> workers_;
  engine::Thread holder_;
};

}  // namespace sippar::cluster::master
