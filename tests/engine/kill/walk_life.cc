// One life of the kill walk's process, for kill_walk.py:
//   walk_life DIR SEED LIFE [repeat]   opens DIR/store, checks it against DIR/journal, works, ends
//   walk_life DIR SEED LIFE check      as above without the work, and looks for files left over
// WALK_KILL=POINT:N kills the process at the N-th passage of a crash point. WALK_PASSAGES=FILE: at
// its end, also if killed at the point, the process writes to FILE how often it passed each point,
// as lines "point passages". Exit code 0: it ended by itself; 137: it was killed at the point; any
// other: it found an error, which it prints.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

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
  std::string kill_point;
  uint64_t kill_passage = 0;
  std::string passages;
};

// Creates table t if an earlier life was killed before it did. kDataLoss: the journal has settled
// writes, so the table existed and was lost.
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
  return OkStatus();
}

// Counts how often each crash point is passed, and kills the process at one.
class Passages {
 public:
  // `file` receives the passages; "": they are not written.
  explicit Passages(std::string file) : file_(std::move(file)) {}
  // From now on, kills the process at passage number `passage` of `point`; "": never.
  void Arm(const std::string& point, uint64_t passage) {
    CrashPoints::Arm([this, point, passage](const char* name) {
      MutexLock lock(&mutex_);
      if (++counts_[name] != passage || name != point) return;
      Write();
      _exit(137);
    });
  }
  void End() {
    CrashPoints::Arm(nullptr);
    MutexLock lock(&mutex_);
    Write();
  }

 private:
  void Write() REQUIRES(mutex_) {
    if (file_.empty()) return;
    std::ofstream file(file_);
    for (const auto& [name, count] : counts_) file << name << ' ' << count << '\n';
  }

  const std::string file_;
  Mutex mutex_;
  std::map<std::string, uint64_t> counts_ GUARDED_BY(mutex_);
};

Status Live(const Life& life) {
  WalkJournal journal(life.seed, life.directory + "/journal");
  RETURN_IF_ERROR(journal.Open());
  Random random(life.seed * 7'919 + life.number);
  auto posix = NewPosixFileSystem();
  FaultFileSystem fs(posix.get());
  std::string directory = life.directory + "/store";
  ASSIGN_OR_RETURN(std::unique_ptr<WalkStore> store,
                   WalkStore::Open(directory, life.check, &fs, &random));
  RETURN_IF_ERROR(EnsureTable(store.get(), &journal));
  RETURN_IF_ERROR(CheckContent(store.get(), &journal));
  RETURN_IF_ERROR(CheckFiles(store.get()));
  RETURN_IF_ERROR(CheckChanges(store.get(), journal.seed()));
  if (life.check) {
    RETURN_IF_ERROR(store->CheckNoLeftovers());
  } else {
    uint64_t writers = 2 + random.Uniform(4);
    uint64_t rounds = 0;
    do {
      // Each round has its own number, so that call numbers are unique.
      uint64_t number = life.number * 1000 + rounds++;
      journal.BeginLife(number);
      WalkScript script(store.get(), &fs, &journal, number);
      RETURN_IF_ERROR(script.Run(writers));
    } while (life.repeat && rounds < 1000);
  }
  return store->Close();
}

std::string Environment(const char* name) {
  const char* value = ::getenv(name);
  return value == nullptr ? "" : value;
}

int Main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: walk_life DIR SEED LIFE [check|repeat]\n");
    return 2;
  }
  std::string mode = argc > 4 ? argv[4] : "";
  Life life;
  life.directory = argv[1];
  life.seed = std::stoull(argv[2]);
  life.number = std::stoull(argv[3]);
  life.check = mode == "check";
  life.repeat = mode == "repeat";
  std::string kill = Environment("WALK_KILL");
  if (size_t colon = kill.rfind(':'); colon != std::string::npos) {
    life.kill_point = kill.substr(0, colon);
    life.kill_passage = std::stoull(kill.substr(colon + 1));
  }
  life.passages = Environment("WALK_PASSAGES");
  Passages passages(life.passages);
  passages.Arm(life.kill_point, life.kill_passage);
  Status status = Live(life);
  passages.End();
  if (!status.ok()) fmt::print(stderr, "{}\n", MessageOf(status));
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace sippar::engine

int main(int argc, char** argv) { return sippar::engine::Main(argc, argv); }
