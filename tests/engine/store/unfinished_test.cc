// Schema changes that a crash interrupted: none of their traces may matter later.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "engine/base/crash_point.h"
#include "engine/fs/memory_file_system.h"
#include "tests/engine/store/hosted_history.h"

namespace sippar::engine {
namespace {

class UnfinishedTest : public testing::Test {
 protected:
  UnfinishedTest() : fs_(std::make_unique<MemoryFileSystem>()) { Open(); }
  ~UnfinishedTest() override { CrashPoints::Arm(nullptr); }

  void Open() {
    store_.reset();
    auto opened = HostedTables::Open("/db", LadderOptions(fs_.get(), &clock_));
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = std::move(*opened);
  }
  void Create(const std::vector<std::string>& splits = {}) {
    TableSchema schema;
    schema.name = "t";
    schema.families = {{"f", FamilyType::kBytes, {}}, {"g", FamilyType::kBytes, {}}};
    schema.groups.emplace_back().name = "second";
    schema.groups.back().families = {"g"};
    ASSERT_TRUE(store_->CreateTable(schema, splits).ok());
  }
  void Write(const std::string& row) {
    RowMutation mutation(row);
    mutation.Set("f", "q", "of f", 5).Set("g", "q", "of g", 5);
    ASSERT_TRUE(store_->Apply("t", {&mutation}).front().ok());
  }
  Status Alter(const std::function<void(TableSchema*)>& change) {
    BookTable table = *store_->GetTable("t");
    change(&table.schema);
    table.schema.Normalize();
    return store_->AlterTable(table.schema, table.schema_version);
  }
  Status Move(const std::string& family, const std::string& target) {
    return Alter([&](TableSchema* schema) {
      for (auto& group : schema->groups) std::erase(group.families, family);
      schema->FindGroup(target)->families.push_back(family);
    });
  }
  // Leaves the store as a power loss would at the last passage of `point` during `action`.
  void CrashAt(const std::string& point, const std::function<Status()>& action) {
    std::unique_ptr<MemoryFileSystem> crashed;
    Random random(7);
    CrashPoints::Arm([&](const char* name) {
      if (point == name) crashed = fs_->CrashClone(&random);
    });
    Status status = action();
    CrashPoints::Arm(nullptr);
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_NE(crashed, nullptr) << point << " was not passed";
    store_.reset();
    fs_ = std::move(crashed);
    Open();
  }
  std::string Read(const std::string& family) {
    ReadSpec read;
    read.columns = {{NamePattern::Exact(family), NamePattern::Any()}};
    auto cells = ReadAll(store_.get(), read);
    return cells.ok() ? PrintCells(*cells) : cells.status().ToString();
  }

  ManualClock clock_{1'000'000};
  std::unique_ptr<MemoryFileSystem> fs_;
  std::unique_ptr<HostedTables> store_;
};

TEST_F(UnfinishedTest, ADropThatDidNotHappenKeepsWhereTheFamilyLay) {
  Create();
  Write("old");
  ASSERT_TRUE(store_->Flush("t").ok());
  ASSERT_TRUE(Move("g", "default").ok());
  Write("young");
  std::string before = Read("g");
  CrashAt("tables.before_alter", [&] {
    return Alter([](TableSchema* schema) {
      std::erase_if(schema->families, [](const auto& family) { return family.name == "g"; });
      for (auto& group : schema->groups) std::erase(group.families, "g");
    });
  });
  EXPECT_EQ(Read("g"), before);
  ASSERT_TRUE(store_->CompactMajor("t", "").ok());
  EXPECT_EQ(Read("g"), before);
}

TEST_F(UnfinishedTest, TabletsMergeAfterAMoveThatDidNotHappen) {
  Create({"m"});
  Write("a");
  Write("z");
  CrashAt("tables.before_alter", [&] { return Move("g", "default"); });
  Write("a");
  // The tablet's family births differ, so the merge has to compact first.
  ASSERT_TRUE(Alter([](TableSchema* schema) {
                schema->families.push_back({"new", FamilyType::kBytes, {}});
              }).ok());
  std::string before = Read("g");
  ASSERT_TRUE(store_->Merge("t", RowRange::All()).ok());
  EXPECT_EQ(store_->Tablets("t")->size(), 1u);
  EXPECT_EQ(Read("g"), before);
}

}  // namespace
}  // namespace sippar::engine
