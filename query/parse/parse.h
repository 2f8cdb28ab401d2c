// From text to trees: the only door to the ANTLR parser, whose headers no other file sees. Used by
// query/ (Session), by the shell and by tools. Thread safe: no state but ANTLR's shared tables.
// Errors are Status with a QueryError (query/session/query_error.h): SYNTAX, UNTERMINATED,
// ENCODING, TOO_LARGE, TOO_DEEP, BAD_LITERAL, BAD_ESCAPE, RANGE_DIRECTION, DUPLICATE_CLAUSE.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/base/stop_signal.h"
#include "query/syntax/ast.h"

namespace sippar::query {

// One statement; a last ";" is optional. What `stop` says ends the parsing. Spans count from the
// start of `text`. Empty text (blanks and comments only) is SYNTAX.
[[nodiscard]] StatusOr<syntax::Statement> ParseStatement(std::string_view text,
                                                         const engine::StopSignal* stop = nullptr);

// All statements of `text`; the first error ends it. For short scripts and tests; scripts of any
// length go through SplitStatements.
[[nodiscard]] StatusOr<std::vector<syntax::Statement>> ParseScript(
    std::string_view text, const engine::StopSignal* stop = nullptr);

// An expression alone, as it may stand in WHERE.
[[nodiscard]] StatusOr<syntax::Expr> ParseExpression(std::string_view text);

// A column pattern alone, e.g. from a command line: "anchor:*".
[[nodiscard]] StatusOr<syntax::PatternNode> ParsePattern(std::string_view text);

// Builds ANTLR's tables with a few statements, so that the first real one is not slow.
void WarmUpParser();

}  // namespace sippar::query
