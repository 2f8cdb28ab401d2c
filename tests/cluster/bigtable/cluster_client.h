// A Client of a cluster of three servers in this process, which can be replaced.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>

#include "cluster/client/client.h"
#include "cluster/lock/embedded_lock_service.h"
#include "cluster/node/local_cluster.h"
#include "engine/fs/memory_file_system.h"

namespace sippar::cluster {

// Takes the date from another clock; time passes as on the machine's clock.
class DatedClock final : public engine::Clock {
 public:
  explicit DatedClock(engine::Clock* dates) : dates_(dates) {}
  int64_t NowMicros() override { return dates_->NowMicros(); }
  int64_t MonotonicNanos() override { return System()->MonotonicNanos(); }
  void SleepMicros(int64_t micros) override { System()->SleepMicros(micros); }

 private:
  engine::Clock* const dates_;
};

class ClusterClient final : public Client {
 public:
  // `clock` is the clock of the callers; the servers take timestamps from it.
  explicit ClusterClient(engine::Clock* clock) : clock_(clock), servers_clock_(clock) {
    EXPECT_TRUE(disk_.CreateDir("/db").ok());
    locks_ = std::move(*EmbeddedLockService::Open(&disk_, "/lock", engine::Clock::System()));
    LocalClusterOptions options;
    options.directory = "/db";
    options.locks = locks_.get();
    options.store.fs = &disk_;
    options.store.clock = &servers_clock_;
    options.store.memtable_size = 32 << 10;
    options.lease_us = 1'500'000;
    options.policy.poll_us = 100'000;
    options.policy.report_us = 300'000;
    options.policy.retry_max_us = 100'000;
    cluster_ = std::move(*LocalCluster::Open(options));
    EXPECT_TRUE(cluster_->StartMaster("master").ok());
    for (int i = 0; i < 3; ++i) AddServer();
    EXPECT_TRUE(cluster_->WaitForMaster(20'000'000).ok());
    admin_ = cluster_->admin();
  }

  // The oldest server dies, or hands over its tablets and leaves; then a new server starts.
  void ReplaceServer(bool dies) {
    if (dies) {
      cluster_->CrashServer(names_.front());
    } else {
      Status left = cluster_->StopServer(names_.front());
      EXPECT_TRUE(left.ok()) << left;
    }
    names_.pop_front();
    AddServer();
  }

  DataApi* data() override { return cluster_->data(); }
  AdminApi* admin() override { return admin_.get(); }
  engine::Clock* clock() override { return clock_; }
  const std::string& target() const override { return target_; }
  Status Close() override { return cluster_->CloseAll(); }

 private:
  void AddServer() {
    names_.push_back(fmt::format("s{}", ++last_));
    Status started = cluster_->StartServer(names_.back());
    EXPECT_TRUE(started.ok()) << started;
  }

  engine::Clock* const clock_;
  DatedClock servers_clock_;
  const std::string target_ = "/db";
  engine::MemoryFileSystem disk_;
  std::unique_ptr<EmbeddedLockService> locks_;
  std::unique_ptr<LocalCluster> cluster_;
  std::shared_ptr<AdminApi> admin_;
  std::deque<std::string> names_;
  int last_ = 0;
};

}  // namespace sippar::cluster
