// Tables and families as the analyzer sees them, with "did you mean" for names that are not there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/admin_api.h"
#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

// UNKNOWN_TABLE.
[[nodiscard]] StatusOr<cluster::TableInfo> FindTable(const StatementContext& context,
                                                     const syntax::Identifier& name);
// UNKNOWN_FAMILY.
[[nodiscard]] Status UnknownFamily(const engine::TableSchema& schema, std::string_view family,
                                   const Span& span);
// UNKNOWN_NAME, with the nearest of `known` as a hint.
[[nodiscard]] Status UnknownName(std::string_view what, std::string_view name, const Span& span,
                                 const std::vector<std::string>& known);
std::vector<std::string> CounterFamilies(const engine::TableSchema& schema);

// The pattern of a node with its parameter bound. Checks that an exact family exists and that
// regexes compile (BAD_REGEX).
[[nodiscard]] StatusOr<engine::ColumnPattern> BindPattern(const StatementContext& context,
                                                          const engine::TableSchema& schema,
                                                          const syntax::PatternNode& node);
[[nodiscard]] Status CheckRegex(const engine::NamePattern& pattern, const Span& span);

}  // namespace sippar::query
