// SPDX-License-Identifier: Apache-2.0
#include "query/analyze/constant_tests.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/program/evaluate.h"
#include "engine/program/json_path.h"
#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

using engine::Function;
using syntax::BinaryOp;
using syntax::Expr;
using syntax::ExprKind;

// BinaryOp lists the six comparisons first.
bool IsComparison(BinaryOp op) { return op <= BinaryOp::kGreaterEqual; }

}  // namespace

void WarnOfConstants(const Expr& test, const StatementContext& context) {
  const Expr& left = test.children[0];
  const Expr& right = test.children[1];
  auto is_null = [](const Expr& e) {
    return e.kind == ExprKind::kLiteral && e.literal.type == syntax::Literal::kNull;
  };
  bool constants = left.kind == ExprKind::kLiteral && right.kind == ExprKind::kLiteral;
  bool with_null = is_null(left) || is_null(right);
  if (context.summary == nullptr || !IsComparison(test.op) || (!constants && !with_null)) return;
  QueryError warning;
  warning.span = test.span;
  if (with_null) {
    warning.code = "NULL_TEST";
    warning.message = "a comparison with NULL is never TRUE";
    bool negated = test.op == BinaryOp::kNotEqual;
    warning.hint = fmt::format("write IS {}NULL", negated ? "NOT " : "");
  } else {
    // The usual cause is "language" = 'en': in SQL the quotes mark a column, but here they make a
    // text.
    warning.code = "CONSTANT_TEST";
    warning.message = "this compares two constants and is TRUE for no row";
    warning.hint = "a column is written family:qualifier, without quotes around it";
  }
  std::vector<QueryError>& warnings = context.summary->warnings;
  // A test inside an alias is compiled at each use of the alias, but should be reported only once.
  bool known = std::any_of(warnings.begin(), warnings.end(), [&](const QueryError& each) {
    return each.span.begin == test.span.begin && each.span.end == test.span.end;
  });
  if (!known) warnings.push_back(std::move(warning));
}

Status CheckRegexCall(const Expr& call, Function function, const std::vector<Expression>& args) {
  // A regex that comes from a cell or a row key is known only when the row is read; an error in it
  // then fails the run.
  bool of_regex = function == Function::kRegexFound || function == Function::kRegexExtract ||
                  function == Function::kRegexReplace || function == Function::kRegexExtractAll ||
                  function == Function::kRegexSubstr || function == Function::kRegexInstr;
  if (!of_regex || !args[1].IsLiteral() || !args[1].literal.is_string()) return OkStatus();
  RETURN_IF_ERROR(CheckRegex(engine::NamePattern::Regex(args[1].literal.bytes()),
                             engine::RegexUnit::kCharacter, call.children[1].span));
  // Preparing the call checks the rewrite or the group number against the regex.
  auto prepared = engine::Evaluator::Prepare(Expression::Call(function, args));
  return WithQueryCode(prepared.status(), call.children.back().span);
}

Status CheckJsonCall(const Expr& call, Function function, const std::vector<Expression>& args) {
  const bool of_json = function == Function::kJsonValue || function == Function::kJsonQuery;
  if (!of_json || args.size() != 2 || !args[1].IsLiteral()) return OkStatus();
  if (!args[1].literal.is_string()) return OkStatus();
  return WithQueryCode(engine::ParseJsonPath(args[1].literal.bytes()).status(),
                       call.children[1].span);
}

}  // namespace sippar::query
