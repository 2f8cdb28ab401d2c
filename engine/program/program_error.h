// Errors of running programs. Each has a stable code word (DECODE, OVERFLOW, TYPE …) as a payload
// of its Status, so that query/ can show it in the language's form.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/program/expression.h"

namespace sippar::engine {

// `hint` says what the user can do; it is a payload separate from the message.
[[nodiscard]] Status ProgramError(std::string_view code, const std::string& message,
                                  std::string_view hint = {},
                                  StatusCode status_code = StatusCode::kInvalidArgument);
// The code word of `status`; "" if it has none.
std::string ProgramErrorCode(const Status& status);
std::string ProgramErrorHint(const Status& status);
// Returns `status` with `place` added, the place of the expression that failed. Changes nothing if
// `status` already has the place of an inner expression, or if place.IsNone().
[[nodiscard]] Status AtPlace(const Status& status, TextPlace place);
TextPlace ProgramErrorPlace(const Status& status);
// Appends `where`, such as "in row r, column f:q", to the message and keeps code word, hint and
// place.
[[nodiscard]] Status AddPlace(const Status& status, std::string_view where);

}  // namespace sippar::engine
