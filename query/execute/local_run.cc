// SPDX-License-Identifier: Apache-2.0
#include "query/execute/local_run.h"

#include <fmt/format.h>

#include "engine/program/program_error.h"
#include "engine/program/run_program.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

using engine::Evaluator;
using engine::Row;
using engine::Value;

StatusOr<Row> EvaluateAll(const std::vector<std::unique_ptr<Evaluator>>& evaluators,
                          const Row& row) {
  Row result;
  for (const auto& evaluator : evaluators) {
    const Value* value = nullptr;
    RETURN_IF_ERROR(evaluator->Evaluate(row, nullptr, &value));
    result.push_back(*value);
  }
  return result;
}

}  // namespace

StatusOr<std::vector<std::unique_ptr<engine::Aggregate>>*> GroupMerger::Find(const Row& keys) {
  std::string encoded;
  // Values that are equal (1 and 1.0) have the same encoding and are one group.
  for (const Value& key : keys) AppendEqualityKey(key, &encoded);
  Group& group = groups_[encoded];
  if (groups_.size() > engine::kGroupsMax) {
    return ErrorAt("TOO_LARGE", {}, fmt::format("more than {} groups", engine::kGroupsMax),
                   "group by something coarser", StatusCode::kResourceExhausted);
  }
  if (group.aggregates.empty() && group.keys.empty()) {
    group.keys = keys;
    for (const engine::AggregateDef& def : defs_) {
      group.aggregates.push_back(engine::Aggregate::New(def, &memory_));
    }
    RETURN_IF_ERROR(memory_.Add(engine::GroupSize(encoded, defs_)));
  }
  return &group.aggregates;
}

Status GroupMerger::Merge(const Row& partial) {
  if (partial.size() != key_count_ + defs_.size())
    return Internal("a tablet returned a partial row of another query");
  auto keys_end = partial.begin() + static_cast<std::ptrdiff_t>(key_count_);
  ASSIGN_OR_RETURN(auto* aggregates, Find(Row(partial.begin(), keys_end)));
  for (size_t i = 0; i < defs_.size(); ++i) {
    RETURN_IF_ERROR(
        AtPlace((*aggregates)[i]->Merge(partial[key_count_ + i]), defs_[i].argument.place));
  }
  return OkStatus();
}

std::vector<Row> GroupMerger::Finish() {
  // An aggregate without GROUP BY has a result even if no row came: COUNT(*) is 0.
  if (key_count_ == 0 && groups_.empty()) (void)Find({});
  std::vector<Row> rows;
  for (auto& [encoded, group] : groups_) {
    Row& row = rows.emplace_back(std::move(group.keys));
    for (const auto& aggregate : group.aggregates) row.push_back(aggregate->Finish());
  }
  return rows;
}

StatusOr<std::unique_ptr<LocalRun>> LocalRun::Prepare(const engine::Program& program,
                                                      const engine::StopSignal& stop) {
  std::unique_ptr<LocalRun> run(new LocalRun(program));
  auto add = [&stop](const engine::Expression& expression, Evaluators* out) -> Status {
    ASSIGN_OR_RETURN(std::unique_ptr<Evaluator> evaluator, Evaluator::Prepare(expression, &stop));
    out->push_back(std::move(evaluator));
    return OkStatus();
  };
  if (program.where) {
    ASSIGN_OR_RETURN(run->where_, Evaluator::Prepare(*program.where, &stop));
  }
  const auto& first = program.aggregate ? program.group_by : program.outputs;
  for (const engine::Expression& e : first) RETURN_IF_ERROR(add(e, &run->outputs_));
  for (const engine::OrderKey& key : program.order_by) {
    RETURN_IF_ERROR(add(key.expression, &run->outputs_));
  }
  for (const engine::AggregateDef& def : program.aggregates) {
    RETURN_IF_ERROR(add(def.argument, &run->arguments_));
  }
  return run;
}

Status LocalRun::Add(const Row& row, std::vector<Row>* out) {
  bool pass = true;
  if (where_ != nullptr) RETURN_IF_ERROR(where_->EvaluateTest(row, nullptr, &pass));
  if (!pass) return OkStatus();
  ASSIGN_OR_RETURN(Row outputs, EvaluateAll(outputs_, row));
  if (!program_.aggregate) {
    out->push_back(std::move(outputs));
    return OkStatus();
  }
  ASSIGN_OR_RETURN(auto* aggregates, groups_.Find(outputs));
  ASSIGN_OR_RETURN(Row arguments, EvaluateAll(arguments_, row));
  for (size_t i = 0; i < arguments.size(); ++i) {
    RETURN_IF_ERROR(AtPlace((*aggregates)[i]->Add(arguments[i]), arguments_[i]->place()));
  }
  return OkStatus();
}

std::vector<Row> LocalRun::Finish() { return groups_.Finish(); }

}  // namespace sippar::query
