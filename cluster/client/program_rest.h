// The part of a row program that is left when its server changes in the middle of a run. Receives
// the batches of one try after another and passes each result row to the sink once. Not thread
// safe.
//
// Results in row order pass through at once; a later try starts after the last finished row. If the
// try before had returned a part of a row's results, they are dropped from the next try and
// compared by digest. Results that depend on all rows (aggregates, ORDER BY) are held until a try
// has succeeded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cluster/api/data_api.h"

namespace sippar::cluster {

class ProgramRest final : public engine::ProgramSink {
 public:
  // `sink` must outlive the object.
  ProgramRest(engine::Program program, engine::ProgramSink* sink);

  // The program for the next try; unchanged until GoOn.
  const engine::Program& left() const { return left_; }
  bool IsEmpty() const { return left_.read.rows.IsEmpty(); }
  bool Emit(engine::ProgramBatch batch) override;
  // Returns the status of the run when a try has returned `ended`. kAborted: result rows that were
  // already passed on would now be different.
  [[nodiscard]] Status End(const Status& ended);
  // Prepares the next try. True: the last try finished at least one row of the table.
  bool GoOn();

 private:
  // Removes from `rows` those that an earlier try has passed on. False: they have changed.
  bool DropGiven(std::vector<engine::Row>* rows);
  void Narrow();

  engine::Program left_;
  engine::ProgramSink* const sink_;
  const bool in_order_;  // result rows come in the order of the rows that were read
  std::vector<engine::ProgramBatch> held_;  // batches with rows of this try, unless in_order_
  // The last row of the table up to which all results were passed on; "": none in this try.
  std::string mark_;
  uint64_t marked_ = 0;   // result rows passed on up to the mark, since left_ was made
  uint64_t given_ = 0;    // result rows passed on after the mark; one unfinished row yielded them
  uint64_t digest_ = 0;   // digest of the given_ rows
  uint64_t to_drop_ = 0;  // rows of the next batches that an earlier try has passed on
  uint64_t dropped_digest_ = 0;
  bool is_changed_ = false;
};

}  // namespace sippar::cluster
