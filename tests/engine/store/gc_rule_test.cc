// Garbage-collection rules that combine age and versions, or that ALTER replaces, across
// compactions that see only the oldest part of a history: versions that a rule has removed stay
// removed, and those that a delete saves stay.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>

#include "engine/base/random.h"
#include "engine/fs/fault_file_system.h"
#include "engine/fs/memory_file_system.h"
#include "engine/model/schema_change.h"
#include "engine/tablet/reshape.h"
#include "tests/support/hosted_tables.h"

namespace sippar::engine {
namespace {

using Times = std::vector<int64_t>;

// A store with one table, and the versions of its column f:q in row r.
class OneColumn {
 public:
  explicit OneColumn(GcPolicy rule) {
    StoreOptions options;
    options.fs = &faulty_;
    options.clock = &clock_;
    options.background = false;
    store_ = std::move(*HostedTables::Open("/store", options));
    TableSchema schema;
    schema.name = "t";
    schema.families = {{"f", FamilyType::kBytes, std::move(rule)},
                       {"other", FamilyType::kBytes, {}}};
    EXPECT_TRUE(store_->CreateTable(schema, {}).ok());
  }

  void Write(const RowMutation& mutation) {
    Status status = store_->Apply("t", {&mutation}).front();
    ASSERT_TRUE(status.ok()) << status;
  }
  void Put(int64_t time_us) { Write(RowMutation("r").Set("f", "q", "v", time_us)); }
  void Delete(TimeRange time) { Write(RowMutation("r").DeleteColumn("f", "q", time)); }
  void Alter(const GcPolicy& rule) {
    auto table = store_->GetTable("t");
    TableSchema schema = table->schema;
    schema.families.front().gc = rule;
    Status status = store_->AlterTable(schema, table->schema_version);
    ASSERT_TRUE(status.ok()) << status;
  }
  // Flushes a run whose key range overlaps the other runs, so that they cannot be joined without a
  // copy.
  void Flush() {
    for (const char* row : {"a", "z"}) Write(RowMutation(row).Set("other", "q", "v", 1));
    ASSERT_TRUE(store_->Flush("t").ok());
  }
  // Merges the four oldest runs, of similar size, without the memtable. False: there are not four.
  bool MergeOldest() {
    auto merged = tablet()->CompactOnce();
    EXPECT_TRUE(merged.ok()) << merged.status();
    return merged.ok() && *merged;
  }
  void MergeRuns() {
    ASSERT_TRUE(MergeOldest());
    EXPECT_EQ(store_->host()->Compactions().back().kind, CompactionKind::kMajor);
  }
  void MergeAll() { ASSERT_TRUE(store_->CompactMajor("t", "").ok()); }
  Times Versions() {
    ReadSpec read;
    read.rows = RowSet(RowRange::Single("r"));
    auto cells = tablet()->Read(read);
    EXPECT_TRUE(cells.ok()) << cells.status();
    Times times;
    for (; (*cells)->Valid(); (*cells)->Next()) times.push_back((*cells)->cell().timestamp_us);
    return times;
  }
  // The versions in files, whether visible or not.
  uint64_t StoredVersions() {
    uint64_t cells = 0;
    for (const GroupStats& group : tablet()->Stats()) {
      auto found = group.families.find("f");
      if (found != group.families.end()) cells += found->second.cells;
    }
    return cells;
  }

  MemoryFileSystem memory_;
  FaultFileSystem faulty_{&memory_};
  ManualClock clock_{100};
  std::unique_ptr<HostedTables> store_;

 private:
  std::shared_ptr<Tablet> tablet() { return *store_->FindTablet("t", "r"); }
};

class GcRuleTest : public testing::Test, protected OneColumn {
 protected:
  GcRuleTest()
      : OneColumn(GcPolicy::Intersection({GcPolicy::MaxVersions(2), GcPolicy::MaxAge(17)})) {}
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

class ChangedRuleTest : public testing::Test, protected OneColumn {
 protected:
  ChangedRuleTest() : OneColumn(GcPolicy::KeepAll()) {}
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
  MergeAll();
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
  MergeAll();
  EXPECT_EQ(Versions(), Times({4}));
  EXPECT_EQ(StoredVersions(), 1u);
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

TEST_F(ChangedRuleTest, AnAttemptThatFailedEndsNoRule) {
  auto table = store_->GetTable("t");
  TableSchema next = table->schema;
  next.families.front().gc = GcPolicy::MaxVersions(1);
  NoteEarlierGc(table->schema, table->schema_version + 1, &next);
  // The state is saved, and the schema is not.
  EXPECT_TRUE((*store_->FindTablet("t", "r"))->families().Prepare(next).ok());
  Put(3);
  Put(4);
  Delete({4, 5});
  Alter(GcPolicy::MaxVersions(1));
  EXPECT_EQ(Versions(), Times({3}));
}

TEST_F(ChangedRuleTest, RulesOfAnOldTimeKeepEverythingWhenThereWereMany) {
  Put(3);
  Put(4);
  Delete({4, 5});
  for (uint32_t i = 0; i < 2 * kEarlierGcMax; ++i) Alter(GcPolicy::MaxVersions(1 + i % 2));
  EXPECT_EQ(store_->GetTable("t")->schema.families.front().earlier.size(), kEarlierGcMax);
  EXPECT_EQ(Versions(), Times({3}));
}

// Flushes or compacts.
void Rearrange(Random* random, OneColumn* column) {
  uint64_t kind = random->Uniform(8);
  if (kind < 2) {
    column->MergeOldest();
  } else if (kind == 2) {
    column->MergeAll();
  } else {
    column->Flush();
  }
}

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
    OneColumn compacted(GcPolicy::KeepAll());
    OneColumn plain(GcPolicy::KeepAll());
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
        both([&](OneColumn* column) { column->Put(time_us); });
      } else if (kind < 6) {
        TimeRange range{time_us, random.OneIn(3)
                                     ? kTimeMax
                                     : time_us + 1 + static_cast<int64_t>(random.Uniform(20))};
        story += fmt::format(" delete {} to {}", range.start_us, range.limit_us);
        both([&](OneColumn* column) { column->Delete(range); });
      } else if (kind < 10) {
        story += " rearrange";
        Rearrange(&random, &compacted);
      } else if (kind == 10) {
        now_us += static_cast<int64_t>(random.Uniform(15));
        story += fmt::format(" now {}", now_us);
        both([&](OneColumn* column) { column->clock_.Set(now_us); });
      } else if (next_rule < rules.size()) {
        story += " alter to " + rules[next_rule].Print();
        both([&](OneColumn* column) { column->Alter(rules[next_rule]); });
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
