// ATOMIC ON t ROW k { … }: a single-row transaction (Bigtable paper, section 3). The block becomes
// one row update, which the tablet runs under the row's lock, statement by statement; each
// statement sees what the statements before it wrote. The test of an IF is computed once, where the
// IF is written, and its value decides whether the statements inside run. RETURN ends the block:
// the statements after it do not run if it was reached. The returned values are therefore those of
// the row after the last statement that ran.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "query/analyze/catalog.h"
#include "query/analyze/compile.h"
#include "query/execute/select.h"
#include "query/execute/transaction.h"
#include "query/execute/write.h"
#include "query/plan/update_builder.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

using engine::Expression;
using engine::Function;
using syntax::Expr;
using syntax::RowStatement;

// The condition under which a statement runs: all tests of the IFs around it. nullopt: it always
// runs.
using Guard = std::optional<Expression>;

Guard Both(const Guard& outer, Expression inner) {
  if (!outer) return inner;
  return Expression::Call(Function::kAnd, {*outer, std::move(inner)});
}

// The guard of ELSE: TRUE if `test` is FALSE or NULL. NOT test would be NULL for NULL.
Expression Otherwise(const Expression& test) {
  return Expression::Call(Function::kIf, {test, Expression::Literal(Value::Bool(false)),
                                          Expression::Literal(Value::Bool(true))});
}

class BlockCompiler {
 public:
  BlockCompiler(const StatementContext& context, UpdateBuilder* builder)
      : context_(context), builder_(builder) {}

  // `outer` is the guard of the IFs around the block.
  Status Block(const std::vector<RowStatement>& block, const Guard& outer) {
    const RowStatement* before = nullptr;
    for (const RowStatement& statement : block) {
      if (before != nullptr && before->kind == RowStatement::kReturn) {
        return ErrorAt("UNREACHABLE", statement.span,
                       "RETURN must be the last statement of its block");
      }
      builder_->NextStatement();
      RETURN_IF_ERROR(One(statement, outer));
      before = &statement;
    }
    return OkStatus();
  }

  // Tells the builder which values the block returns. If the block has several RETURNs, each column
  // is one CASE over the guards of these RETURNs.
  void Finish() {
    if (returns_.empty()) return;
    std::vector<Expression> values;
    for (size_t column = 0; column < columns_.size(); ++column) {
      values.push_back(Chosen([&](const Return& each) { return each.values[column]; }));
    }
    if (MayReturnNothing()) {
      values.push_back(
          Chosen([](const Return&) { return Expression::Literal(Value::Bool(true)); }));
    }
    builder_->SetReturning(columns_, std::move(values));
  }
  // True if the block may end without RETURN. The row that the block returns then has one more
  // value, which is TRUE if a RETURN was reached and NULL otherwise.
  bool MayReturnNothing() const { return !returns_.empty() && returns_.back().guard.has_value(); }

 private:
  struct Return {
    Guard guard;
    std::vector<Expression> values;
  };

  // Builds the expression that finds the RETURN that was reached first. The value of the expression
  // is the part of this RETURN that `part` selects.
  template <typename Part>
  Expression Chosen(const Part& part) const {
    std::vector<Expression> branches;
    for (const Return& each : returns_) {
      if (each.guard) branches.push_back(*each.guard);
      branches.push_back(part(each));
    }
    // Only the last RETURN can be without a guard; its value becomes the ELSE of the CASE.
    return branches.size() == 1 ? std::move(branches[0])
                                : Expression::Call(Function::kCase, std::move(branches));
  }

  Status One(const RowStatement& statement, const Guard& outer) {
    Guard guard = outer;
    if (returned_) guard = Both(outer, Otherwise(*returned_));
    switch (statement.kind) {
      case RowStatement::kIf:
        return If(statement, outer, guard);
      case RowStatement::kSet:
        return Set(statement, guard);
      case RowStatement::kDelete:
        return builder_->AddDeletes(statement.patterns, statement.times, guard);
      case RowStatement::kLet: {
        ASSIGN_OR_RETURN(Expression value, Compile(statement.expr));
        (void)builder_->AddLet(statement.name.text, std::move(value), guard);
        return OkStatus();
      }
      case RowStatement::kFail: {
        ASSIGN_OR_RETURN(Expression message, Compile(statement.expr));
        builder_->AddFailure(guard, std::move(message));
        return OkStatus();
      }
      case RowStatement::kReturn:
        break;
    }
    return AddReturn(statement, outer);
  }

  Status AddReturn(const RowStatement& statement, const Guard& outer) {
    std::vector<ResultColumn> columns;
    ASSIGN_OR_RETURN(std::vector<Expression> values,
                     builder_->CompileItems(statement.items, &columns));
    if (returns_.empty()) columns_ = std::move(columns);
    if (values.size() != columns_.size()) {
      return ErrorAt("ARITY", statement.span,
                     fmt::format("this RETURN has {}, the first of the block {}",
                                 Plural(values.size(), "value"), columns_.size()),
                     "each RETURN gives the same columns, NULL AS name for those that it lacks");
    }
    returns_.push_back({outer, std::move(values)});
    if (!outer) return OkStatus();
    Expression before = returned_ ? *returned_ : Expression::Literal(Value::Bool(false));
    Expression reached = Expression::Call(
        Function::kIf, {*outer, Expression::Literal(Value::Bool(true)), std::move(before)});
    returned_ = builder_->AddLet("", std::move(reached), {});
    return OkStatus();
  }

  Status If(const RowStatement& statement, const Guard& outer, const Guard& guard) {
    ExpressionCompiler compiler(context_, builder_->scope());
    ASSIGN_OR_RETURN(Expression test, compiler.CompileTest(statement.expr));
    // The value is kept in a nameless LET: a statement of the block may change what the test reads,
    // and the statements after it must still use the first value.
    Expression held = builder_->AddLet("", std::move(test), guard);
    Guard otherwise = Both(outer, Otherwise(held));
    RETURN_IF_ERROR(Block(statement.then_block, Both(outer, std::move(held))));
    if (statement.has_else) RETURN_IF_ERROR(Block(statement.else_block, otherwise));
    return OkStatus();
  }

  Status Set(const RowStatement& statement, const Guard& guard) {
    for (const syntax::Assign& assign : statement.assigns) {
      RETURN_IF_ERROR(builder_->AddAssign(assign, guard));
    }
    return OkStatus();
  }

  StatusOr<Expression> Compile(const Expr& expr) {
    ExpressionCompiler compiler(context_, builder_->scope());
    return compiler.Compile(expr);
  }

  const StatementContext& context_;
  UpdateBuilder* builder_;
  std::vector<ResultColumn> columns_;  // columns of the first RETURN
  std::vector<Return> returns_;
  std::optional<Expression> returned_;  // TRUE once a RETURN was reached; nullopt: no RETURN so far
};

}  // namespace

StatusOr<bool> PlanAtomic(const StatementContext& context, const syntax::Atomic& atomic,
                          UpdateBuilder* builder) {
  BlockCompiler block(context, builder);
  RETURN_IF_ERROR(block.Block(atomic.block, {}));
  block.Finish();
  return block.MayReturnNothing();
}

Status ExecuteAtomic(const StatementContext& context, const syntax::Atomic& atomic) {
  ASSIGN_OR_RETURN(std::shared_ptr<const engine::TableSchema> schema,
                   FindSchema(context, atomic.table));
  ASSIGN_OR_RETURN(std::string row, CompileRowKey(context, atomic.row));
  UpdateBuilder builder(context, *schema);
  ASSIGN_OR_RETURN(const bool may_return_nothing, PlanAtomic(context, atomic, &builder));
  engine::RowUpdate update = builder.Finish();
  update.row = row;
  ASSIGN_OR_RETURN(engine::RowUpdateResult result,
                   RunUpdate(context, schema->name, update, atomic.row.span));
  context.summary->tag =
      fmt::format("applied: 1 row, {} set, {} deleted", Plural(result.cells_set, "cell"),
                  Plural(result.columns_deleted, "column"));
  if (builder.returning_columns().empty()) return OkStatus();
  context.summary->kind = ResultKind::kRows;
  context.sink->Begin(builder.returning_columns());
  const bool nothing =
      result.returning.empty() || (may_return_nothing && result.returning.back().is_null());
  if (nothing) return OkStatus();
  result.returning.resize(builder.returning_columns().size());
  bool goes_on = true;
  GiveRows(context, {std::move(result.returning)}, &goes_on);
  return OkStatus();
}

}  // namespace sippar::query
