// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/schema_cache.h"

#include <gtest/gtest.h>

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

class SchemaCacheTest : public testing::Test {
 protected:
  SchemaCacheTest()
      : master_(locks_.Session("master")),
        client_(locks_.Session("client")),
        cache_(client_.get(), &locks_.clock) {
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
  // The family of the schema that the cache tells, or the error's code.
  std::string Family(const std::string& table = "t") {
    auto schema = cache_.Get(table);
    return schema.ok() ? (*schema)->families[0].name
                       : std::string(absl::StatusCodeToString(schema.status().code()));
  }

  LockWorld locks_;
  std::shared_ptr<LockSession> master_;
  std::shared_ptr<LockSession> client_;
  SchemaCache cache_;
};

TEST_F(SchemaCacheTest, WhatIsKnownCostsNoCall) {
  EXPECT_EQ(Family(), "f");
  const auto before = cache_.Get("t");
  const auto after = cache_.Get("t");
  ASSERT_TRUE(IsOk(before));
  ASSERT_TRUE(IsOk(after));
  EXPECT_EQ(before->get(), after->get());
  EXPECT_OK(client_->Close());  // later calls on the session fail
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

TEST_F(SchemaCacheTest, ATableThatIsBeingMadeIsNotThereYet) {
  EXPECT_EQ(Family(), "f");
  auto file = master_->Read(lock_paths::Table(5));
  ASSERT_TRUE(IsOk(file));
  EXPECT_OK(master_->Write(lock_paths::Table(5), "\x82" + file->content, file->version));
  EXPECT_EQ(Family(), "NOT_FOUND");
}

}  // namespace
}  // namespace sippar::cluster
