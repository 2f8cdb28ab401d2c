// FakeServers: tablet servers as callers of control calls see them. Each has tablets and notes its
// calls; it may hang, have ended, be of the previous version, or fail for some tablets. A tablet's
// stored bytes are its id.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cluster/api/member_answer.h"
#include "cluster/api/transport.h"
#include "engine/base/clock.h"
#include "engine/base/thread.h"

namespace sippar::cluster {

struct FakeMember {
  std::set<uint64_t> tablets;
  std::map<uint64_t, Status> failures;  // answers about single tablets
  bool knows_batches = true;
  bool hangs = false;  // no call is answered before its timeout
  bool has_ended = false;
  size_t parts_max = SIZE_MAX;        // most tablets in one reply
  std::function<void()> before_call;  // may be empty
};

class FakeServers final : public Transport {
 public:
  // To be set up before the first call.
  std::map<ServerId, FakeMember> members;

  // The calls that the server got, as "Flush 3", in their order.
  std::vector<std::string> CallsTo(const ServerId& server) {
    engine::MutexLock lock(&mutex_);
    return calls_[server];
  }
  size_t CallCount() {
    engine::MutexLock lock(&mutex_);
    size_t count = 0;
    for (const auto& [server, calls] : calls_) count += calls.size();
    return count;
  }
  // Returns after `server` got `count` calls, or false after 20 s.
  bool Await(const ServerId& server, size_t count) {
    for (int i = 0; i < 20'000; ++i) {
      if (CallsTo(server).size() >= count) return true;
      engine::Clock::System()->SleepMicros(1'000);
    }
    return false;
  }

  std::shared_ptr<TabletControl> Control(const ServerId& server) override {
    return std::make_shared<FakeMemberControl>(this, server);
  }
  std::shared_ptr<TabletService> Tablets(const ServerId&, net::Lane) override { return nullptr; }
  std::shared_ptr<AdminApi> Admin() override { return nullptr; }
  std::shared_ptr<MasterNotices> Notices() override { return nullptr; }

 private:
  class FakeMemberControl final : public TabletControl {
   public:
    FakeMemberControl(FakeServers* servers, const ServerId& id)
        : servers_(servers), id_(id), member_(servers->members.at(id)) {}

    void Carry(const AnyCall& any, const CallOptions& options) override {
      AnswerBy(any, [&]<class Call>(const Call& asked) -> Answer<Call> {
        Note(asked);
        if (member_.before_call) member_.before_call();
        if (member_.has_ended) return Unavailable("connection refused");
        if (member_.hangs) return Hang(options);
        return MarkAnswered(Perform(asked));
      });
    }

   private:
    template <class Call>
    void Note(const Call& asked) {
      std::string text = Call::kRule.name;
      if constexpr (requires { asked.tablet_ids; }) {
        text += fmt::format(" of {}", asked.tablet_ids.size());
      } else if constexpr (requires { asked.tablet_id; }) {
        text += fmt::format(" {}", asked.tablet_id);
      }
      engine::MutexLock lock(&servers_->mutex_);
      servers_->calls_[id_].push_back(std::move(text));
    }
    static Status Hang(const CallOptions& options) {
      engine::Clock* clock = engine::Clock::System();
      const int64_t until = clock->MonotonicNanos() + options.timeout_us * 1000;
      while (clock->MonotonicNanos() < until && !options.is_cancelled()) clock->SleepMicros(500);
      return options.is_cancelled() ? Cancelled("cancelled") : DeadlineExceeded("no answer came");
    }
    Status Find(uint64_t tablet_id) const {
      const auto failure = member_.failures.find(tablet_id);
      if (failure != member_.failures.end()) return failure->second;
      if (member_.tablets.contains(tablet_id)) return OkStatus();
      return Unavailable(
          fmt::format("server {} does not serve tablet {}", id_.ToString(), tablet_id));
    }
    static std::vector<GroupStats> StatsOf(uint64_t tablet_id) {
      GroupStats group;
      group.group = "g";
      group.sstables = 1;
      group.stored_bytes = tablet_id;
      return {group};
    }

    StatusOr<std::vector<GroupStats>> Perform(const calls::TabletStats& asked) {
      RETURN_IF_ERROR(Find(asked.tablet_id));
      return StatsOf(asked.tablet_id);
    }
    StatusOr<calls::BatchTabletStats::Reply> Perform(const calls::BatchTabletStats& asked) {
      if (!member_.knows_batches) return Unimplemented("call BatchTabletStats is not supported");
      calls::BatchTabletStats::Reply reply;
      for (uint64_t id : asked.tablet_ids) {
        if (reply.size() == member_.parts_max) break;
        auto& part = reply.emplace_back();
        if (Find(id).ok()) part = StatsOf(id);
      }
      return reply;
    }
    Status Perform(const calls::FlushTablet& asked) { return Find(asked.tablet_id); }
    template <class Call>
    Answer<Call> Perform(const Call&) {
      return Unimplemented("not in this test");
    }

    FakeServers* const servers_;
    const ServerId id_;
    const FakeMember& member_;
  };

  engine::Mutex mutex_;
  std::map<ServerId, std::vector<std::string>> calls_ GUARDED_BY(mutex_);
};

}  // namespace sippar::cluster
