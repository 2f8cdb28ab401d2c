// Calls that one thread answers for all connections, and slow calls that must not delay others.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <future>
#include <thread>

#include "tests/cluster/serve/api_fixture.h"
#include "tests/cluster/serve/stuck_client.h"

namespace sippar::cluster {
namespace {

using grpc::StatusCode;

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
  auto second = SetLater("stuck2");  // queued after the first
  ExpectOthersAreServed();
  stuck_->LetGo();
  EXPECT_TRUE(first.get().ok());
  EXPECT_TRUE(second.get().ok());
  EXPECT_EQ(Read(One("stuck2")).cells.size(), 1u);
}

// A write in flight that a check-and-mutate does not see gets a later timestamp than that call.
TEST_F(ShortCallsTest, F_D3_AWriteThatACheckDidNotSeeIsNotHiddenByIt) {
  constexpr int64_t kServerClock = -1;
  RowMutation old("stuck");
  old.Set("f", "q", "old", 1000);
  ASSERT_TRUE(client_->data()->CommitRow("p/i/t", old, {}).ok());
  auto write = std::async(std::launch::async,
                          [this] { return Set("stuck", "f", "q", kServerClock, "written"); });
  stuck_->AwaitStuck(1);
  clock_.now_us += 1'000'000;
  RowMutation swapped("stuck");
  swapped.Set("f", "q", "swapped");  // the write of a check-and-mutate that saw "old"
  ASSERT_TRUE(client_->data()->CommitRow("p/i/t", swapped, {}).ok());
  stuck_->LetGo();
  ASSERT_TRUE(write.get().ok());
  ReadResult result = Read(One("stuck"));
  ASSERT_FALSE(result.cells.empty());
  EXPECT_EQ(result.cells[0].value, "written");
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
  server_->Stop(60'000'000);  // returns, because no call is in flight any more
}

TEST_F(ShortCallsTest, WritesThatComeTogetherGoTogetherAndFailAlone) {
  auto first = SetLater("stuck");
  stuck_->AwaitStuck(1);
  constexpr int kWriters = 24;
  std::vector<std::future<grpc::Status>> good;
  for (int i = 0; i < kWriters; ++i) good.push_back(SetLater(fmt::format("stuck{:02}", i)));
  auto bad =
      std::async(std::launch::async, [this] { return Set("stuck", "no_family", "q", 1000, "v"); });
  EXPECT_EQ(bad.get().error_code(), StatusCode::NOT_FOUND);  // does not wait for the stuck writes
  EXPECT_EQ(Set("", "f", "q", 1000, "v").error_code(), StatusCode::INVALID_ARGUMENT);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // all calls have arrived by then
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
