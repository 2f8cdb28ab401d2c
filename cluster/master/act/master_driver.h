// The loop of a master process: waits for the master lock, then feeds events to Step and carries
// out the actions that Step returns, until the lock is lost (paper section 5.2). Any number of
// processes may run this loop; one at a time reigns.
//
// Threads: one holds the lock and sends heartbeats and ticks; workers carry out actions. Each level
// of METADATA (lock service and root tablet, METADATA's other tablets, user tablets) has a queue,
// called a lane, with its own workers. One more lane has the calls and the file work that need no
// METADATA. Actions on user tablets may wait until a METADATA tablet is served again; in a shared
// queue they would block the actions that recover that METADATA tablet. Within a lane, actions that
// wait for servers that hang leave room for those of other servers (lane_queue.h). When the lock is
// lost, calls to servers are cancelled; any other action in flight runs to its end, and its
// conditions make it harmless (master_action.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/api/call_time.h"
#include "cluster/api/control_api.h"
#include "cluster/lock/lock_service.h"
#include "cluster/lock/member_record.h"
#include "cluster/master/act/action_job.h"
#include "cluster/master/decide/action_lane.h"
#include "cluster/master/decide/lane_queue.h"
#include "cluster/master/decide/master_step.h"
#include "cluster/net/lane_threads.h"
#include "engine/base/thread.h"

namespace sippar::cluster::master {

struct MasterDriverOptions {
  std::string name;  // name of this master: of its file in masters/, and in messages
  LockService* locks = nullptr;
  int64_t session_us = 0;  // see SessionOptions::timeout_us
  // How other processes reach this one. Every candidate writes it into a file of its own, and the
  // reigning master also into the lock's file. None: nothing is written.
  std::optional<MemberRecord> member = std::nullopt;
  ActionPlaces places;
  std::string store_mark;  // content that the lock file `store` must have; "": any (store_mark.h)
  MasterOptions policy;
  uint64_t seed = 0;
  int64_t tick_us = 50'000;
  // Actions that run concurrently in each lane, not counting those that wait for servers that hang.
  size_t threads = 2;
  // Like `threads`, but for the lane of user tablets. The number is higher, because the actions of
  // this lane change METADATA, and concurrent changes of METADATA share syncs.
  size_t user_threads = 8;
};

// Everything that the options point to outlives the driver. Thread safe.
class MasterDriver final : public MasterNotices {
 public:
  explicit MasterDriver(MasterDriverOptions options);
  ~MasterDriver() override;
  // Releases the lock, cancels the calls to servers, and waits for all other actions in flight. A
  // second Stop does nothing.
  void Stop();

  // Waits until the start has reached MasterOptions::last_stage. kUnavailable: the driver was
  // stopped. kDeadlineExceeded: another master reigns, or this one is still starting.
  [[nodiscard]] Status WaitUntilRunning(int64_t timeout_us);
  // The failure that keeps the start from completing, or the candidate from having a session, if it
  // has happened repeatedly; OK if there is none.
  [[nodiscard]] Status StartFailure();
  // Calls `make` with a new request number, feeds the event that it returns to the step, and waits
  // for the reply. After kUnavailable, kDeadlineExceeded and kCancelled the outcome is unknown. But
  // if this process does not have the master lock, nothing is fed, and the kUnavailable is marked
  // (net::MarkNotTaken).
  [[nodiscard]] Status Request(const CallTime& time,
                               const std::function<Event(uint64_t request)>& make);
  // Runs `look` on the state of a master that has read METADATA. kUnavailable: this process is not
  // that master. `look` runs under the driver's lock and must be short.
  [[nodiscard]] Status Look(const std::function<void(MasterState& state)>& look);
  // Like Look, but works in every stage of the start, so that administrators can see what a start
  // waits for. `name` is the name of this process as a candidate for master. kUnavailable: this
  // process does not have the master lock.
  [[nodiscard]] Status LookInAnyStage(
      const std::function<void(const std::string& name, const MasterState& state)>& look);
  // The session that holds the master lock, for writes that only a master may make. kUnavailable:
  // this process is not the master.
  [[nodiscard]] StatusOr<std::shared_ptr<LockSession>> Session();
  // True if this process reigns and has read METADATA, so that it can carry out calls.
  bool IsRunning();
  // True if this process holds the lock, in any stage of its start.
  bool Reigns();
  // Tells the driver that servers/ may have changed.
  void ServersChanged();

  void Carry(const AnyCall& call, const CallOptions&) override {
    AnswerBy(call, [this](const auto& asked) { return Perform(asked); });
  }

 private:
  Status Perform(const calls::SplitDone& asked);

  // One period of holding the lock. Actions in flight share it, so the session outlives every
  // action that uses it.
  struct Reign {
    Reign(std::unique_ptr<LockSession> held, const MasterDriverOptions& options,
          uint64_t its_epoch);
    const std::unique_ptr<LockSession> session;
    const CancelFlag ends = std::make_shared<std::atomic<bool>>(false);
    ActionJob job;
    const uint64_t epoch;
    // `state` and `queues` are guarded by the driver's mutex.
    MasterState state;
    std::vector<LaneQueue> queues;  // one queue for each lane
  };

  static constexpr int64_t kRetryMicros = 100'000;  // time between two attempts to get the lock

  // State of a process that waits for the master lock.
  struct Candidacy {
    std::unique_ptr<LockSession> session;
    bool is_known = false;   // the candidate's file exists, or this process needs none
    int64_t over_at_ns = 0;  // time from which the session may be over
  };

  void Live();
  std::unique_ptr<LockSession> WaitForLock();
  Candidacy OpenCandidacy();
  bool Renew(Candidacy* own);
  Status MakeKnown(LockSession* session);
  Status TryToReign(LockSession* session);
  Status TellAddress(LockSession* session, uint64_t fence);
  void AwaitChange(LockSession* session);
  void Hold(const std::shared_ptr<Reign>& reign);
  void End(const std::shared_ptr<Reign>& reign);
  void WatchServers(Reign* reign);
  // Passes every action that may run to the workers of its lane.
  void Dispatch() REQUIRES(mutex_);
  void CarryOut(const std::shared_ptr<Reign>& reign, Lane lane, const Action& action);
  void Feed(const std::shared_ptr<Reign>& reign, const Event& event) EXCLUDES(mutex_);
  void FeedLocked(const Event& event) REQUIRES(mutex_);
  void NoteFailure(const Status& status) REQUIRES(mutex_);
  // Returns false if the driver is stopping.
  bool Sleep(int64_t micros);
  int64_t NowMicros() const { return options_.places.clock->MonotonicNanos() / 1000; }

  const MasterDriverOptions options_;
  engine::Mutex mutex_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  engine::CondVar wake_;  // signalled by Stop and by the watch of the master lock
  std::atomic<bool> watching_{false};
  bool lock_may_be_free_ GUARDED_BY(mutex_) = false;  // a hint for a candidate on standby
  std::shared_ptr<Reign> reign_ GUARDED_BY(mutex_);
  // By error text: how often this process got no session, or an action of the start failed. Cleared
  // when a session opens and when the start is complete.
  std::map<std::string, int> start_failures_ GUARDED_BY(mutex_);
  Status start_failure_ GUARDED_BY(mutex_);
  uint64_t next_request_ GUARDED_BY(mutex_) = 1;
  // Replies by request number; kUnknown until the reply comes.
  std::map<uint64_t, Status> replies_ GUARDED_BY(mutex_);
  engine::CondVar replied_;
  std::array<std::unique_ptr<net::LaneThreads>, kLanes> workers_;
  engine::Thread holder_;
};

}  // namespace sippar::cluster::master
