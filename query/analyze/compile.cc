// SPDX-License-Identifier: Apache-2.0
#include "query/analyze/compile.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/utf8.h"
#include "engine/program/evaluate.h"
#include "query/analyze/catalog.h"
#include "query/analyze/constant_tests.h"
#include "query/analyze/googlesql_names.h"
#include "query/analyze/type_check.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

using engine::Function;
using syntax::BinaryOp;
using syntax::Expr;
using syntax::ExprKind;

Function FunctionOf(BinaryOp op) {
  switch (op) {
    case BinaryOp::kEqual:
      return Function::kEqual;
    case BinaryOp::kNotEqual:
      return Function::kNotEqual;
    case BinaryOp::kLess:
      return Function::kLess;
    case BinaryOp::kLessEqual:
      return Function::kLessEqual;
    case BinaryOp::kGreater:
      return Function::kGreater;
    case BinaryOp::kGreaterEqual:
      return Function::kGreaterEqual;
    case BinaryOp::kMatch:
    case BinaryOp::kNotMatch:
      return Function::kRegexFound;
    case BinaryOp::kLike:
    case BinaryOp::kNotLike:
    case BinaryOp::kILike:
    case BinaryOp::kNotILike:
      return Function::kLike;
    case BinaryOp::kStartsWith:
      return Function::kStartsWith;
    case BinaryOp::kDistinct:
    case BinaryOp::kNotDistinct:
      return Function::kIsDistinct;
    case BinaryOp::kAdd:
      return Function::kAdd;
    case BinaryOp::kSubtract:
      return Function::kSubtract;
    case BinaryOp::kConcat:
      return Function::kConcat;
    case BinaryOp::kMultiply:
      return Function::kMultiply;
    case BinaryOp::kDivide:
      return Function::kDivide;
    case BinaryOp::kModulo:
      break;
  }
  return Function::kModulo;
}

// The function that makes both sides of ILIKE alike. Older servers know LOWER, which is as good for
// a pattern of ASCII, but for the few other letters that fold to ASCII (ſ, the Kelvin sign).
Function FoldFor(const Expression& pattern) {
  const bool is_ascii = pattern.IsLiteral() && pattern.literal.is_string() &&
                        engine::IsAscii(pattern.literal.bytes());
  return is_ascii ? Function::kLower : Function::kFoldCase;
}

}  // namespace

Expression ExpressionCompiler::Folded(Function function, std::vector<Expression> args) const {
  return Fold(Expression::Call(function, std::move(args)), &context_.stop);
}

Expression ExpressionCompiler::Folded(Function function, Expression arg) const {
  std::vector<Expression> args;
  args.push_back(std::move(arg));
  return Folded(function, std::move(args));
}

Expression ExpressionCompiler::Folded(Function function, Expression a, Expression b) const {
  std::vector<Expression> args;
  args.push_back(std::move(a));
  args.push_back(std::move(b));
  return Folded(function, std::move(args));
}

Expression ExpressionCompiler::NegatedIf(bool negated, Expression test) const {
  return negated ? Folded(Function::kNot, std::move(test)) : test;
}

StatusOr<Expression> ExpressionCompiler::Compile(const Expr& expr) {
  RETURN_IF_ERROR(context_.CheckStop());
  if (repeating_ > 0) RETURN_IF_ERROR(CountRepeated(1, expr));
  // If the result already has a place in the text, a nested call of Compile has set the place and
  // has checked the types.
  auto compiled = CompileUnplaced(expr);
  if (!compiled.ok() || expr.span.line == 0) return compiled;
  // If the stop signal ended the folding, the result still contains a call, which CheckTypes would
  // evaluate again without checking the signal.
  RETURN_IF_ERROR(context_.CheckStop());
  if (compiled->place.IsNone()) RETURN_IF_ERROR(CheckTypes(*scope_, *compiled, expr.span));
  compiled->place = {static_cast<uint32_t>(expr.span.begin), static_cast<uint32_t>(expr.span.end)};
  return compiled;
}

// An operand that is used twice is compiled twice, so nesting doubles the work at each level: 30
// nested BETWEENs are a kilobyte of text but 2^30 nodes.
Status ExpressionCompiler::CountRepeated(size_t nodes, const Expr& expr) {
  repeated_ += nodes;
  if (repeated_ <= kRepeatedMax) return OkStatus();
  return ErrorAt(
      "TOO_LARGE", expr.span,
      fmt::format("the expression has more than {} nodes in repeated operands", kRepeatedMax),
      "BETWEEN and CASE x WHEN use x again for each test; compute x in a subselect");
}

StatusOr<Expression> ExpressionCompiler::CompileCounted(const Expr& expr) {
  ++repeating_;
  auto compiled = Compile(expr);
  --repeating_;
  return compiled;
}

StatusOr<Expression> ExpressionCompiler::CompileTest(const Expr& expr) {
  ASSIGN_OR_RETURN(Expression test, Compile(expr));
  RETURN_IF_ERROR(CheckTest(*scope_, test, expr.span));
  return test;
}

StatusOr<Expression> ExpressionCompiler::CompileUnplaced(const Expr& expr) {
  // A variable of a lambda hides every other name.
  if (expr.kind == ExprKind::kName) {
    if (auto variable = FindVariable(expr.name)) return Expression::Variable(*variable);
  }
  if (hook_) {
    ASSIGN_OR_RETURN(std::optional<Expression> hooked, hook_(expr));
    if (hooked) return *std::move(hooked);
  }
  switch (expr.kind) {
    case ExprKind::kLiteral:
      return Literal(expr);
    case ExprKind::kName:
      return Name(expr);
    case ExprKind::kPattern:
      return scope_->Pattern(expr.pattern, SlotDef::kNewest);
    case ExprKind::kParam:
      return Param(expr);
    case ExprKind::kCall:
      return Call(expr);
    case ExprKind::kCast: {
      std::optional<ValueType> type = FindType(expr.name);
      if (!type)
        return ErrorAt("UNKNOWN_NAME", expr.span, fmt::format("unknown type {}", expr.name),
                       "INT64, FLOAT64, BYTES, TEXT, BOOL, DURATION, TIMESTAMP, DATE");
      ASSIGN_OR_RETURN(Expression arg, Compile(expr.children[0]));
      Expression cast = Expression::Cast(*type, std::move(arg), expr.negated);
      if (expr.of_items) {
        cast.function = expr.negated ? Function::kTryCastItems : Function::kCastItems;
      }
      return Fold(std::move(cast), &context_.stop);
    }
    case ExprKind::kCase:
      return Case(expr);
    case ExprKind::kNegate: {
      ASSIGN_OR_RETURN(Expression arg, Compile(expr.children[0]));
      return Folded(Function::kNegate, std::move(arg));
    }
    case ExprKind::kNot: {
      ASSIGN_OR_RETURN(Expression arg, Compile(expr.children[0]));
      return Folded(Function::kNot, std::move(arg));
    }
    case ExprKind::kAnd:
    case ExprKind::kOr: {
      ASSIGN_OR_RETURN(std::vector<Expression> args, CompileAll(expr.children));
      Function function = expr.kind == ExprKind::kAnd ? Function::kAnd : Function::kOr;
      return Folded(function, std::move(args));
    }
    case ExprKind::kBinary:
      return Binary(expr);
    case ExprKind::kRegexTest:
      return RegexTest(expr);
    case ExprKind::kBetween:
      return Between(expr);
    case ExprKind::kIn:
      return In(expr);
    case ExprKind::kIsNull: {
      ASSIGN_OR_RETURN(Expression arg, Compile(expr.children[0]));
      return NegatedIf(expr.negated, Folded(Function::kIsNull, std::move(arg)));
    }
    case ExprKind::kIndex:
      return Index(expr);
    case ExprKind::kArray: {
      ASSIGN_OR_RETURN(std::vector<Expression> args, CompileAll(expr.children));
      return Folded(Function::kArray, std::move(args));
    }
    case ExprKind::kLambda:
      return ErrorAt("SYNTAX", expr.span, "a lambda (x -> …) is not allowed here",
                     "ARRAY_FILTER, ARRAY_TRANSFORM and ARRAY_INCLUDES take one");
  }
  return Internal("expression of an unknown kind; this is a bug in sippar");
}

StatusOr<std::vector<Expression>> ExpressionCompiler::CompileAll(const std::vector<Expr>& exprs,
                                                                 size_t from) {
  std::vector<Expression> result;
  for (size_t i = from; i < exprs.size(); ++i) {
    ASSIGN_OR_RETURN(Expression arg, Compile(exprs[i]));
    result.push_back(std::move(arg));
  }
  return result;
}

StatusOr<Expression> ExpressionCompiler::Name(const Expr& expr) {
  ASSIGN_OR_RETURN(std::optional<Expression> found, scope_->Name(expr.name));
  if (found) return *std::move(found);
  if (aliases_ != nullptr) {
    auto alias = aliases_->find(expr.name);
    if (alias != aliases_->end()) {
      // While an alias is compiled, aliases are off: `SELECT x AS x` would otherwise never end. The
      // alias is looked up last, because in SQL a column of the table hides an alias of the same
      // name.
      const Aliases* aliases = std::exchange(aliases_, nullptr);
      auto compiled = Compile(*alias->second);
      aliases_ = aliases;
      return compiled;
    }
  }
  // As in SQL, these two calls need no parentheses.
  if (SameWord(expr.name, "CURRENT_TIMESTAMP") || SameWord(expr.name, "CURRENT_DATE")) {
    Expr call = expr;
    call.kind = ExprKind::kCall;
    return Call(call);
  }
  std::vector<std::string> known = scope_->KnownNames();
  if (aliases_ != nullptr) {
    for (const auto& [name, alias] : *aliases_) known.push_back(name);
  }
  return UnknownName("name", expr.name, expr.span, known);
}

StatusOr<Expression> ExpressionCompiler::Binary(const Expr& expr) {
  if (IsMonths(expr)) return AddMonths(expr);
  ASSIGN_OR_RETURN(Expression left, Compile(expr.children[0]));
  auto right = Compile(expr.children[1]);
  if (!right.ok()) {
    // The lexer reads anchor:c-span as anchor:c minus span; the hint shows how to quote it.
    bool dashed = expr.op == BinaryOp::kSubtract && expr.children[0].kind == ExprKind::kPattern &&
                  expr.children[1].kind == ExprKind::kName;
    if (!dashed) return right.status();
    const syntax::PatternNode& pattern = expr.children[0].pattern;
    return ErrorAt("UNKNOWN_NAME", expr.children[1].span,
                   fmt::format("unknown name {}", expr.children[1].name),
                   fmt::format("a qualifier with - is written {}:\"{}-{}\"", pattern.family.text,
                               pattern.qualifier.text, expr.children[1].name));
  }
  bool negated = expr.op == BinaryOp::kNotMatch || expr.op == BinaryOp::kNotLike ||
                 expr.op == BinaryOp::kNotILike || expr.op == BinaryOp::kNotDistinct;
  if (expr.op == BinaryOp::kILike || expr.op == BinaryOp::kNotILike) {
    const Function fold = FoldFor(*right);
    left = Folded(fold, std::move(left));
    right = Folded(fold, *std::move(right));
  }
  const bool is_distinct = expr.op == BinaryOp::kDistinct || expr.op == BinaryOp::kNotDistinct;
  // BinaryOp lists the six comparisons first.
  if (expr.op <= BinaryOp::kGreaterEqual || is_distinct) {
    ReadLike(*scope_, *right, &left);
    ReadLike(*scope_, left, &*right);
  }
  Expression test = Folded(FunctionOf(expr.op), std::move(left), *std::move(right));
  // `WHERE 1 = 1` is written on purpose and gets no warning. A comparison that is never TRUE is
  // probably a mistake.
  bool always_true = test.IsLiteral() && test.literal.is_true();
  if (!always_true) WarnOfConstants(expr, context_);
  return NegatedIf(negated, std::move(test));
}

StatusOr<Expression> ExpressionCompiler::RegexTest(const Expr& expr) {
  RETURN_IF_ERROR(CheckRegex(expr.regex, engine::RegexUnit::kCharacter, expr.span));
  ASSIGN_OR_RETURN(Expression text, Compile(expr.children[0]));
  std::vector<Expression> args;
  args.push_back(std::move(text));
  args.push_back(Expression::Literal(Value::Text(expr.regex.text)));
  if (expr.regex.case_insensitive) args.push_back(Expression::Literal(Value::Text("i")));
  return NegatedIf(expr.negated, Folded(Function::kRegexFound, std::move(args)));
}

StatusOr<Expression> ExpressionCompiler::Case(const Expr& expr) {
  size_t first = expr.has_operand ? 1 : 0;
  size_t pairs_end = expr.children.size() - (expr.has_else ? 1 : 0);
  std::vector<Expression> args;
  for (size_t i = first; i + 1 < pairs_end; i += 2) {
    ASSIGN_OR_RETURN(Expression test, Compile(expr.children[i]));
    // CASE x WHEN y is compiled with the test `x = y`, because the engine's CASE takes only tests.
    if (expr.has_operand) {
      ASSIGN_OR_RETURN(Expression operand,
                       i == first ? Compile(expr.children[0]) : CompileCounted(expr.children[0]));
      ReadLike(*scope_, test, &operand);
      ReadLike(*scope_, operand, &test);
      test = Folded(Function::kEqual, std::move(operand), std::move(test));
    }
    ASSIGN_OR_RETURN(Expression result, Compile(expr.children[i + 1]));
    args.push_back(std::move(test));
    args.push_back(std::move(result));
  }
  if (expr.has_else) {
    ASSIGN_OR_RETURN(Expression otherwise, Compile(expr.children.back()));
    args.push_back(std::move(otherwise));
  }
  return Expression::Call(Function::kCase, std::move(args));
}

StatusOr<Expression> ExpressionCompiler::Between(const Expr& expr) {
  ASSIGN_OR_RETURN(Expression value, Compile(expr.children[0]));
  ASSIGN_OR_RETURN(Expression low, Compile(expr.children[1]));
  ASSIGN_OR_RETURN(Expression high, Compile(expr.children[2]));
  for (const Expression* bound : {&low, &high}) ReadLike(*scope_, *bound, &value);
  for (Expression* bound : {&low, &high}) ReadLike(*scope_, value, bound);
  RETURN_IF_ERROR(CountRepeated(value.CountNodes(), expr));
  Expression from = Folded(Function::kGreaterEqual, value, std::move(low));
  Expression to = Folded(Function::kLessEqual, std::move(value), std::move(high));
  return NegatedIf(expr.negated, Folded(Function::kAnd, std::move(from), std::move(to)));
}

StatusOr<Expression> ExpressionCompiler::In(const Expr& expr) {
  ASSIGN_OR_RETURN(std::vector<Expression> args, CompileAll(expr.children));
  if (expr.unnest) {
    const Expression list = std::move(args[1]);
    args.pop_back();
    const ValueType type = TypeIn(*scope_, list).kind;
    if (type != ValueType::kArray && type != ValueType::kNull) {
      return ErrorAt("TYPE", expr.children[1].span,
                     fmt::format("UNNEST takes an ARRAY, not {}", engine::TypeName(type)),
                     "IN UNNEST(@keys), IN UNNEST(['a', 'b'])");
    }
    if (!list.IsLiteral()) {
      ASSIGN_OR_RETURN(Expression test, CompileCounted(InUnnest(expr)));
      return NegatedIf(expr.negated, std::move(test));
    }
    for (const Value& item : list.literal.items()) args.push_back(Expression::Literal(item));
    // The list is empty: IN is FALSE and NOT IN is TRUE, even for NULL.
    if (args.size() == 1) return Expression::Literal(Value::Bool(expr.negated));
  }
  // The list may have thousands of items, and the type of an expression is not at hand.
  for (size_t i = 1; i < args.size() && MayReadLike(*scope_, args[0]); ++i) {
    ReadLike(*scope_, args[i], &args[0]);
  }
  for (size_t i = 1; i < args.size(); ++i) ReadLike(*scope_, args[0], &args[i]);
  return NegatedIf(expr.negated, Folded(Function::kIn, std::move(args)));
}

}  // namespace sippar::query
