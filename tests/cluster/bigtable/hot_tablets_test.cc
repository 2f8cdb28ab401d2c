// Tests ListHotTablets against the store's counters.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/server_client.h"
#include "tests/cluster/serve/api_fixture.h"

namespace sippar::cluster {
namespace {

using grpc::StatusCode;
using Request = admin::ListHotTabletsRequest;

constexpr const char* kCluster = "projects/p/instances/i/clusters/sippar";

class HotTabletsTest : public ApiTest {
 protected:
  grpc::Status List(const Request& request, admin::ListHotTabletsResponse* response) {
    grpc::ClientContext context;
    return instances_->ListHotTablets(&context, request, response);
  }
  static Request Of(const std::string& parent = kCluster) {
    Request request;
    request.set_parent(parent);
    return request;
  }
  int64_t Seconds() const { return clock_.now_us / 1'000'000; }
  // Lets a minute pass for waiting threads but only 20 ms of wall time, so that any work counts as
  // a high load.
  void PassMinute() {
    clock_.now_us += 20'000;
    clock_.SleepMicros(60'000'000);
    engine::Clock::System()->SleepMicros(100'000);
  }
};

TEST_F(HotTabletsTest, ABusyTabletIsListed) {
  CreateTable({"m"});
  const int64_t start = Seconds();
  admin::ListHotTabletsResponse response;
  for (int tries = 0; tries < 100 && response.hot_tablets().empty(); ++tries) {
    std::vector<RowMutation> batch;
    for (int i = 0; i < 20'000; ++i) {
      batch.push_back(RowMutation("a" + std::to_string(i)).Set("f", "q", "1"));
    }
    for (const Status& status : client_->data()->ApplyBatch("p/i/t", batch)) {
      ASSERT_TRUE(status.ok());
    }
    PassMinute();
    ASSERT_TRUE(List(Of(), &response).ok());
  }
  ASSERT_EQ(response.hot_tablets_size(), 1);
  const admin::HotTablet& hot = response.hot_tablets(0);
  EXPECT_EQ(hot.name().find(std::string(kCluster) + "/hotTablets/"), 0u);
  EXPECT_EQ(hot.table_name(), kTable);
  EXPECT_EQ(hot.start_key(), "");
  EXPECT_EQ(hot.end_key(), "m");
  EXPECT_GE(hot.start_time().seconds(), start);
  EXPECT_LE(hot.end_time().seconds(), Seconds());
  EXPECT_GE(hot.node_cpu_usage_percent(), 10);
  EXPECT_LE(hot.node_cpu_usage_percent(), 100);
  EXPECT_TRUE(response.next_page_token().empty());
  // Only tables of the instance are listed, and only the requested period.
  ASSERT_TRUE(List(Of("projects/p/instances/other/clusters/sippar"), &response).ok());
  EXPECT_EQ(response.hot_tablets_size(), 0);
  Request before = Of();
  before.mutable_end_time()->set_seconds(start - 1);
  ASSERT_TRUE(List(before, &response).ok());
  EXPECT_EQ(response.hot_tablets_size(), 0);
  // Other processes get the same answer.
  auto remote = ConnectServer(server_->address(), "the server", &clock_, nullptr).value();
  EXPECT_EQ(*remote->admin()->Do(calls::HotTablets{0, INT64_MAX}),
            *client_->admin()->Do(calls::HotTablets{0, INT64_MAX}));
}

TEST_F(HotTabletsTest, BadRequestsAreRefused) {
  auto answer = [this](auto fill) {
    Request request = Of();
    fill(&request);
    admin::ListHotTabletsResponse response;
    return List(request, &response).error_code();
  };
  const int64_t now = Seconds();
  EXPECT_EQ(answer([](Request*) {}), StatusCode::OK);
  EXPECT_EQ(answer([](Request* r) { r->set_parent(kInstance); }), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(answer([](Request* r) { r->set_parent(std::string(kInstance) + "/clusters/none"); }),
            StatusCode::NOT_FOUND);
  EXPECT_EQ(answer([](Request* r) { r->set_page_size(-1); }), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(answer([](Request* r) { r->set_page_token("x"); }), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(answer([&](Request* r) { r->mutable_end_time()->set_seconds(now + 60); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(answer([&](Request* r) { r->mutable_start_time()->set_seconds(now + 1); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(answer([&](Request* r) { r->mutable_start_time()->set_seconds(now - 3 * 24 * 3600); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(answer([](Request* r) { r->mutable_start_time()->set_seconds(INT64_MIN); }),
            StatusCode::INVALID_ARGUMENT);
}

}  // namespace
}  // namespace sippar::cluster
