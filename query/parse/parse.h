// Parses text into trees. This is the only door to the ANTLR parser, whose headers no file outside
// of query/parse sees. Used by query/ (Session), by the shell and by tools. Thread safe: the only
// shared state is ANTLR's tables. Errors are a Status with a QueryError
// (query/session/query_error.h): SYNTAX, UNTERMINATED, ENCODING, TOO_LARGE, TOO_DEEP, BAD_LITERAL,
// BAD_ESCAPE, RANGE_DIRECTION, DUPLICATE_CLAUSE, DUPLICATE, ARITY, UNKNOWN_FUNCTION, UNSUPPORTED.
// Without one: the status of `stop`, kResourceExhausted, kInternal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/base/stop_signal.h"
#include "query/syntax/ast.h"

namespace sippar::query {

// Parses one statement; a ";" at its end is optional. `stop` ends parsing early, with its status.
// Spans count from the start of `text`. A text of blanks and comments only is SYNTAX.
[[nodiscard]] StatusOr<syntax::Statement> ParseStatement(std::string_view text,
                                                         const engine::StopSignal* stop = nullptr);

// Parses all statements of `text`, up to the first error. It holds all trees at once, so the shell
// splits a script with SplitStatements and parses its statements one by one.
[[nodiscard]] StatusOr<std::vector<syntax::Statement>> ParseScript(
    std::string_view text, const engine::StopSignal* stop = nullptr);

// Parses an expression alone, as it may stand in WHERE.
[[nodiscard]] StatusOr<syntax::Expr> ParseExpression(std::string_view text);

// Parses a column pattern alone: "anchor:*".
[[nodiscard]] StatusOr<syntax::PatternNode> ParsePattern(std::string_view text);

}  // namespace sippar::query
