// Options of families and locality groups: from the tree to the schema and back to text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/model/schema.h"
#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

// VERSIONS, TTL, GC, COUNTER, TYPE.
[[nodiscard]] Status ApplyFamilyOptions(const syntax::FamilyDef& def, engine::FamilySchema* family);
// IN_MEMORY, BLOCK_SIZE, COMPRESSION, BLOOM, DICTIONARY.
[[nodiscard]] Status ApplyGroupOptions(const syntax::GroupDef& def,
                                       engine::LocalityGroupSchema* group,
                                       std::vector<std::string>* notices);
[[nodiscard]] Status ApplyTableOptions(const std::vector<syntax::Option>& options,
                                       engine::TableSchema* schema);

std::string PrintSize(uint64_t bytes);  // 64KiB
std::string PrintCompression(const engine::LocalityGroupSchema& group);
std::string PrintBloom(engine::BloomKind kind);
// CREATE TABLE text that makes the table again.
std::string PrintCreateTable(const engine::TableSchema& schema,
                             const std::vector<std::string>& split_keys);

}  // namespace sippar::query
