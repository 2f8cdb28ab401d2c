// Routes calls to the fake servers and applies the faults of the test.
// SPDX-License-Identifier: Apache-2.0
#include "tests/cluster/client/fake_cluster.h"

#include "cluster/location/table_file.h"
#include "cluster/lock/lock_paths.h"
#include "tests/cluster/location/random_record.h"

namespace sippar::cluster {
namespace {

constexpr uint64_t kTableId = 5;

// Calls `check` before each step to decide whether the stream continues.
class FragileStream final : public CellStream {
 public:
  FragileStream(std::unique_ptr<CellStream> cells, std::function<Status()> check)
      : cells_(std::move(cells)), check_(std::move(check)) {}
  bool Valid() const override { return status_.ok() && cells_->Valid(); }
  const CellView& cell() const override { return cells_->cell(); }
  void Next() override {
    status_ = check_();
    if (status_.ok()) cells_->Next();
  }
  void NextRow() override {
    status_ = check_();
    if (status_.ok()) cells_->NextRow();
  }
  Status status() const override { return status_.ok() ? cells_->status() : status_; }

 private:
  std::unique_ptr<CellStream> cells_;
  std::function<Status()> check_;
  Status status_;
};

}  // namespace

class FakeServer final : public TabletService {
 public:
  FakeServer(FakeCluster* cluster, ServerId id) : cluster_(cluster), id_(std::move(id)) {}

  void Carry(const AnyCall& any, const CallOptions& options) override {
    cluster_->timeout_us_ = options.timeout_us;
    // A call to a tablet of the cluster becomes a call to a table of the reference store.
    auto perform = [this]<template <class> class Call>(
                       const Call<TabletAddress>& asked) -> Answer<Call<TabletAddress>> {
      bool lose = false;
      ASSIGN_OR_RETURN(auto served, cluster_->Enter(id_, asked.to, true, &lose));
      const std::string table = cluster_->TableName(served.table_id);
      auto answer = cluster_->store_data_->Do(AtTable(asked, table));
      if (lose) return Lost();
      return answer;
    };
    AnswerBy(any, perform);
  }
  StatusOr<std::unique_ptr<CellStream>> Read(const TabletAddress& tablet, const ReadSpec& read,
                                             const CallOptions& options) override {
    bool lose = false;
    ASSIGN_OR_RETURN(auto served, cluster_->Enter(id_, tablet, false, &lose));
    if (lose) return Lost();
    ReadSpec clipped = read;
    clipped.rows = read.rows.Intersection(engine::RowSet(served.range));
    ASSIGN_OR_RETURN(
        std::unique_ptr<CellStream> cells,
        cluster_->store_data_->Read(cluster_->TableName(served.table_id), clipped, options));
    uint64_t left = served.table_id == kTableId ? cluster_->break_streams_after : 0;
    auto check = [this, tablet, left]() mutable -> Status {
      if (left > 0 && --left == 0) return Lost();
      return cluster_->Check(id_, tablet).status();
    };
    return std::unique_ptr<CellStream>(new FragileStream(std::move(cells), std::move(check)));
  }
  Status Run(const TabletAddress& tablet, const engine::Program& program,
             const CallOptions& options, engine::ProgramSink* sink) override {
    ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells, Read(tablet, program.read, options));
    return engine::RunProgram(program, cells.get(), {}, sink);
  }

 private:
  template <template <class> class Call>
  static Call<LentTable> AtTable(const Call<TabletAddress>& asked, const std::string& table) {
    if constexpr (requires { asked.batch; }) {
      return {table, asked.batch};
    } else {
      return {table, asked.mutation, asked.checks};
    }
  }
  static Status Lost() { return Unavailable("the answer was lost"); }
  FakeCluster* const cluster_;
  const ServerId id_;
};

// Answers only calls for the sizes of tablets. `stats` decides on each call.
class FakeControl final : public TabletControl {
 public:
  explicit FakeControl(FakeCluster* cluster) : cluster_(cluster) {}

  void Carry(const AnyCall& any, const CallOptions&) override {
    const auto* asked = std::get_if<Pending<calls::BatchTabletStats>>(&any);
    if (asked == nullptr) return Refuse(any, Unimplemented("only BatchTabletStats"));
    const Status outcome = cluster_->stats ? cluster_->stats() : OkStatus();
    if (!outcome.ok()) return Refuse(any, outcome);
    asked->answer =
        calls::BatchTabletStats::Reply(asked->call.tablet_ids.size(), std::vector<GroupStats>());
    ++cluster_->stats_calls_;
  }

 private:
  FakeCluster* const cluster_;
};

FakeCluster::FakeCluster(const std::vector<std::string>& splits) : session_(lock_.Session("fake")) {
  engine::StoreOptions options;
  options.fs = &fs_;
  options.clock = &lock_.clock;
  options.background = false;
  options.sync_writes = false;
  auto opened = engine::HostedTables::Open("/store", options);
  EXPECT_OK(opened);
  store_ = std::move(*opened);
  EXPECT_OK(store_->CreateTable(MetadataSchema(), {}));
  EXPECT_OK(store_->CreateTable(Schema(), {}));
  store_data_ = std::make_unique<StoreData>(store_.get(), &lock_.clock);
  TableRecord table;
  table.table_id = kTableId;
  table.schema = Schema();
  EXPECT_OK(session_->Create(lock_paths::Table(kTableId), EncodeTableFile(table),
                             LockFileKind::kLasting));
  own_client_ = NewClient();
  metadata_ = NewMetadataTable(own_client_.get(), session_.get());
  AddTablet(kMetadataTableId, RootRange(), {"a", 1});
  AddTablet(kMetadataTableId, {RootRange().limit, ""}, {"a", 1});
  std::string start;
  const char* const names[] = {"b", "c", "d"};
  for (size_t i = 0; i <= splits.size(); ++i) {
    std::string limit = i < splits.size() ? splits[i] : "";
    AddTablet(kTableId, {start, limit}, {names[i % 3], 1});
    start = limit;
  }
}

engine::TableSchema FakeCluster::Schema() const {
  engine::TableSchema schema;
  schema.name = "t";
  schema.families = {{"f", engine::FamilyType::kBytes, {}},
                     {"n", engine::FamilyType::kCounter, {}}};
  schema.Normalize();
  return schema;
}

std::unique_ptr<ClusterData> FakeCluster::NewClient(int64_t timeout_us) {
  ClusterDataOptions options;
  options.transport = this;
  options.session = session_.get();
  options.clock = &lock_.clock;
  options.timeout_us = timeout_us;
  auto client = ClusterData::Open(options);
  EXPECT_OK(client);
  return std::move(*client);
}

void FakeCluster::AddTablet(uint64_t table_id, const engine::RowRange& range,
                            const ServerId& server) {
  TabletRecord record = NewRecord(table_id, range, next_tablet_++);
  record.server = server;
  Serve(record);
  EXPECT_OK(metadata_->Add(&record, {"made", ""}));
}

void FakeCluster::Serve(const TabletRecord& record) {
  engine::MutexLock lock(&mutex_);
  served_[record.tablet_id] = {record.table_id, record.range, record.tablet_epoch, record.server};
}

void FakeCluster::Move(uint64_t table_id, const std::string& row, const ServerId& server) {
  auto found = metadata_->Find(table_id, row);
  ASSERT_TRUE(found.ok()) << found.status();
  found->server = server;
  ++found->tablet_epoch;
  EXPECT_OK(metadata_->Write(&*found, {"moved", "to " + server.ToString()}));
  Serve(*found);
}

void FakeCluster::Split(uint64_t table_id, const std::string& row) {
  auto found = metadata_->Find(table_id, row);
  ASSERT_TRUE(found.ok()) << found.status();
  if (found->range.start == row) return;
  SplitRecord split{found->state, found->state};
  split.left.tablet_id = next_tablet_++;
  split.left.range.limit = row;
  split.right.tablet_id = next_tablet_++;
  split.right.range.start = row;
  found->split = split;
  ++found->tablet_epoch;
  EXPECT_OK(metadata_->Write(&*found, {"split", ""}));
  auto [left, right] = ChildrenOf(*found);
  Serve(left);
  Serve(right);
  engine::MutexLock lock(&mutex_);
  served_.erase(found->tablet_id);
}

void FakeCluster::Merge(uint64_t table_id, const std::string& row) {
  auto left = metadata_->Find(table_id, row);
  ASSERT_TRUE(left.ok()) << left.status();
  if (left->range.limit.empty()) return;
  auto right = metadata_->Find(table_id, left->range.limit);
  ASSERT_TRUE(right.ok()) << right.status();
  for (TabletRecord* half : {&*left, &*right}) {
    half->phase = TabletPhase::kMerging;
    ++half->tablet_epoch;
    EXPECT_OK(metadata_->Write(half, {"merging", ""}));
  }
  TabletRecord merged =
      NewRecord(table_id, {left->range.start, right->range.limit}, next_tablet_++);
  merged.server = right->server;
  merged.tablet_epoch = std::max(left->tablet_epoch, right->tablet_epoch) + 1;
  EXPECT_OK(metadata_->Merge(*left, *right, &merged, {"merged", ""}));
  Serve(merged);
  engine::MutexLock lock(&mutex_);
  served_.erase(left->tablet_id);
  served_.erase(right->tablet_id);
}

StatusOr<FakeCluster::Served> FakeCluster::Check(const ServerId& server,
                                                 const TabletAddress& tablet) {
  engine::MutexLock lock(&mutex_);
  auto found = served_.find(tablet.tablet_id);
  if (found == served_.end() || found->second.epoch != tablet.tablet_epoch ||
      found->second.server != server) {
    return NotServed("not served here at this epoch");
  }
  return found->second;
}

StatusOr<FakeCluster::Served> FakeCluster::Enter(const ServerId& server,
                                                 const TabletAddress& tablet, bool is_write,
                                                 bool* lose_answer) {
  ++calls_;
  if (is_write) ++writes_;
  if (before_call) before_call();
  Fate decided = fate ? fate(server, is_write) : Fate::kServe;
  if (decided == Fate::kRefuse) return Unavailable("the network is cut");
  *lose_answer = decided == Fate::kLoseAnswer;
  return Check(server, tablet);
}

std::shared_ptr<TabletService> FakeCluster::Tablets(const ServerId& server, net::Lane) {
  return std::make_shared<FakeServer>(this, server);
}

std::shared_ptr<TabletControl> FakeCluster::Control(const ServerId&) {
  return std::make_shared<FakeControl>(this);
}

}  // namespace sippar::cluster
