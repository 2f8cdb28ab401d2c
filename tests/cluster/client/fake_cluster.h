// Several tablet servers as a client sees them: tablets with epochs that move, split and merge,
// calls that are refused, delayed, or carried out without an answer. All cells lie in one store, so
// what a client should see is known. SPDX-License-Identifier: Apache-2.0
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
  // Served: the root tablet and METADATA by a.1, the table "t" (id 5), cut at `splits`, by b.1, c.1
  // and d.1 in turn.
  explicit FakeCluster(const std::vector<std::string>& splits);

  std::unique_ptr<ClusterData> NewClient(int64_t timeout_us = 30'000'000);
  engine::TableSchema Schema() const;
  DataApi* store() { return store_data_.get(); }  // the truth
  MetadataTable* metadata() { return metadata_.get(); }
  LockWorld* lock() { return &lock_; }
  LockSession* session() { return session_.get(); }

  // --- What the master and the servers do.
  void Move(uint64_t table_id, const std::string& row, const ServerId& server);
  void Split(uint64_t table_id, const std::string& row);
  void Merge(uint64_t table_id, const std::string& row);  // with its right neighbour

  // --- Faults, asked for each call that reaches a tablet; both may be empty.
  enum class Fate { kServe, kRefuse, kLoseAnswer };
  std::function<Fate(const ServerId& server, bool is_write)> fate;
  std::function<void()> before_call;
  std::function<Status()> stats;  // the outcome of TabletStats on each server
  // Streams break off after so many cells; 0: none does.
  uint64_t break_streams_after = 0;

  uint64_t calls() const { return calls_; }
  uint64_t writes() const { return writes_; }         // calls that wrote
  int64_t timeout_us() const { return timeout_us_; }  // of the last call that wrote

  bool LosesAnswers() const override { return loses_answers; }
  bool loses_answers = true;
  std::shared_ptr<TabletService> Tablets(const ServerId& server, net::Lane lane) override;
  std::shared_ptr<TabletControl> Control(const ServerId& server) override;
  std::shared_ptr<AdminApi> Admin() override { return nullptr; }
  std::shared_ptr<MasterNotices> Notices() override { return nullptr; }

 private:
  friend class FakeServer;
  struct Served {
    uint64_t table_id = 0;
    engine::RowRange range;
    uint64_t epoch = 0;
    ServerId server;
  };

  void AddTablet(uint64_t table_id, const engine::RowRange& range, const ServerId& server);
  void Serve(const TabletRecord& record);
  StatusOr<Served> Check(const ServerId& server, const TabletAddress& tablet);
  // What a call on this tablet works on; an error when it is refused.
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
  std::atomic<uint64_t> writes_{0};
  std::atomic<int64_t> timeout_us_{0};
  std::unique_ptr<ClusterData> own_client_;
  std::unique_ptr<MetadataTable> metadata_;
};

}  // namespace sippar::cluster
