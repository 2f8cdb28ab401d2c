// Functions that GoogleSQL has by another name, or in another form: calls of them as calls of ours.
// Pure. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "query/syntax/expr.h"

namespace sippar::query {

// None: no function of GoogleSQL that we call otherwise. ARITY: one, but not so many arguments.
[[nodiscard]] StatusOr<std::optional<syntax::Expr>> CallAsOurs(const syntax::Expr& call);

// In order of name, for hints.
std::vector<std::string_view> GoogleCallNames();

}  // namespace sippar::query
