// Random histories compared with the oracle, with flushes, compactions and reopenings at random
// moments, which must not change any answer.
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/ladder/ladder_store.h"
#include "tests/support/random_history.h"
#include "tests/support/reference_table.h"

namespace sippar::engine {
namespace {

void RunHistory(LadderStore::Kind kind, uint64_t seed, int steps) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  MemoryFileSystem fs;
  HistoryClock clock(1'000);
  RandomHistory history(seed);
  TableSchema schema = history.Schema();
  ReferenceTable oracle(schema);
  auto store = LadderStore::Open(kind, &fs, &clock);
  ASSERT_TRUE(store.ok()) << store.status();
  ASSERT_TRUE((*store)->Create(schema, history.SplitKeys()).ok());
  for (int step = 0; step < steps; ++step) {
    clock.Set(clock.NowMicros() + static_cast<int64_t>(history.random()->Uniform(3)));
    RowMutation mutation = history.Mutation(schema, clock.NowMicros());
    Status status = (*store)->Apply(mutation);
    ASSERT_TRUE(status.ok()) << status;
    oracle.Apply(mutation, clock.NowMicros());
    switch (history.random()->Uniform(24)) {
      case 0:
      case 1:
        ASSERT_TRUE((*store)->Flush().ok());
        break;
      case 2:
        ASSERT_TRUE((*store)->CompactMajor("").ok());
        break;
      case 3:
      case 4:
        ASSERT_TRUE((*store)->CompactSmall().ok());
        break;
      case 5:
        store->reset();
        store = LadderStore::Open(kind, &fs, &clock);
        ASSERT_TRUE(store.ok()) << store.status();
        break;
      default:
        break;
    }
    ReadSpec read = history.Read(schema, clock.NowMicros());
    auto cells = (*store)->Read(read);
    ASSERT_TRUE(cells.ok()) << cells.status();
    ASSERT_EQ(PrintCells(*cells), PrintCells(oracle.Read(read, clock.NowMicros())))
        << "step " << step << " rows " << read.rows.Print();
  }
}

class Oracle : public testing::TestWithParam<LadderStore::Kind> {};

TEST_P(Oracle, NoFlushCompactionOrReopeningChangesAnAnswer) {
  const uint64_t seeds = Histories(GetParam(), 150, 50);
  for (uint64_t seed = 1; seed <= seeds && !testing::Test::HasFatalFailure(); ++seed) {
    RunHistory(GetParam(), seed, 150);
  }
}

INSTANTIATE_TEST_SUITE_P(, Oracle,
                         testing::Values(LadderStore::Kind::kHost, LadderStore::Kind::kDirectory),
                         KindName);

}  // namespace
}  // namespace sippar::engine
