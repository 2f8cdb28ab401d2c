// Named records outlive the process; changes are conditional, atomic, and told from damage.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "engine/fs/fault_file_system.h"
#include "engine/fs/memory_file_system.h"
#include "tests/support/store/store.h"

namespace sippar::engine {
namespace {

std::string Print(const std::vector<NamedRecord>& records) {
  std::string text;
  for (const NamedRecord& record : records) {
    text += record.name + "=" + record.body + "@" + std::to_string(record.version) + " ";
  }
  return text;
}

StatusOr<std::unique_ptr<Store>> OpenStore(FileSystem* fs) {
  StoreOptions options;
  options.fs = fs;
  options.clock = Clock::System();
  options.create_if_missing = true;
  options.background = false;
  return Store::Open("/store", options);
}

TEST(RecordBookTest, ChangesAreConditionalAndLast) {
  MemoryFileSystem fs;
  auto store = OpenStore(&fs);
  ASSERT_TRUE(store.ok()) << store.status();
  RecordBook* records = (*store)->records();
  std::string long_name = "views/" + std::string(500, 'x') + "/a";
  EXPECT_TRUE(records->Put("views/b", "one", 0).ok());
  EXPECT_TRUE(records->Put(long_name, "", 0).ok());
  EXPECT_TRUE(records->Put("w", "z", 0).ok());
  EXPECT_EQ(records->Put("w", "y", 0).code(), StatusCode::kAborted);
  EXPECT_EQ(records->Put("none", "y", 3).code(), StatusCode::kAborted);
  EXPECT_TRUE(records->Put("views/b", "two", 1).ok());
  EXPECT_EQ(records->Delete("w", 7).code(), StatusCode::kAborted);
  EXPECT_TRUE(records->Delete("w", 1).ok());
  EXPECT_EQ(records->Delete("w", 1).code(), StatusCode::kNotFound);
  EXPECT_EQ(records->Put("", "y", 0).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(records->Put("big", std::string(kRecordSizeMax + 1, 'x'), 0).code(),
            StatusCode::kInvalidArgument);
  std::string all = "views/b=two@2 " + long_name + "=@1 ";
  EXPECT_EQ(Print(records->List("views/")), all);
  Random random{1};
  std::unique_ptr<MemoryFileSystem> left = fs.CrashClone(&random);
  store->reset();
  auto again = OpenStore(left.get());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(Print((*again)->records()->List("")), all);
}

TEST(RecordBookTest, ADamagedRecordIsNamed) {
  MemoryFileSystem fs;
  auto store = OpenStore(&fs);
  ASSERT_TRUE((*store)->records()->Put("a", "body", 0).ok());
  store->reset();
  std::string path = "/store/records/" + RecordFileName("a");
  std::string bytes = *ReadFile(&fs, path);
  bytes.back() ^= 1;
  ASSERT_TRUE(ReplaceFile(&fs, path, bytes).ok());
  auto damaged = OpenStore(&fs);
  EXPECT_EQ(damaged.status().code(), StatusCode::kDataLoss);
  EXPECT_NE(std::string(damaged.status().message()).find(path), std::string::npos);
  bytes.back() ^= 1;
  ASSERT_TRUE(ReplaceFile(&fs, path, bytes).ok());
  ASSERT_TRUE(fs.Rename(path, "/store/records/" + RecordFileName("b")).ok());
  EXPECT_EQ(OpenStore(&fs).status().code(), StatusCode::kDataLoss);
}

// Whatever operation of the disk fails in the middle of a change, the next start finds the record
// as it was or as it was to be.
TEST(RecordBookTest, AFailedChangeLeavesTheOldOrTheNewRecord) {
  for (int fails_at = 1;; ++fails_at) {
    MemoryFileSystem disk;
    FaultFileSystem fs(&disk);
    auto store = OpenStore(&fs);
    ASSERT_TRUE((*store)->records()->Put("a", "old", 0).ok());
    int operations = 0;
    fs.OnCall([&](const char*, const std::string&, FaultRule::Effect*) {
      return ++operations == fails_at ? Unavailable("planned") : OkStatus();
    });
    Status status = (*store)->records()->Put("a", "new", 1);
    fs.OnCall(nullptr);
    Random random{static_cast<uint64_t>(fails_at)};
    std::unique_ptr<MemoryFileSystem> left = disk.CrashClone(&random);
    store->reset();
    auto again = OpenStore(left.get());
    ASSERT_TRUE(again.ok()) << again.status();
    std::string found = Print((*again)->records()->List(""));
    if (status.ok()) {
      EXPECT_EQ(found, "a=new@2 ");
      if (operations < fails_at) return;
    } else {
      EXPECT_TRUE(found == "a=old@1 " || found == "a=new@2 ") << found;
    }
  }
}

}  // namespace
}  // namespace sippar::engine
