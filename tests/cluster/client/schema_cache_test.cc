// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/schema_cache.h"

#include <gtest/gtest.h>

#include <atomic>

#include "cluster/location/table_file.h"
#include "cluster/lock/lock_paths.h"
#include "tests/cluster/lock/lock_world.h"

namespace sippar::cluster {
namespace {

TableRecord TableOf(uint64_t id, const std::string& name, const std::string& family) {
  TableRecord table;
  table.table_id = id;
  table.schema.name = name;
  table.schema.families.resize(1);
  table.schema.families[0].name = family;
  table.schema.Normalize();
  return table;
}

// A session whose service can be made not to answer.
class AwaySession final : public LockSession {
 public:
  explicit AwaySession(std::shared_ptr<LockSession> session) : session_(std::move(session)) {}
  uint64_t id() const override { return session_->id(); }
  StatusOr<int64_t> Heartbeat() override { return session_->Heartbeat(); }
  StatusOr<uint64_t> Create(const std::string& path, const std::string& content,
                            LockFileKind kind) override {
    return session_->Create(path, content, kind);
  }
  StatusOr<LockFile> Read(const std::string& path, Freshness freshness) override {
    RETURN_IF_ERROR(Ask());
    return session_->Read(path, freshness);
  }
  StatusOr<uint64_t> Write(const std::string& path, const std::string& content,
                           uint64_t version) override {
    return session_->Write(path, content, version);
  }
  Status Remove(const std::string& path, uint64_t version) override {
    return session_->Remove(path, version);
  }
  StatusOr<std::vector<std::string>> List(const std::string& directory) override {
    RETURN_IF_ERROR(Ask());
    return session_->List(directory);
  }
  StatusOr<uint64_t> Acquire(const std::string& path) override { return session_->Acquire(path); }
  Status Release(const std::string& path) override { return session_->Release(path); }
  Status Watch(const std::string& path, std::function<void()> callback) override {
    RETURN_IF_ERROR(Ask());
    return session_->Watch(path, std::move(callback));
  }
  StatusOr<uint64_t> NextEpoch() override { return session_->NextEpoch(); }
  Status RaiseEpoch(uint64_t seen) override { return session_->RaiseEpoch(seen); }
  Status Close() override { return session_->Close(); }

  bool is_away = false;
  int calls = 0;  // number of calls without an answer
  // While set, calls wait until it is cleared; `waiting` is their number.
  std::atomic<bool> hangs{false};
  std::atomic<int> waiting{0};

 private:
  Status Ask() {
    ++waiting;
    while (hangs) engine::Clock::System()->SleepMicros(1000);
    --waiting;
    if (!is_away) return OkStatus();
    ++calls;
    return Unavailable("no member of the lock service answers");
  }
  const std::shared_ptr<LockSession> session_;
};

class SchemaCacheTest : public testing::Test {
 protected:
  SchemaCacheTest()
      : master_(locks_.Session("master", 100 * kSecond)),
        client_(locks_.Session("client", 100 * kSecond)),
        away_(client_),
        cache_(&away_, &locks_.clock) {
    Write(5, "f");
  }
  void Write(uint64_t id, const std::string& family) {
    const std::string path = lock_paths::Table(id);
    const std::string content = EncodeTableFile(TableOf(id, "t", family));
    auto file = master_->Read(path);
    if (file.ok()) {
      EXPECT_OK(master_->Write(path, content, file->version));
    } else {
      EXPECT_OK(master_->Create(path, content, LockFileKind::kLasting));
    }
  }
  // The family in the schema that the cache returns, or the code of its error.
  std::string Family(const std::string& table = "t") {
    auto schema = cache_.Get(table);
    return schema.ok() ? (*schema)->families[0].name
                       : std::string(absl::StatusCodeToString(schema.status().code()));
  }

  LockWorld locks_;
  std::shared_ptr<LockSession> master_;
  std::shared_ptr<LockSession> client_;
  AwaySession away_;
  SchemaCache cache_;
};

TEST_F(SchemaCacheTest, WhatIsKnownCostsNoCall) {
  EXPECT_EQ(Family(), "f");
  const auto before = cache_.Get("t");
  const auto after = cache_.Get("t");
  ASSERT_TRUE(IsOk(before));
  ASSERT_TRUE(IsOk(after));
  EXPECT_EQ(before->get(), after->get());
  EXPECT_OK(client_->Close());  // later calls on this session would fail
  EXPECT_EQ(Family(), "f");
}

TEST_F(SchemaCacheTest, AChangeIsSeenWhenItsWatchFires) {
  EXPECT_EQ(Family(), "f");
  Write(5, "g");
  EXPECT_EQ(Family(), "g");
  Write(5, "h");
  EXPECT_EQ(Family(), "h");
}

TEST_F(SchemaCacheTest, AfterASecondItIsReadAgain) {
  EXPECT_EQ(Family(), "f");
  const auto before = cache_.Get("t");
  locks_.Pass(kSecond);
  const auto after = cache_.Get("t");
  ASSERT_TRUE(IsOk(before));
  ASSERT_TRUE(IsOk(after));
  EXPECT_NE(before->get(), after->get());
}

TEST_F(SchemaCacheTest, ATableThatWasDroppedAndMadeAgainIsTheNewOne) {
  EXPECT_EQ(Family(), "f");
  EXPECT_EQ(Family("other"), "NOT_FOUND");
  EXPECT_OK(master_->Remove(lock_paths::Table(5), 1));
  EXPECT_EQ(Family(), "NOT_FOUND");
  Write(6, "new");
  EXPECT_EQ(Family(), "new");
}

TEST_F(SchemaCacheTest, TheNameOfADroppedTableIsTheNewTableAtOnce) {
  EXPECT_EQ(Family(), "f");
  EXPECT_OK(master_->Remove(lock_paths::Table(5), 1));
  Write(6, "new");
  EXPECT_EQ(Family(), "new");
}

TEST_F(SchemaCacheTest, WhatIsKnownServesWhileTheLockServiceIsAway) {
  EXPECT_EQ(Family(), "f");
  locks_.Pass(kSecond);
  away_.is_away = true;
  EXPECT_EQ(Family(), "f");
  EXPECT_EQ(away_.calls, 2) << "the watch and the read";
  EXPECT_EQ(Family(), "f");
  EXPECT_EQ(away_.calls, 2) << "it is not asked again at once";
  EXPECT_EQ(Family("other"), "UNAVAILABLE") << "nothing is known of it";
  away_.is_away = false;
  Write(5, "g");
  locks_.Pass(10 * kSecond);
  EXPECT_EQ(Family(), "g");
}

TEST_F(SchemaCacheTest, ASchemaThatIsKnownToBeOldIsAskedForAfterASecond) {
  EXPECT_EQ(Family(), "f");
  away_.is_away = true;
  Write(5, "g");
  EXPECT_EQ(Family(), "f");
  away_.is_away = false;
  locks_.Pass(kSecond);
  EXPECT_EQ(Family(), "g");
}

TEST_F(SchemaCacheTest, AfterAChangeOfItsOwnAnAbsentLockServiceIsAnError) {
  EXPECT_EQ(Family(), "f");
  cache_.Forget();
  away_.is_away = true;
  EXPECT_EQ(Family(), "UNAVAILABLE");
}

// Another thread asks the lock service, so the caller can return while that thread waits.
TEST_F(SchemaCacheTest, ADeadlineAndACancelFlagEndTheCallWhileTheLockServiceHangs) {
  away_.hangs = true;
  CallOptions until_cancelled;
  until_cancelled.cancel = std::make_shared<std::atomic<bool>>(false);
  CallOptions one_second;
  one_second.timeout_us = kSecond;
  for (const CallOptions& options : {until_cancelled, one_second}) {
    const int before = away_.waiting;
    Status outcome;
    engine::Thread caller(
        "caller", [&] { outcome = cache_.Get("t", CallTime(&locks_.clock, options)).status(); });
    while (away_.waiting == before) engine::Clock::System()->SleepMicros(1000);
    if (options.cancel != nullptr) *options.cancel = true;
    if (options.cancel == nullptr) locks_.Pass(kSecond);
    caller.Join();
    EXPECT_CODE(outcome,
                options.cancel != nullptr ? StatusCode::kCancelled : StatusCode::kDeadlineExceeded);
  }
  EXPECT_EQ(away_.waiting, 2);
  away_.hangs = false;
  EXPECT_OK(cache_.Get("t", CallTime(&locks_.clock, one_second)));
}

TEST_F(SchemaCacheTest, ATableThatIsBeingMadeIsNotThereYet) {
  EXPECT_EQ(Family(), "f");
  auto file = master_->Read(lock_paths::Table(5));
  ASSERT_TRUE(IsOk(file));
  EXPECT_OK(master_->Write(lock_paths::Table(5), "\x82" + file->content, file->version));
  EXPECT_EQ(Family(), "NOT_FOUND");
}

}  // namespace
}  // namespace sippar::cluster
