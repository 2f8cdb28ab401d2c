// Errors of running programs with a stable code word (DECODE, OVERFLOW, TYPE …) as a payload, so
// that query/ can show them in the language's form. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/program/expression.h"

namespace sippar::engine {

// `hint`: what the user may do; kept beside the message.
[[nodiscard]] Status ProgramError(std::string_view code, const std::string& message,
                                  std::string_view hint = {},
                                  StatusCode status_code = StatusCode::kInvalidArgument);
// The code word of `status`; "" when it has none.
std::string ProgramErrorCode(const Status& status);
std::string ProgramErrorHint(const Status& status);
// `status` with the place of the expression that failed, unless it has one or `place` is none.
[[nodiscard]] Status AtPlace(const Status& status, TextPlace place);
TextPlace ProgramErrorPlace(const Status& status);
// Annotate() that keeps code word, hint and place: ", where" goes behind the message.
[[nodiscard]] Status AddPlace(const Status& status, std::string_view where);

}  // namespace sippar::engine
