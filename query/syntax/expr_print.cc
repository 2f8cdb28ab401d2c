// Prints expressions, with brackets only where the layers of the grammar need them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "engine/program/value.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {

using syntax::Expr;
using syntax::ExprKind;
using syntax::Literal;

namespace {

// The layers of the grammar; a higher layer binds tighter.
enum Layer : int { kOr, kAnd, kNot, kTest, kSum, kTerm, kUnary, kPostfix, kPrimary };

struct OpText {
  std::string_view text;
  Layer layer;
};
// Indexed by BinaryOp.
constexpr std::array<OpText, 21> kOps = {{{"=", kTest},
                                          {"!=", kTest},
                                          {"<", kTest},
                                          {"<=", kTest},
                                          {">", kTest},
                                          {">=", kTest},
                                          {"~", kTest},
                                          {"!~", kTest},
                                          {"LIKE", kTest},
                                          {"NOT LIKE", kTest},
                                          {"ILIKE", kTest},
                                          {"NOT ILIKE", kTest},
                                          {"STARTS WITH", kTest},
                                          {"IS DISTINCT FROM", kTest},
                                          {"IS NOT DISTINCT FROM", kTest},
                                          {"+", kSum},
                                          {"-", kSum},
                                          {"||", kSum},
                                          {"*", kTerm},
                                          {"/", kTerm},
                                          {"%", kTerm}}};

// True for a literal that prints with a minus, such as -5. It needs brackets like any other negated
// value: the parser would read -5[1] as the negative of 5[1], so (-5)[1] must keep its brackets.
bool IsNegativeNumber(const Literal& literal) {
  bool number = literal.type == Literal::kInt64 || literal.type == Literal::kDuration;
  return (number && literal.integer < 0) ||
         (literal.type == Literal::kFloat64 && std::signbit(literal.real));
}

// Brackets come from the layers alone and never from how the statement was written, so equal trees
// print alike. Page tokens rely on this: a token identifies its query by a hash of the printed
// text.
Layer LayerOf(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kOr:
      return kOr;
    case ExprKind::kAnd:
      return kAnd;
    case ExprKind::kNot:
      return kNot;
    case ExprKind::kRegexTest:
    case ExprKind::kBetween:
    case ExprKind::kIn:
    case ExprKind::kIsNull:
      return kTest;
    case ExprKind::kBinary:
      return kOps[static_cast<size_t>(expr.op)].layer;
    case ExprKind::kNegate:
      return kUnary;
    case ExprKind::kIndex:
      return kPostfix;
    case ExprKind::kLiteral:
      return IsNegativeNumber(expr.literal) ? kUnary : kPrimary;
    default:
      return kPrimary;
  }
}

// Prints `expr`, in brackets if it binds less tightly than `least`.
std::string At(const Expr& expr, Layer least) {
  std::string text = Print(expr);
  return LayerOf(expr) < least ? "(" + text + ")" : text;
}

std::string List(const std::vector<Expr>& exprs, size_t first = 0) {
  std::string out;
  for (size_t i = first; i < exprs.size(); ++i) {
    if (i > first) out += ", ";
    out += Print(exprs[i]);
  }
  return out;
}

std::string Joined(const std::vector<Expr>& exprs, std::string_view word, Layer least) {
  std::string out;
  for (size_t i = 0; i < exprs.size(); ++i) {
    if (i > 0) out += fmt::format(" {} ", word);
    out += At(exprs[i], least);
  }
  return out;
}

std::string PrintBinary(const Expr& expr) {
  const OpText& op = kOps[static_cast<size_t>(expr.op)];
  const Expr& left = expr.children[0];
  const Expr& right = expr.children[1];
  // The parser groups sums and terms to the left, so an operand of the same layer needs brackets
  // only on the right. A test needs them on both sides: `a < b < c` would be read as a chain.
  auto next = static_cast<Layer>(op.layer + 1);
  return fmt::format("{} {} {}", At(left, op.layer == kTest ? kSum : op.layer), op.text,
                     At(right, next));
}

std::string PrintCase(const Expr& expr) {
  std::string out = "CASE";
  size_t i = 0;
  if (expr.has_operand) out += " " + Print(expr.children[i++]);
  size_t end = expr.children.size() - (expr.has_else ? 1 : 0);
  for (; i + 1 < end; i += 2) {
    out += fmt::format(" WHEN {} THEN {}", Print(expr.children[i]), Print(expr.children[i + 1]));
  }
  if (expr.has_else) out += " ELSE " + Print(expr.children.back());
  return out + " END";
}

std::string PrintLambda(const Expr& expr) {
  std::vector<Expr> names(expr.children.begin(), expr.children.end() - 1);
  return fmt::format("({}) -> {}", List(names), Print(expr.children.back()));
}

std::string PrintSize(int64_t bytes) {
  // Only units of 1024: 1000 bytes print as 1000B and not as 1KB. Both parse to the same tree, so a
  // second list of units is not needed.
  constexpr std::array<std::string_view, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  while (unit + 1 < kUnits.size() && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{}{}", bytes, kUnits[unit]);
}

std::string PrintReal(double value) {
  std::string text = engine::PrintFloat(value);
  // Without ".0" a whole number would be read back as an INT64.
  bool plain = text.find_first_of(".eE") == std::string::npos;
  return plain ? text + ".0" : text;
}

std::string PrintTime(const Literal& literal) {
  std::string text = engine::PrintTimestamp(literal.integer);
  // A time that was written without a zone prints without one: the session that runs the statement
  // adds its own zone when it compiles the statement.
  if (literal.zone_missing) text.pop_back();  // drops the Z
  return fmt::format("TIMESTAMP '{}'", text);
}

// The name of a called function. IF is the only hard keyword that may be called without backquotes.
std::string FunctionName(const std::string& name) {
  bool is_if =
      name.size() == 2 && (name[0] == 'I' || name[0] == 'i') && (name[1] == 'F' || name[1] == 'f');
  return is_if ? name : QuoteName(name);
}

}  // namespace

std::string Print(const Literal& literal) {
  switch (literal.type) {
    case Literal::kNull:
      return "NULL";
    case Literal::kBool:
      return literal.integer != 0 ? "TRUE" : "FALSE";
    case Literal::kInt64:
      return fmt::format("{}", literal.integer);
    case Literal::kFloat64:
      return PrintReal(literal.real);
    case Literal::kText:
      return QuoteText(literal.text);
    case Literal::kBytes:
      return QuoteBytes(literal.text);
    case Literal::kDuration:
      return engine::PrintDuration(literal.integer);
    case Literal::kSize:
      return PrintSize(literal.integer);
    case Literal::kTimestamp:
      return PrintTime(literal);
    case Literal::kDate:
      return fmt::format("DATE '{}'", engine::PrintDate(literal.integer));
  }
  return "";
}

std::string Print(const Expr& expr) {
  const auto& children = expr.children;
  std::string_view no = expr.negated ? "NOT " : "";
  switch (expr.kind) {
    case ExprKind::kLiteral:
      return Print(expr.literal);
    case ExprKind::kName:
      return QuoteName(expr.name);
    case ExprKind::kPattern:
      return Print(expr.pattern);
    case ExprKind::kParam:
      return "@" + expr.name;
    case ExprKind::kCall:
      return fmt::format("{}({}{})", FunctionName(expr.name), expr.distinct ? "DISTINCT " : "",
                         expr.star ? "*" : List(children));
    case ExprKind::kCast:
      return fmt::format("{}({} AS {}{}{})", expr.negated ? "TRY_CAST" : "CAST", Print(children[0]),
                         expr.of_items ? "ARRAY<" : "", QuoteName(expr.name),
                         expr.of_items ? ">" : "");
    case ExprKind::kCase:
      return PrintCase(expr);
    case ExprKind::kNegate:
      // Most operands get brackets: without them the parser would read "-5" as one number and "--"
      // as the start of a comment.
      return LayerOf(children[0]) == kPrimary && children[0].kind != ExprKind::kLiteral
                 ? "-" + Print(children[0])
                 : "-(" + Print(children[0]) + ")";
    case ExprKind::kNot:
      return "NOT " + At(children[0], kNot);
    case ExprKind::kAnd:
      return Joined(children, "AND", kNot);
    case ExprKind::kOr:
      return Joined(children, "OR", kAnd);
    case ExprKind::kBinary:
      return PrintBinary(expr);
    case ExprKind::kRegexTest:
      return fmt::format("{} {} {}", At(children[0], kSum), expr.negated ? "!~" : "~",
                         PrintRegex(expr.regex));
    case ExprKind::kBetween:
      // The bounds are sums in the grammar. A bound that is itself a test needs brackets, or its
      // AND would be taken for the AND of BETWEEN.
      return fmt::format("{} {}BETWEEN {} AND {}", At(children[0], kSum), no, At(children[1], kSum),
                         At(children[2], kSum));
    case ExprKind::kIn:
      return fmt::format("{} {}IN {}({})", At(children[0], kSum), no, expr.unnest ? "UNNEST" : "",
                         List(children, 1));
    case ExprKind::kIsNull:
      return fmt::format("{} IS {}NULL", At(children[0], kSum), no);
    case ExprKind::kIndex:
      return fmt::format("{}[{}]", At(children[0], kPostfix), Print(children[1]));
    case ExprKind::kArray:
      return fmt::format("[{}]", List(children));
    case ExprKind::kLambda:
      return PrintLambda(expr);
  }
  return "";
}

}  // namespace sippar::query
