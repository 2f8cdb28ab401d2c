// The calls that statements make on tables carry the session's cancel flag and the time left.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>

#include "cluster/node/open_client.h"
#include "engine/fs/memory_file_system.h"
#include "query/query.h"

namespace sippar::query {
namespace {

// A client that notes the options of each admin call, by the call's name.
class NotingClient final : public cluster::Client, public cluster::AdminApi {
 public:
  explicit NotingClient(std::unique_ptr<cluster::Client> client) : client_(std::move(client)) {}

  void Carry(const AnyCall& call, const cluster::CallOptions& options) override {
    noted[cluster::RuleOf(call).name] = options;
    client_->admin()->Carry(call, options);
  }

  cluster::DataApi* data() override { return client_->data(); }
  cluster::AdminApi* admin() override { return this; }
  engine::Clock* clock() override { return client_->clock(); }
  const std::string& target() const override { return client_->target(); }
  Status Close() override { return client_->Close(); }

  std::map<std::string, cluster::CallOptions> noted;

 private:
  std::unique_ptr<cluster::Client> client_;
};

TEST(AdminOptionsTest, LongCallsEndWithTheStatement) {
  engine::MemoryFileSystem fs;
  cluster::ClientOptions options;
  options.create_if_missing = true;
  options.fs = &fs;
  auto opened = cluster::OpenClient("/db", options);
  ASSERT_TRUE(opened.ok()) << opened.status();
  NotingClient client(*std::move(opened));
  std::unique_ptr<Session> session = Session::New(&client, {});
  auto run = [&](std::string_view statement) {
    return session->Execute(statement, nullptr).status();
  };
  ASSERT_TRUE(run("CREATE TABLE t (FAMILY f)").ok());

  const std::map<std::string, std::string_view> calls = {
      {"Flush", "FLUSH TABLE t"},          {"Compact", "COMPACT TABLE t"},
      {"Split", "SPLIT TABLE t AT ('m')"}, {"Merge", "MERGE TABLETS OF t"},
      {"BalanceNow", "BALANCE"},           {"SetBalancing", "BALANCE ON"}};
  for (const auto& [name, statement] : calls) {
    client.noted.clear();
    ASSERT_TRUE(run("SET timeout = 1h").ok());
    EXPECT_TRUE(run(statement).ok()) << statement;
    ASSERT_TRUE(client.noted.contains(name)) << statement;
    EXPECT_GT(client.noted[name].timeout_us, 0) << statement;
    EXPECT_LE(client.noted[name].timeout_us, 3'600'000'000) << statement;
    EXPECT_NE(client.noted[name].cancel, nullptr) << statement;
    ASSERT_TRUE(run("RESET timeout").ok());
    EXPECT_TRUE(run(statement).ok()) << statement;
    EXPECT_EQ(client.noted[name].timeout_us, 0) << statement;
  }
  client.noted.clear();
  EXPECT_TRUE(run("COMPACT TABLE t MINOR").ok());
  EXPECT_NE(client.noted["Flush"].cancel, nullptr);
}

}  // namespace
}  // namespace sippar::query
