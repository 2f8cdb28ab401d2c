// A cluster in this process on a disk in memory, with the real clock. Each server has a machine of
// its own; the lock service survives restarts of the cluster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/lock/embedded_lock_service.h"
#include "cluster/master/act/action_job.h"
#include "cluster/node/local_cluster.h"
#include "engine/fs/memory_file_system.h"
#include "tests/cluster/lock/lock_world.h"

namespace sippar::cluster {

class ClusterWorld : public testing::Test {
 protected:
  ClusterWorld() {
    EXPECT_OK(disk_.CreateDir("/db"));
    EXPECT_OK(disk_.SyncDir("/"));
    auto opened = EmbeddedLockService::Open(&disk_, "/lock", engine::Clock::System());
    EXPECT_OK(opened);
    locks_ = *std::move(opened);
  }

  virtual LocalClusterOptions Options() {
    LocalClusterOptions options;
    options.directory = "/db";
    options.locks = locks_.get();
    options.store.fs = &disk_;
    options.store.clock = engine::Clock::System();
    options.store.block_cache_size = 1 << 20;
    options.store.memtable_size = 32 << 10;
    options.store.memtable_budget = 256 << 10;
    options.store.log_segment_size = 16 << 10;
    if (split_size_ != 0) options.store.split_size = split_size_;
    options.lease_us = 1'500'000;
    options.policy = policy_;
    options.policy.poll_us = 100'000;
    options.policy.report_us = 300'000;
    options.policy.retry_max_us = 100'000;
    return options;
  }

  // Starts one master and the servers s1, s2, ...
  void Start(int servers) {
    auto opened = LocalCluster::Open(Options());
    ASSERT_TRUE(opened.ok()) << opened.status();
    cluster_ = *std::move(opened);
    ASSERT_OK_(cluster_->StartMaster("m1"));
    for (int i = 1; i <= servers; ++i) StartServer(fmt::format("s{}", i));
    ASSERT_OK_(cluster_->WaitForMaster(20 * kSecond));
  }
  void StartServer(const std::string& name) {
    machines_[name] = disk_.ForMachine(++machine_);
    Status started = cluster_->StartServer(name, machines_[name].get());
    // The lease of a dead server of the same name may last for a while.
    while (started.code() == StatusCode::kAlreadyExists) {
      engine::Clock::System()->SleepMicros(50'000);
      started = cluster_->StartServer(name, machines_[name].get());
    }
    ASSERT_OK_(started);
  }
  // Cuts the power of the server's machine.
  void Crash(const std::string& name) {
    cluster_->CrashServer(name);
    engine::Random random(machine_);
    machines_[name]->Crash(&random);
  }
  static void ASSERT_OK_(const Status& status) { ASSERT_TRUE(status.ok()) << status; }

  void CreateTable(const std::vector<std::string>& splits) {
    engine::TableSchema schema;
    schema.name = "t";
    engine::FamilySchema family;
    family.name = "f";
    schema.families.push_back(family);
    schema.Normalize();
    EXPECT_OK(cluster_->admin()->Do(calls::CreateTable{schema, splits}));
  }
  // The places for a master's actions, without a master.
  master::ActionPlaces Places() {
    master::ActionPlaces places;
    places.fs = &disk_;
    places.clock = engine::Clock::System();
    places.directory = "/db";
    return places;
  }
  static std::string RowOf(int i) { return fmt::format("{:05}", i); }
  // Writes the rows [from, to); each value is the row's number and `mark`.
  void Write(int from, int to, const std::string& mark) {
    for (int i = from; i < to; i += 50) {
      std::vector<RowMutation> batch;
      for (int row = i; row < std::min(i + 50, to); ++row) {
        batch.emplace_back(RowOf(row));
        batch.back().Set("f", "q", fmt::format("{} {}", row, mark));
        expected_[RowOf(row)] = fmt::format("{} {}", row, mark);
      }
      for (const Status& status : cluster_->data()->ApplyBatch("t", batch)) EXPECT_OK(status);
    }
  }
  // Checks that the table holds exactly the acknowledged rows.
  void CheckAll() {
    ReadSpec read;
    read.rows = engine::RowSet::All();
    read.versions_per_column = 1;
    auto cells = cluster_->data()->Read("t", read, {});
    ASSERT_TRUE(cells.ok()) << cells.status();
    std::map<std::string, std::string> found;
    for (; (*cells)->Valid(); (*cells)->Next()) {
      const CellView& cell = (*cells)->cell();
      found[std::string(cell.row)] = std::string(cell.value);
    }
    EXPECT_OK((*cells)->status());
    EXPECT_EQ(found.size(), expected_.size());
    EXPECT_TRUE(found == expected_);
  }
  size_t TabletCount() {
    size_t count = 0;
    EXPECT_OK(cluster_->metadata()->Scan(kMetadataTableId + 1, UINT64_MAX - 1,
                                         [&](const TabletRecord&) { return ++count > 0; }));
    return count;
  }

  master::MasterOptions policy_;
  uint64_t split_size_ = 0;  // 0: the default
  engine::MemoryFileSystem disk_;
  std::unique_ptr<EmbeddedLockService> locks_;
  std::map<std::string, std::unique_ptr<engine::MemoryFileSystem>> machines_;
  uint32_t machine_ = 0;
  std::unique_ptr<LocalCluster> cluster_;
  std::map<std::string, std::string> expected_;
};

}  // namespace sippar::cluster
