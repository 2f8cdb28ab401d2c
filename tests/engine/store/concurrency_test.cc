// Concurrent writers, readers, flushes, compactions and schema changes: rows stay whole and
// counters lose nothing. The test to run under ThreadSanitizer.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>

#include "engine/base/random.h"
#include "engine/fs/memory_file_system.h"
#include "tests/support/hosted_tables.h"

namespace sippar::engine {
namespace {

constexpr int kWriters = 4;
constexpr int kWritesEach = 1500;
constexpr int kRows = 50;

class ConcurrencyTest : public testing::Test {
 protected:
  ConcurrencyTest() {
    StoreOptions options;
    options.fs = &fs_;
    options.clock = Clock::System();
    options.memtable_budget = 512 << 10;
    options.memtable_size = 64 << 10;
    options.log_segment_size = 64 << 10;
    store_ = std::move(*HostedTables::Open("/db", options));
    TableSchema schema;
    schema.name = "t";
    for (const char* name : {"a", "b"}) {
      schema.families.push_back({name, FamilyType::kBytes, GcPolicy::MaxVersions(2)});
    }
    schema.families.push_back({"n", FamilyType::kCounter, GcPolicy::MaxVersions(1)});
    LocalityGroupSchema& group = schema.groups.emplace_back();
    group.name = "second";
    group.families = {"b"};
    group.block_size = 4096;
    EXPECT_TRUE(store_->CreateTable(schema, {"row25"}).ok());
  }

  void WriteRows(uint64_t seed) {
    Random random(seed);
    for (int i = 0; i < kWritesEach; ++i) {
      RowMutation mutation(fmt::format("row{:02}", random.Uniform(kRows)));
      std::string value = fmt::format("{}-{}-{}", seed, i, std::string(random.Uniform(100), 'x'));
      mutation.Set("a", "v", value).Set("b", "v", value);
      if (random.OneIn(4)) mutation.Increment("n", "hits", 1);
      increments_ += mutation.entries.size() - 2;
      Status status = store_->Apply("t", {&mutation}).front();
      EXPECT_TRUE(status.ok()) << status;
    }
  }

  // Checks that every row of every scan has equal values in both families.
  void ReadRows() {
    while (!done_) {
      auto tablets = store_->Tablets("t");
      for (const auto& tablet : *tablets) {
        ReadSpec read;
        read.versions_per_column = 1;
        auto cells = tablet->Read(read);
        ASSERT_TRUE(cells.ok()) << cells.status();
        std::string row;
        std::string first;
        for (; (*cells)->Valid(); (*cells)->Next()) {
          const CellView& cell = (*cells)->cell();
          if (cell.family == "a") {
            row = cell.row;
            first = cell.value;
          } else if (cell.family == "b") {
            ASSERT_EQ(cell.row, row);
            ASSERT_EQ(cell.value, first) << "torn row " << row;
          }
        }
        ASSERT_TRUE((*cells)->status().ok()) << (*cells)->status();
        ++scans_;
      }
    }
  }

  MemoryFileSystem fs_;
  std::unique_ptr<HostedTables> store_;
  std::atomic<bool> done_{false};
  std::atomic<uint64_t> increments_{0};
  std::atomic<uint64_t> scans_{0};
};

TEST_F(ConcurrencyTest, RowsStayWholeAndCountersLoseNothing) {
  std::vector<Thread> others;
  others.emplace_back("reader", [this] { ReadRows(); });
  others.emplace_back("reader", [this] { ReadRows(); });
  others.emplace_back("admin", [this] {
    for (int i = 0; !done_; ++i) {
      EXPECT_TRUE(i % 3 == 0 ? store_->CompactMajor("t", "").ok() : store_->Flush("t").ok());
      BookTable table = *store_->GetTable("t");
      table.schema.families[0].gc = GcPolicy::MaxVersions(static_cast<uint32_t>(2 + i % 3));
      EXPECT_TRUE(store_->AlterTable(table.schema, table.schema_version).ok());
      Clock::System()->SleepMicros(3000);
    }
  });
  {
    std::vector<Thread> writers;
    for (uint64_t seed = 1; seed <= kWriters; ++seed) {
      writers.emplace_back("writer", [this, seed] { WriteRows(seed); });
    }
  }
  done_ = true;
  others.clear();
  int64_t sum = 0;
  auto tablets = store_->Tablets("t");
  for (const auto& tablet : *tablets) {
    ReadSpec read;
    read.columns = {ColumnPattern::Exact("n", "hits")};
    read.versions_per_column = 1;
    auto cells = tablet->Read(read);
    for (; (*cells)->Valid(); (*cells)->Next()) sum += *DecodeInt64((*cells)->cell().value);
  }
  EXPECT_EQ(static_cast<uint64_t>(sum), increments_.load());
  EXPECT_GT(scans_.load(), 0u);
  EXPECT_GT(store_->metrics()->Get("flushes")->value(), 3u);
}

}  // namespace
}  // namespace sippar::engine
