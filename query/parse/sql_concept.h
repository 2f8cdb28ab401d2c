// What people bring from SQL and does not exist here: named by its concept, with the way here.
// Private to query/parse: it shows ANTLR types. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "query/parse/lexed_text.h"
#include "query/session/query_error.h"

namespace sippar::query {

// `failing`: the first token that no statement can have there. nullopt: no such concept near it.
std::optional<QueryError> FindSqlConcept(const LexedText& text,
                                         const std::vector<const antlr4::Token*>& tokens,
                                         size_t failing);

}  // namespace sippar::query
