// The row_key_schema of a table: the typed fields of its row keys, for clients. It is checked and
// stored unchanged in an option of the engine's schema.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/proto/table.pb.h"
#include "engine/base/status.h"
#include "engine/model/schema.h"

namespace sippar::cluster {

// Sets the key schema of a new table. The text of kInvalidArgument names the invalid field.
[[nodiscard]] Status SetRowKeySchema(const google::bigtable::admin::v2::Table& proto,
                                     engine::TableSchema* schema);
// Adds or removes the key schema of a table. An existing one cannot be changed, and is removed only
// with `ignore_warnings`.
[[nodiscard]] Status ChangeRowKeySchema(const google::bigtable::admin::v2::Table& proto,
                                        bool ignore_warnings, engine::TableSchema* schema);
// kInvalidArgument: a family has the name of a field of the key; queries could not tell them apart.
[[nodiscard]] Status CheckRowKeySchema(const engine::TableSchema& schema);
void RowKeySchemaToProto(const engine::TableSchema& schema,
                         google::bigtable::admin::v2::Table* out);

}  // namespace sippar::cluster
