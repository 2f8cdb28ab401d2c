// The form of all errors of the query language, from the lexer to the end of execution: a code
// word, a message, the place in the text and a hint. A Status carries the QueryError as a payload,
// so the layers in between pass on only the Status. The shell prints the error with carets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "query/syntax/span.h"

namespace sippar::query {

struct QueryError {
  std::string code;  // SYNTAX, UNTERMINATED, UNKNOWN_FAMILY, BAD_REGEX …
  std::string message;
  Span span;               // the place; line 0: not known
  std::string hint;        // "did you mean SELECT?"; may be empty
  std::vector<Span> more;  // further places to mark with carets, as RANGE_DIRECTION does
};

// A Status that carries a QueryError, for example: return ErrorAt("UNKNOWN_FAMILY", node.span, "…",
// "did you mean anchor?");
[[nodiscard]] Status ErrorAt(std::string_view code, const Span& span, std::string_view message,
                             std::string_view hint = {},
                             StatusCode status_code = StatusCode::kInvalidArgument);
[[nodiscard]] Status ToStatus(const QueryError& error,
                              StatusCode status_code = StatusCode::kInvalidArgument);
// The QueryError that `status` carries. For any other failed status, an error without a place whose
// code is the name of the status code (NOT_FOUND …). Requires: !status.ok().
QueryError QueryErrorOf(const Status& status);

// For a change that Ctrl-C or its timeout may have interrupted: adds `hint`, which says how to find
// out whether the change was made. Other statuses pass unchanged.
[[nodiscard]] Status HintIfInterrupted(const Status& status, const std::string& hint);

// Adds line and column to an error that knows its place only as offsets into `text`. Other statuses
// pass unchanged.
[[nodiscard]] Status LineIn(std::string_view text, const Status& status);

// Prints an error:
//   error SYNTAX: script.bt:3:15: unexpected 'WEHRE', expected a clause
//     3 | SELECT * FROM web WEHRE row = 'a'
//       |                   ^^^^^ did you mean WHERE?
// `text` is what was parsed, and `first_line` the line of the script at which it begins.
// `script_name` may be empty. Control characters of the text are escaped. Ends with a newline.
std::string RenderError(std::string_view text, const QueryError& error,
                        std::string_view script_name = {}, int first_line = 1);

// Prints a warning in the same form: "warning NULL_TEST: …".
std::string RenderWarning(std::string_view text, const QueryError& warning,
                          std::string_view script_name = {}, int first_line = 1);

// The word of `words` that is nearest to `word`, case ignored; "" if none is near enough.
std::string NearestWord(std::string_view word, const std::vector<std::string>& words);

}  // namespace sippar::query
