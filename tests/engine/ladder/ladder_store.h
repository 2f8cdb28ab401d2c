// LadderStore: the store that the fault ladder drives with random histories. It is either a
// directory opened as by every command (a cluster of one server) or, for tests that need too many
// starts for that, the engine's host alone. Both hold one table, "t".
// SPDX-License-Identifier: Apache-2.0
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

// The date comes from the history, for cells and garbage-collection rules; intervals are real,
// because the threads of a cluster wait for them.
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
  // kHost works only on request; kDirectory also works in the background, like any server.
  [[nodiscard]] static StatusOr<std::unique_ptr<LadderStore>> Open(Kind kind, FileSystem* fs,
                                                                   Clock* clock);
  virtual ~LadderStore() = default;

  [[nodiscard]] virtual Status Create(const TableSchema& schema,
                                      const std::vector<std::string>& split_keys) = 0;
  [[nodiscard]] virtual Status Apply(const RowMutation& mutation) = 0;
  // Returns all cells of the read over all tablets, without sequence numbers, or the first error.
  [[nodiscard]] virtual StatusOr<std::vector<Cell>> Read(const ReadSpec& read) = 0;
  [[nodiscard]] virtual Status Flush() = 0;
  [[nodiscard]] virtual Status CompactMajor(const std::string& group) = 0;
  // Compacts the runs that the policy chooses, if there are enough.
  [[nodiscard]] virtual Status CompactSmall() = 0;
  struct Schema {
    TableSchema schema;
    uint64_t version = 0;
  };
  [[nodiscard]] virtual StatusOr<Schema> GetSchema() = 0;
  [[nodiscard]] virtual Status Alter(const TableSchema& schema, uint64_t version) = 0;
  [[nodiscard]] virtual Status Close() = 0;
};

// Returns the value for the kind of store. Starting a directory takes some 50 ms, for its master,
// so the tests do less work there, evenly spread.
template <typename T>
T HostOrDirectory(LadderStore::Kind kind, T of_host, T of_directory) {
  return kind == LadderStore::Kind::kHost ? of_host : of_directory;
}

// The number of histories to run. ThreadSanitizer makes them some fifteen times slower and finds
// races, which hardly depend on the failing call; so it runs an eighth of them.
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
