// Runs the program of a plan over rows of a relation (subselect, SHOW) here: WHERE, then outputs or
// aggregates. Slot i of the program is column i. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/program/aggregate.h"
#include "engine/program/evaluate.h"
#include "engine/program/program.h"

namespace sippar::query {

// Merges partial states of aggregates by their group keys; also starts groups of its own.
class GroupMerger {
 public:
  GroupMerger(size_t keys, const std::vector<engine::AggregateDef>& aggregates)
      : key_count_(keys), defs_(aggregates) {}
  [[nodiscard]] Status Merge(const engine::Row& partial);
  // Group of these keys, for adding values.
  [[nodiscard]] StatusOr<std::vector<std::unique_ptr<engine::Aggregate>>*> Find(
      const engine::Row& keys);
  // Keys and finished values of each group, in no order. Without keys: one row, always.
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
  // `program` and `stop` outlive it; an evaluation ends early when `stop` says so.
  [[nodiscard]] static StatusOr<std::unique_ptr<LocalRun>> Prepare(const engine::Program& program,
                                                                   const engine::StopSignal& stop);
  // Outputs (then order keys) of `row` go to *out when it passes WHERE; nothing in aggregate mode.
  [[nodiscard]] Status Add(const engine::Row& row, std::vector<engine::Row>* out);
  // Aggregate mode: keys and finished values.
  std::vector<engine::Row> Finish();

 private:
  using Evaluators = std::vector<std::unique_ptr<engine::Evaluator>>;
  explicit LocalRun(const engine::Program& program)
      : program_(program), groups_(program.group_by.size(), program.aggregates) {}

  const engine::Program& program_;
  GroupMerger groups_;
  std::unique_ptr<engine::Evaluator> where_;
  Evaluators outputs_;    // outputs and order keys, or group keys
  Evaluators arguments_;  // of the aggregates
};

}  // namespace sippar::query
