// A family dropped and made anew is one change: after a power loss at any moment the table is as it
// was or as it will be. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "engine/fs/fault_file_system.h"
#include "engine/fs/memory_file_system.h"
#include "engine/store/store.h"

namespace sippar::engine {
namespace {

std::string Values(Store* store) {
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
  StoreOptions options;
  options.fs = &faulty;
  options.clock = &clock;
  options.create_if_missing = true;
  options.background = false;
  auto store = Store::Open("/s", options);
  ASSERT_TRUE(store.ok()) << store.status();
  TableSchema schema;
  schema.name = "t";
  schema.families.emplace_back().name = "f";
  ASSERT_TRUE((*store)->CreateTable(schema, {}).ok());
  RowMutation mutation("r");
  mutation.Set("f", "q", "old", 1);
  ASSERT_TRUE((*store)->Apply("t", {&mutation}).front().ok());

  Random random(3);
  size_t before = 0, after = 0;
  faulty.OnSync([&] {
    auto disk = memory.CrashClone(&random);
    StoreOptions crashed = options;
    crashed.fs = disk.get();
    auto again = Store::Open("/s", crashed);
    ASSERT_TRUE(again.ok()) << again.status();
    bool is_new = (*again)->GetTable("t")->schema.FindFamily("f")->type == FamilyType::kCounter;
    EXPECT_EQ(Values(again->get()), is_new ? "" : "old ");
    ++(is_new ? after : before);
  });
  schema = (*store)->GetTable("t")->schema;
  schema.families[0].type = FamilyType::kCounter;
  EXPECT_EQ((*store)->AlterTable(schema, 1).code(), StatusCode::kFailedPrecondition);
  schema.families[0].incarnation = 1;
  ASSERT_TRUE((*store)->AlterTable(schema, 1).ok());
  faulty.OnSync({});
  EXPECT_GT(before, 1u);
  EXPECT_GT(after, 0u);
  EXPECT_EQ(Values(store->get()), "");
}

}  // namespace
}  // namespace sippar::engine
