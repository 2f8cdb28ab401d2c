// Slow calls: the lines that report them, and their traces.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/server_client.h"
#include "engine/base/thread.h"
#include "tests/cluster/serve/api_fixture.h"

namespace sippar::cluster {
namespace {

constexpr const char* kTraceId = "4bf92f3577b34da6a3ce929d0e0e4736";

class CallTraceTest : public ApiTest {
 protected:
  CallTraceTest() { CreateTable(); }

  // Collects the lines that a server prints.
  class Lines {
   public:
    ApiServerOptions Options(int64_t slow_call_us) {
      ApiServerOptions options;
      options.listen = "127.0.0.1:0";
      options.slow_call_us = slow_call_us;
      options.on_slow_call = [this](const std::string& line) {
        engine::MutexLock lock(&mutex_);
        lines_.push_back(line);
      };
      return options;
    }
    std::vector<std::string> Take() {
      engine::MutexLock lock(&mutex_);
      return std::exchange(lines_, {});
    }

   private:
    engine::Mutex mutex_;
    std::vector<std::string> lines_ GUARDED_BY(mutex_);
  };
  // Waits for the line about `call`. A line is written after its answer is sent and the clock is
  // read again, so an earlier read may be reported as slow as well.
  static std::string LineOf(Lines* lines, const std::string& call) {
    for (;;) {
      for (const std::string& line : lines->Take()) {
        if (line.starts_with("slow call: " + call + " took ")) return line;
      }
    }
  }

  // Calls MutateRow of a server with the given header.
  void Mutate(const std::string& address, const std::string& name, const std::string& value,
              const std::string& table = kTable) {
    auto stub =
        v2::Bigtable::NewStub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
    grpc::ClientContext context;
    if (!name.empty()) context.AddMetadata(name, value);
    v2::MutateRowRequest request;
    request.set_table_name(table);
    request.set_row_key("r");
    request.add_mutations()->mutable_delete_from_row();
    v2::MutateRowResponse response;
    grpc::Status status = stub->MutateRow(&context, request, &response);
    EXPECT_EQ(status.ok(), table == kTable) << status.error_message();
    clock_.SleepMicros(1'000'000);  // lets the next line be printed
  }
  static std::string TraceOf(const std::vector<std::string>& lines) {
    EXPECT_EQ(lines.size(), 1u);
    size_t at = lines.empty() ? std::string::npos : lines[0].find(", trace ");
    return at == std::string::npos ? "" : lines[0].substr(at + 8, 32);
  }
};

TEST_F(CallTraceTest, TheTraceIsTheCallersOrNew) {
  Lines lines;
  auto server = std::move(*ApiServer::Start(client_.get(), lines.Options(0)));
  Mutate(server->address(), "traceparent", std::string("00-") + kTraceId + "-00f067aa0ba902b7-01");
  std::vector<std::string> told = lines.Take();
  EXPECT_EQ(TraceOf(told), kTraceId);
  EXPECT_EQ(told.at(0).find("slow call: /google.bigtable.v2.Bigtable/MutateRow took 0.0"), 0u);
  EXPECT_NE(told.at(0).find(", status 0, "), std::string::npos);
  Mutate(server->address(), "x-cloud-trace-context", std::string(kTraceId) + "/123;o=1");
  EXPECT_EQ(TraceOf(lines.Take()), kTraceId);
  Mutate(server->address(), "", "", std::string(kTable) + "x");
  told = lines.Take();
  std::string first = TraceOf(told);
  EXPECT_EQ(first.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(told.at(0).find(", status 5, "), std::string::npos);
  for (const char* nonsense : {"", "00-1-2-3", "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0b-01",
                               "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x"}) {
    Mutate(server->address(), "traceparent", nonsense);
    std::string next = TraceOf(lines.Take());
    EXPECT_EQ(next.size(), 32u);
    EXPECT_NE(next, kTraceId) << nonsense;
    EXPECT_NE(next, first);
  }
}

TEST_F(CallTraceTest, ASlowCallOverTheWireIsToldByItsName) {
  Lines lines;
  auto server = std::move(*ApiServer::Start(client_.get(), lines.Options(1'000'000)));
  auto remote = ConnectServer(server->address(), "the server", &clock_, nullptr).value();
  EXPECT_TRUE(remote->admin()->Do(calls::ListTables{}).ok());
  auto cells = remote->data()->Read("p/i/t", ReadSpec(), {});
  ASSERT_TRUE(cells.ok()) << cells.status();
  EXPECT_TRUE(lines.Take().empty());
  clock_.step_nanos = 1'000'000'000;  // every step takes long
  EXPECT_TRUE(remote->admin()->Do(calls::ListTables{}).ok());
  const std::string told = LineOf(&lines, "ListTables");
  EXPECT_NE(told.find(", from client "), std::string::npos) << told;
  cells = remote->data()->Read("p/i/t", ReadSpec(), {});
  ASSERT_TRUE(cells.ok()) << cells.status();
  LineOf(&lines, "Read");
}

TEST_F(CallTraceTest, OnlySlowCallsAreToldAndNotTooMany) {
  Lines lines;
  auto server = std::move(*ApiServer::Start(client_.get(), lines.Options(500'000)));
  Mutate(server->address(), "", "");
  EXPECT_TRUE(lines.Take().empty());
  clock_.step_nanos = 1'000'000'000;  // every step takes long
  Mutate(server->address(), "", "");
  EXPECT_EQ(lines.Take().size(), 1u);
  Lines all;
  auto talkative = std::move(*ApiServer::Start(client_.get(), all.Options(0)));
  clock_.step_nanos = 1;
  auto stub = v2::Bigtable::NewStub(
      grpc::CreateChannel(talkative->address(), grpc::InsecureChannelCredentials()));
  v2::PingAndWarmRequest ping;
  ping.set_name(kInstance);
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(Call(stub.get(), &v2::Bigtable::Stub::PingAndWarm, ping).ok());
  }
  EXPECT_EQ(all.Take().size(), 1u);
  clock_.SleepMicros(1'000'000);
  EXPECT_TRUE(Call(stub.get(), &v2::Bigtable::Stub::PingAndWarm, ping).ok());
  std::vector<std::string> told = all.Take();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find("(9 others before it)"), std::string::npos) << told[0];
}

}  // namespace
}  // namespace sippar::cluster
