// One life of the kill walk's process, for kill_walk.py:
//   walk_life DIR SEED LIFE [repeat]   opens DIR/store, checks it against DIR/journal, works, ends
//   walk_life DIR SEED LIFE check      as above without the work and without background threads
// Exit 0: ended by itself. 137: killed at the point that SIPPAR_CRASH_POINT names. Otherwise
// something is wrong, and said. SIPPAR_COUNT_POINTS=FILE: "point passages" lines are written there
// at the end. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <stdlib.h>

#include <fstream>

#include "engine/base/crash_point.h"
#include "tests/engine/kill/walk_check.h"
#include "tests/engine/kill/walk_script.h"

namespace sippar::engine {
namespace {

struct Life {
  std::string directory;
  uint64_t seed = 0;
  uint64_t number = 0;
  bool check = false;
  bool repeat = false;
};

// Killed before it was made: it was never written to.
Status EnsureTable(WalkStore* store, WalkJournal* journal) {
  if (store->GetTable("t").ok()) return OkStatus();
  if (WalkModel(journal->seed()).Content() != journal->model()->Content()) {
    return DataLoss("LOST: table t");
  }
  return store->CreateTable(WalkSchema(journal->seed()), {"r13", "r26.1"});
}

Status CheckFiles(WalkStore* store) {
  ASSIGN_OR_RETURN(std::vector<TableSchema> tables, store->ListTables());
  for (const TableSchema& table : tables) RETURN_IF_ERROR(store->Verify(table.name));
  RETURN_IF_ERROR(store->CheckChanges("t"));
  return store->CheckNoOrphans();
}

Status Live(const Life& life) {
  WalkJournal journal(life.seed, life.directory + "/journal");
  RETURN_IF_ERROR(journal.Open());
  Random random(life.seed * 7'919 + life.number);
  auto posix = NewPosixFileSystem();
  FaultFileSystem fs(posix.get());
  std::string directory = life.directory + "/store";
  ASSIGN_OR_RETURN(std::unique_ptr<WalkStore> store,
                   OpenWalkStore(directory, life.check, &fs, &random));
  RETURN_IF_ERROR(EnsureTable(store.get(), &journal));
  RETURN_IF_ERROR(CheckContent(store.get(), &journal));
  RETURN_IF_ERROR(CheckFiles(store.get()));
  if (!life.check) {
    uint64_t writers = 2 + random.Uniform(4);
    uint64_t rounds = 0;
    do {
      // Rounds have their own numbers, so that no call's number comes twice.
      uint64_t number = life.number * 1000 + rounds++;
      journal.BeginLife(number);
      WalkScript script(store.get(), &fs, &journal, number);
      RETURN_IF_ERROR(script.Run(writers));
    } while (life.repeat && rounds < 1000);
  }
  return store->Close();
}

int Main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: walk_life DIR SEED LIFE [check|repeat]\n");
    return 2;
  }
  std::string mode = argc > 4 ? argv[4] : "";
  Life life{argv[1], std::stoull(argv[2]), std::stoull(argv[3]), mode == "check", mode == "repeat"};
  const char* count_file = ::getenv("SIPPAR_COUNT_POINTS");
  Mutex mutex;
  std::map<std::string, uint64_t> counts;
  if (count_file != nullptr) {
    CrashPoints::Arm([&](const char* name) {
      MutexLock lock(&mutex);
      ++counts[name];
    });
  } else {
    CrashPoints::ArmFromEnvironment();
  }
  Status status = Live(life);
  CrashPoints::Arm(nullptr);
  if (!status.ok()) fmt::print(stderr, "{}\n", MessageOf(status));
  if (count_file != nullptr) {
    std::ofstream file(count_file);
    for (const auto& [name, count] : counts) file << name << ' ' << count << '\n';
  }
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace sippar::engine

int main(int argc, char** argv) { return sippar::engine::Main(argc, argv); }
