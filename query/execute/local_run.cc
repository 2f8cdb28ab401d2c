// SPDX-License-Identifier: Apache-2.0
#include "query/execute/local_run.h"

namespace sippar::query {

using engine::Evaluator;
using engine::Row;
using engine::Value;

StatusOr<std::unique_ptr<LocalRun>> LocalRun::Prepare(const engine::Program& program,
                                                      const engine::StopSignal& stop) {
  std::unique_ptr<LocalRun> run(new LocalRun(program));
  if (program.where) {
    ASSIGN_OR_RETURN(run->where_, Evaluator::Prepare(*program.where, &stop));
  }
  if (program.aggregate) {
    // Aggregates are evaluated per group, so a program that groups has no outputs here.
    // ResultStages::AddGroups computes the statement's outputs from the finished groups.
    RETURN_IF_ERROR(run->groups_.Prepare(program.group_by, stop));
    return run;
  }
  RETURN_IF_ERROR(PrepareAll(program.outputs, stop, &run->outputs_));
  std::vector<engine::Expression> keys;
  for (const engine::OrderKey& key : program.order_by) keys.push_back(key.expression);
  // The order keys are appended to the outputs, as a tablet does. ResultStages sorts by them.
  RETURN_IF_ERROR(PrepareAll(keys, stop, &run->outputs_));
  return run;
}

Status LocalRun::Add(const Row& row, std::vector<Row>* out) {
  bool pass = true;
  if (where_ != nullptr) RETURN_IF_ERROR(where_->EvaluateTest(row, nullptr, &pass));
  if (!pass) return OkStatus();
  if (program_.aggregate) return groups_.Add(row, nullptr);
  Row outputs;
  for (const auto& evaluator : outputs_) {
    const Value* value = nullptr;
    RETURN_IF_ERROR(evaluator->Evaluate(row, nullptr, &value));
    outputs.push_back(*value);
  }
  out->push_back(std::move(outputs));
  return OkStatus();
}

}  // namespace sippar::query
