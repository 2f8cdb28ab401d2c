// Dropping a family and creating it again is one change: after a power loss at any moment the table
// is as before or as after it. Also moves a family during a compaction.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "engine/base/crash_point.h"
#include "engine/fs/fault_file_system.h"
#include "engine/fs/memory_file_system.h"
#include "tests/support/hosted_tables.h"

namespace sippar::engine {
namespace {

StoreOptions OptionsOf(FileSystem* fs, Clock* clock) {
  StoreOptions options;
  options.fs = fs;
  options.clock = clock;
  options.background = false;
  return options;
}

// Opens the store and creates table t with family f.
StatusOr<std::unique_ptr<HostedTables>> OpenWithTable(const StoreOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<HostedTables> store, HostedTables::Open("/s", options));
  TableSchema schema;
  schema.name = "t";
  schema.families.emplace_back().name = "f";
  RETURN_IF_ERROR(store->CreateTable(schema, {}));
  return store;
}

std::string Values(HostedTables* store) {
  auto tablet = store->FindTablet("t", "r");
  EXPECT_TRUE(tablet.ok()) << tablet.status();
  auto cells = (*tablet)->Read(ReadSpec());
  EXPECT_TRUE(cells.ok()) << cells.status();
  std::string text;
  for (; (*cells)->Valid(); (*cells)->Next()) text += std::string((*cells)->cell().value) + " ";
  return text;
}

TEST(SchemaChangeTest, AFamilyMadeAnewIsOneChange) {
  MemoryFileSystem memory;
  FaultFileSystem faulty(&memory);
  ManualClock clock(1'000'000);
  StoreOptions options = OptionsOf(&faulty, &clock);
  auto store = OpenWithTable(options);
  ASSERT_TRUE(store.ok()) << store.status();
  RowMutation mutation("r");
  mutation.Set("f", "q", "old", 1);
  ASSERT_TRUE((*store)->Apply("t", {&mutation}).front().ok());

  Random random(3);
  size_t before = 0, after = 0;
  faulty.OnSync([&] {
    auto disk = memory.CrashClone(&random);
    StoreOptions crashed = options;
    crashed.fs = disk.get();
    auto again = HostedTables::Open("/s", crashed);
    ASSERT_TRUE(again.ok()) << again.status();
    bool is_new = (*again)->GetTable("t")->schema.FindFamily("f")->type == FamilyType::kCounter;
    EXPECT_EQ(Values(again->get()), is_new ? "" : "old ");
    ++(is_new ? after : before);
  });
  TableSchema schema = (*store)->GetTable("t")->schema;
  schema.families[0].type = FamilyType::kCounter;
  EXPECT_EQ((*store)->AlterTable(schema, 1).code(), StatusCode::kFailedPrecondition);
  schema.families[0].incarnation = 1;
  ASSERT_TRUE((*store)->AlterTable(schema, 1).ok());
  faulty.OnSync({});
  EXPECT_GT(before, 1u);
  EXPECT_GT(after, 0u);
  EXPECT_EQ(Values(store->get()), "");
}

// Moves a family to group `to` after the groups to compact were chosen, but before that group is
// compacted.
void MoveBesideCompaction(const std::string& to) {
  MemoryFileSystem memory;
  ManualClock clock(1'000'000);
  StoreOptions options = OptionsOf(&memory, &clock);
  auto store = HostedTables::Open("/s", options);
  ASSERT_TRUE(store.ok()) << store.status();
  TableSchema schema;
  schema.name = "t";
  schema.families = {{"a", FamilyType::kBytes, {}}, {"b", FamilyType::kBytes, {}}};
  schema.groups.emplace_back().name = "g";
  schema.groups.back().families = {to == "g" ? "a" : "b"};
  ASSERT_TRUE((*store)->CreateTable(schema, {}).ok());
  auto write = [&](const RowMutation& mutation) {
    EXPECT_TRUE((*store)->Apply("t", {&mutation}).front().ok());
  };
  write(RowMutation("r").Set("a", "q", "stays", 1).Set("b", "q", "goes", 1));
  ASSERT_TRUE((*store)->Flush("t").ok());
  write(RowMutation("z").Set("b", "q", "so that the compaction flushes", 1));
  bool moved = false;
  CrashPoints::Arm([&](const char* name) {
    if (std::string_view(name) != "sstable.written" || moved) return;
    moved = true;
    schema = (*store)->GetTable("t")->schema;
    for (LocalityGroupSchema& group : schema.groups) std::erase(group.families, "b");
    schema.FindGroup(to)->families.push_back("b");
    Status altered = (*store)->AlterTable(schema, 1);
    EXPECT_TRUE(altered.ok()) << altered;
    write(RowMutation("r").DeleteFamily("b"));
  });
  Status compacted = (*(*store)->FindTablet("t", "r"))->CompactMajor("");
  CrashPoints::Arm(nullptr);
  EXPECT_EQ(compacted.code(), StatusCode::kAborted) << compacted;
  EXPECT_EQ(Values(store->get()), "stays so that the compaction flushes ");
  ASSERT_TRUE((*store)->CompactMajor("t", "").ok());
  EXPECT_EQ(Values(store->get()), "stays so that the compaction flushes ");
}

TEST(SchemaChangeTest, AFamilyThatMovesBesideAMajorCompactionStaysDeleted) {
  MoveBesideCompaction("g");
  MoveBesideCompaction("default");
}

TEST(SchemaChangeTest, AWriterThatWaitedForItsRowKnowsTheNewSchema) {
  MemoryFileSystem memory;
  auto store = OpenWithTable(OptionsOf(&memory, Clock::System()));
  ASSERT_TRUE(store.ok()) << store.status();
  TableSchema schema = (*store)->GetTable("t")->schema;
  std::shared_ptr<Tablet> tablet = *(*store)->FindTablet("t", "r");
  RowMutation mutation("r");
  mutation.Set("f", "q", "v", 1);
  RowLocks* locks = (*store)->host()->context()->row_locks;
  Status written;
  Thread writer;
  {
    OneRowLock lock(locks, tablet->id(), "r", RowLock::kAlone);
    writer = Thread("writer", [&] {
      const RowMutation* one = &mutation;
      written = tablet->Apply({&one, 1}).front();
    });
    Clock::System()->SleepMicros(50'000);  // the write waits for the row
    schema.families[0].name = "g";
    schema.Normalize();
    ASSERT_TRUE(tablet->families().Prepare(schema).ok());
    tablet->families().SetSchema(std::make_shared<const TableSchema>(schema));
  }
  writer.Join();
  EXPECT_EQ(written.code(), StatusCode::kNotFound) << written;
}

}  // namespace
}  // namespace sippar::engine
