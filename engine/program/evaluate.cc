// Evaluates an expression tree. Some functions evaluate their arguments themselves: AND, OR, CASE,
// IF, COALESCE and SAFE in this file; IN, the comparisons, NULLIF, LEAST and GREATEST in
// evaluate_compare.cc; those with a lambda in evaluate_lambda.cc. All others are in the table of
// scalar functions (scalar_function.h).
// SPDX-License-Identifier: Apache-2.0
#include "engine/program/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/base/limits.h"
#include "engine/program/evaluate_node.h"
#include "engine/program/program_error.h"

namespace sippar::engine {

namespace {

using Node = EvaluatorNode;

using Context = EvaluatorContext;

Status Run(Node* node, const Context& context, const Value** result);

Status RunTest(Node* node, const Context& context, const Value** result) {
  RETURN_IF_ERROR(Run(node, context, result));
  ValueType type = (*result)->type();
  if (type == ValueType::kBool || type == ValueType::kNull) return OkStatus();
  return AtPlace(
      ProgramError("TYPE", fmt::format("a test must be TRUE or FALSE, not {}", TypeName(type))),
      node->place);
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
      node->SetBool(deciding);
      return OkStatus();
    }
  }
  if (null_seen) {
    node->scratch.AssignNull();
  } else {
    node->SetBool(!deciding);
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

// Returns the first slot below a call. An error message names the cell from which the slot came.
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
    } else if (arg.kind != Expression::kLiteral) {
      RETURN_IF_ERROR(Run(&arg, context, &node->arguments[i]));
    }
    const Value& argument = *node->arguments[i];
    null_seen = null_seen || argument.is_null();
    // The work is charged to the budget before the call, which may take long without checking the
    // budget itself.
    work += argument.bytes().size() + argument.item_count() * StopBudget::kStep;
  }
  if (null_seen && node->scalar.null_if_any_null) {
    node->scratch.AssignNull();
    return OkStatus();
  }
  RETURN_IF_ERROR(context.budget->Spend(work));
  Status status = node->scalar.run(&node->site, node->arguments, &node->scratch);
  // Errors without a code word, such as a cancellation, are not caused by a value.
  if (status.ok()) [[likely]]
    return status;
  const std::string code = ProgramErrorCode(status);
  if (code.empty()) return status;
  // A wrong type is a mistake in the statement, which SAFE must not hide.
  if (node->null_if_fails && code != "TYPE") {
    node->scratch = Value::Null();
    return OkStatus();
  }
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
    case Function::kIsDistinct:
      return RunComparison(node, context);
    case Function::kLeast:
    case Function::kGreatest:
      return RunExtreme(node, context, result);
    case Function::kSafe:
      return Run(&node->args[0], context, result);
    case Function::kArrayFilter:
    case Function::kArrayTransform:
      return RunLambda(node, context);
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
    case Expression::kVariable:
      *result = (*context.variables)[node->slot];
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
         function == Function::kRegexReplace || function == Function::kRegexExtractAll ||
         function == Function::kRegexSubstr || function == Function::kRegexInstr;
}

// Checks the third argument, a rewrite or a group number, of a call whose regex is a literal, so
// that a wrong argument fails before the first row is read.
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

// The position in the tree at which Build creates a node, and what Build needs there.
struct BuildPlace {
  StopBudget* budget;
  uint32_t* variables_max;  // largest value of `variables` at any node built so far
  size_t depth = 0;
  uint32_t variables = 0;  // number of variables of the lambdas around the node
};

Status Build(const Expression& expression, Node* node, const BuildPlace& place);

bool RunsItself(Function function) {
  using enum Function;
  static constexpr std::array kLazy = {
      kAnd,   kOr,          kCase,           kIf,           kIn,
      kEqual, kNotEqual,    kLess,           kLessEqual,    kGreater,
      kLeast, kGreatest,    kCoalesce,       kGreaterEqual, kNullIf,
      kSafe,  kArrayFilter, kArrayTransform, kIsDistinct};
  for (Function lazy : kLazy) {
    if (lazy == function) return true;
  }
  return false;
}

// Marks the call inside SAFE, so that it returns NULL if it fails. Several calls may
// stand for the one written call. They all have its place, so all calls with this place are marked.
void MarkSafe(Node* node, TextPlace place) {
  if (node->kind != Expression::kCall || node->place.begin != place.begin ||
      node->place.end != place.end) {
    return;
  }
  node->null_if_fails = true;
  for (Node& arg : node->args) MarkSafe(&arg, place);
}

Status BuildArguments(const Expression& call, Node* node, const BuildPlace& place) {
  node->args.resize(call.args.size());
  node->arguments.resize(call.args.size());
  const bool is_lambda =
      call.function == Function::kArrayFilter || call.function == Function::kArrayTransform;
  if (is_lambda) node->slot = place.variables;
  for (size_t i = 0; i < call.args.size(); ++i) {
    BuildPlace below = place;
    ++below.depth;
    if (is_lambda && i == 1) below.variables += 2;
    *below.variables_max = std::max(*below.variables_max, below.variables);
    RETURN_IF_ERROR(Build(call.args[i], &node->args[i], below));
    node->arguments[i] = &node->args[i].scratch;
  }
  if (call.function == Function::kSafe) MarkSafe(&node->args[0], node->args[0].place);
  return OkStatus();
}

Status Build(const Expression& expression, Node* node, const BuildPlace& place) {
  StopBudget* budget = place.budget;
  RETURN_IF_ERROR(budget->Spend());
  // Bounds the depth of this recursion and of the recursion in Run.
  if (place.depth > limits::kExpressionDepthMax) {
    return ProgramError("TOO_DEEP", fmt::format("expression nested deeper than {} levels",
                                                limits::kExpressionDepthMax));
  }
  node->kind = expression.kind;
  node->slot = expression.slot;
  node->place = expression.place;
  if (expression.kind == Expression::kLiteral) node->scratch = expression.literal;
  // The variable is checked, because the expression may come from another process.
  if (expression.kind == Expression::kVariable && expression.slot >= place.variables) {
    return Internal(
        fmt::format("variable {} is unknown; this is a bug in sippar", expression.slot));
  }
  if (expression.kind != Expression::kCall) return OkStatus();
  node->site.function = expression.function;
  node->site.budget = budget;
  node->site.cast_type = expression.cast_type;
  node->scalar = FindScalar(expression.function);
  // The function is checked when the tree is built, so that a scan does not fail half-way.
  if (node->scalar.run == nullptr && !RunsItself(expression.function)) {
    return Internal(fmt::format("function number {} is not implemented; this is a bug in sippar",
                                static_cast<int>(expression.function)));
  }
  RETURN_IF_ERROR(BuildArguments(expression, node, place));
  if (IsRegexCall(expression.function) && expression.args[1].IsLiteral() &&
      expression.args[1].literal.is_string()) {
    bool case_insensitive = expression.function == Function::kRegexFound &&
                            expression.args.size() == 3 && expression.args[2].IsLiteral() &&
                            expression.args[2].literal.bytes() == "i";
    const Value& regex = expression.args[1].literal;
    // Most texts will be matched in this unit; the regex for the other unit is compiled when a text
    // needs it.
    RETURN_IF_ERROR(AtPlace(
        PrepareRegex(&node->site, regex.bytes(), case_insensitive, RegexUnitOf(regex, regex)),
        expression.place));
    return AtPlace(CheckRegexArgument(expression, node), expression.place);
  }
  return OkStatus();
}

}  // namespace

Status RunNode(EvaluatorNode* node, const EvaluatorContext& context, const Value** result) {
  return Run(node, context, result);
}

Status RunTestNode(EvaluatorNode* node, const EvaluatorContext& context, const Value** result) {
  return RunTest(node, context, result);
}

Evaluator::Evaluator(const StopSignal* stop) : budget_(stop), root_(new EvaluatorNode) {}
Evaluator::~Evaluator() = default;

StatusOr<std::unique_ptr<Evaluator>> Evaluator::Prepare(const Expression& expression,
                                                        const StopSignal* stop) {
  std::unique_ptr<Evaluator> evaluator(new Evaluator(stop));
  uint32_t variables = 0;
  RETURN_IF_ERROR(Build(expression, evaluator->root_.get(), {&evaluator->budget_, &variables}));
  evaluator->variables_.resize(variables);
  return evaluator;
}

Status Evaluator::Evaluate(const Row& slots, const SlotPlaces* places, const Value** result) {
  return Run(root_.get(), {&slots, places, &budget_, &variables_}, result);
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
