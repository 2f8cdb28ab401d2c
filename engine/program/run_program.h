// Runs a program over the cells of one tablet (or of any CellStream) and passes batches of result
// rows to a sink.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/status.h"
#include "engine/model/cell_iterator.h"
#include "engine/program/program.h"

namespace sippar::engine {

struct ProgramBatch {
  // A row has the outputs and then the order keys; in aggregate mode, the group keys and then the
  // partial states.
  std::vector<Row> rows;  // empty if the batch only reports progress
  // The last row that was read to its end; "" if the batch ends in the middle of a row, or if the
  // program only counts all rows or cells.
  std::string last_row;
  uint64_t rows_seen = 0;  // rows read since the last batch; cells if the program only counts cells
  uint64_t cells_seen = 0;
};

class ProgramSink {
 public:
  virtual ~ProgramSink() = default;
  virtual bool Emit(ProgramBatch batch) = 0;  // false: ends the run
};

struct RunLimits {
  const std::atomic<bool>* cancel = nullptr;  // may be null
  Clock* clock = nullptr;                     // required for a deadline
  int64_t deadline_nanos = 0;                 // as clock->MonotonicNanos(); 0: no deadline
};

inline constexpr size_t kBatchRowsMax = 1000;
inline constexpr size_t kBatchBytesMax = 1 << 20;
inline constexpr size_t kTopBytesMax = 256 << 20;  // most bytes of rows held for ORDER BY … LIMIT
inline constexpr size_t kGroupsMax = 1'000'000;    // most groups of one GROUP BY in memory

// Fails with kCancelled, kDeadlineExceeded, an error of the stream, one of program_error.h, or
// kInvalidArgument or kInternal if the program does not fit its patterns or the stream. Returns OK
// also if the sink ended the run.
[[nodiscard]] Status RunProgram(const Program& program, CellStream* cells, const RunLimits& limits,
                                ProgramSink* sink);

}  // namespace sippar::engine
