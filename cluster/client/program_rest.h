// What is left of a row program when its server is another one in the middle of it: takes the
// batches of one try after another, and gives each result row once. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cluster/api/data_api.h"

namespace sippar::cluster {

class ProgramRest final : public engine::ProgramSink {
 public:
  // `sink` outlives it.
  ProgramRest(engine::Program program, engine::ProgramSink* sink);

  // The program of the next try; unchanged until GoOn.
  const engine::Program& left() const { return left_; }
  bool IsEmpty() const { return left_.read.rows.IsEmpty(); }
  bool Emit(engine::ProgramBatch batch) override;
  // How the run ends that a try ended so. kAborted: rows that were given would now be others.
  [[nodiscard]] Status End(const Status& ended);
  // After a try that is to be followed by another. True: the one before got further than the mark.
  bool GoOn();

 private:
  // Of the first rows, those that the try before gave. False: they are others now.
  bool DropGiven(std::vector<engine::Row>* rows);
  void Narrow();

  engine::Program left_;
  engine::ProgramSink* const sink_;
  const bool in_order_;  // result rows come in the order of the rows that were read
  std::vector<engine::ProgramBatch> held_;  // else: they are given when all have come
  // The mark: a row of the table of which, and of all before it, nothing is left to be given.
  std::string mark_;
  uint64_t marked_ = 0;  // result rows given up to it, since left_ was made
  uint64_t given_ = 0;   // and after it: of one row that is not at its end
  uint64_t digest_ = 0;  // over those
  uint64_t to_drop_ = 0;
  uint64_t dropped_digest_ = 0;
  bool is_changed_ = false;
};

}  // namespace sippar::cluster
