// Writes plain mutations of rows in batches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/model/mutation.h"
#include "engine/model/row_set.h"
#include "query/session/session.h"

namespace sippar::query {

// RowWriter sends a batch when it holds this many rows or bytes. One call for each row would cost a
// round trip and a sync each. Larger batches would hold more memory, and an error would affect more
// rows.
inline constexpr size_t kBatchRows = 1000;
inline constexpr size_t kBatchBytes = 4 << 20;

// Collects mutations and writes them in batches. Each row of a batch is atomic, the batch is not.
// In a row transaction the mutations are held back instead; while SessionState::gathered is set,
// they are passed to it. The caller must call Flush at the end; mutations that are not flushed are
// lost.
class RowWriter {
 public:
  RowWriter(const StatementContext& context, std::string table)
      : context_(context), table_(std::move(table)) {}
  // For EXPLAIN: from now on the writer sends nothing. It only counts the calls that it would make:
  // for each batch, one call to each tablet that has rows of the batch.
  void OnlyCount(std::vector<engine::RowRange> tablets) { tablets_ = std::move(tablets); }
  // Adds a mutation. If the batch has a mutation of the row, the entries are added to it. May
  // flush.
  [[nodiscard]] Status Add(engine::RowMutation mutation, const Span& span = {});
  // Writes the batch. Returns the error of the first row that failed; other rows may be written.
  // Ends early if the statement's StopSignal stops it; the rows in flight then have an unknown
  // outcome.
  [[nodiscard]] Status Flush();
  bool IsFlushed() const { return batch_.empty(); }
  uint64_t rows() const { return rows_; }                  // rows added
  uint64_t flushed_rows() const { return flushed_rows_; }  // rows known to be written
  uint64_t cells() const { return cells_; }                // entries added
  uint64_t batches() const { return batches_; }            // batches sent, or counted
  uint64_t calls() const { return calls_; }                // calls counted for EXPLAIN
  // True if the outcome of a row is unknown: more than flushed_rows() may be written.
  bool lacks_outcome() const { return lacks_outcome_; }

 private:
  bool only_counts() const { return !tablets_.empty(); }
  void CountCalls();

  const StatementContext& context_;
  std::string table_;
  std::vector<engine::RowRange> tablets_;  // tablets given to OnlyCount; empty: rows are sent
  std::vector<engine::RowMutation> batch_;
  std::map<std::string, size_t, std::less<>> index_;  // row key -> its mutation in batch_
  std::string last_row_;                              // row that was added last
  std::string last_flushed_;                          // last row of the batch that was written last
  size_t bytes_ = 0;                                  // size of batch_
  uint64_t rows_ = 0, cells_ = 0, flushed_rows_ = 0, batches_ = 0, calls_ = 0;
  bool lacks_outcome_ = false;
};

// Returns what a statement that was stopped has done: "3 rows written", "no row is written"; if the
// outcome of others is unknown, "at least 3 rows written", "no row is known to be written". `done`
// is the verb.
std::string KnownDone(uint64_t rows, bool lacks_outcome, std::string_view done = "written");

// Returns the tag of a statement that writes, for example "2 rows, 4 cells written".
std::string WrittenTag(uint64_t rows, uint64_t cells);
// `status` is the result of a statement that wrote with `writer`. Adds the number of rows that are
// `done` to its error message, and a hint: the statement is not atomic, so rows may stay written
// when it fails.
[[nodiscard]] Status WithRowsDone(const Status& status, const RowWriter& writer,
                                  std::string_view done = "written");
// The error `first`, with the message of another one that came when what was left was written.
// Returns the other one if one of them is OK.
[[nodiscard]] Status WithLater(const Status& first, const Status& later);

}  // namespace sippar::query
