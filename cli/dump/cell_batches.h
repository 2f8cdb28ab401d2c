// Writes cells in batches, several at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "cluster/client/client.h"
#include "engine/base/thread.h"
#include "engine/model/mutation.h"

namespace sippar::cli {

// One thread calls Add, Drain and the destructor. Each cell has its own timestamp, so the order in
// which batches arrive does not matter.
class CellBatches {
 public:
  // `jobs` is the number of batches that are written at the same time. `client` and `schema` must
  // outlive the object.
  CellBatches(cluster::Client* client, const engine::TableSchema& schema, size_t jobs);
  // Drops cells that are not yet written.
  ~CellBatches();

  // Adds a cell; waits while all jobs are busy and as many batches wait. In an aggregate family the
  // value is an encoded state, which is merged into the stored one. Returns the first error of any
  // earlier batch, or kNotFound if the schema lacks the family.
  [[nodiscard]] Status Add(const engine::Cell& cell);
  // Waits until all cells that were added are written.
  [[nodiscard]] Status Drain() EXCLUDES(mutex_);

 private:
  using Batch = std::vector<engine::RowMutation>;
  [[nodiscard]] Status Send() EXCLUDES(mutex_);
  void Work() EXCLUDES(mutex_);
  [[nodiscard]] Status Write(const Batch& batch);

  cluster::Client* const client_;
  const engine::TableSchema& schema_;
  const size_t jobs_;
  Batch batch_;       // batch that Add fills
  size_t bytes_ = 0;  // size of batch_
  engine::Mutex mutex_;
  engine::CondVar changed_;
  std::deque<Batch> waiting_ GUARDED_BY(mutex_);
  size_t writing_ GUARDED_BY(mutex_) = 0;  // batches that threads are writing
  bool stopping_ GUARDED_BY(mutex_) = false;
  Status status_ GUARDED_BY(mutex_);  // the first error
  std::vector<engine::Thread> threads_;
};

}  // namespace sippar::cli
