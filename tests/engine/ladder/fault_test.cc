// The fault ladder (FAULTS.md D1 to D7, D13, D14, D22): the n-th file system call fails, power is
// lost after every sync, bytes are flipped, the disk is full. After each fault, every acknowledged
// write is there, an unacknowledged one is there whole or not at all, and no read returns a wrong
// answer.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/fs/fault_file_system.h"
#include "tests/engine/ladder/ladder_store.h"
#include "tests/support/random_history.h"
#include "tests/support/reference_table.h"

namespace sippar::engine {
namespace {

// The states that the client of a faulty store may find later. A write of unknown outcome doubles
// them.
class PossibleStates {
 public:
  explicit PossibleStates(const TableSchema& schema) : states_({ReferenceTable(schema)}) {}

  void Acknowledged(const RowMutation& mutation, int64_t now_us) {
    for (ReferenceTable& state : states_) state.Apply(mutation, now_us);
  }
  void Unknown(const RowMutation& mutation, int64_t now_us) {
    std::vector<ReferenceTable> forked = states_;
    for (ReferenceTable& state : forked) state.Apply(mutation, now_us);
    for (ReferenceTable& state : forked) states_.push_back(std::move(state));
    // Only a handful of writes fail in these histories.
    ASSERT_LE(states_.size(), 4096u);
  }
  bool Allows(const std::string& cells, int64_t now_us) const {
    return std::any_of(states_.begin(), states_.end(), [&](const ReferenceTable& state) {
      return PrintCells(state.Read({}, now_us)) == cells;
    });
  }
  std::string First(int64_t now_us) const { return PrintCells(states_[0].Read({}, now_us)); }

 private:
  std::vector<ReferenceTable> states_;
};

// One history on `fs`; stops if `store` cannot be opened. Writes that fail have an unknown outcome.
struct FaultyRun {
  FaultyRun(LadderStore::Kind its_kind, uint64_t seed, FileSystem* file_system)
      : kind(its_kind), history(seed), clock(1'000), fs(file_system) {
    schema = history.Schema();
    splits = history.SplitKeys();
  }

  // Opens a new store and creates its table, before any fault.
  void Start() {
    store = std::move(*LadderStore::Open(kind, fs, &clock));
    Status created = store->Create(schema, splits);
    ASSERT_TRUE(created.ok()) << created;
  }

  void Write(PossibleStates* states) {
    clock.Set(clock.NowMicros() + 1);
    RowMutation mutation = history.Mutation(schema, clock.NowMicros());
    Status status = store->Apply(mutation);
    if (status.ok()) {
      states->Acknowledged(mutation, clock.NowMicros());
    } else {
      states->Unknown(mutation, clock.NowMicros());
    }
  }

  // Errors of maintenance are allowed, wrong answers are not.
  void Maintain() {
    switch (history.random()->Uniform(6)) {
      case 0:
        (void)store->Flush();
        break;
      case 1:
        (void)store->CompactMajor("");
        break;
      default:
        break;
    }
  }

  const LadderStore::Kind kind;
  RandomHistory history;
  HistoryClock clock;
  FileSystem* fs;
  TableSchema schema;
  std::vector<std::string> splits;
  std::unique_ptr<LadderStore> store;
};

class FaultLadder : public testing::TestWithParam<LadderStore::Kind> {};

TEST_P(FaultLadder, EveryNthCallFails) {
  const uint64_t step_of_n = HostOrDirectory<uint64_t>(GetParam(), 1, 7);
  const uint64_t seeds = Histories(GetParam(), 8, 1);
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    bool hit = true;
    for (uint64_t n = HostOrDirectory<uint64_t>(GetParam(), 1, seed); hit; n += step_of_n) {
      SCOPED_TRACE(fmt::format("seed {}, call {} fails", seed, n));
      MemoryFileSystem memory;
      FaultFileSystem faulty(&memory);
      FaultyRun run(GetParam(), seed, &faulty);
      run.Start();
      PossibleStates states(run.schema);
      faulty.AddRule(*FaultRule::Parse(fmt::format("fail any * {}", n)));
      for (int step = 0; step < 25; ++step) {
        run.Write(&states);
        run.Maintain();
        if (step % 8 == 0) {
          auto cells = run.store->Read({});
          if (cells.ok()) {
            ASSERT_TRUE(states.Allows(PrintCells(*cells), run.clock.NowMicros()))
                << "live store, step " << step;
          }
        }
      }
      (void)run.store->Close();
      run.store.reset();
      hit = faulty.faults() > 0;
      // A start may fail while the disk has faults, but not on a sound disk.
      auto again = LadderStore::Open(GetParam(), &faulty, &run.clock);
      hit |= faulty.faults() > 0;
      if (again.ok()) again->reset();
      auto reopened = LadderStore::Open(GetParam(), &memory, &run.clock);
      ASSERT_TRUE(reopened.ok()) << reopened.status();
      auto cells = (*reopened)->Read({});
      ASSERT_TRUE(cells.ok()) << cells.status();
      ASSERT_TRUE(states.Allows(PrintCells(*cells), run.clock.NowMicros()))
          << "reopened:\n"
          << PrintCells(*cells) << "expected:\n"
          << states.First(run.clock.NowMicros());
      if (!hit) EXPECT_GT(n, 100u);
    }
  }
}

TEST_P(FaultLadder, PowerLossAfterEverySyncKeepsWhatWasAcknowledged) {
  const uint64_t seeds_end = 10 + Histories(GetParam(), 50, 3);
  const size_t step_of_clones = HostOrDirectory<size_t>(GetParam(), 1, 3);
  for (uint64_t seed = 10; seed < seeds_end; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    MemoryFileSystem memory;
    FaultFileSystem watched(&memory);
    FaultyRun run(GetParam(), seed, &watched);
    auto cuts = std::make_shared<PowerCuts>(&memory, seed);
    // Set before the start, because a server's own threads also sync.
    watched.OnSync([cuts] { cuts->Take(); });
    run.Start();
    PossibleStates acknowledged(run.schema);
    for (int step = 0; step < 40; ++step) {
      // Clones taken during this write may contain it or not.
      PossibleStates around = acknowledged;
      static_cast<void>(cuts->Taken());
      run.clock.Set(run.clock.NowMicros() + 1);
      RowMutation mutation = run.history.Mutation(run.schema, run.clock.NowMicros());
      ASSERT_TRUE(run.store->Apply(mutation).ok());
      around.Unknown(mutation, run.clock.NowMicros());
      acknowledged.Acknowledged(mutation, run.clock.NowMicros());
      std::vector<std::unique_ptr<MemoryFileSystem>> clones = cuts->Taken();
      const size_t during_write = clones.size();
      cuts->Take();
      run.Maintain();
      cuts->Take();
      for (auto& clone : cuts->Taken()) clones.push_back(std::move(clone));
      for (size_t i = static_cast<size_t>(step) % step_of_clones; i < clones.size();
           i += step_of_clones) {
        auto survivor = LadderStore::Open(GetParam(), clones[i].get(), &run.clock);
        ASSERT_TRUE(survivor.ok()) << "step " << step << " clone " << i << " " << survivor.status();
        auto cells = (*survivor)->Read({});
        ASSERT_TRUE(cells.ok()) << cells.status();
        const PossibleStates& allowed = i < during_write ? around : acknowledged;
        ASSERT_TRUE(allowed.Allows(PrintCells(*cells), run.clock.NowMicros()))
            << "step " << step << " clone " << i << ":\n"
            << PrintCells(*cells) << "expected:\n"
            << acknowledged.First(run.clock.NowMicros());
      }
    }
    static_cast<void>(cuts->End());
  }
}

TEST_P(FaultLadder, AFlippedByteIsFoundOrHarmless) {
  MemoryFileSystem memory;
  FaultyRun run(GetParam(), 21, &memory);
  run.Start();
  PossibleStates states(run.schema);
  for (int step = 0; step < 30; ++step) {
    run.Write(&states);
    if (step == 20) ASSERT_TRUE(run.store->Flush().ok());
  }
  ASSERT_TRUE(run.store->Close().ok());
  run.store.reset();
  Random none(1);
  std::unique_ptr<MemoryFileSystem> image = memory.CrashClone(&none);
  std::string expected = states.First(run.clock.NowMicros());
  int found = 0;
  int harmless = 0;
  const uint64_t step_of_offset = HostOrDirectory<uint64_t>(GetParam(), 1, 61);
  for (const std::string& path : image->AllFiles()) {
    if (path.ends_with("/RESERVE")) continue;  // no program reads this file
    uint64_t size = *image->FileSize(path);
    for (uint64_t offset = 0; offset < size; offset += step_of_offset) {
      std::unique_ptr<MemoryFileSystem> damaged = image->CrashClone(&none);
      damaged->FlipByte(path, offset, static_cast<char>(1 << (offset % 8)));
      auto store = LadderStore::Open(GetParam(), damaged.get(), &run.clock);
      Status status = store.status();
      std::string cells;
      if (status.ok()) {
        auto all = (*store)->Read({});
        status = all.status();
        if (status.ok()) cells = PrintCells(*all);
      }
      if (status.ok()) {
        ASSERT_EQ(cells, expected) << path << " @" << offset;
        ++harmless;
      } else {
        bool typed = status.code() == StatusCode::kDataLoss ||
                     status.code() == StatusCode::kFailedPrecondition;
        ASSERT_TRUE(typed) << path << " @" << offset << " " << status;
        ASSERT_NE(MessageOf(status).find("/db"), std::string_view::npos) << status;
        ++found;
      }
    }
  }
  EXPECT_GT(found, HostOrDirectory(GetParam(), 1000, 50));
  RecordProperty("found", found);
  RecordProperty("harmless", harmless);
}

TEST_P(FaultLadder, AFullDiskRefusesWritesKeepsReadsAndRecoversByItself) {
  MemoryFileSystem memory;
  FaultyRun run(GetParam(), 31, &memory);
  run.Start();
  PossibleStates states(run.schema);
  for (int step = 0; step < 20; ++step) run.Write(&states);
  std::string before = PrintCells(*run.store->Read({}));
  memory.SetCapacity(memory.used_bytes() + 40);
  RowMutation big("a");
  big.Set("a", "q", std::string(500, 'x'), 999);
  Status refused = run.store->Apply(big);
  EXPECT_EQ(refused.code(), StatusCode::kResourceExhausted) << refused;
  EXPECT_FALSE(run.store->Flush().ok());
  EXPECT_FALSE(run.store->CompactMajor("").ok());
  EXPECT_EQ(PrintCells(*run.store->Read({})), before);
  memory.SetCapacity(0);
  states.Unknown(big, run.clock.NowMicros());
  EXPECT_TRUE(states.Allows(PrintCells(*run.store->Read({})), run.clock.NowMicros()));
  for (int step = 0; step < 20; ++step) run.Write(&states);
  EXPECT_TRUE(run.store->CompactMajor("").ok());
  ASSERT_TRUE(run.store->Close().ok());
  run.store.reset();
  auto reopened = LadderStore::Open(GetParam(), &memory, &run.clock);
  ASSERT_TRUE(reopened.ok()) << reopened.status();
  EXPECT_TRUE(states.Allows(PrintCells(*(*reopened)->Read({})), run.clock.NowMicros()));
}

INSTANTIATE_TEST_SUITE_P(, FaultLadder,
                         testing::Values(LadderStore::Kind::kHost, LadderStore::Kind::kDirectory),
                         KindName);

}  // namespace
}  // namespace sippar::engine
