// Options of tables, families and locality groups: from the syntax tree into the schema, and back
// to text. Errors are BAD_OPTION, UNKNOWN_OPTION and, for a TYPE, UNSUPPORTED.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/model/schema.h"
#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

// Sets the options VERSIONS, TTL, GC, COUNTER and TYPE of a family.
[[nodiscard]] Status ApplyFamilyOptions(const syntax::FamilyDef& def, engine::FamilySchema* family);
// Sets the options IN_MEMORY, BLOCK_SIZE, COMPRESSION, BLOOM and DICTIONARY of a locality group.
// Adds a notice for an option that is accepted without effect.
[[nodiscard]] Status ApplyGroupOptions(const syntax::GroupDef& def,
                                       engine::LocalityGroupSchema* group,
                                       std::vector<std::string>* notices);
// Sets the options SPLIT_SIZE, GRANULARITY, DELETION_PROTECTION and CHANGE_STREAM of a table.
[[nodiscard]] Status ApplyTableOptions(const std::vector<syntax::Option>& options,
                                       engine::TableSchema* schema);

// The types of families as SHOW names them, in the order of engine::FamilyType: BYTES, COUNTER …
std::vector<std::string> FamilyTypeNames();
std::string PrintSize(uint64_t bytes);  // in the largest unit without a fraction: 64KiB
std::string PrintCompression(const engine::LocalityGroupSchema& group);
std::string PrintBloom(engine::BloomKind kind);
// The CREATE TABLE statement that creates the same table, with its split keys.
std::string PrintCreateTable(const engine::TableSchema& schema,
                             const std::vector<std::string>& split_keys);

}  // namespace sippar::query
