// A server that accepts calls and never answers, or cannot be reached: tests the master's threads,
// its stop, and what it knows about the server.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>

#include "cluster/lock/lock_paths.h"
#include "cluster/lock/membership.h"
#include "cluster/net/failure.h"
#include "cluster/node/bootstrap.h"
#include "cluster/node/local_network.h"
#include "cluster/node/roles.h"
#include "tests/cluster/lock/lock_world.h"

namespace sippar::cluster {
namespace {

// Loads of user tablets on servers named `hung` get no answer until their caller cancels them.
struct Hang {
  std::string hung = "s1";
  std::atomic<bool> on{false};
  std::atomic<bool> figures{false};  // true: Metrics and Compactions get no answer
  // Called before each of those calls to a hung server; may be empty.
  std::function<void()> before_figures;
  std::atomic<int> loads{0};      // number of waiting loads
  std::atomic<int> unlimited{0};  // calls without a time limit or a cancel flag
};

class HangingControl final : public TabletControl {
 public:
  HangingControl(Hang* hang, bool is_hung, std::shared_ptr<TabletControl> base)
      : hang_(hang), is_hung_(is_hung), base_(std::move(base)) {}

  void Carry(const AnyCall& call, const CallOptions& options) override {
    if (options.timeout_us == 0 || options.cancel == nullptr) ++hang_->unlimited;
    const auto* load = std::get_if<Pending<calls::LoadTablet>>(&call);
    const bool hangs = load != nullptr && load->call.record.table_id != kMetadataTableId;
    const bool is_figures = std::holds_alternative<Pending<calls::Metrics>>(call) ||
                            std::holds_alternative<Pending<calls::Compactions>>(call);
    if (is_figures && is_hung_ && hang_->before_figures) hang_->before_figures();
    if (hang_->figures && is_hung_ && is_figures) {
      engine::Clock::System()->SleepMicros(options.timeout_us);
      return Refuse(call, DeadlineExceeded("no answer came in time"));
    }
    if (!hang_->on || !is_hung_ || !hangs) return base_->Carry(call, options);
    ++hang_->loads;
    while (!options.is_cancelled()) engine::Clock::System()->SleepMicros(1'000);
    --hang_->loads;
    Refuse(call, Cancelled("the caller cancelled the call"));
  }

 private:
  Hang* const hang_;
  const bool is_hung_;
  const std::shared_ptr<TabletControl> base_;
};

class HangingTransport final : public Transport {
 public:
  HangingTransport(Transport* base, Hang* hang) : base_(base), hang_(hang) {}
  std::shared_ptr<TabletService> Tablets(const ServerId& server, net::Lane lane) override {
    return base_->Tablets(server, lane);
  }
  std::shared_ptr<TabletControl> Control(const ServerId& server) override {
    return std::make_shared<HangingControl>(hang_, server.name == hang_->hung,
                                            base_->Control(server));
  }
  std::shared_ptr<AdminApi> Admin() override { return base_->Admin(); }
  std::shared_ptr<MasterNotices> Notices() override { return base_->Notices(); }

 private:
  Transport* const base_;
  Hang* const hang_;
};

// The machine's clock with a wrong wall time.
class WrongClock final : public engine::Clock {
 public:
  int64_t NowMicros() override { return System()->NowMicros() + 40 * kSecond; }
  int64_t MonotonicNanos() override { return System()->MonotonicNanos(); }
  void SleepMicros(int64_t micros) override { System()->SleepMicros(micros); }
};

class HangingServerTest : public testing::Test {
 protected:
  HangingServerTest() {
    EXPECT_OK(disk_.CreateDir("/db"));
    EXPECT_OK(disk_.SyncDir("/"));
    locks_ = EmbeddedLockService::Open(&disk_, "/lock", engine::Clock::System()).value();
    session_ = locks_->OpenSession({"test"}).value();
    EXPECT_OK(PrepareCluster(&disk_, "/db", session_.get(), 1));
    policy_.poll_us = 100'000;
    policy_.report_us = 300'000;
    policy_.answer_us = 300'000;
  }
  ~HangingServerTest() override {
    masters_.clear();
    line_.Cut();
    for (auto& [name, server] : servers_) {
      network_.Remove(server->server()->id(), engine::Clock::System());
    }
    servers_.clear();
  }

  ClusterPlace Place(Transport* transport) {
    ClusterPlace place;
    place.directory = "/db";
    place.locks = locks_.get();
    place.transport = transport;
    place.clock = engine::Clock::System();
    place.lease_us = kLeaseUs;
    return place;
  }
  void StartServer(const std::string& name, const ClusterPlace& place) {
    engine::StoreOptions store;
    store.fs = &disk_;
    store.clock = place.clock;
    store.block_cache_size = 1 << 20;
    auto role = ServerRole::Start(place, name, store, [](const char*) {});
    ASSERT_TRUE(IsOk(role));
    network_.Add((*role)->server());
    servers_[name] = *std::move(role);
  }
  void StartServer(const std::string& name) { StartServer(name, Place(&line_)); }
  master::MasterDriver* StartMaster(const std::string& name) {
    masters_[name] = MasterRole::Start(Place(&hanging_), name, &disk_, policy_).value();
    network_.Add(MasterPort{masters_[name]->driver(), masters_[name]->admin()});
    return masters_[name]->driver().get();
  }
  // Ends the master as its process does.
  void StopMaster(const std::string& name) {
    network_.Remove(masters_.at(name)->driver().get());
    masters_.at(name)->driver()->Stop();
  }
  Status CreateTable(const std::string& master, int tablets) {
    TableSchema schema;
    schema.name = "t";
    schema.families.push_back({"f", {}, {}});
    schema.Normalize();
    std::vector<std::string> splits;
    for (int i = 1; i < tablets; ++i) splits.push_back(fmt::format("{:03}", i));
    return masters_.at(master)->admin()->Do(calls::CreateTable{schema, splits});
  }
  struct Counts {
    int loaded = 0;
    int assigned = 0;
  };
  // Counts the user tablets whose records name the server.
  static Counts Count(master::MasterDriver* driver, const std::string& server) {
    Counts counts;
    EXPECT_OK(driver->Look([&](master::MasterState& state) {
      for (const auto& [key, tablet] : state.tablets.all()) {
        if (key.table_id == kMetadataTableId || tablet.facts.server.name != server) continue;
        ++counts.assigned;
        counts.loaded += tablet.loaded ? 1 : 0;
      }
    }));
    return counts;
  }
  template <class Condition>
  static void Await(const Condition& holds) {
    for (int i = 0; i < 20'000 && !holds(); ++i) engine::Clock::System()->SleepMicros(1'000);
    ASSERT_TRUE(holds());
  }

  static constexpr int64_t kLeaseUs = 3 * kSecond;
  WrongClock wrong_clock_;
  engine::MemoryFileSystem disk_;
  std::unique_ptr<EmbeddedLockService> locks_;
  std::unique_ptr<LockSession> session_;
  master::MasterOptions policy_;
  Hang hang_;
  LocalNetwork network_;
  LocalTransport line_{&network_, true};
  HangingTransport hanging_{&line_, &hang_};
  std::map<std::string, std::unique_ptr<ServerRole>> servers_;
  std::map<std::string, std::unique_ptr<MasterRole>> masters_;
};

// More loads hang than the lane has threads.
TEST_F(HangingServerTest, ItHoldsNoThreadThatOthersTabletsNeedAndNoStopOfTheMaster) {
  for (const char* name : {"s1", "s2", "s3"}) StartServer(name);
  master::MasterDriver* first = StartMaster("m1");
  ASSERT_TRUE(IsOk(first->WaitUntilRunning(20 * kSecond)));
  hang_.on = true;
  EXPECT_OK(CreateTable("m1", 60));
  Await([&] {
    for (const char* name : {"s2", "s3"}) {
      const Counts counts = Count(first, name);
      if (counts.assigned < 15 || counts.loaded < counts.assigned) return false;
    }
    return true;
  });
  EXPECT_EQ(Count(first, "s1").loaded, 0);
  EXPECT_GT(Count(first, "s1").assigned, 15);
  Await([&] { return hang_.loads == 8; });  // the server's share of the lane
  EXPECT_EQ(hang_.unlimited, 0);
  StopMaster("m1");
  EXPECT_EQ(hang_.loads, 0);
  hang_.on = false;
  master::MasterDriver* second = StartMaster("m2");
  ASSERT_TRUE(IsOk(second->WaitUntilRunning(20 * kSecond)));
  Await([&] { return Count(second, "s1").loaded > 15; });
}

// A dead server is recovered although other calls of the lane hang.
TEST_F(HangingServerTest, AServerThatDiesIsRecoveredMeanwhile) {
  for (const char* name : {"s1", "s2", "s3"}) StartServer(name);
  master::MasterDriver* driver = StartMaster("m1");
  ASSERT_TRUE(IsOk(driver->WaitUntilRunning(20 * kSecond)));
  EXPECT_OK(CreateTable("m1", 12));
  Await([&] { return Count(driver, "s2").loaded > 0 && Count(driver, "s3").loaded > 0; });
  hang_.on = true;
  network_.Remove(servers_.at("s3")->server()->id(), engine::Clock::System());
  servers_.erase("s3");
  Await([&] {
    const Counts counts = Count(driver, "s2");
    return Count(driver, "s3").assigned == 0 && counts.assigned > 4 &&
           counts.loaded == counts.assigned;
  });
}

TEST_F(HangingServerTest, AMasterThatDoesNotReignHasNotBegunACall) {
  StartServer("s1");
  ASSERT_TRUE(IsOk(StartMaster("m1")->WaitUntilRunning(20 * kSecond)));
  StartMaster("m2");
  const Status refused = CreateTable("m2", 1);
  EXPECT_EQ(refused.code(), StatusCode::kUnavailable);
  EXPECT_TRUE(net::IsNotBegun(net::OfServedCall(refused))) << refused;
  // The outcome of a nested call to another process does not describe the call itself.
  EXPECT_FALSE(net::IsNotBegun(net::OfServedCall(net::MarkNotBegun(Unavailable("busy")))));
  EXPECT_OK(CreateTable("m1", 1));
}

TEST_F(HangingServerTest, AServersRecordTellsTheLeaseThatItWasGranted) {
  ClusterPlace place = Place(&line_);
  place.member.emplace();
  place.member->host = "127.0.0.1";
  place.member->port = 7001;
  StartServer("s1", place);
  auto file = session_->Read(lock_paths::Server(servers_.at("s1")->server()->id()));
  ASSERT_TRUE(IsOk(file));
  auto record = MemberRecord::Decode(file->content);
  ASSERT_TRUE(IsOk(record));
  EXPECT_GE(record->lease_us, kLeaseUs);
  EXPECT_LT(record->lease_us, 2 * kLeaseUs);
}

TEST_F(HangingServerTest, TheStatusTellsWrongClocksAndWhatIsLeftOfLeases) {
  ClusterPlace place = Place(&line_);
  place.clock = &wrong_clock_;
  StartServer("s1", place);
  StartServer("s2");
  master::MasterDriver* driver = StartMaster("m1");
  ASSERT_TRUE(IsOk(driver->WaitUntilRunning(20 * kSecond)));
  auto health = masters_.at("m1")->admin()->Do(calls::ClusterStatus{});
  ASSERT_TRUE(IsOk(health));
  ASSERT_EQ(health->servers.size(), 2u);
  for (const ServerStatus& server : health->servers) {
    ASSERT_TRUE(server.skew_ms.has_value() && server.lease_left_ms.has_value());
    const int64_t expected_ms = server.id.name == "s1" ? 40'000 : 0;
    EXPECT_NEAR(static_cast<double>(*server.skew_ms), static_cast<double>(expected_ms), 15'000);
    EXPECT_GT(*server.lease_left_ms, 0);
    EXPECT_LE(*server.lease_left_ms, kLeaseUs / 1000);
  }
}

TEST_F(HangingServerTest, FiguresOfTheOthersComeAndTheServerIsNamed) {
  for (const char* name : {"s1", "s2"}) StartServer(name);
  ASSERT_TRUE(IsOk(StartMaster("m1")->WaitUntilRunning(20 * kSecond)));
  AdminApi* admin = masters_.at("m1")->admin().get();
  auto metrics = admin->Do(calls::Metrics{});
  ASSERT_TRUE(IsOk(metrics));
  EXPECT_EQ((*metrics)["silent_servers"], 0u);
  hang_.figures = true;
  CallOptions options;
  options.timeout_us = 2 * kSecond;
  metrics = admin->Do(calls::Metrics{}, options);
  ASSERT_TRUE(IsOk(metrics));
  EXPECT_EQ((*metrics)["silent_servers"], 1u);
  EXPECT_GT(metrics->size(), 2u);  // those of s2, besides the master's own
  auto compactions = admin->Do(calls::Compactions{}, options);
  ASSERT_TRUE(IsOk(compactions));
  ASSERT_FALSE(compactions->empty());
  EXPECT_EQ(compactions->back().status,
            fmt::format("server {}: no answer", servers_.at("s1")->server()->id().ToString()));
}

// Its calls fail at once, as after the end of a connection on which nothing came. In the last round
// it ends before its call fails, and its name has a new life, which that round does not ask.
TEST_F(HangingServerTest, AServerThatCannotBeReachedIsSilentWhileItHoldsItsLock) {
  hang_.hung = "lost";
  StartServer("s1");
  ASSERT_TRUE(IsOk(StartMaster("m1")->WaitUntilRunning(20 * kSecond)));
  AdminApi* admin = masters_.at("m1")->admin().get();
  auto life = RegisterServer(session_.get(), "lost", "");
  ASSERT_TRUE(IsOk(life));
  const auto silent_servers = [&]() -> uint64_t {
    auto metrics = admin->Do(calls::Metrics{});
    EXPECT_OK(metrics);
    return metrics.ok() ? (*metrics)["silent_servers"] : 99;
  };
  Await([&] { return silent_servers() == 1; });  // the master has to list the servers first
  auto compactions = admin->Do(calls::Compactions{});
  ASSERT_TRUE(IsOk(compactions));
  ASSERT_FALSE(compactions->empty());
  EXPECT_EQ(compactions->back().status, fmt::format("server {}: no answer", life->id.ToString()));
  int asked = 0;
  hang_.before_figures = [&] {
    ++asked;
    EXPECT_OK(session_->Remove(life->path, 1));
    EXPECT_OK(RegisterServer(session_.get(), "lost", ""));
  };
  EXPECT_EQ(silent_servers(), 0u);
  EXPECT_EQ(asked, 1);
}

TEST_F(HangingServerTest, AServersOwnFailureIsAnAnswerAndAMissingServersIsNone) {
  StartServer("s1");
  const ServerId id = servers_.at("s1")->server()->id();
  const Status busy = line_.Control(id)->Do(calls::SplitByLoad{1, 99});
  EXPECT_EQ(busy.code(), StatusCode::kUnavailable);
  EXPECT_TRUE(IsAnswered(busy)) << busy;
  const Status gone = line_.Control({"s9", 1})->Do(calls::SplitByLoad{1, 99});
  EXPECT_EQ(gone.code(), StatusCode::kUnavailable);
  EXPECT_FALSE(IsAnswered(gone)) << gone;
}

}  // namespace
}  // namespace sippar::cluster
