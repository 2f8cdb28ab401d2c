// The table that a statement names, for people who look at a list of statements. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "query/syntax/ast.h"

namespace sippar::query::syntax {

// The first table; "": none, or the statement is an EXPLAIN. The view points into the tree.
std::string_view NamedTable(const Select& select);
std::string_view NamedTable(const Statement& statement);

}  // namespace sippar::query::syntax
