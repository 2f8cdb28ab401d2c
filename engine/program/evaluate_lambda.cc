// Calls that evaluate their second argument once for each item of their first.
// SPDX-License-Identifier: Apache-2.0
#include "engine/program/evaluate_node.h"

namespace sippar::engine {

Status RunLambda(EvaluatorNode* node, const EvaluatorContext& context) {
  const Value* array = nullptr;
  RETURN_IF_ERROR(RunNode(&node->args[0], context, &array));
  node->scratch = Value::Null();
  if (array->is_null()) return OkStatus();
  if (array->type() != ValueType::kArray) {
    return TypeError(node->site, Arguments(&array, 1), "the first argument is an ARRAY");
  }
  const bool filters = node->site.function == Function::kArrayFilter;
  Value::Items results;
  size_t bytes = 0;
  Value offset;
  for (size_t i = 0; i < array->items().size(); ++i) {
    const Value& item = array->items()[i];
    offset = Value::Int64(static_cast<int64_t>(i));
    (*context.variables)[node->slot] = &item;
    (*context.variables)[node->slot + 1] = &offset;
    const Value* result = nullptr;
    if (filters) {
      RETURN_IF_ERROR(RunTestNode(&node->args[1], context, &result));
      if (!result->is_true()) continue;
      result = &item;
    } else {
      RETURN_IF_ERROR(RunNode(&node->args[1], context, &result));
    }
    bytes += result->MemoryBytes() - sizeof(Value);
    RETURN_IF_ERROR(CheckArraySize(results.size() + 1, bytes));
    results.push_back(*result);
  }
  node->scratch = Value::Array(std::move(results));
  return OkStatus();
}

}  // namespace sippar::engine
