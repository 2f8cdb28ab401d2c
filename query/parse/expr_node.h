// Makers of expression nodes, for the builders of query/parse.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "query/syntax/expr.h"

namespace sippar::query {

syntax::Expr MakeExpr(syntax::ExprKind kind, const Span& span);
syntax::Expr MakeBinary(syntax::BinaryOp op, syntax::Expr left, syntax::Expr right);
// Makes the call name(children). Used for syntax that only has the meaning of a call, such as ~x.
syntax::Expr MakeCall(std::string_view name, const Span& span, std::vector<syntax::Expr> children);
syntax::Expr MakeText(std::string text, const Span& span);
// The span from the start of `first` to the end of `last`.
Span JoinSpans(const Span& first, const Span& last);
// The operator that a sign token (= < + …) stands for.
syntax::BinaryOp OperatorOf(size_t token_type);

}  // namespace sippar::query
