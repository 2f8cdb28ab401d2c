// From expressions of the tree to expressions of a program: names, functions, parameters, constant
// folding. Codes: UNKNOWN_NAME, UNKNOWN_FUNCTION, UNKNOWN_PARAM, ARITY, BAD_REGEX, UNSUPPORTED …
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "query/analyze/scope.h"
#include "query/session/session.h"
#include "query/syntax/expr.h"

namespace sippar::query {

using Aliases = std::map<std::string, const syntax::Expr*>;
// Asked first at every node; nullopt leaves the node to the compiler.
using CompileHook = std::function<StatusOr<std::optional<Expression>>(const syntax::Expr&)>;

class ExpressionCompiler {
 public:
  ExpressionCompiler(const StatementContext& context, Scope* scope)
      : context_(context), scope_(scope) {}
  void SetAliases(const Aliases* aliases) { aliases_ = aliases; }
  void SetHook(CompileHook hook) { hook_ = std::move(hook); }

  [[nodiscard]] StatusOr<Expression> Compile(const syntax::Expr& expr);
  // Of something that is TRUE or not.
  [[nodiscard]] StatusOr<Expression> CompileTest(const syntax::Expr& expr);

 private:
  Expression Folded(engine::Function function, std::vector<Expression> args) const;
  Expression Folded(engine::Function function, Expression arg) const;
  Expression Folded(engine::Function function, Expression a, Expression b) const;
  Expression NegatedIf(bool negated, Expression test) const;
  StatusOr<Expression> CompileUnplaced(const syntax::Expr& expr);
  StatusOr<std::vector<Expression>> CompileAll(const std::vector<syntax::Expr>& exprs,
                                               size_t from = 0);
  StatusOr<Expression> Name(const syntax::Expr& expr);
  StatusOr<Expression> Call(const syntax::Expr& expr);
  StatusOr<Expression> ColumnCall(const syntax::Expr& expr, SlotDef::Kind kind);
  StatusOr<Expression> Binary(const syntax::Expr& expr);
  StatusOr<Expression> Case(const syntax::Expr& expr);
  StatusOr<Expression> Between(const syntax::Expr& expr);
  StatusOr<Expression> In(const syntax::Expr& expr);
  StatusOr<Expression> Index(const syntax::Expr& expr);
  StatusOr<Expression> RegexTest(const syntax::Expr& expr);
  StatusOr<Expression> Literal(const syntax::Expr& expr) const;
  StatusOr<Expression> Param(const syntax::Expr& expr) const;

  const StatementContext& context_;
  Scope* scope_;
  const Aliases* aliases_ = nullptr;
  CompileHook hook_;
};

// A constant: literals, parameters, NOW(). NOT_CONSTANT for anything else.
[[nodiscard]] StatusOr<Value> CompileConstant(const StatementContext& context,
                                              const syntax::Expr& expr);
// A constant that is an INT64 from `min`; `what` names it in the error: "LIMIT".
[[nodiscard]] StatusOr<uint64_t> CompileCount(const StatementContext& context,
                                              const syntax::Expr& expr, std::string_view what,
                                              int64_t min = 0);
// A constant time: INT64 or TIMESTAMP, in microseconds.
[[nodiscard]] StatusOr<int64_t> CompileTime(const StatementContext& context,
                                            const syntax::Expr& expr);
// RANGE for a time that no cell is written at.
[[nodiscard]] Status CheckCellTime(int64_t time_us, const Span& span);
// A constant row key: TEXT or BYTES, not empty.
[[nodiscard]] StatusOr<std::string> CompileRowKey(const StatementContext& context,
                                                  const syntax::Expr& expr);

// The type a type's name stands for: INT64, TO_INT64, STRING …
std::optional<ValueType> FindType(std::string_view name);
std::optional<engine::AggregateDef::Kind> FindAggregate(const syntax::Expr& call);
bool ContainsAggregate(const syntax::Expr& expr);
bool SameWord(std::string_view a, std::string_view b);  // case does not count

// Errors of running (DECODE, OVERFLOW, TYPE …) in the form of the language, others unchanged. They
// stand where the expression that failed was written, which LineIn of query_error.h completes;
// `span` is for those that do not know.
[[nodiscard]] Status WithQueryCode(const Status& status, const Span& span = {});

// The calls an expression cannot do without row data are gone: folded into literals. A call that
// `stop` ends early stays as it is; it may be null.
Expression Fold(Expression expression, const engine::StopSignal* stop);

}  // namespace sippar::query
