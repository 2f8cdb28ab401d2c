// The work of one life of the kill walk: writers, and concurrently a script that makes the store do
// everything it can, so that every crash point is passed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "engine/fs/fault_file_system.h"
#include "tests/engine/kill/walk_journal.h"
#include "tests/engine/kill/walk_store.h"

namespace sippar::engine {

class WalkScript {
 public:
  // `faults` is the store's file system; the script uses it to make a sync slow.
  WalkScript(WalkStore* store, FaultFileSystem* faults, const WalkJournal* journal, uint64_t life);

  // Runs all episodes once, in random order, while `writers` threads write.
  [[nodiscard]] Status Run(uint64_t writers);

 private:
  void WriteUntilStopped(uint64_t thread);
  Status Call(const WalkCall& call);
  Status Write(const std::vector<WalkAtom>& atoms);
  Status CallScript(char kind);
  Status Await(const std::string& what, const std::function<bool()>& done);
  Status AwaitWrites(uint64_t count);
  Status Alter(const std::function<void(TableSchema*)>& change);
  Status Move(const std::string& family);
  uint64_t Metric(const char* name) { return store_->Metric(name); }

  Status Reshape();     // split, a family dropped and added again, merge
  Status MoveFamily();  // moves it to the other group and waits for the compaction
  Status ExtraTable();
  Status Merging();
  Status Major();
  Status SlowSync();
  Status Backup();

  WalkStore* const store_;
  FaultFileSystem* const faults_;
  const WalkJournal* const journal_;
  const uint64_t life_;
  Random random_;
  uint64_t next_call_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<uint64_t> written_{0};
};

}  // namespace sippar::engine
