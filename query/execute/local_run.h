// Runs the program of a plan in this process, over the rows of a relation (a subselect, SHOW):
// WHERE, then outputs or aggregates. Slot i of the program is column i of the relation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/program/aggregate.h"
#include "engine/program/evaluate.h"
#include "engine/program/program.h"

namespace sippar::query {

// Holds one state per group: merges the partial states that tablets send, or lets the caller add
// values to the aggregates that Find returns. TOO_LARGE for more than engine::kGroupsMax groups.
class GroupMerger {
 public:
  GroupMerger(size_t keys, const std::vector<engine::AggregateDef>& aggregates)
      : key_count_(keys), defs_(aggregates) {}
  // Merges a row of group keys followed by partial states.
  [[nodiscard]] Status Merge(const engine::Row& partial);
  // The aggregates of the group with these keys; starts the group if it is new.
  [[nodiscard]] StatusOr<std::vector<std::unique_ptr<engine::Aggregate>>*> Find(
      const engine::Row& keys);
  // Keys and finished values of each group, in no order. Without keys there is always one row.
  std::vector<engine::Row> Finish();

 private:
  struct Group {
    engine::Row keys;
    std::vector<std::unique_ptr<engine::Aggregate>> aggregates;
  };
  size_t key_count_;
  std::vector<engine::AggregateDef> defs_;
  engine::GroupMemory memory_;
  std::unordered_map<std::string, Group> groups_;
};

class LocalRun {
 public:
  // `program` and `stop` outlive the run; `stop` ends an evaluation early.
  [[nodiscard]] static StatusOr<std::unique_ptr<LocalRun>> Prepare(const engine::Program& program,
                                                                   const engine::StopSignal& stop);
  // If `row` passes WHERE, appends its outputs and order keys to *out; in aggregate mode it only
  // adds to the row's group.
  [[nodiscard]] Status Add(const engine::Row& row, std::vector<engine::Row>* out);
  // Aggregate mode: keys and finished values of all groups.
  std::vector<engine::Row> Finish();

 private:
  using Evaluators = std::vector<std::unique_ptr<engine::Evaluator>>;
  explicit LocalRun(const engine::Program& program)
      : program_(program), groups_(program.group_by.size(), program.aggregates) {}

  const engine::Program& program_;
  GroupMerger groups_;
  std::unique_ptr<engine::Evaluator> where_;
  Evaluators outputs_;    // outputs and order keys; in aggregate mode group keys
  Evaluators arguments_;  // arguments of the aggregates
};

}  // namespace sippar::query
