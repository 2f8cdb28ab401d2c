// IN, the comparisons, NULLIF, LEAST and GREATEST: they evaluate their arguments themselves.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/program/evaluate_node.h"
#include "engine/program/program_error.h"

namespace sippar::engine {
namespace {

bool Comparable(const Value& a, const Value& b) {
  auto is_time_or_number = [](const Value& v) {
    return v.is_number() || v.type() == ValueType::kTimestamp || v.type() == ValueType::kDate;
  };
  if (a.is_string() && b.is_string()) return true;
  // A TIMESTAMP compares with numbers, since the times of cells are INT64; so does a DATE, as its
  // start in UTC.
  if (is_time_or_number(a) && is_time_or_number(b)) return true;
  return a.type() == b.type();
}

Status CompareForTest(const Value& a, const Value& b, int* order) {
  if (Comparable(a, b)) {
    *order = CompareValues(a, b);
    return OkStatus();
  }
  const char* hint = "";
  bool number = a.is_number() || b.is_number();
  if (number && (a.is_string() || b.is_string())) {
    hint = "INT64(x) reads 8 bytes or decimal TEXT; INT64(TEXT(x)) reads a decimal cell";
  } else if (a.type() == ValueType::kDate || b.type() == ValueType::kDate) {
    hint = "write a date as DATE '2026-11-20'; CAST(date AS TIMESTAMP) is its start in UTC";
  } else if (a.type() == ValueType::kTimestamp || b.type() == ValueType::kTimestamp) {
    hint = "write a time as TIMESTAMP '2026-11-20T12:00:00Z'";
  }
  return ProgramError(
      "TYPE", fmt::format("cannot compare {} with {}", TypeName(a.type()), TypeName(b.type())),
      hint);
}

}  // namespace

Status RunIn(EvaluatorNode* node, const EvaluatorContext& context) {
  const Value* value = nullptr;
  RETURN_IF_ERROR(RunNode(&node->args[0], context, &value));
  node->scratch.AssignNull();
  if (value->is_null()) return OkStatus();
  bool null_seen = false;
  for (size_t i = 1; i < node->args.size(); ++i) {
    const Value* item = nullptr;
    RETURN_IF_ERROR(RunNode(&node->args[i], context, &item));
    // Lists may have many thousands of items, so the search can be stopped.
    RETURN_IF_ERROR(context.budget->Spend());
    if (item->is_null()) {
      null_seen = true;
      continue;
    }
    int order = 0;
    RETURN_IF_ERROR(CompareForTest(*value, *item, &order));
    if (order == 0 && !value->IsNan()) {
      node->SetBool(true);
      return OkStatus();
    }
  }
  // A NULL in the list might be equal, so without a match the answer is then NULL and not FALSE.
  if (!null_seen) node->SetBool(false);
  return OkStatus();
}

Status RunComparison(EvaluatorNode* node, const EvaluatorContext& context) {
  const Value* left = nullptr;
  const Value* right = nullptr;
  RETURN_IF_ERROR(RunNode(&node->args[0], context, &left));
  RETURN_IF_ERROR(RunNode(&node->args[1], context, &right));
  node->scratch.AssignNull();
  Function function = node->site.function;
  if (left->is_null() || right->is_null()) {
    // NULLIF(x, NULL) is x, because x and NULL are not known to be equal.
    if (function == Function::kNullIf) node->scratch = *left;
    if (function == Function::kIsDistinct) node->SetBool(left->is_null() != right->is_null());
    return OkStatus();
  }
  int order = 0;
  RETURN_IF_ERROR(CompareForTest(*left, *right, &order));
  // Only here is NaN equal to NaN, as it is in GROUP BY.
  if (function == Function::kIsDistinct) {
    node->SetBool(order != 0);
    return OkStatus();
  }
  // NaN is neither equal to any number, itself included, nor less or greater.
  if (left->IsNan() || right->IsNan()) {
    if (function == Function::kNullIf) {
      node->scratch = *left;
    } else {
      node->SetBool(function == Function::kNotEqual);
    }
    return OkStatus();
  }
  bool truth = false;
  switch (function) {
    case Function::kEqual:
      truth = order == 0;
      break;
    case Function::kNotEqual:
      truth = order != 0;
      break;
    case Function::kLess:
      truth = order < 0;
      break;
    case Function::kLessEqual:
      truth = order <= 0;
      break;
    case Function::kGreater:
      truth = order > 0;
      break;
    case Function::kGreaterEqual:
      truth = order >= 0;
      break;
    default:  // kNullIf
      node->scratch = order == 0 ? Value::Null() : *left;
      return OkStatus();
  }
  node->SetBool(truth);
  return OkStatus();
}

// LEAST and GREATEST. NULL if any argument is NULL, else NaN if any is NaN.
Status RunExtreme(EvaluatorNode* node, const EvaluatorContext& context, const Value** result) {
  const Value* best = nullptr;
  for (EvaluatorNode& arg : node->args) {
    const Value* value = nullptr;
    RETURN_IF_ERROR(RunNode(&arg, context, &value));
    if (value->is_null()) {
      *result = value;
      return OkStatus();
    }
    int order = 0;
    if (best != nullptr) RETURN_IF_ERROR(CompareForTest(*value, *best, &order));
    bool better = node->site.function == Function::kLeast ? order < 0 : order > 0;
    if (best == nullptr || value->IsNan() || (better && !best->IsNan())) best = value;
  }
  *result = best;
  return OkStatus();
}

}  // namespace sippar::engine
