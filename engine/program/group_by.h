// Executes GROUP BY, and aggregates without GROUP BY: evaluates keys and arguments of each row, and
// holds one state for each group. A tablet adds rows and sends the partial states; the query merges
// the states of all tablets; a query over a relation adds rows and finishes the states itself. Not
// thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/stop_signal.h"
#include "engine/program/aggregate.h"
#include "engine/program/evaluate.h"
#include "engine/program/run_program.h"

namespace sippar::engine {

using Evaluators = std::vector<std::unique_ptr<Evaluator>>;

// Prepares an evaluator for each of the expressions and appends it to *out. `stop` must
// outlive the evaluators.
[[nodiscard]] Status PrepareAll(const std::vector<Expression>& expressions, const StopSignal& stop,
                                Evaluators* out);

class GroupBy {
 public:
  struct Group {
    Row keys;
    std::vector<std::unique_ptr<Aggregate>> aggregates;
    Row Partial() const;  // the keys, then the partial states
  };

  // Without keys there is one group from the start: COUNT(*) of no rows is 0. `aggregates` outlives
  // this object.
  GroupBy(size_t keys, const std::vector<AggregateDef>& aggregates);
  GroupBy(const GroupBy&) = delete;  // the aggregates point to memory_

  // Call it before Add. A GroupBy that only merges does not need it.
  [[nodiscard]] Status Prepare(const std::vector<Expression>& keys, const StopSignal& stop);
  // Adds a row to its group. `places` may be null. Returns the error of an expression or an
  // aggregate that fails, with the place of the expression, or TOO_LARGE if there are more than
  // kGroupsMax groups or they take more than kGroupBytesMax bytes.
  [[nodiscard]] Status Add(const Row& slots, const SlotPlaces* places);
  // Adds `count` rows whose content does not matter. Requires: no keys, and every aggregate is
  // kCountRows.
  void AddRows(uint64_t count);
  // Merges a Group::Partial of a GroupBy with the same aggregates.
  [[nodiscard]] Status Merge(const Row& partial);

  // The groups in order of creation.
  const std::vector<std::unique_ptr<Group>>& groups() const { return groups_; }
  // Returns a row for each group, in order of creation: its keys, then the finished values. Call it
  // once, as the last call. Returns the error of an aggregate's result, such as OVERFLOW.
  [[nodiscard]] StatusOr<std::vector<Row>> Finish();

 private:
  bool HasPresentKeys(const Group& group) const;
  // Returns the group whose keys are in present_; creates it if there is none.
  StatusOr<Group*> Find();
  Group* Create();

  const size_t keys_;
  const std::vector<AggregateDef>& defs_;
  GroupMemory memory_;
  Evaluators key_evaluators_;
  Evaluators arguments_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::unordered_map<std::string, Group*> by_keys_;  // key: equality encoding of the group's keys
  Group* last_ = nullptr;                            // the group that Find returned last
  std::string encoded_;
  std::vector<const Value*> present_;  // the keys that Find looks for
};

}  // namespace sippar::engine
