// The walk over the tree. Forms that evaluate their arguments lazily (AND, OR, CASE, IF, COALESCE,
// IN) and comparisons are here; all others are in the table of scalar functions.
// SPDX-License-Identifier: Apache-2.0
#include "engine/program/evaluate.h"

#include <fmt/format.h>

#include <array>

#include "engine/base/limits.h"
#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {

struct EvaluatorNode {
  Expression::Kind kind = Expression::kLiteral;
  uint32_t slot = 0;
  TextPlace place;
  CallSite site;
  ScalarEntry scalar;
  std::vector<EvaluatorNode> args;
  // Values of args in the current call; those of literals are set from the start.
  std::vector<const Value*> arguments;
  Value scratch;  // the literal, or the result of the last call
};

namespace {

using Node = EvaluatorNode;

struct Context {
  const Row* slots;
  const SlotPlaces* places;
  StopBudget* budget;
};

Status Run(Node* node, const Context& context, const Value** result);

Status RunTest(Node* node, const Context& context, const Value** result) {
  RETURN_IF_ERROR(Run(node, context, result));
  ValueType type = (*result)->type();
  if (type == ValueType::kBool || type == ValueType::kNull) return OkStatus();
  return AtPlace(
      ProgramError("TYPE", fmt::format("a test must be TRUE or FALSE, not {}", TypeName(type))),
      node->place);
}

void SetBool(Node* node, bool value) {
  node->scratch.AssignInteger(ValueType::kBool, value ? 1 : 0);
}

// AND stops at FALSE, OR at TRUE. A NULL argument does not stop it, since a later argument may
// still decide the result.
Status RunJunction(Node* node, const Context& context, bool deciding) {
  bool null_seen = false;
  for (Node& arg : node->args) {
    const Value* value = nullptr;
    RETURN_IF_ERROR(RunTest(&arg, context, &value));
    if (value->is_null()) {
      null_seen = true;
    } else if (value->is_true() == deciding) {
      SetBool(node, deciding);
      return OkStatus();
    }
  }
  if (null_seen) {
    node->scratch.AssignNull();
  } else {
    SetBool(node, !deciding);
  }
  return OkStatus();
}

Status RunCase(Node* node, const Context& context, const Value** result) {
  size_t i = 0;
  for (; i + 1 < node->args.size(); i += 2) {
    const Value* test = nullptr;
    RETURN_IF_ERROR(RunTest(&node->args[i], context, &test));
    if (test->is_true()) return Run(&node->args[i + 1], context, result);
  }
  if (i < node->args.size()) return Run(&node->args[i], context, result);
  node->scratch.AssignNull();
  return OkStatus();
}

bool Comparable(const Value& a, const Value& b) {
  auto is_time_or_number = [](const Value& v) {
    return v.is_number() || v.type() == ValueType::kTimestamp;
  };
  if (a.is_string() && b.is_string()) return true;
  // A TIMESTAMP compares with numbers, since the times of cells are INT64.
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
  } else if (a.type() == ValueType::kTimestamp || b.type() == ValueType::kTimestamp) {
    hint = "write a time as TIMESTAMP '2026-11-20T12:00:00Z'";
  }
  return ProgramError(
      "TYPE", fmt::format("cannot compare {} with {}", TypeName(a.type()), TypeName(b.type())),
      hint);
}

Status RunIn(Node* node, const Context& context) {
  const Value* value = nullptr;
  RETURN_IF_ERROR(Run(&node->args[0], context, &value));
  node->scratch.AssignNull();
  if (value->is_null()) return OkStatus();
  bool null_seen = false;
  for (size_t i = 1; i < node->args.size(); ++i) {
    const Value* item = nullptr;
    RETURN_IF_ERROR(Run(&node->args[i], context, &item));
    // Lists may have many thousands of items, so the search can be stopped.
    RETURN_IF_ERROR(context.budget->Spend());
    if (item->is_null()) {
      null_seen = true;
      continue;
    }
    int order = 0;
    RETURN_IF_ERROR(CompareForTest(*value, *item, &order));
    if (order == 0) {
      SetBool(node, true);
      return OkStatus();
    }
  }
  // A NULL in the list might be equal, so without a match the answer is then NULL and not FALSE.
  if (!null_seen) SetBool(node, false);
  return OkStatus();
}

Status RunComparison(Node* node, const Context& context) {
  const Value* left = nullptr;
  const Value* right = nullptr;
  RETURN_IF_ERROR(Run(&node->args[0], context, &left));
  RETURN_IF_ERROR(Run(&node->args[1], context, &right));
  node->scratch.AssignNull();
  Function function = node->site.function;
  if (left->is_null() || right->is_null()) {
    // NULLIF(x, NULL) is x: they are not known to be equal.
    if (function == Function::kNullIf) node->scratch = *left;
    return OkStatus();
  }
  int order = 0;
  RETURN_IF_ERROR(CompareForTest(*left, *right, &order));
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
  SetBool(node, truth);
  return OkStatus();
}

// LEAST and GREATEST. NULL if any argument is NULL.
Status RunExtreme(Node* node, const Context& context, const Value** result) {
  const Value* best = nullptr;
  for (Node& arg : node->args) {
    const Value* value = nullptr;
    RETURN_IF_ERROR(Run(&arg, context, &value));
    if (value->is_null()) {
      *result = value;
      return OkStatus();
    }
    int order = 0;
    if (best != nullptr) RETURN_IF_ERROR(CompareForTest(*value, *best, &order));
    bool better = node->site.function == Function::kLeast ? order < 0 : order > 0;
    if (best == nullptr || better) best = value;
  }
  *result = best;
  return OkStatus();
}

// The first slot below a call: an error message names the cell that it came from.
const Node* FirstSlot(const Node& node) {
  if (node.kind == Expression::kSlot) return &node;
  for (const Node& arg : node.args) {
    if (const Node* slot = FirstSlot(arg)) return slot;
  }
  return nullptr;
}

Status RunScalar(Node* node, const Context& context) {
  bool null_seen = false;
  uint64_t work = 0;
  for (size_t i = 0; i < node->args.size(); ++i) {
    Node& arg = node->args[i];
    // Build has set the values of literals.
    if (arg.kind == Expression::kSlot) {
      node->arguments[i] = &(*context.slots)[arg.slot];
    } else if (arg.kind == Expression::kCall) {
      RETURN_IF_ERROR(Run(&arg, context, &node->arguments[i]));
    }
    const Value& argument = *node->arguments[i];
    null_seen = null_seen || argument.is_null();
    // Charged before the call, which may be long and may not look at the budget itself.
    work += argument.bytes().size() + argument.item_count() * StopBudget::kStep;
  }
  if (null_seen && node->scalar.null_if_any_null) {
    node->scratch.AssignNull();
    return OkStatus();
  }
  RETURN_IF_ERROR(context.budget->Spend(work));
  Status status = node->scalar.run(&node->site, node->arguments, &node->scratch);
  // Errors without a code word, such as a cancellation, are not caused by a value.
  if (status.ok() || ProgramErrorCode(status).empty()) [[likely]]
    return status;
  const Node* slot = FirstSlot(*node);
  if (slot == nullptr || context.places == nullptr) return status;
  return AddPlace(status, context.places->PlaceOf(slot->slot));
}

Status RunCall(Node* node, const Context& context, const Value** result) {
  RETURN_IF_ERROR(context.budget->Spend());
  *result = &node->scratch;
  switch (node->site.function) {
    case Function::kAnd:
      return RunJunction(node, context, false);
    case Function::kOr:
      return RunJunction(node, context, true);
    case Function::kCase:
    case Function::kIf:
      return RunCase(node, context, result);
    case Function::kIn:
      return RunIn(node, context);
    case Function::kEqual:
    case Function::kNotEqual:
    case Function::kLess:
    case Function::kLessEqual:
    case Function::kGreater:
    case Function::kGreaterEqual:
    case Function::kNullIf:
      return RunComparison(node, context);
    case Function::kLeast:
    case Function::kGreatest:
      return RunExtreme(node, context, result);
    case Function::kCoalesce:
      for (Node& arg : node->args) {
        RETURN_IF_ERROR(Run(&arg, context, result));
        if (!(*result)->is_null()) break;
      }
      return OkStatus();
    default:
      return RunScalar(node, context);
  }
}

Status Run(Node* node, const Context& context, const Value** result) {
  switch (node->kind) {
    case Expression::kLiteral:
      *result = &node->scratch;
      return OkStatus();
    case Expression::kSlot:
      *result = &(*context.slots)[node->slot];
      return OkStatus();
    case Expression::kCall:
      break;
  }
  Status status = RunCall(node, context, result);
  if (status.ok()) [[likely]]
    return status;
  return AtPlace(status, node->place);
}

bool IsRegexCall(Function function) {
  return function == Function::kRegexFound || function == Function::kRegexExtract ||
         function == Function::kRegexReplace;
}

// Checks the third argument of a call whose regex is a literal: a rewrite or a group number. A
// wrong one thus fails before the first row is read.
Status CheckRegexArgument(const Expression& call, Node* node) {
  if (call.args.size() < 3 || !call.args[2].IsLiteral()) return OkStatus();
  const Value& argument = call.args[2].literal;
  if (call.function == Function::kRegexReplace && argument.is_string()) {
    return CheckRewrite(&node->site, argument.bytes());
  }
  if (call.function == Function::kRegexExtract && argument.type() == ValueType::kInt64) {
    return CheckRegexGroup(node->site, argument.integer());
  }
  return OkStatus();
}

bool RunsItself(Function function) {
  using enum Function;
  static constexpr std::array kLazy = {kAnd,   kOr,       kCase,     kIf,           kIn,
                                       kEqual, kNotEqual, kLess,     kLessEqual,    kGreater,
                                       kLeast, kGreatest, kCoalesce, kGreaterEqual, kNullIf};
  for (Function lazy : kLazy) {
    if (lazy == function) return true;
  }
  return false;
}

Status Build(const Expression& expression, Node* node, size_t depth, StopBudget* budget) {
  RETURN_IF_ERROR(budget->Spend());
  // Bounds the stack of this recursion and of Run.
  if (depth > limits::kExpressionDepthMax) {
    return ProgramError("TOO_DEEP", fmt::format("expression nested deeper than {} levels",
                                                limits::kExpressionDepthMax));
  }
  node->kind = expression.kind;
  node->slot = expression.slot;
  node->place = expression.place;
  if (expression.kind == Expression::kLiteral) node->scratch = expression.literal;
  if (expression.kind != Expression::kCall) return OkStatus();
  node->site.function = expression.function;
  node->site.budget = budget;
  node->site.cast_type = expression.cast_type;
  node->scalar = FindScalar(expression.function);
  // Checked when the tree is built, so that a scan does not fail half-way.
  if (node->scalar.run == nullptr && !RunsItself(expression.function)) {
    return Internal(fmt::format("function number {} is not implemented; this is a bug in sippar",
                                static_cast<int>(expression.function)));
  }
  node->args.resize(expression.args.size());
  node->arguments.resize(expression.args.size());
  for (size_t i = 0; i < expression.args.size(); ++i) {
    RETURN_IF_ERROR(Build(expression.args[i], &node->args[i], depth + 1, budget));
    node->arguments[i] = &node->args[i].scratch;
  }
  if (IsRegexCall(expression.function) && expression.args[1].IsLiteral() &&
      expression.args[1].literal.is_string()) {
    bool case_insensitive = expression.function == Function::kRegexFound &&
                            expression.args.size() == 3 && expression.args[2].IsLiteral() &&
                            expression.args[2].literal.bytes() == "i";
    RETURN_IF_ERROR(
        AtPlace(PrepareRegex(&node->site, expression.args[1].literal.bytes(), case_insensitive),
                expression.place));
    return AtPlace(CheckRegexArgument(expression, node), expression.place);
  }
  return OkStatus();
}

}  // namespace

Evaluator::Evaluator(const StopSignal* stop) : budget_(stop), root_(new EvaluatorNode) {}
Evaluator::~Evaluator() = default;

StatusOr<std::unique_ptr<Evaluator>> Evaluator::Prepare(const Expression& expression,
                                                        const StopSignal* stop) {
  std::unique_ptr<Evaluator> evaluator(new Evaluator(stop));
  RETURN_IF_ERROR(Build(expression, evaluator->root_.get(), 0, &evaluator->budget_));
  return evaluator;
}

Status Evaluator::Evaluate(const Row& slots, const SlotPlaces* places, const Value** result) {
  return Run(root_.get(), {&slots, places, &budget_}, result);
}

TextPlace Evaluator::place() const { return root_->place; }

Status Evaluator::EvaluateTest(const Row& slots, const SlotPlaces* places, bool* result) {
  const Value* value = nullptr;
  RETURN_IF_ERROR(Evaluate(slots, places, &value));
  if (value->type() != ValueType::kBool && !value->is_null()) {
    return AtPlace(ProgramError("TYPE", fmt::format("a condition must be TRUE or FALSE, not {}",
                                                    TypeName(value->type()))),
                   place());
  }
  *result = value->is_true();
  return OkStatus();
}

StatusOr<Value> EvaluateConstant(const Expression& expression, const StopSignal* stop) {
  ASSIGN_OR_RETURN(std::unique_ptr<Evaluator> evaluator, Evaluator::Prepare(expression, stop));
  const Value* value = nullptr;
  RETURN_IF_ERROR(evaluator->Evaluate({}, nullptr, &value));
  return *value;
}

}  // namespace sippar::engine
