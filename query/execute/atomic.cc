// ATOMIC ON t ROW k { … }: a single-row transaction (Bigtable paper, section 3). The block becomes
// one row update, which the tablet runs under the row's lock, statement by statement; each
// statement sees what the statements before it wrote. The test of an IF is computed once, where the
// IF is written, and its value guards the statements inside. RETURN reads the row after the last
// statement. SPDX-License-Identifier: Apache-2.0
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

// The condition under which a statement runs: all tests of the IFs around it. None: always.
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

  Status Block(const std::vector<RowStatement>& block, const Guard& guard, bool top) {
    for (const RowStatement& statement : block) {
      if (returned_) {
        return ErrorAt("UNREACHABLE", statement.span, "RETURN must be the last statement");
      }
      RETURN_IF_ERROR(One(statement, guard, top));
    }
    return OkStatus();
  }

 private:
  Status One(const RowStatement& statement, const Guard& guard, bool top) {
    builder_->NextStatement();
    switch (statement.kind) {
      case RowStatement::kIf:
        return If(statement, guard);
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
    if (!top) {
      return ErrorAt("UNSUPPORTED", statement.span, "RETURN inside IF is not supported", {},
                     StatusCode::kUnimplemented);
    }
    returned_ = true;
    return builder_->AddReturning(statement.items);
  }

  Status If(const RowStatement& statement, const Guard& guard) {
    ExpressionCompiler compiler(context_, builder_->scope());
    ASSIGN_OR_RETURN(Expression test, compiler.CompileTest(statement.expr));
    // The value is kept in a nameless LET: a statement of the block may change what the test reads,
    // and the statements after it must still see the first answer.
    Expression held = builder_->AddLet("", std::move(test), guard);
    Guard otherwise = Both(guard, Otherwise(held));
    RETURN_IF_ERROR(Block(statement.then_block, Both(guard, std::move(held)), false));
    if (statement.has_else) RETURN_IF_ERROR(Block(statement.else_block, otherwise, false));
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
  bool returned_ = false;
};

}  // namespace

Status PlanAtomic(const StatementContext& context, const syntax::Atomic& atomic,
                  UpdateBuilder* builder) {
  return BlockCompiler(context, builder).Block(atomic.block, {}, true);
}

Status ExecuteAtomic(const StatementContext& context, const syntax::Atomic& atomic) {
  ASSIGN_OR_RETURN(std::shared_ptr<const engine::TableSchema> schema,
                   FindSchema(context, atomic.table));
  ASSIGN_OR_RETURN(std::string row, CompileRowKey(context, atomic.row));
  UpdateBuilder builder(context, *schema);
  RETURN_IF_ERROR(PlanAtomic(context, atomic, &builder));
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
  bool goes_on = true;
  GiveRows(context, {std::move(result.returning)}, &goes_on);
  return OkStatus();
}

}  // namespace sippar::query
