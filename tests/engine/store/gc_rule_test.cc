// Garbage-collection rules that combine age and versions, across compactions that see only the
// oldest part of a history: versions that a rule has removed stay removed, and those that a delete
// saves stay.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>

#include "engine/base/random.h"
#include "engine/fs/fault_file_system.h"
#include "engine/fs/memory_file_system.h"
#include "engine/tablet/reshape.h"
#include "tests/support/hosted_tables.h"

namespace sippar::engine {
namespace {

using Times = std::vector<int64_t>;

class GcRuleTest : public testing::Test {
 protected:
  GcRuleTest() {
    StoreOptions options;
    options.fs = &faulty_;
    options.clock = &clock_;
    options.background = false;
    store_ = std::move(*HostedTables::Open("/store", options));
    TableSchema schema;
    schema.name = "t";
    GcPolicy rule = GcPolicy::Intersection({GcPolicy::MaxVersions(2), GcPolicy::MaxAge(17)});
    schema.families = {{"f", FamilyType::kBytes, rule}, {"g", FamilyType::kBytes, {}}};
    EXPECT_TRUE(store_->CreateTable(schema, {}).ok());
  }

  void Write(const RowMutation& mutation) {
    Status status = store_->Apply("t", {&mutation}).front();
    ASSERT_TRUE(status.ok()) << status;
  }
  void Put(int64_t time_us) { Write(RowMutation("r").Set("f", "q", "v", time_us)); }
  void Delete(TimeRange time) { Write(RowMutation("r").DeleteColumn("f", "q", time)); }
  // Flushes a run whose key range overlaps the other runs, so that they cannot be joined without a
  // copy.
  void Flush() {
    for (const char* row : {"a", "z"}) Write(RowMutation(row).Set("f", "q", "v", 1));
    ASSERT_TRUE(store_->Flush("t").ok());
  }
  // Merges the four oldest runs, of similar size, without the memtable.
  void MergeRuns() {
    auto merged = (*store_->FindTablet("t", "r"))->CompactOnce();
    ASSERT_TRUE(merged.ok()) << merged.status();
    ASSERT_TRUE(*merged);
    EXPECT_EQ(store_->host()->Compactions().back().kind, CompactionKind::kMajor);
  }
  Times Versions() {
    ReadSpec read;
    read.rows = RowSet(RowRange::Single("r"));
    auto cells = (*store_->FindTablet("t", "r"))->Read(read);
    EXPECT_TRUE(cells.ok()) << cells.status();
    Times times;
    for (; (*cells)->Valid(); (*cells)->Next()) times.push_back((*cells)->cell().timestamp_us);
    return times;
  }

  // The versions in files, whether visible or not.
  uint64_t StoredCells(const std::string& family) {
    uint64_t cells = 0;
    for (const GroupStats& group : (*store_->FindTablet("t", "r"))->Stats()) {
      auto found = group.families.find(family);
      if (found != group.families.end()) cells += found->second.cells;
    }
    return cells;
  }

  MemoryFileSystem memory_;
  FaultFileSystem faulty_{&memory_};
  ManualClock clock_{100};
  std::unique_ptr<HostedTables> store_;
};

TEST_F(GcRuleTest, WhatADeleteFoundGoneStaysGoneWithoutItsTombstone) {
  for (int64_t time_us : {50, 90, 91}) {
    Put(time_us);
    Flush();
  }
  Delete({91, 92});
  Flush();
  EXPECT_EQ(Versions(), Times({90}));
  MergeRuns();
  EXPECT_EQ(Versions(), Times({90}));
}

TEST_F(GcRuleTest, WhatADeleteSavedSurvivesACompactionThatDoesNotSeeIt) {
  for (int64_t time_us : {90, 94, 95, 96}) {
    Put(time_us);
    Flush();
  }
  Delete({95, kTimeMax});
  clock_.Set(200);
  EXPECT_EQ(Versions(), Times({94, 90}));
  MergeRuns();
  EXPECT_EQ(Versions(), Times({94, 90}));
}

// ALTER replaces the rule of family g, which keeps everything at first.
class ChangedRuleTest : public GcRuleTest {
 protected:
  void Put(int64_t time_us) { Write(RowMutation("r").Set("g", "q", "v", time_us)); }
  void Delete(TimeRange time) { Write(RowMutation("r").DeleteColumn("g", "q", time)); }
  void Alter(GcPolicy rule) {
    auto table = store_->GetTable("t");
    TableSchema schema = table->schema;
    schema.families.back().gc = std::move(rule);
    Status status = store_->AlterTable(schema, table->schema_version);
    ASSERT_TRUE(status.ok()) << status;
  }
};

TEST_F(ChangedRuleTest, WhatADeleteLeftIsLeftUnderALaterRule) {
  Put(3);
  Put(4);
  Delete({4, 5});
  Alter(GcPolicy::MaxVersions(1));
  EXPECT_EQ(Versions(), Times({3}));
  Put(2);  // now the new rule acts
  EXPECT_EQ(Versions(), Times({3}));
  Delete({3, 4});
  EXPECT_EQ(Versions(), Times());
  ASSERT_TRUE(store_->CompactMajor("t", "").ok());
  EXPECT_EQ(Versions(), Times());
}

TEST_F(ChangedRuleTest, ACompactionThatDoesNotSeeAnEarlierDeleteDropsNothingForTheNewRule) {
  for (int64_t time_us : {3, 4, 5, 6}) {
    Put(time_us);
    Flush();
  }
  Delete({5, kTimeMax});
  Alter(GcPolicy::MaxVersions(1));
  MergeRuns();
  EXPECT_EQ(Versions(), Times({4}));
  ASSERT_TRUE(store_->CompactMajor("t", "").ok());
  EXPECT_EQ(Versions(), Times({4}));
  EXPECT_EQ(StoredCells("g"), 1u);
}

TEST_F(ChangedRuleTest, ACompactionAppliesTheRulesOfTheirTimeToItsDeletes) {
  Alter(GcPolicy::MaxVersions(1));
  Put(3);
  Put(4);
  Delete({4, 5});  // 3 was gone
  Flush();
  Alter(GcPolicy::MaxVersions(2));
  for (int64_t time_us : {7, 8}) {
    Put(time_us);
    Flush();
  }
  Put(1);
  Flush();
  EXPECT_EQ(Versions(), Times({8, 7}));
  Delete({7, kTimeMax});  // the second rule had removed 1
  EXPECT_EQ(Versions(), Times());
  MergeRuns();
  EXPECT_EQ(Versions(), Times());
}

TEST_F(ChangedRuleTest, RulesOfAnOldTimeKeepEverythingWhenThereWereMany) {
  Put(3);
  Put(4);
  Delete({4, 5});
  for (uint32_t i = 0; i < 2 * kEarlierGcMax; ++i) Alter(GcPolicy::MaxVersions(1 + i % 2));
  EXPECT_EQ(store_->GetTable("t")->schema.families.back().earlier.size(), kEarlierGcMax);
  EXPECT_EQ(Versions(), Times({3}));
}

// A store whose table has one family, and the versions of its one column.
class OneColumn {
 public:
  OneColumn() {
    StoreOptions options;
    options.fs = &memory_;
    options.clock = &clock;
    options.background = false;
    store_ = std::move(*HostedTables::Open("/store", options));
    TableSchema schema;
    schema.name = "t";
    schema.families = {{"f", FamilyType::kBytes, {}}};
    EXPECT_TRUE(store_->CreateTable(schema, {}).ok());
  }
  void Write(const RowMutation& mutation) {
    EXPECT_TRUE(store_->Apply("t", {&mutation}).front().ok());
  }
  void Alter(const GcPolicy& rule) {
    auto table = store_->GetTable("t");
    TableSchema schema = table->schema;
    schema.families[0].gc = rule;
    EXPECT_TRUE(store_->AlterTable(schema, table->schema_version).ok());
  }
  void Rearrange(Random* random) {
    switch (random->Uniform(8)) {
      case 0:
      case 1:
        EXPECT_TRUE(tablet()->CompactOnce().ok());
        break;
      case 2:
        EXPECT_TRUE(store_->CompactMajor("t", "").ok());
        break;
      default:  // rows on both sides, so that the runs cannot be joined without a copy
        for (const char* row : {"a", "z"}) Write(RowMutation(row).Set("f", "q", "v", 1));
        EXPECT_TRUE(store_->Flush("t").ok());
    }
  }
  Times Versions() {
    ReadSpec read;
    read.rows = RowSet(RowRange::Single("r"));
    auto cells = tablet()->Read(read);
    EXPECT_TRUE(cells.ok()) << cells.status();
    Times times;
    for (; (*cells)->Valid(); (*cells)->Next()) times.push_back((*cells)->cell().timestamp_us);
    return times;
  }

  ManualClock clock{100};

 private:
  std::shared_ptr<Tablet> tablet() { return *store_->FindTablet("t", "r"); }

  MemoryFileSystem memory_;
  std::unique_ptr<HostedTables> store_;
};

// Each rule drops all that the one before drops. (After a more generous one it would matter what a
// compaction has removed.)
TEST(TighterRules, NoAnswerDependsOnWhenACompactionRan) {
  const GcPolicy two = GcPolicy::MaxVersions(2);
  const std::vector<GcPolicy> rules = {
      GcPolicy::Intersection({GcPolicy::MaxVersions(3), GcPolicy::MaxAge(20)}),
      GcPolicy::Intersection({two, GcPolicy::MaxAge(20)}), two,
      GcPolicy::Union({two, GcPolicy::MaxAge(40)}),
      GcPolicy::Union({GcPolicy::MaxVersions(1), GcPolicy::MaxAge(40)})};
  Random random(9);
  for (int round = 0; round < 300; ++round) {
    OneColumn compacted;
    OneColumn plain;
    std::string story;
    auto both = [&](const auto& act) {
      act(&compacted);
      act(&plain);
    };
    int64_t now_us = 100;
    size_t next_rule = random.Uniform(rules.size());
    for (int step = 0; step < 50; ++step) {
      auto time_us = static_cast<int64_t>(60 + random.Uniform(50));
      uint64_t kind = random.Uniform(12);
      if (kind < 4) {
        story += fmt::format(" put {}", time_us);
        both([&](auto* one) { one->Write(RowMutation("r").Set("f", "q", "v", time_us)); });
      } else if (kind < 6) {
        TimeRange range{time_us, random.OneIn(3)
                                     ? kTimeMax
                                     : time_us + 1 + static_cast<int64_t>(random.Uniform(20))};
        story += fmt::format(" delete {} to {}", range.start_us, range.limit_us);
        both([&](auto* one) { one->Write(RowMutation("r").DeleteColumn("f", "q", range)); });
      } else if (kind < 10) {
        story += " rearrange";
        compacted.Rearrange(&random);
      } else if (kind == 10) {
        now_us += static_cast<int64_t>(random.Uniform(15));
        story += fmt::format(" now {}", now_us);
        both([&](auto* one) { one->clock.Set(now_us); });
      } else if (next_rule < rules.size()) {
        story += " alter to " + rules[next_rule].Print();
        both([&](auto* one) { one->Alter(rules[next_rule]); });
        ++next_rule;
      }
      ASSERT_EQ(compacted.Versions(), plain.Versions()) << "round " << round << ":" << story;
    }
  }
}

TEST(FitToSchema, ARestoredTabletKnowsOnlyTheFamiliesAndRulesOfItsSchema) {
  TableSchema schema;
  schema.families = {{"f", FamilyType::kBytes, GcPolicy::MaxVersions(1)}};
  schema.families[0].incarnation = 3;
  schema.families[0].earlier = {{GcPolicy::KeepAll(), 4}, {GcPolicy::MaxVersions(2), 5}};
  TabletState state;
  state.redo_sequence = 10;
  // f#3@5 was noted after the flush whose files the backup has.
  state.family_births = {{"f#3", 2}, {"f#3@4", 7}, {"f#3@5", 60}, {"f#2", 1}, {"g#2@4", 9}};
  FitToSchema(schema, &state);
  EXPECT_EQ(state.family_births,
            (std::map<std::string, uint64_t>{{"f#3", 2}, {"f#3@4", 7}, {"f#3@5", 11}}));
}

// The delete already has its timestamp and waits for the log when the compaction begins.
TEST_F(GcRuleTest, AWholeCompactionWaitsForWritesThatHaveTheirTime) {
  for (int64_t time_us : {90, 95, 96}) Put(time_us);
  Thread compaction;
  std::atomic<bool> begun = false;
  faulty_.OnSync([&] {
    if (begun.exchange(true)) return;
    clock_.Set(200);
    compaction = Thread("compaction", [&] { EXPECT_TRUE(store_->CompactMajor("t", "").ok()); });
    Clock::System()->SleepMicros(100'000);
  });
  Delete({96, 97});
  compaction.Join();
  faulty_.OnSync({});
  EXPECT_EQ(Versions(), Times({95, 90}));
}

}  // namespace
}  // namespace sippar::engine
