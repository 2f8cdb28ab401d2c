// FakeCluster: several tablet servers as a client sees them. Tablets have epochs, move, split and
// merge; calls are rejected, delayed, or carried out without an answer. All cells are in one store,
// so the expected answers are known.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/client/cluster_data.h"
#include "cluster/location/meta_row.h"
#include "cluster/location/metadata_table.h"
#include "tests/cluster/lock/lock_world.h"
#include "tests/support/hosted_tables.h"
#include "tests/support/store_data.h"

namespace sippar::cluster {

class FakeCluster final : public Transport {
 public:
  // Server a.1 serves the root tablet and METADATA. The servers b.1, c.1 and d.1 serve in turn the
  // tablets of table "t" (id 5), which is split at `splits`.
  explicit FakeCluster(const std::vector<std::string>& splits);

  std::unique_ptr<ClusterData> NewClient(int64_t timeout_us = 30'000'000);
  engine::TableSchema Schema() const;
  DataApi* store() { return store_data_.get(); }  // store with the expected content
  MetadataTable* metadata() { return metadata_.get(); }
  LockWorld* lock() { return &lock_; }
  LockSession* session() { return session_.get(); }

  // --- Actions of the master and the servers.
  void Move(uint64_t table_id, const std::string& row, const ServerId& server);
  void Split(uint64_t table_id, const std::string& row);
  void Merge(uint64_t table_id, const std::string& row);  // merges with the right neighbour

  // --- Faults, decided for each call that reaches a tablet; both functions may be empty.
  enum class Fate { kServe, kRefuse, kLoseAnswer };
  std::function<Fate(const ServerId& server, bool is_write)> fate;
  std::function<void()> before_call;
  // The outcome of BatchTabletStats, decided for each call, on several threads at once.
  std::function<Status()> stats;
  // Streams break off after this many cells; 0: never.
  uint64_t break_streams_after = 0;

  uint64_t stats_calls() const { return stats_calls_; }  // number of BatchTabletStats answered
  uint64_t calls() const { return calls_; }
  uint64_t writes() const { return writes_; }         // number of calls that wrote
  int64_t timeout_us() const { return timeout_us_; }  // timeout of the last write call

  bool LosesAnswers() const override { return loses_answers; }
  bool loses_answers = true;
  std::shared_ptr<TabletService> Tablets(const ServerId& server, net::Lane lane) override;
  std::shared_ptr<TabletControl> Control(const ServerId& server) override;
  std::shared_ptr<AdminApi> Admin() override { return nullptr; }
  std::shared_ptr<MasterNotices> Notices() override { return nullptr; }

 private:
  friend class FakeServer;
  friend class FakeControl;
  struct Served {
    uint64_t table_id = 0;
    engine::RowRange range;
    uint64_t epoch = 0;
    ServerId server;
  };

  void AddTablet(uint64_t table_id, const engine::RowRange& range, const ServerId& server);
  void Serve(const TabletRecord& record);
  StatusOr<Served> Check(const ServerId& server, const TabletAddress& tablet);
  // Returns the tablet on which a call works, or an error if the call is rejected.
  StatusOr<Served> Enter(const ServerId& server, const TabletAddress& tablet, bool is_write,
                         bool* lose_answer);
  std::string TableName(uint64_t table_id) const { return table_id == 1 ? kMetadataName : "t"; }

  LockWorld lock_;
  engine::MemoryFileSystem fs_;
  std::shared_ptr<LockSession> session_;
  std::unique_ptr<engine::HostedTables> store_;
  std::unique_ptr<StoreData> store_data_;
  engine::Mutex mutex_;
  std::map<uint64_t, Served> served_ GUARDED_BY(mutex_);  // by tablet id
  uint64_t next_tablet_ = 1;
  std::atomic<uint64_t> calls_{0};
  std::atomic<uint64_t> stats_calls_{0};
  std::atomic<uint64_t> writes_{0};
  std::atomic<int64_t> timeout_us_{0};
  std::unique_ptr<ClusterData> own_client_;
  std::unique_ptr<MetadataTable> metadata_;
};

}  // namespace sippar::cluster
