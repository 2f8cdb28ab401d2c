// Compiles expressions of the syntax tree into expressions of an engine::Program: resolves names,
// functions and parameters, folds constants and checks types. Errors: UNKNOWN_NAME,
// UNKNOWN_FUNCTION, UNKNOWN_PARAM, ARITY, TYPE, BAD_REGEX, UNSUPPORTED and others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "query/analyze/callable_names.h"
#include "query/analyze/scope.h"
#include "query/session/session.h"
#include "query/syntax/expr.h"

namespace sippar::query {

using Aliases = std::map<std::string, const syntax::Expr*>;
// The compiler calls the hook first for every node. If it returns nullopt, the compiler compiles
// the node itself.
using CompileHook = std::function<StatusOr<std::optional<Expression>>(const syntax::Expr&)>;

class ExpressionCompiler {
 public:
  ExpressionCompiler(const StatementContext& context, Scope* scope)
      : context_(context), scope_(scope) {}
  void SetAliases(const Aliases* aliases) { aliases_ = aliases; }
  void SetHook(CompileHook hook) { hook_ = std::move(hook); }

  [[nodiscard]] StatusOr<Expression> Compile(const syntax::Expr& expr);
  // Compiles a condition; TYPE if it can be neither TRUE nor FALSE.
  [[nodiscard]] StatusOr<Expression> CompileTest(const syntax::Expr& expr);

 private:
  // Limit of nodes in operands that are compiled more than once.
  static constexpr size_t kRepeatedMax = 100'000;

  Expression Folded(engine::Function function, std::vector<Expression> args) const;
  Expression Folded(engine::Function function, Expression arg) const;
  Expression Folded(engine::Function function, Expression a, Expression b) const;
  Expression NegatedIf(bool negated, Expression test) const;
  // Adds `nodes` to the nodes of repeated operands; TOO_LARGE if these are more than kRepeatedMax.
  Status CountRepeated(size_t nodes, const syntax::Expr& expr);
  // Compiles `expr` and counts its nodes towards kRepeatedMax. Used for an operand that was
  // compiled before, and for a rewritten call, in which an argument may occur twice.
  StatusOr<Expression> CompileCounted(const syntax::Expr& expr);
  StatusOr<Expression> CompileUnplaced(const syntax::Expr& expr);
  StatusOr<std::vector<Expression>> CompileAll(const std::vector<syntax::Expr>& exprs,
                                               size_t from = 0);
  StatusOr<Expression> Name(const syntax::Expr& expr);
  StatusOr<Expression> Call(const syntax::Expr& expr);
  std::optional<uint32_t> FindVariable(const std::string& name) const;
  StatusOr<Expression> LambdaBody(const syntax::Expr& lambda, const Expression& array,
                                  bool is_test);
  StatusOr<std::optional<Expression>> CallWithLambda(const syntax::Expr& call,
                                                     const CallInfo& info);
  static bool IsMonths(const syntax::Expr& sum);
  StatusOr<Expression> AddMonths(const syntax::Expr& sum);
  StatusOr<Expression> Random();
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
  // The variables of the enclosing lambdas; "": a variable without a name.
  std::vector<std::string> variables_;
  uint64_t randoms_ = 0;  // calls of RAND so far
  size_t repeating_ = 0;  // number of calls of CompileCounted that have not returned yet
  size_t repeated_ = 0;
};

// The value of an expression of literals, parameters and NOW(). NOT_CONSTANT if it names a column
// family:qualifier.
[[nodiscard]] StatusOr<Value> CompileConstant(const StatementContext& context,
                                              const syntax::Expr& expr);
// The value of a constant INT64 that is at least `min`, else RANGE. `what` names it in the error,
// for example "LIMIT".
[[nodiscard]] StatusOr<uint64_t> CompileCount(const StatementContext& context,
                                              const syntax::Expr& expr, std::string_view what,
                                              int64_t min = 0);
// The value of a constant time (INT64, TIMESTAMP or DATE, or a parameter with the text of one) in
// microseconds since 1970.
[[nodiscard]] StatusOr<int64_t> CompileTime(const StatementContext& context,
                                            const syntax::Expr& expr);
// Returns RANGE for a time before 1970, because no cell can be written at such a time.
[[nodiscard]] Status CheckCellTime(int64_t time_us, const Span& span);
// The value of a constant row key: TEXT or BYTES. BAD_ROW_KEY if the engine would refuse it.
[[nodiscard]] StatusOr<std::string> CompileRowKey(const StatementContext& context,
                                                  const syntax::Expr& expr);

// The type that `name` stands for in a cast: INT64, INT, STRING …
std::optional<ValueType> FindType(std::string_view name);
// The aggregate that `call` computes; nullopt if it is not a call of an aggregate.
std::optional<engine::AggregateDef::Kind> FindAggregate(const syntax::Expr& call);
bool ContainsAggregate(const syntax::Expr& expr);
bool SameWord(std::string_view a, std::string_view b);  // comparison that ignores ASCII case

// Turns errors of a running program (DECODE, OVERFLOW, TYPE …) into QueryErrors; other errors pass
// unchanged. The QueryError gets the place of the failing expression in the text, as byte offsets,
// to which LineIn (query_error.h) adds line and column. If the error has no place, it gets `span`.
[[nodiscard]] Status WithQueryCode(const Status& status, const Span& span = {});

// Replaces a call whose arguments are all literals by its value. A call that fails, or that `stop`
// (may be null) ends early, stays as it is, and so do RAND and NAMED_STRUCT.
Expression Fold(Expression expression, const engine::StopSignal* stop);

}  // namespace sippar::query
