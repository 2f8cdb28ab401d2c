// Looks up tables and families for the analyzer. Errors for unknown names carry the nearest known
// name as a hint ("did you mean").
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/admin_api.h"
#include "engine/model/search_regex.h"
#include "engine/program/typed_families.h"
#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

// The schema of the table that a statement calls `name`, for statements on rows. UNKNOWN_TABLE if
// no such table exists. In a cluster the schema comes from the client's cache
// (cluster/client/schema_cache.h), without a call to the master.
[[nodiscard]] StatusOr<std::shared_ptr<const engine::TableSchema>> FindSchema(
    const StatementContext& context, const syntax::Identifier& name);
// Like FindSchema, but returns all that the master knows about the table; for statements on tables.
[[nodiscard]] StatusOr<cluster::TableInfo> FindTable(const StatementContext& context,
                                                     const syntax::Identifier& name);
// The error UNKNOWN_FAMILY, listing the families of `schema`.
[[nodiscard]] Status UnknownFamily(const engine::TableSchema& schema, std::string_view family,
                                   const Span& span);
// The error UNKNOWN_NAME, with the nearest of `known` as its hint. `what` names the kind of object.
[[nodiscard]] Status UnknownName(std::string_view what, std::string_view name, const Span& span,
                                 const std::vector<std::string>& known);
// The type with which expressions see the values of a family: INT64 for counters and the numeric
// aggregates, TEXT, else BYTES.
engine::ValueType ValueTypeOf(engine::FamilyType type);
engine::TypedFamilies TypedFamiliesOf(const engine::TableSchema& schema);
// The value of a cell as a row of a result has it. Bytes that are no value of the family's type, or
// whose family does not exist, are BYTES.
engine::Value CellValue(const engine::TableSchema& schema, std::string_view family,
                        std::string_view bytes);

// The pattern of `node` with its parameter replaced by the session's value. UNKNOWN_PARAM or TYPE
// if the session has no value for it, or none that is TEXT or BYTES; UNKNOWN_FAMILY if an exactly
// named family does not exist; BAD_REGEX if a regex does not compile.
[[nodiscard]] StatusOr<engine::ColumnPattern> BindPattern(const StatementContext& context,
                                                          const engine::TableSchema& schema,
                                                          const syntax::PatternNode& node);
// BAD_REGEX if `pattern` is a regex that RE2 refuses; OK for any other pattern. `unit` is what the
// regex matches: bytes of names, or characters if it tests a value that may be TEXT.
[[nodiscard]] Status CheckRegex(const engine::NamePattern& pattern, engine::RegexUnit unit,
                                const Span& span);

}  // namespace sippar::query
