// Properties of the embedded lock service beyond the contract: its use of the disk, and calls
// without a thread of its own.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atomic>

#include "engine/base/thread.h"
#include "engine/fs/fault_file_system.h"
#include "tests/cluster/lock/contract_world.h"

namespace sippar::cluster {

namespace {

class EmbeddedWorld final : public ContractWorld {
 public:
  EmbeddedWorld() { clock = &world_.clock; }
  void Restart() override { world_.Restart(); }
  std::shared_ptr<LockSession> Session(const std::string& name, int64_t timeout_us) override {
    return world_.Session(name, timeout_us);
  }
  void Pass(int64_t micros) override { world_.Pass(micros); }
  LockService* locks() override { return world_.service.get(); }

 private:
  LockWorld world_;
};

}  // namespace

std::unique_ptr<ContractWorld> NewContractWorld() { return std::make_unique<EmbeddedWorld>(); }

namespace {

constexpr auto kLasting = LockFileKind::kLasting;
constexpr auto kLocked = LockFileKind::kLocked;
constexpr auto kEphemeral = LockFileKind::kEphemeral;

TEST(EmbeddedLockService, ATimeoutFiresWatchesInTheThreadOfWhoeverCallsNext) {
  LockWorld world;
  auto a = world.Session("a", kSecond);
  auto b = world.Session("b", 100 * kSecond);
  int calls = 0;
  EXPECT_OK(a->Create("gateways/a", "", kEphemeral));
  EXPECT_OK(b->Watch("gateways", [&] { ++calls; }));
  world.Pass(kSecond);
  EXPECT_EQ(calls, 0);
  EXPECT_OK(b->Heartbeat());
  EXPECT_EQ(calls, 1);
}

// A slow disk (FAULTS.md D17): heartbeats are answered while a change waits for its sync.
TEST(EmbeddedLockService, HeartbeatsAndReadsDoNotWaitForTheDisk) {
  engine::MemoryFileSystem memory;
  engine::FaultFileSystem fs(&memory);
  auto service = EmbeddedLockService::Open(&fs, "/lock", engine::Clock::System()).value();
  SessionOptions options;
  options.name = "a";
  auto a = service->OpenSession(options).value();
  options.name = "b";
  options.timeout_us = 60 * kSecond;
  auto b = service->OpenSession(options).value();
  fs.AddRule(engine::FaultRule::Parse("delay:1000 sync * 1").value());
  std::atomic<bool> written{false};
  engine::Thread writer("writer", [&] {
    EXPECT_OK(a->Create("root", "", kLasting));
    written = true;
  });
  while (fs.faults() == 0 && !written) engine::Clock::System()->SleepMicros(1'000);
  EXPECT_OK(b->Heartbeat());
  EXPECT_CODE(b->Read("root"), StatusCode::kNotFound) << "not visible before it is durable";
  EXPECT_FALSE(written);
  writer.Join();
  EXPECT_OK(b->Read("root"));
}

// A change that began in time takes effect before its session ends, however slow the disk is: no
// reader sees the lock free and afterwards a change by its holder.
TEST(EmbeddedLockService, ASessionDoesNotEndInTheMiddleOfItsChange) {
  engine::MemoryFileSystem memory;
  engine::FaultFileSystem fs(&memory);
  engine::ManualClock clock(0);
  auto service = EmbeddedLockService::Open(&fs, "/lock", &clock).value();
  SessionOptions options;
  options.timeout_us = kSecond;
  options.clock = &clock;
  auto a = service->OpenSession(options).value();
  auto b = service->OpenSession({}).value();
  EXPECT_OK(a->Create("master", "", kLocked));
  bool during = false;
  fs.OnSync([&] {
    clock.Set(2 * kSecond);
    during = true;
    EXPECT_EQ(b->Read("master")->holder, a->id());
  });
  EXPECT_OK(a->Create("servers/a.1", "", kLocked));
  EXPECT_TRUE(during);
  EXPECT_EQ(b->Read("master")->holder, 0u);
  EXPECT_EQ(b->Read("servers/a.1")->holder, 0u);
  EXPECT_CODE(a->Read("master"), StatusCode::kFailedPrecondition);
}

// Only a lock that another process holds is kUnavailable: an opener then tries to join that
// process.
TEST(EmbeddedLockService, ADiskThatDoesNotAnswerIsNoOtherProcess) {
  for (const char* rule :
       {"fail mkdir * 1", "fail lock * 1", "fail list * 1", "fail syncdir / 1"}) {
    engine::MemoryFileSystem memory;
    engine::FaultFileSystem fs(&memory);
    fs.AddRule(engine::FaultRule::Parse(rule).value());
    EXPECT_CODE(EmbeddedLockService::Open(&fs, "/lock", engine::Clock::System()).status(),
                StatusCode::kInternal)
        << rule;
    EXPECT_EQ(fs.faults(), 1u) << rule;
  }
}

TEST(EmbeddedLockService, AFullDiskChangesNothingAndPasses) {
  LockWorld world;
  auto a = world.Session("a");
  EXPECT_OK(a->Create("root", "old", kLasting));
  world.fs.SetCapacity(world.fs.used_bytes() + 10);
  EXPECT_CODE(a->Write("root", std::string(1'000, 'x'), 1), StatusCode::kResourceExhausted);
  EXPECT_CODE(a->Create("tables/1", std::string(1'000, 'x'), kLasting),
              StatusCode::kResourceExhausted);
  EXPECT_EQ(a->Read("root")->content, "old");
  EXPECT_OK(a->Heartbeat());
  world.fs.SetCapacity(0);
  EXPECT_OK(a->Write("root", std::string(1'000, 'x'), 1));
  EXPECT_OK(a->Create("tables/1", "", kLasting));
}

}  // namespace
}  // namespace sippar::cluster
