// Random histories against the oracle, with flushes, compactions and reopenings at random moments:
// none of them may change an answer. SPDX-License-Identifier: Apache-2.0
#include "engine/fs/memory_file_system.h"
#include "tests/engine/ladder/history_runner.h"

namespace sippar::engine {
namespace {

void RunHistory(uint64_t seed, int steps) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  MemoryFileSystem fs;
  ManualClock clock(1'000);
  RandomHistory history(seed);
  TableSchema schema = history.Schema();
  ReferenceTable oracle(schema);
  auto store = Store::Open("/db", LadderOptions(&fs, &clock));
  ASSERT_TRUE(store.ok()) << store.status();
  ASSERT_TRUE((*store)->CreateTable(schema, history.SplitKeys()).ok());
  for (int step = 0; step < steps; ++step) {
    clock.Set(clock.NowMicros() + static_cast<int64_t>(history.random()->Uniform(3)));
    RowMutation mutation = history.Mutation(schema, clock.NowMicros());
    Status status = (*store)->Apply("t", {&mutation}).front();
    ASSERT_TRUE(status.ok()) << status;
    oracle.Apply(mutation, clock.NowMicros());
    switch (history.random()->Uniform(24)) {
      case 0:
      case 1:
        ASSERT_TRUE((*store)->Flush("t").ok());
        break;
      case 2:
        ASSERT_TRUE((*store)->CompactMajor("t", "").ok());
        break;
      case 3:
      case 4: {
        auto tablets = (*store)->Tablets("t");
        for (const auto& tablet : *tablets) ASSERT_TRUE(tablet->CompactOnce().ok());
        break;
      }
      case 5:
        store->reset();
        store = Store::Open("/db", LadderOptions(&fs, &clock));
        ASSERT_TRUE(store.ok()) << store.status();
        break;
      default:
        break;
    }
    ReadSpec read = history.Read(schema, clock.NowMicros());
    auto cells = ReadAll(store->get(), read);
    ASSERT_TRUE(cells.ok()) << cells.status();
    ASSERT_EQ(PrintCells(*cells), PrintCells(oracle.Read(read, clock.NowMicros())))
        << "step " << step << " rows " << read.rows.Print();
  }
}

TEST(Oracle, NoFlushCompactionOrReopeningChangesAnAnswer) {
  for (uint64_t seed = 1; seed <= 150 && !testing::Test::HasFatalFailure(); ++seed) {
    RunHistory(seed, 150);
  }
}

}  // namespace
}  // namespace sippar::engine
