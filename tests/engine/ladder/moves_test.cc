// Random histories in which families move between locality groups at random moments, with flushes,
// compactions, reopenings and power cuts at each of their crash points: answers must not change.
// SPDX-License-Identifier: Apache-2.0
#include "engine/base/crash_point.h"
#include "tests/engine/ladder/ladder_store.h"
#include "tests/support/random_history.h"
#include "tests/support/reference_table.h"

namespace sippar::engine {
namespace {

// Moves one family to another group, which may be new; an empty group may be removed.
TableSchema MoveOne(TableSchema schema, Random* random) {
  static const std::vector<std::string> kGroups = {"default", "g1", "g2", "g3"};
  const std::string family = schema.families[random->Uniform(schema.families.size())].name;
  const std::string& target = kGroups[random->Uniform(kGroups.size())];
  for (LocalityGroupSchema& group : schema.groups) std::erase(group.families, family);
  if (random->OneIn(2)) {
    std::erase_if(schema.groups, [](const auto& group) { return group.families.empty(); });
  }
  if (schema.FindGroup(target) == nullptr) schema.groups.emplace_back().name = target;
  schema.FindGroup(target)->families.push_back(family);
  schema.Normalize();
  return schema;
}

class MovesTest : public testing::TestWithParam<LadderStore::Kind> {
 protected:
  void Open() {
    store_.reset();
    auto opened = LadderStore::Open(GetParam(), fs_.get(), &clock_);
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = std::move(*opened);
  }

  void Alter(RandomHistory* history) {
    auto table = store_->GetSchema();
    ASSERT_TRUE(table.ok()) << table.status();
    TableSchema next = MoveOne(table->schema, history->random());
    Status status = store_->Alter(next, table->version);
    ASSERT_TRUE(status.ok()) << status;
  }

  void Disturb(RandomHistory* history) {
    Random* random = history->random();
    switch (random->Uniform(20)) {
      case 0:
      case 1:
        Alter(history);
        break;
      case 2:
        ASSERT_TRUE(store_->Flush().ok());
        break;
      case 3: {
        auto table = store_->GetSchema();
        const auto& groups = table->schema.groups;
        std::string group = groups[random->Uniform(groups.size())].name;
        Status status = store_->CompactMajor(random->OneIn(2) ? "" : group);
        ASSERT_TRUE(status.ok()) << status;
        break;
      }
      case 4:
      case 5:
        ASSERT_TRUE(store_->CompactSmall().ok());
        break;
      case 6:
        Open();
        break;
      default:
        break;
    }
  }

  // Like Disturb. After a power cut at any crash point that it passes, the disk must give the same
  // answers. Sometimes continues with one of these disks.
  void DisturbWithPowerCuts(RandomHistory* history, const std::string& expected) {
    Random chance(history->random()->Uniform(1 << 30));
    auto cuts = std::make_shared<PowerCuts>(fs_.get(), chance.Next());
    CrashPoints::Arm([cuts](const char*) { cuts->Take(); });
    Disturb(history);
    CrashPoints::Arm(nullptr);
    for (auto& cut : cuts->End()) {
      if (!chance.OneIn(4)) continue;
      ++cuts_;
      store_.reset();
      std::swap(fs_, cut);
      ASSERT_NO_FATAL_FAILURE(Open());
      auto cells = store_->Read({});
      ASSERT_TRUE(cells.ok()) << cells.status();
      ASSERT_EQ(PrintCells(*cells), expected) << "after a power cut";
      if (chance.OneIn(2)) return;
      store_.reset();
      std::swap(fs_, cut);
      ASSERT_NO_FATAL_FAILURE(Open());
    }
  }

  void RunHistory(uint64_t seed, int steps) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    store_.reset();
    fs_ = std::make_unique<MemoryFileSystem>();
    clock_.Set(1'000);
    RandomHistory history(seed);
    TableSchema schema = history.Schema();
    ReferenceTable oracle(schema);
    Open();
    ASSERT_TRUE(store_->Create(schema, history.SplitKeys()).ok());
    for (int step = 0; step < steps; ++step) {
      clock_.Set(clock_.NowMicros() + static_cast<int64_t>(history.random()->Uniform(3)));
      RowMutation mutation = history.Mutation(schema, clock_.NowMicros());
      Status status = store_->Apply(mutation);
      ASSERT_TRUE(status.ok()) << status;
      oracle.Apply(mutation, clock_.NowMicros());
      ASSERT_NO_FATAL_FAILURE(
          DisturbWithPowerCuts(&history, PrintCells(oracle.Read({}, clock_.NowMicros()))));
      ReadSpec read = history.Read(schema, clock_.NowMicros());
      auto cells = store_->Read(read);
      ASSERT_TRUE(cells.ok()) << cells.status();
      ASSERT_EQ(PrintCells(*cells), PrintCells(oracle.Read(read, clock_.NowMicros())))
          << "step " << step << " rows " << read.rows.Print();
    }
  }

  uint64_t cuts_ = 0;
  std::unique_ptr<MemoryFileSystem> fs_;
  HistoryClock clock_{1'000};
  std::unique_ptr<LadderStore> store_;
};

TEST_P(MovesTest, FamiliesMoveAndNoAnswerChanges) {
  const uint64_t seeds = Histories(GetParam(), 150, 10);
  for (uint64_t seed = 1; seed <= seeds && !testing::Test::HasFatalFailure(); ++seed) {
    RunHistory(seed, 150);
  }
  EXPECT_GT(cuts_, Histories(GetParam(), 1'000, 300));
}

INSTANTIATE_TEST_SUITE_P(, MovesTest,
                         testing::Values(LadderStore::Kind::kHost, LadderStore::Kind::kDirectory),
                         KindName);

}  // namespace
}  // namespace sippar::engine
