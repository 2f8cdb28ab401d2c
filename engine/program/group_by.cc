// SPDX-License-Identifier: Apache-2.0
#include "engine/program/group_by.h"

#include <fmt/format.h>

#include <utility>

#include "engine/program/program_error.h"

namespace sippar::engine {

Status PrepareAll(const std::vector<Expression>& expressions, const StopSignal& stop,
                  Evaluators* out) {
  for (const Expression& expression : expressions) {
    ASSIGN_OR_RETURN(std::unique_ptr<Evaluator> evaluator, Evaluator::Prepare(expression, &stop));
    out->push_back(std::move(evaluator));
  }
  return OkStatus();
}

Row GroupBy::Group::Partial() const {
  Row row = keys;
  for (const auto& aggregate : aggregates) row.push_back(aggregate->Partial());
  return row;
}

GroupBy::GroupBy(size_t keys, const std::vector<AggregateDef>& aggregates)
    : keys_(keys), defs_(aggregates) {
  if (keys_ == 0) Create();
}

Status GroupBy::Prepare(const std::vector<Expression>& keys, const StopSignal& stop) {
  RETURN_IF_ERROR(PrepareAll(keys, stop, &key_evaluators_));
  // COUNT(*) gets an evaluator that it never uses, so that arguments_ and defs_ have equal indexes.
  std::vector<Expression> arguments;
  for (const AggregateDef& def : defs_) arguments.push_back(def.argument);
  return PrepareAll(arguments, stop, &arguments_);
}

GroupBy::Group* GroupBy::Create() {
  Group* group = groups_.emplace_back(std::make_unique<Group>()).get();
  for (const AggregateDef& def : defs_) group->aggregates.push_back(Aggregate::New(def, &memory_));
  return group;
}

bool GroupBy::HasPresentKeys(const Group& group) const {
  for (size_t i = 0; i < keys_; ++i) {
    if (CompareValues(*present_[i], group.keys[i]) != 0) return false;
  }
  return true;
}

// Values that are equal (1 and 1.0) have the same encoding and form one group, which keeps
// the keys of its first row.
StatusOr<GroupBy::Group*> GroupBy::Find() {
  if (keys_ == 0) return groups_.front().get();
  // Rows arrive in row key order. If the query groups by a prefix of the row key, all rows of a
  // group are neighbours, so the last group mostly fits the next row.
  if (last_ != nullptr && HasPresentKeys(*last_)) return last_;
  encoded_.clear();
  for (const Value* key : present_) AppendEqualityKey(*key, &encoded_);
  auto found = by_keys_.find(encoded_);
  if (found != by_keys_.end()) [[likely]] {
    last_ = found->second;
    return last_;
  }
  if (groups_.size() >= kGroupsMax) {
    return ProgramError("TOO_LARGE", fmt::format("GROUP BY has more than {} groups", kGroupsMax),
                        "group by something coarser", StatusCode::kResourceExhausted);
  }
  RETURN_IF_ERROR(memory_.Add(GroupSize(encoded_, defs_)));
  Group* group = Create();
  for (const Value* key : present_) group->keys.push_back(*key);
  by_keys_.emplace(encoded_, group);
  last_ = group;
  return group;
}

Status GroupBy::Add(const Row& slots, const SlotPlaces* places) {
  present_.clear();
  for (const auto& key : key_evaluators_) {
    const Value* value = nullptr;
    RETURN_IF_ERROR(key->Evaluate(slots, places, &value));
    present_.push_back(value);
  }
  ASSIGN_OR_RETURN(Group * group, Find());
  for (size_t i = 0; i < defs_.size(); ++i) {
    if (defs_[i].kind == AggregateDef::kCountRows) {
      group->aggregates[i]->AddRows(1);
      continue;
    }
    const Value* value = nullptr;
    RETURN_IF_ERROR(arguments_[i]->Evaluate(slots, places, &value));
    Status added = group->aggregates[i]->Add(*value);
    if (!added.ok()) [[unlikely]]
      return AtPlace(added, arguments_[i]->place());
  }
  return OkStatus();
}

void GroupBy::AddRows(uint64_t count) {
  for (auto& aggregate : groups_.front()->aggregates) aggregate->AddRows(count);
}

StatusOr<std::vector<Row>> GroupBy::Finish() {
  std::vector<Row> rows;
  rows.reserve(groups_.size());
  for (const auto& group : groups_) {
    Row row = std::move(group->keys);
    for (size_t i = 0; i < defs_.size(); ++i) {
      RETURN_IF_ERROR(AtPlace(group->aggregates[i]->Check(), defs_[i].argument.place));
      row.push_back(group->aggregates[i]->Finish());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Status GroupBy::Merge(const Row& partial) {
  // The row comes from another server, and the loops below index it without a check.
  if (partial.size() != keys_ + defs_.size())
    return Internal("a tablet returned a partial row of another query; this is a bug in sippar");
  present_.clear();
  for (size_t i = 0; i < keys_; ++i) present_.push_back(&partial[i]);
  ASSIGN_OR_RETURN(Group * group, Find());
  for (size_t i = 0; i < defs_.size(); ++i) {
    RETURN_IF_ERROR(
        AtPlace(group->aggregates[i]->Merge(partial[keys_ + i]), defs_[i].argument.place));
  }
  return OkStatus();
}

}  // namespace sippar::engine
