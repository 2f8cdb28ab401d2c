// Runs the program of a plan in this process, over the rows of a relation (a subselect, the lines
// of UNNEST, or one empty row without FROM): WHERE, then outputs or aggregates. Slot i of the
// program is column i of the relation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "engine/program/group_by.h"
#include "engine/program/program.h"

namespace sippar::query {

class LocalRun {
 public:
  // `program` and `stop` outlive the run; `stop` ends an evaluation early.
  [[nodiscard]] static StatusOr<std::unique_ptr<LocalRun>> Prepare(const engine::Program& program,
                                                                   const engine::StopSignal& stop);
  // If `row` passes WHERE, appends its outputs and order keys to *out; in aggregate mode it only
  // adds to the row's group.
  [[nodiscard]] Status Add(const engine::Row& row, std::vector<engine::Row>* out);
  // The rows of aggregate mode, one for each group. Call it once, after the last Add.
  [[nodiscard]] StatusOr<std::vector<engine::Row>> FinishGroups() { return groups_.Finish(); }

 private:
  explicit LocalRun(const engine::Program& program)
      : program_(program), groups_(program.group_by.size(), program.aggregates) {}

  const engine::Program& program_;
  engine::GroupBy groups_;
  std::unique_ptr<engine::Evaluator> where_;
  engine::Evaluators outputs_;  // outputs and order keys; not in aggregate mode
};

}  // namespace sippar::query
