// Row D2: what `sippar admin log salvage` does with the log of a store of format 1. Of a cluster's:
// tests/cli/admin_test.py. SPDX-License-Identifier: Apache-2.0
#include "engine/store/salvage.h"

#include "tests/engine/faults/fault_rows.h"
#include "tests/support/store/store.h"

namespace sippar::engine {
namespace {

using ::testing::HasSubstr;

class SalvageRows : public FaultRows {
 protected:
  SalvageRows() { options_.create_if_missing = true; }
  StatusOr<std::unique_ptr<Store>> OpenOn(FileSystem* fs) {
    StoreOptions options = options_;
    options.fs = fs;
    return Store::Open("/db", options);
  }
  void Open() { old_ = std::move(*OpenOn(&fs_)); }
  void Create(const std::vector<std::string>& split_keys = {}) {
    TableSchema schema;
    schema.name = "t";
    schema.families = {{"a", FamilyType::kBytes, {}}, {"b", FamilyType::kBytes, {}}};
    Status status = old_->CreateTable(schema, split_keys);
    ASSERT_TRUE(status.ok()) << status;
  }
  Status Put(const std::string& row, const std::string& value) {
    RowMutation mutation = RowOf(row, value);
    return old_->Apply("t", {&mutation}).front();
  }
  static RowValues Rows(Store* store) {
    RowValues rows;
    auto tablets = store->Tablets("t");
    EXPECT_TRUE(tablets.ok()) << tablets.status();
    for (const auto& tablet : *tablets) {
      auto cells = tablet->Read({});
      EXPECT_TRUE(cells.ok()) << cells.status();
      for (; (*cells)->Valid(); (*cells)->Next()) {
        rows[std::string((*cells)->cell().row)] = (*cells)->cell().value;
      }
      EXPECT_TRUE((*cells)->status().ok()) << (*cells)->status();
    }
    return rows;
  }

  std::unique_ptr<Store> old_;
};

// One byte at a time, in logs of two tablets. A salvage says what is lost, and loses no more: the
// damaged record and, of the same tablet, those behind it.
TEST_F(SalvageRows, D2_SalvageKeepsEveryTabletUpToItsFirstLoss) {
  options_.log_segment_size = 300;
  Open();
  Create({Row(500)});
  auto row_of = [](int i) { return i % 2 == 0 ? Row(i) : Row(500 + i); };
  for (int i = 0; i < 12; ++i) ASSERT_TRUE(Put(row_of(i), "v").ok());
  ASSERT_GE(Files("*.log").size(), 3u);
  int salvaged = 0;
  for (const std::string& log : Files("*.log")) {
    for (size_t at = 0; at < ReadFile(&memory_, log)->size(); ++at) {
      SCOPED_TRACE(fmt::format("{} @{}", log, at));
      std::unique_ptr<MemoryFileSystem> disk = Disk();
      disk->FlipByte(log, at, 0x10);
      Status refused = OpenOn(disk.get()).status();
      if (refused.ok()) continue;  // of the last group: a torn tail
      ++salvaged;
      EXPECT_THAT(std::string(MessageOf(refused)), HasSubstr("sippar admin log salvage /db"));
      std::string report;
      auto print = [&](std::string_view line) { report.append(line).append("\n"); };
      ASSERT_TRUE(SalvageLog(disk.get(), "/db", /*drop=*/false, print).ok()) << report;
      EXPECT_THAT(report, HasSubstr(log + ": @"));
      EXPECT_THAT(report, HasSubstr("nothing was changed"));
      EXPECT_EQ(OpenOn(disk.get()).status(), refused);
      Status done = SalvageLog(disk.get(), "/db", /*drop=*/true, print);
      ASSERT_TRUE(done.ok()) << done;
      EXPECT_EQ(FilesOf(*disk, "*.log.salvaged").size(), Files("*.log").size());
      auto store = OpenOn(disk.get());
      ASSERT_TRUE(store.ok()) << store.status();
      RowValues found = Rows(store->get());
      int lost_unsaid = 0;
      bool tablet_ended[2] = {false, false};
      for (int i = 0; i < 12; ++i) {
        bool is_there = found.contains(row_of(i));
        EXPECT_FALSE(is_there && tablet_ended[i % 2]) << "behind a gap: " << i;
        tablet_ended[i % 2] |= !is_there;
        bool is_told = report.find("row " + row_of(i)) != std::string::npos;
        EXPECT_FALSE(is_there && is_told) << i;
        lost_unsaid += is_there || is_told ? 0 : 1;
      }
      EXPECT_LE(lost_unsaid, 1) << report;
      EXPECT_TRUE(!tablet_ended[0] || !tablet_ended[1]) << "one byte, two tablets";
      RowMutation later = RowOf("later", "x");
      EXPECT_TRUE((*store)->Apply("t", {&later}).front().ok());
    }
  }
  EXPECT_GT(salvaged, 500);
}

TEST_F(SalvageRows, D2_SalvageSurvivesAPowerLossAndLeavesAWholeLogAlone) {
  options_.log_segment_size = 300;
  Open();
  Create();
  for (int i = 0; i < 12; ++i) ASSERT_TRUE(Put(Row(i), Value(i)).ok());
  auto print = [](std::string_view) {};
  std::unique_ptr<MemoryFileSystem> whole = Disk();
  std::vector<std::string> before = FilesOf(*whole, "*");
  ASSERT_TRUE(SalvageLog(whole.get(), "/db", /*drop=*/true, print).ok());
  EXPECT_EQ(FilesOf(*whole, "*"), before);
  std::unique_ptr<MemoryFileSystem> disk = Disk();
  disk->FlipByte(Files("*.log")[1], 100, 0x10);
  FaultFileSystem faulty(disk.get());
  Random random(1);
  std::vector<std::unique_ptr<MemoryFileSystem>> crashed;
  faulty.OnSync([&] {
    for (int i = 0; i < 20; ++i) crashed.push_back(disk->CrashClone(&random));
  });
  ASSERT_TRUE(SalvageLog(&faulty, "/db", /*drop=*/true, print).ok());
  RowValues kept = Rows(std::move(*OpenOn(disk.get())).get());
  EXPECT_GT(kept.size(), 2u);
  EXPECT_LT(kept.size(), 12u);
  ASSERT_GT(crashed.size(), 60u);
  for (const auto& left : crashed) {
    ASSERT_TRUE(SalvageLog(left.get(), "/db", /*drop=*/true, print).ok());
    EXPECT_EQ(Rows(std::move(*OpenOn(left.get())).get()), kept);
  }
}

}  // namespace
}  // namespace sippar::engine
