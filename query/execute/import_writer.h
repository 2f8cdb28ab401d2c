// Writes the mutations of IMPORT in batches. One batch is written by threads while the next one is
// filled. Only one is in flight, so that versions which get the server's time keep the order of the
// file, and so that all earlier batches are written whole when a batch fails. A batch has each row
// once, so its parts can be written at the same time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/thread.h"
#include "engine/model/mutation.h"
#include "query/session/session.h"

namespace sippar::query {

// The rows and the bytes at which a batch is full, if it is written in up to `jobs` parts.
size_t ImportBatchRows(size_t jobs);
size_t ImportBatchBytes(size_t jobs);

// Each row of a batch is written atomically, the batch is not. Used by one thread.
class ImportWriter {
 public:
  // `client` outlives the object. A large batch is written in up to `jobs` parts at once.
  ImportWriter(cluster::Client* client, std::string table, size_t jobs);
  // Waits for the batch in flight and discards the mutations that were not sent.
  ~ImportWriter();

  // Adds a mutation. If the batch already has a mutation of the same row, the entries are added to
  // that one. `records` is the number of the file's records up to this one. Returns the error of
  // the previous batch; after an error nothing more is written.
  [[nodiscard]] Status Add(engine::RowMutation mutation, uint64_t records);
  // Waits until everything that was added is written. After a failure returns OK at once: the error
  // was already returned.
  [[nodiscard]] Status Flush() EXCLUDES(mutex_);

  uint64_t rows() const { return rows_; }                  // rows added
  uint64_t cells() const { return cells_; }                // entries added
  uint64_t written_rows() const { return written_rows_; }  // rows known to be written
  // The number of the file's records, from the first on, that are known to be written.
  uint64_t written_records() const { return written_records_; }
  bool has_failed() const { return failed_; }
  // True if the outcome of a row is unknown: more than written_rows() may be written.
  bool lacks_outcome() const { return lacks_outcome_; }

 private:
  struct Batch {
    std::vector<engine::RowMutation> rows;
    size_t bytes = 0;
    bool goes_on = false;  // its first row was in the batch before, too, and is counted there
    uint64_t records = 0;  // number of the file's records up to the last one in the batch
  };
  struct Outcome {
    uint64_t rows = 0;  // rows written
    Status status;      // error of the first row that failed
    bool lacks_outcome = false;
  };
  [[nodiscard]] Status Send() EXCLUDES(mutex_);
  // Waits for the batch in flight, if there is one, and returns its error.
  [[nodiscard]] Status Await() EXCLUDES(mutex_);
  void Work() EXCLUDES(mutex_);
  // The number of parts in which `batch` is written.
  size_t CountParts(const Batch& batch) const;
  Outcome Write(Batch batch) const;
  Outcome WritePart(const std::vector<engine::RowMutation>& rows, bool counts_first) const;

  cluster::Client* const client_;
  const std::string table_;
  const size_t jobs_;
  Batch batch_;                                    // the batch that Add fills
  std::unordered_map<std::string, size_t> index_;  // row key -> its mutation in batch_
  std::string last_row_sent_;                      // the last row of the batch that was sent last
  uint64_t rows_ = 0, cells_ = 0, written_rows_ = 0, written_records_ = 0;
  bool in_flight_ = false;
  uint64_t records_in_flight_ = 0;
  bool failed_ = false;
  bool lacks_outcome_ = false;
  engine::Mutex mutex_;
  engine::CondVar changed_;
  std::optional<Batch> waiting_ GUARDED_BY(mutex_);
  std::optional<Outcome> outcome_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  engine::Thread thread_;
};

}  // namespace sippar::query
