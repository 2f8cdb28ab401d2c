// A table's row_key_schema: what its keys are made of, which clients keep beside the table. Checked
// and kept as it came, in an option of the engine's schema. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/proto/table.pb.h"
#include "engine/base/status.h"
#include "engine/model/schema.h"

namespace sippar::cluster {

// Of a new table. kInvalidArgument names the field.
[[nodiscard]] Status SetRowKeySchema(const google::bigtable::admin::v2::Table& proto,
                                     engine::TableSchema* schema);
// A table that has one keeps it, but for `ignore_warnings`, which lets it go.
[[nodiscard]] Status ChangeRowKeySchema(const google::bigtable::admin::v2::Table& proto,
                                        bool ignore_warnings, engine::TableSchema* schema);
// No family has the name of a field of the key.
[[nodiscard]] Status CheckRowKeySchema(const engine::TableSchema& schema);
void RowKeySchemaToProto(const engine::TableSchema& schema,
                         google::bigtable::admin::v2::Table* out);

}  // namespace sippar::cluster
