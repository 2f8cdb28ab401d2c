// Several tablet servers in one process over one disk in memory, each a machine of its own, with
// the embedded lock service and the real METADATA; the test acts as the master. A separate store
// holds METADATA, so that servers may start and stop.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/api/store_paths.h"
#include "cluster/location/meta_row.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/tabletserver/tablet_server.h"
#include "engine/base/crash_point.h"
#include "engine/log/log_seal.h"
#include "tests/cluster/lock/lock_world.h"
#include "tests/support/store_data.h"

namespace sippar::cluster {

inline constexpr uint64_t kTable = 7;
inline constexpr uint64_t kMaster = 5;  // the master's epoch

// The world's clock for threads that sleep: sleeping on a ManualClock would advance it for all
// threads, and a lease's watchdog sleeps all the time.
class StandingClock final : public engine::Clock {
 public:
  explicit StandingClock(engine::Clock* base) : base_(base) {}
  int64_t NowMicros() override { return base_->NowMicros(); }
  int64_t MonotonicNanos() override { return base_->MonotonicNanos(); }
  void SleepMicros(int64_t micros) override { engine::Clock::System()->SleepMicros(micros); }

 private:
  engine::Clock* base_;
};

// METADATA over a connection that may lose answers.
class LossyMetadata final : public MetadataTable {
 public:
  explicit LossyMetadata(MetadataTable* base) : base_(base) {}
  Status Scan(uint64_t first, uint64_t last,
              const std::function<bool(TabletRecord record)>& visit) override {
    return base_->Scan(first, last, visit);
  }
  StatusOr<TabletRecord> Find(uint64_t table_id, const std::string& row) override {
    return base_->Find(table_id, row);
  }
  Status Write(TabletRecord* record, const TabletEvent& event) override {
    if (on_write) on_write();
    TabletRecord copy = *record;
    Status status = base_->Write(&copy, event);
    if (status.ok() && answers_lost > 0) {
      --answers_lost;
      return Unavailable("the answer was lost");
    }
    *record = std::move(copy);
    return status;
  }
  Status Add(TabletRecord* record, const TabletEvent& event) override {
    return base_->Add(record, event);
  }
  Status Erase(const TabletRecord& record, const TabletEvent& event) override {
    return base_->Erase(record, event);
  }
  Status FinishSplit(const TabletRecord& record) override {
    if (on_finish_split) on_finish_split(record);
    return base_->FinishSplit(record);
  }
  Status Merge(const TabletRecord& left, const TabletRecord& right, TabletRecord* merged,
               const TabletEvent& event) override {
    return base_->Merge(left, right, merged, event);
  }
  StatusOr<std::vector<PastEvent>> Events(uint64_t table_id) override {
    return base_->Events(table_id);
  }
  std::atomic<int> answers_lost{0};
  // Called while a call is in flight, to let other things happen meanwhile.
  std::function<void()> on_write;
  std::function<void(const TabletRecord& record)> on_finish_split;

 private:
  MetadataTable* base_;
};

class ServerWorld : public testing::Test {
 protected:
  ServerWorld() : session_(lock_.Session("test", 0)) {
    engine::StoreOptions options = Sizes();
    options.fs = &meta_disk_;
    store_ = std::move(*engine::HostedTables::Open("/store", options));
    EXPECT_OK(store_->CreateTable(MetadataSchema(), {}));
    data_ = std::make_unique<StoreData>(store_.get(), &lock_.clock);
    metadata_ = NewMetadataTable(data_.get(), session_.get());
    lossy_ = std::make_unique<LossyMetadata>(metadata_.get());
    for (const char* path : {"/db", "/db/wal", "/db/sst"}) EXPECT_OK(disk_.CreateDir(path));
    EXPECT_OK(disk_.SyncDir("/"));
    EXPECT_OK(disk_.SyncDir("/db"));
    table_.table_id = kTable;
    table_.schema_version = 1;
    table_.schema.name = "t";
    AddFamily("f");
  }
  ~ServerWorld() override { engine::CrashPoints::Arm({}); }

  void AddFamily(const std::string& name) {
    engine::FamilySchema family;
    family.name = name;
    table_.schema.families.push_back(family);
    table_.schema.Normalize();
  }

  engine::StoreOptions Sizes() {
    engine::StoreOptions options;
    options.clock = &clock_;
    options.background = false;
    options.block_cache_size = 1 << 20;
    options.memory_limit = 0;
    options.log_segment_size = 4096;
    return options;
  }

  TabletServerOptions OptionsOf(const std::string& name) {
    machines_[name] = disk_.ForMachine(static_cast<uint32_t>(machines_.size() + 1));
    TabletServerOptions options;
    options.name = name;
    options.directory = "/db";
    options.store = Sizes();
    options.store.fs = machines_[name].get();
    options.locks = lock_.service.get();
    options.metadata = lossy_.get();
    options.end_process = [this](const char*) { ++ended_; };
    return options;
  }
  std::shared_ptr<TabletServer> Start(const std::string& name, int64_t lease_us = 0) {
    TabletServerOptions options = OptionsOf(name);
    options.lease_us = lease_us;
    auto started = TabletServer::Start(std::move(options));
    EXPECT_OK(started);
    return started.ok() ? *started : nullptr;
  }

  // Makes a new tablet and loads it on `server`.
  TabletRecord NewTablet(TabletServer* server, const engine::RowRange& range = {"", ""}) {
    TabletRecord record;
    record.table_id = kTable;
    record.range = range;
    record.tablet_id = ++tablets_made_;
    record.state.tablet_id = record.tablet_id;
    record.state.table_id = kTable;
    record.state.range = range;
    record.tablet_epoch = 1;
    record.phase = TabletPhase::kAssigned;
    record.server = server->id();
    EXPECT_OK(metadata_->Add(&record, {"made", "by a test"}));
    EXPECT_OK(server->Control()->Do(calls::LoadTablet{kMaster, record, table_}));
    return record;
  }
  TabletRecord Find(const std::string& row = "") {
    auto found = metadata_->Find(kTable, row);
    EXPECT_OK(found);
    return found.ok() ? *found : TabletRecord();
  }
  std::vector<TabletRecord> Records() {
    std::vector<TabletRecord> records;
    EXPECT_OK(metadata_->Scan(kTable, kTable, [&](TabletRecord record) {
      records.push_back(std::move(record));
      return true;
    }));
    return records;
  }
  TabletRecord Assign(TabletRecord record, TabletServer* server) {
    record.phase = TabletPhase::kAssigned;
    record.server = server->id();
    ++record.tablet_epoch;
    EXPECT_OK(metadata_->Write(&record, {"assigned", server->id().ToString()}));
    EXPECT_OK(server->Control()->Do(calls::LoadTablet{kMaster, record, table_}));
    return record;
  }
  // Moves the tablet that contains `row`, as planned by a master.
  void Move(TabletServer* source, TabletServer* target, const std::string& row = "") {
    TabletRecord record = Find(row);
    EXPECT_OK(
        source->Control()->Do(calls::UnloadTablet{kMaster, record.tablet_id, record.tablet_epoch}));
    (void)Assign(Find(row), target);
  }

  // Recovers a dead server as the master does, F0 to F5; if `sort`, the target sorts the log.
  void Recover(const ServerId& dead, TabletServer* target, bool sort = false) {
    engine::FileSystem* fs = &disk_;
    std::string sealed = store_paths::SealedLog("/db", dead);
    EXPECT_OK(fs->Rename(store_paths::Log("/db", dead), sealed));
    EXPECT_OK(fs->SyncDir("/db/wal"));
    auto seal = engine::SealLog(fs, sealed, kMaster);
    ASSERT_TRUE(seal.ok()) << seal.status();
    if (sort) {
      for (const engine::SealedSegment& segment : seal->segments) {
        EXPECT_OK(target->Control()->Do(calls::SortLogPart{kMaster, dead, segment.id.number}));
      }
    }
    auto last = seal->LastSequences();
    for (TabletRecord record : Records()) {
      if (record.server != dead) continue;
      if (last[record.tablet_id] > record.state.redo_sequence) record.logs.push_back(dead);
      (void)Assign(std::move(record), target);
    }
  }
  // The server's machine loses its power, and with it the data that was not synced.
  void Die(std::shared_ptr<TabletServer>* server) {
    std::string name = (*server)->id().name;
    engine::Random random(++deaths_);
    // The server is stopped first; a closed log has an end mark, which a crash would not write.
    server->reset();
    machines_[name]->Crash(&random);
  }

  Status Put(TabletServer* server, const TabletRecord& record, const std::string& row,
             const std::string& value) {
    RowMutation mutation(row);
    mutation.Set("f", "q", value);
    const RowMutation* only = &mutation;
    return OnlyPart(server->Tablets()->Do(
        calls::ApplyRows<TabletAddress>{{record.tablet_id, record.tablet_epoch}, {&only, 1}}));
  }
  // The rows and values of the tablet, as "row=value" each.
  StatusOr<std::string> Get(TabletServer* server, const TabletRecord& record) {
    ReadSpec read;
    read.rows = engine::RowSet::All();
    read.versions_per_column = 1;
    ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells,
                     server->Tablets()->Read({record.tablet_id, record.tablet_epoch}, read, {}));
    std::string text;
    for (; cells->Valid(); cells->Next()) {
      text +=
          fmt::format("{}{}={}", text.empty() ? "" : " ", cells->cell().row, cells->cell().value);
    }
    RETURN_IF_ERROR(cells->status());
    return text;
  }
  std::string All(TabletServer* server) {
    std::string text;
    for (const TabletRecord& record : Records()) {
      auto part = Get(server, record);
      EXPECT_OK(part);
      if (part.ok() && !part->empty()) text += (text.empty() ? "" : " ") + *part;
    }
    return text;
  }

  LockWorld lock_;
  StandingClock clock_{&lock_.clock};
  engine::MemoryFileSystem meta_disk_;
  engine::MemoryFileSystem disk_;
  std::map<std::string, std::unique_ptr<engine::MemoryFileSystem>> machines_;
  std::shared_ptr<LockSession> session_;
  std::unique_ptr<engine::HostedTables> store_;
  std::unique_ptr<StoreData> data_;
  std::unique_ptr<MetadataTable> metadata_;
  std::unique_ptr<LossyMetadata> lossy_;
  TableRecord table_;
  std::atomic<int> ended_{0};
  uint64_t tablets_made_ = 0;
  uint64_t deaths_ = 0;
};

}  // namespace sippar::cluster
