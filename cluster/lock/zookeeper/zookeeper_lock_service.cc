// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/zookeeper/zookeeper_lock_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cluster/lock/zookeeper/zookeeper_session.h"
#include "engine/base/thread.h"

namespace sippar::cluster {
namespace {

using zookeeper::ZooKeeperHandle;

class ZooKeeperLockService final : public LockService {
 public:
  explicit ZooKeeperLockService(const ZooKeeperOptions& options)
      : options_(options), tick_us_(options.tick_us) {
    is_reached_ = tick_us_ != 0 && options.connect_us <= 0 && options.may_wait == nullptr;
  }

  StatusOr<std::unique_ptr<LockSession>> OpenSession(const SessionOptions& options) override {
    if (options.timeout_us <= 0) {
      return InvalidArgument(
          fmt::format("ZooKeeper {}: session '{}' has no timeout, and a session of ZooKeeper "
                      "needs one; set timeout_us of SessionOptions",
                      options_.hosts, options.name));
    }
    const int64_t deadline_nanos =
        engine::Clock::System()->MonotonicNanos() + options.timeout_us * 1000;
    ASSIGN_OR_RETURN(int64_t tick_us, Tick(deadline_nanos));
    return zookeeper::ZooKeeperSession::Open(Connection(options.timeout_us), options_.cluster,
                                             options_.missing, tick_us, deadline_nanos, options);
  }

 private:
  ZooKeeperHandle::Options Connection(int64_t timeout_us) const {
    return {options_.hosts, options_.secret, timeout_us};
  }

  // Returns the members' tick. Before the first session, opens a trial session to wait for a member
  // as the options say. It asks for a timeout of 1 s, and the members grant at least the shortest
  // timeout that they allow. With less than 1 s the client would have no time to connect. If the
  // options name the tick and no wait, no trial session is needed.
  StatusOr<int64_t> Tick(int64_t deadline_nanos) {
    constexpr int64_t kShortUs = 1'000'000;
    engine::MutexLock lock(&mutex_);
    if (is_reached_) return tick_us_;
    ASSIGN_OR_RETURN(std::unique_ptr<ZooKeeperHandle> asked,
                     ZooKeeperHandle::Open(Connection(kShortUs), nullptr));
    Status connected = AwaitMember(asked.get(), deadline_nanos);
    const int64_t timeout_us = asked->timeout_us();
    asked->Close();
    RETURN_IF_ERROR(connected);
    is_reached_ = true;
    if (tick_us_ == 0) tick_us_ = zookeeper::TickOfShortestSession(timeout_us);
    return tick_us_;
  }

  Status AwaitMember(ZooKeeperHandle* asked, int64_t deadline_nanos) const {
    constexpr int64_t kLookNanos = 50'000'000;
    engine::Clock* clock = engine::Clock::System();
    if (options_.connect_us > 0) {
      const int64_t over_nanos = clock->MonotonicNanos() + options_.connect_us * 1000;
      deadline_nanos = std::min(deadline_nanos, over_nanos);
    }
    for (;;) {
      const int64_t now_nanos = clock->MonotonicNanos();
      Status connected = asked->WaitConnected(std::min(deadline_nanos, now_nanos + kLookNanos));
      const bool may_pass = connected.code() == StatusCode::kUnavailable;
      if (!may_pass || clock->MonotonicNanos() >= deadline_nanos) return connected;
      const bool goes_on =
          options_.may_wait == nullptr || options_.may_wait("reach ZooKeeper " + options_.hosts);
      if (!goes_on) return Cancelled(std::string(MessageOf(connected)));
    }
  }

  const ZooKeeperOptions options_;
  engine::Mutex mutex_;
  int64_t tick_us_ GUARDED_BY(mutex_);  // 0: the tick is not known yet
  // A member has answered the trial session of Tick, or no trial session is needed.
  bool is_reached_ GUARDED_BY(mutex_) = false;
};

}  // namespace

StatusOr<std::unique_ptr<LockService>> OpenZooKeeper(const ZooKeeperOptions& options) {
  return std::make_unique<ZooKeeperLockService>(options);
}

}  // namespace sippar::cluster
