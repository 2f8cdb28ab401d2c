// Recognizes concepts of SQL that do not exist here (joins, views, indexes …) in a statement that
// failed to parse. The error then names the concept and the way to do it here. Private to
// query/parse, because it shows ANTLR's types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "query/parse/lexed_text.h"
#include "query/session/query_error.h"

namespace sippar::query {

// `failing` is the index of the first token that no statement can have at its place. nullopt if no
// concept is near it.
std::optional<QueryError> FindSqlConcept(const LexedText& text,
                                         const std::vector<const antlr4::Token*>& tokens,
                                         size_t failing);

}  // namespace sippar::query
