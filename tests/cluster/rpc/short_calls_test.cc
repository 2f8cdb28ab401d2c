// Calls that one thread answers for all connections, and what must not hold others up.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <future>
#include <thread>

#include "tests/cluster/rpc/api_fixture.h"

namespace sippar::cluster {
namespace {

using grpc::StatusCode;

// Calls of rows that begin with "stuck" wait until they may go on, or are cancelled.
class StuckData final : public DataApi {
 public:
  explicit StuckData(DataApi* data) : data_(data) {}

  Status Apply(const std::string& table, const RowMutation& mutation) override {
    Wait(mutation.row, nullptr);
    return data_->Apply(table, mutation);
  }
  std::optional<uint64_t> LaneOf(const std::string&, std::string_view row) override {
    return row.starts_with("stuck") ? 1 : 2;
  }
  std::vector<Status> ApplyBatch(const std::string& table,
                                 const std::vector<RowMutation>& batch) override {
    batch_max_ = std::max<size_t>(batch_max_, batch.size());
    for (const RowMutation& mutation : batch) Wait(mutation.row, nullptr);
    return data_->ApplyBatch(table, batch);
  }
  StatusOr<std::unique_ptr<CellStream>> Read(const std::string& table, const ReadSpec& read,
                                             const CallOptions& options) override {
    Wait(read.rows.ranges().front().start, options.cancel);
    return data_->Read(table, read, options);
  }
  Status Run(const std::string& table, const RowRange& range, const engine::Program& program,
             const CallOptions& options, engine::ProgramSink* sink) override {
    return data_->Run(table, range, program, options, sink);
  }
  StatusOr<engine::RowUpdateResult> Update(const std::string& table,
                                           const engine::RowUpdate& update) override {
    return data_->Update(table, update);
  }
  Status CommitRow(const std::string& table, const RowMutation& mutation,
                   const std::vector<ReadCheck>& checks) override {
    return data_->CommitRow(table, mutation, checks);
  }
  StatusOr<std::vector<TabletInfo>> Tablets(const std::string& table) override {
    return data_->Tablets(table);
  }

  void AwaitStuck(int calls) {
    engine::MutexLock lock(&mutex_);
    while (stuck_ < calls) changed_.WaitFor(&mutex_, 10'000);
  }
  void LetGo() {
    engine::MutexLock lock(&mutex_);
    let_go_ = true;
    changed_.NotifyAll();
  }
  size_t batch_max() const { return batch_max_; }

 private:
  void Wait(std::string_view row, const CancelFlag& cancel) {
    if (!row.starts_with("stuck")) return;
    engine::MutexLock lock(&mutex_);
    ++stuck_;
    changed_.NotifyAll();
    while (!let_go_ && !(cancel != nullptr && *cancel)) changed_.WaitFor(&mutex_, 10'000);
  }

  DataApi* const data_;
  engine::Mutex mutex_;
  engine::CondVar changed_;
  int stuck_ = 0;
  bool let_go_ = false;
  std::atomic<size_t> batch_max_ = 0;
};

class StuckClient final : public Client {
 public:
  StuckClient(std::unique_ptr<Client> client, StuckData** data)
      : client_(std::move(client)), data_(client_->data()) {
    *data = &data_;
  }
  DataApi* data() override { return &data_; }
  AdminApi* admin() override { return client_->admin(); }
  engine::Clock* clock() override { return client_->clock(); }
  const std::string& target() const override { return client_->target(); }
  Status Close() override { return client_->Close(); }

 private:
  const std::unique_ptr<Client> client_;
  StuckData data_;
};

class ShortCallsTest : public ApiTest {
 protected:
  ShortCallsTest() {
    server_.reset();
    Serve(std::make_unique<StuckClient>(std::move(client_), &stuck_));
    CreateTable();
  }
  ~ShortCallsTest() override { stuck_->LetGo(); }

  static v2::ReadRowsRequest One(const std::string& row) {
    v2::ReadRowsRequest request;
    request.mutable_rows()->add_row_keys(row);
    return request;
  }
  std::future<grpc::Status> SetLater(const std::string& row) {
    return std::async(std::launch::async, [this, row] { return Set(row, "f", "q", 1000, "v"); });
  }
  std::future<ReadResult> ReadLater(const std::string& row) {
    return std::async(std::launch::async, [this, row] { return Read(One(row)); });
  }
  void ExpectOthersAreServed() {
    for (int i = 0; i < 20; ++i) {
      std::string row = fmt::format("row{}", i);
      ASSERT_TRUE(Set(row, "f", "q", 1000, "v").ok());
      ASSERT_EQ(Read(One(row)).cells.size(), 1u);
      ASSERT_GE(Read().rows.size(), 1u);  // a scan
    }
  }

  StuckData* stuck_ = nullptr;
};

TEST_F(ShortCallsTest, AReadThatWaitsHoldsNobodyUp) {
  auto first = ReadLater("stuck");
  stuck_->AwaitStuck(1);
  auto second = ReadLater("stuck");
  stuck_->AwaitStuck(2);
  ExpectOthersAreServed();
  stuck_->LetGo();
  EXPECT_TRUE(first.get().status.ok());
  EXPECT_TRUE(second.get().status.ok());
}

TEST_F(ShortCallsTest, AWriteThatWaitsHoldsNobodyUp) {
  auto first = SetLater("stuck");
  stuck_->AwaitStuck(1);
  auto second = SetLater("stuck2");  // behind it
  ExpectOthersAreServed();
  stuck_->LetGo();
  EXPECT_TRUE(first.get().ok());
  EXPECT_TRUE(second.get().ok());
  EXPECT_EQ(Read(One("stuck2")).cells.size(), 1u);
}

TEST_F(ShortCallsTest, AServerThatStopsEndsReadsThatWait) {
  auto read = ReadLater("stuck");
  stuck_->AwaitStuck(1);
  server_->Stop(10'000);
  EXPECT_FALSE(read.get().status.ok());
}

TEST_F(ShortCallsTest, ACallerThatLeavesEndsItsRead) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(50));
  v2::ReadRowsRequest request = One("stuck");
  request.set_table_name(kTable);
  auto reader = data_->ReadRows(&context, request);
  v2::ReadRowsResponse response;
  EXPECT_FALSE(reader->Read(&response));
  EXPECT_EQ(reader->Finish().error_code(), StatusCode::DEADLINE_EXCEEDED);
  server_->Stop(60'000'000);  // comes back, as nothing is under way any more
}

TEST_F(ShortCallsTest, WritesThatComeTogetherGoTogetherAndFailAlone) {
  auto first = SetLater("stuck");
  stuck_->AwaitStuck(1);
  constexpr int kWriters = 24;
  std::vector<std::future<grpc::Status>> good;
  for (int i = 0; i < kWriters; ++i) good.push_back(SetLater(fmt::format("stuck{:02}", i)));
  auto bad =
      std::async(std::launch::async, [this] { return Set("stuck", "no_family", "q", 1000, "v"); });
  EXPECT_EQ(bad.get().error_code(), StatusCode::NOT_FOUND);  // waits for nobody
  EXPECT_EQ(Set("", "f", "q", 1000, "v").error_code(), StatusCode::INVALID_ARGUMENT);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // they have come
  stuck_->LetGo();
  for (auto& status : good) EXPECT_TRUE(status.get().ok());
  EXPECT_TRUE(first.get().ok());
  EXPECT_GT(stuck_->batch_max(), 1u);
  EXPECT_EQ(Read().rows.size(), kWriters + 1u);
}

TEST_F(ShortCallsTest, WritesOfOneRowKeepTheirOrder) {
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(Set("r", "f", "q", 1000, std::to_string(i)).ok());
    ReadResult result = Read(One("r"));
    ASSERT_EQ(result.cells.size(), 1u);
    ASSERT_EQ(result.cells[0].value, std::to_string(i));
  }
}

TEST_F(ShortCallsTest, ARowThatIsTooLargeForOneMessageComesWhole) {
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(Set("big", "f", fmt::format("q{}", i), 1000, std::string(900'000, 'x')).ok());
  }
  ReadResult result = Read(One("big"));
  ASSERT_TRUE(result.status.ok());
  EXPECT_GT(result.messages, 1u);
  ASSERT_EQ(result.cells.size(), 3u);
  for (const ReadCell& cell : result.cells) EXPECT_EQ(cell.value, std::string(900'000, 'x'));
}

}  // namespace
}  // namespace sippar::cluster
