// What the rungs of the fault ladder drive with random histories: a directory as every command
// opens it (a cluster of one), and, where a rung takes too many starts for that, the engine's host
// alone. Both hold one table, "t". SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/base/thread.h"
#include "engine/fs/memory_file_system.h"
#include "engine/model/cell.h"
#include "engine/model/mutation.h"
#include "engine/model/read_spec.h"
#include "engine/model/schema.h"
#include "tests/support/power_cuts.h"

namespace sippar::engine {

// Cells and rules get their times from the history; intervals are those of the machine, as threads
// of a cluster wait for them.
class HistoryClock final : public Clock {
 public:
  explicit HistoryClock(int64_t now_us) : now_us_(now_us) {}
  int64_t NowMicros() override { return now_us_.load(); }
  int64_t MonotonicNanos() override { return System()->MonotonicNanos(); }
  void SleepMicros(int64_t micros) override { System()->SleepMicros(micros); }
  void Set(int64_t now_us) { now_us_ = now_us; }

 private:
  std::atomic<int64_t> now_us_;
};

class LadderStore {
 public:
  enum class Kind { kHost, kDirectory };
  // kHost works on request alone; kDirectory also in the background, as any server does.
  [[nodiscard]] static StatusOr<std::unique_ptr<LadderStore>> Open(Kind kind, FileSystem* fs,
                                                                   Clock* clock);
  virtual ~LadderStore() = default;

  [[nodiscard]] virtual Status Create(const TableSchema& schema,
                                      const std::vector<std::string>& split_keys) = 0;
  [[nodiscard]] virtual Status Apply(const RowMutation& mutation) = 0;
  // All cells of the read, over all tablets, without sequences; or the first error.
  [[nodiscard]] virtual StatusOr<std::vector<Cell>> Read(const ReadSpec& read) = 0;
  [[nodiscard]] virtual Status Flush() = 0;
  [[nodiscard]] virtual Status CompactMajor(const std::string& group) = 0;
  // What the policy says, if there are enough runs.
  [[nodiscard]] virtual Status CompactSmall() = 0;
  struct Schema {
    TableSchema schema;
    uint64_t version = 0;
  };
  [[nodiscard]] virtual StatusOr<Schema> GetSchema() = 0;
  [[nodiscard]] virtual Status Alter(const TableSchema& schema, uint64_t version) = 0;
  [[nodiscard]] virtual Status Close() = 0;
};

// A start of a directory waits for its master, some 50 ms: so a rung does less there, evenly
// spread.
template <typename T>
T HostOrDirectory(LadderStore::Kind kind, T of_host, T of_directory) {
  return kind == LadderStore::Kind::kHost ? of_host : of_directory;
}

// How many histories run. ThreadSanitizer makes them some fifteen times slower and looks for races,
// which depend little on which call fails: there, an eighth of them.
inline uint64_t Histories(LadderStore::Kind kind, uint64_t of_host, uint64_t of_directory) {
#if defined(__SANITIZE_THREAD__)
  return std::max<uint64_t>(HostOrDirectory(kind, of_host, of_directory) / 8, 1);
#else
  return HostOrDirectory(kind, of_host, of_directory);
#endif
}

inline std::string KindName(const testing::TestParamInfo<LadderStore::Kind>& kind) {
  return kind.param == LadderStore::Kind::kHost ? "Host" : "Directory";
}

}  // namespace sippar::engine
