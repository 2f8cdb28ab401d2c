// The one form of every error of the query language, from the lexer to the end of the run: a code
// word, a message, the place in the text, a hint. Travels inside Status as a payload, so that the
// layers between only pass a Status on; the shell prints it with a caret. SPDX-License-Identifier:
// Apache-2.0
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
  Span span;               // line 0: no place
  std::string hint;        // "did you mean SELECT?"; may be empty
  std::vector<Span> more;  // further carets (RANGE_DIRECTION marks both tests)
};

// For analysis errors: `return ErrorAt("UNKNOWN_FAMILY", node.span, "…", "did you mean anchor?");`
[[nodiscard]] Status ErrorAt(std::string_view code, const Span& span, std::string_view message,
                             std::string_view hint = {},
                             StatusCode status_code = StatusCode::kInvalidArgument);
[[nodiscard]] Status ToStatus(const QueryError& error,
                              StatusCode status_code = StatusCode::kInvalidArgument);
// The payload of `status`. Any other failed status gives an error whose code is the status code's
// name (NOT_FOUND …) and that has no place. Requires: !status.ok().
QueryError QueryErrorOf(const Status& status);

// An error that knows its place only as offsets into `text` gets the line and the column.
[[nodiscard]] Status LineIn(std::string_view text, const Status& status);

// The form of the error output:
//   error SYNTAX: script.bt:3:15: unexpected 'WEHRE', expected a clause
//     3 | SELECT * FROM web WEHRE row = 'a'
//       |                   ^^^^^ did you mean WHERE?
// `text` is what was parsed, `script_name` may be empty; `first_line` is the script's line at which
// `text` begins. Control characters of the text are shown escaped. Ends with a newline.
std::string RenderError(std::string_view text, const QueryError& error,
                        std::string_view script_name = {}, int first_line = 1);

// The same of a warning: "warning NULL_TEST: …".
std::string RenderWarning(std::string_view text, const QueryError& warning,
                          std::string_view script_name = {}, int first_line = 1);

// The word of `words` (case does not count) nearest to `word`, "" when none is near enough.
std::string NearestWord(std::string_view word, const std::vector<std::string>& words);

}  // namespace sippar::query
