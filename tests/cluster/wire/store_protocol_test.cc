// The rules of our own service: its version, calls that it does not know, and the deadline and the
// cancel flag of a caller. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include "cluster/api/row_codec.h"
#include "cluster/proto/store.grpc.pb.h"
#include "cluster/wire/remote_client.h"
#include "tests/cluster/serve/api_fixture.h"

namespace sippar::cluster {
namespace {

namespace v1 = ::sippar::v1;

class StoreProtocolTest : public ApiTest {
 protected:
  StoreProtocolTest()
      : remote_(std::move(*RemoteClient::Connect(server_->address(), "the server", &clock_))) {}

  std::unique_ptr<RemoteClient> remote_;
};

// On a busy machine the answer may come before the client's clock is looked at again.
template <class Call>
bool EndsAtDeadline(const Call& call) {
  for (int i = 0; i < 100; ++i) {
    if (call(i).code() == StatusCode::kDeadlineExceeded) return true;
  }
  return false;
}

TEST_F(StoreProtocolTest, ACallEndsWithItsCallersDeadlineOrCancelFlag) {
  CreateTable();
  const std::string table = client_->admin()->Do(calls::ListTables{})->front().schema.name;
  CallOptions hurried;
  hurried.timeout_us = 1;
  EXPECT_TRUE(EndsAtDeadline([&](int) {
    return remote_->admin()->Do(calls::Compact{table, ""}, hurried);
  }));
  Status split = OkStatus();
  EXPECT_TRUE(EndsAtDeadline([&](int i) {
    split = remote_->admin()->Do(calls::Split{table, fmt::format("m{}", i)}, hurried);
    return split;
  }));
  // The server may find that the time is over before it begins.
  EXPECT_TRUE(MessageOf(split).find("not known") != std::string_view::npos ||
              MessageOf(split).find("longer than its timeout") != std::string_view::npos)
      << split;
  CallOptions cancelled;
  cancelled.cancel = std::make_shared<std::atomic<bool>>(false);
  EXPECT_TRUE(remote_->admin()->Do(calls::Compact{table, ""}, cancelled).ok());
  cancelled.cancel->store(true);
  for (Client* client : {client_.get(), static_cast<Client*>(remote_.get())}) {
    EXPECT_EQ(client->admin()->Do(calls::Compact{table, ""}, cancelled).code(),
              StatusCode::kCancelled);
  }
  for (Client* client : {client_.get(), static_cast<Client*>(remote_.get())}) {
    EXPECT_TRUE(client->data()->Do(calls::ListTablets{table}).ok());
  }
  EXPECT_EQ(remote_->data()->Do(calls::ListTablets{table}, cancelled).status().code(),
            StatusCode::kCancelled);
  EXPECT_TRUE(EndsAtDeadline(
      [&](int) { return remote_->data()->Do(calls::ListTablets{table}, hurried).status(); }));
  EXPECT_FALSE(remote_->is_lost());  // the connection goes on
  EXPECT_TRUE(remote_->admin()->Do(calls::GetTable{table}).ok());
}

template <class Call>
void ExpectOnlyTheFirstPartIsSent(DataApi* data, const Call& call) {
  CallOptions options;
  options.timeout_us = 250'000'000;
  auto answer = data->Do(call, options);
  ASSERT_TRUE(answer.ok()) << answer.status();
  ASSERT_EQ(answer->size(), 3u);
  EXPECT_TRUE(StatusIn(answer->front()).ok()) << StatusIn(answer->front());
  for (size_t i : {1u, 2u}) {
    EXPECT_EQ(StatusIn((*answer)[i]).code(), StatusCode::kDeadlineExceeded) << i;
  }
}

// Writes of 3 MB each go in messages of their own, and what is left of the time is looked at before
// each message. Each look at the client's clock takes 100 s.
TEST_F(StoreProtocolTest, ALargeBatchGoesInPartsWithinItsCallersTime) {
  CreateTable();
  const std::string table = client_->admin()->Do(calls::ListTables{})->front().schema.name;
  StepClock clock;
  clock.step_nanos = 100'000'000'000;
  auto remote = std::move(*RemoteClient::Connect(server_->address(), "the server", &clock));
  const std::string value(3'000'000, 'x');
  std::vector<RowMutation> mutations;
  std::vector<engine::RowUpdate> updates;
  for (const char* row : {"a", "b", "c"}) {
    mutations.push_back(RowMutation(row).Set("f", "q", value));
    updates.push_back(engine::ReadModifyWriteOf(row, {{"f", "q", value}}));
  }
  ExpectOnlyTheFirstPartIsSent(remote->data(),
                               calls::ApplyRows<LentTable>{table, std::move(mutations)});
  ExpectOnlyTheFirstPartIsSent(remote->data(),
                               calls::UpdateRows<LentTable>{table, std::move(updates)});
  auto cells = client_->data()->Read(table, {}, {});
  ASSERT_TRUE(cells.ok()) << cells.status();
  size_t newest = 0;
  for (; (*cells)->Valid(); (*cells)->NextRow()) {
    EXPECT_EQ((*cells)->cell().row, "a");
    newest += (*cells)->cell().value.size();
  }
  EXPECT_EQ(newest, 2 * value.size());  // set, then appended to
}

// What a server of an older program answers.
class OlderStore final : public v1::Store::Service {
 public:
  grpc::Status Hello(grpc::ServerContext*, const v1::HelloRequest*,
                     v1::HelloReply* reply) override {
    reply->set_version(2);
    return grpc::Status::OK;
  }
};

TEST(StoreVersionTest, AServerOfAnotherVersionIsRefusedInASentence) {
  OlderStore store;
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&store);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  auto client = RemoteClient::Connect(fmt::format("127.0.0.1:{}", port), "127.0.0.1:8086",
                                      engine::Clock::System());
  EXPECT_EQ(
      client.status(),
      FailedPrecondition("127.0.0.1:8086: its server speaks version 2 of the store's service, "
                         "this program 3; use the same sippar for both"));
}

TEST_F(StoreProtocolTest, ACallThatTheServerDoesNotKnowIsRefusedByItsName) {
  v1::CallRequest request;
  request.set_name("Defragment");
  v1::CallReply reply;
  auto stub = v1::Store::NewStub(channel_);
  EXPECT_TRUE(Call(stub.get(), &v1::Store::Stub::Call, request, &reply).ok());
  Status outcome;
  ASSERT_TRUE(DecodeValue(reply.outcome(), &outcome));
  EXPECT_EQ(outcome, Unimplemented("call Defragment is not supported by the server; use the same "
                                   "sippar for server and client"));
}

}  // namespace
}  // namespace sippar::cluster
