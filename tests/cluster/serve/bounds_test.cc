// More concurrent calls than the server has room for: they wait within their deadlines and are then
// rejected in such a way that clients retry.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <map>
#include <thread>

#include "cluster/grpc/call_threads.h"
#include "cluster/proto/status.pb.h"
#include "tests/cluster/serve/api_fixture.h"
#include "tests/cluster/serve/stuck_client.h"

namespace sippar::cluster {
namespace {

using grpc::StatusCode;

class BoundsTest : public ApiTest {
 protected:
  BoundsTest() {
    server_.reset();
    Serve(std::make_unique<StuckClient>(std::move(client_), &stuck_));
    CreateTable();
    // Each stub has its own connection.
    for (int i = 0; i < 3; ++i) {
      grpc::ChannelArguments arguments;
      arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
      stubs_.push_back(v2::Bigtable::NewStub(grpc::CreateCustomChannel(
          server_->address(), grpc::InsecureChannelCredentials(), arguments)));
    }
  }
  ~BoundsTest() override { stuck_->LetGo(); }

  // Concurrent calls in flight.
  struct Pending {
    grpc::ClientContext context;
    v2::MutateRowResponse mutated;
    v2::ReadRowsResponse read;
    std::unique_ptr<grpc::ClientAsyncResponseReader<v2::MutateRowResponse>> write;
    std::unique_ptr<grpc::ClientAsyncReader<v2::ReadRowsResponse>> reads;
    grpc::Status status;
    bool is_ending = true;  // true if the next event is the end of the call
  };
  void SetDeadline(Pending* call, int millis) {
    if (millis == 0) return;
    call->context.set_deadline(std::chrono::system_clock::now() +
                               std::chrono::milliseconds(millis));
  }
  void BeginWrite(const std::string& row, int millis) {
    v2::MutateRowRequest request;
    request.set_table_name(kTable);
    request.set_row_key(row);
    auto* set = request.add_mutations()->mutable_set_cell();
    set->set_family_name("f");
    set->set_value("v");
    Pending& call = *calls_.emplace_back(std::make_unique<Pending>());
    SetDeadline(&call, millis);
    call.write =
        stubs_[calls_.size() % stubs_.size()]->AsyncMutateRow(&call.context, request, &queue_);
    call.write->Finish(&call.mutated, &call.status, &call);
  }
  void BeginRead(const std::string& row, int millis) {
    v2::ReadRowsRequest request;
    request.set_table_name(kTable);
    request.mutable_rows()->add_row_keys(row);
    Pending& call = *calls_.emplace_back(std::make_unique<Pending>());
    SetDeadline(&call, millis);
    call.is_ending = false;
    call.reads = stubs_[calls_.size() % stubs_.size()]->AsyncReadRows(&call.context, request,
                                                                      &queue_, &call);
  }
  // Waits for all calls; returns how many ended with each code.
  std::map<StatusCode, int> End() {
    void* tag = nullptr;
    bool ok = false;
    for (size_t left = calls_.size(); left > 0 && queue_.Next(&tag, &ok);) {
      auto* call = static_cast<Pending*>(tag);
      if (call->is_ending) {
        --left;
      } else if (ok) {
        call->reads->Read(&call->read, call);
      } else {
        call->is_ending = true;
        call->reads->Finish(&call->status, call);
      }
    }
    std::map<StatusCode, int> codes;
    for (const auto& call : calls_) ++codes[call->status.error_code()];
    return codes;
  }

  StuckData* stuck_ = nullptr;
  std::vector<std::unique_ptr<v2::Bigtable::Stub>> stubs_;
  grpc::CompletionQueue queue_;
  std::vector<std::unique_ptr<Pending>> calls_;
};

TEST_F(BoundsTest, F_A3_NoneOfManyWritesIsRefused) {
  for (int i = 0; i < 1'200; ++i) BeginWrite(fmt::format("stuck{}", i), 0);
  stuck_->AwaitStuck(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // more calls arrive
  stuck_->LetGo();
  std::map<StatusCode, int> codes = End();
  EXPECT_EQ(codes[StatusCode::OK], 1'200);
  EXPECT_EQ(Read().rows.size(), 1'200u);
}

TEST_F(BoundsTest, F_D6_NoneOfManyReadsIsRefused) {
  for (int i = 0; i < 1'200; ++i) BeginRead(fmt::format("stuck{}", i), 0);
  stuck_->AwaitStuck(30);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_LT(stuck_->stuck(), 100);  // fewer calls are carried out at a time
  stuck_->LetGo();
  EXPECT_EQ(End()[StatusCode::OK], 1'200);
}

TEST_F(BoundsTest, F_D6_AReadThatFindsNoRoomIsRefusedBeforeItsDeadline) {
  for (int i = 0; i < 100; ++i) BeginRead(fmt::format("stuck{}", i), 2'000);
  std::map<StatusCode, int> codes = End();
  EXPECT_GT(codes[StatusCode::UNAVAILABLE], 20);
  EXPECT_EQ(codes[StatusCode::UNAVAILABLE] + codes[StatusCode::DEADLINE_EXCEEDED], 100);
  for (const auto& call : calls_) {
    if (call->status.error_code() != StatusCode::UNAVAILABLE) continue;
    google::rpc::Status details;
    ASSERT_TRUE(details.ParseFromString(call->status.error_details()));
    google::rpc::RetryInfo retry;
    ASSERT_EQ(details.details_size(), 1);
    ASSERT_TRUE(details.details(0).UnpackTo(&retry));
    EXPECT_GT(retry.retry_delay().nanos(), 0);
  }
}

TEST(CallThreadsIdleTest, F_A13_ThreadsWithoutWorkEnd) {
  CallThreads threads("test", 100, /*idle_us=*/20'000);
  std::atomic<int> done = 0;
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(threads.Run([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ++done;
    }));
  }
  while (threads.threads() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(done, 50);
  while (!threads.Run([&] { ++done; })) continue;  // starts new threads after all have ended
  threads.Stop();
  EXPECT_EQ(done, 51);
}

}  // namespace
}  // namespace sippar::cluster
