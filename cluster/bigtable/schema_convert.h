// Converts tables, column families and GC rules of the Cloud Bigtable API to engine schemas and
// back. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/bigtable/data_convert.h"
#include "cluster/bigtable/resource_names.h"
#include "cluster/proto/table.pb.h"
#include "cluster/proto/table_admin.pb.h"
#include "engine/base/status.h"
#include "engine/model/schema.h"

namespace sippar::cluster {

[[nodiscard]] StatusOr<engine::TableSchema> SchemaFromProto(
    const TableName& name, const google::bigtable::admin::v2::Table& proto);
[[nodiscard]] StatusOr<engine::GcPolicy> GcFromProto(
    const google::bigtable::admin::v2::GcRule& proto);
// Sets the change stream of `schema` from the table's change_stream_config. If the table has no
// such config, removes the change stream from `schema`.
[[nodiscard]] Status ChangeStreamFromProto(const google::bigtable::admin::v2::Table& proto,
                                           engine::TableSchema* schema);
// Sets the fields of `out` that a request with this `view` asks for, except the states of clusters.
// VIEW_UNSPECIFIED means SCHEMA_VIEW.
void TableToProto(const TableName& name, const engine::TableSchema& schema,
                  google::bigtable::admin::v2::Table::View view,
                  google::bigtable::admin::v2::Table* out);

using Modifications = google::protobuf::RepeatedPtrField<
    google::bigtable::admin::v2::ModifyColumnFamiliesRequest::Modification>;
// Makes all changes in order, or none of them. kNotFound and kAlreadyExists name the family.
[[nodiscard]] Status ModifyFamilies(const Modifications& modifications,
                                    engine::TableSchema* schema);

TableRules RulesOf(std::shared_ptr<const engine::TableSchema> schema);

}  // namespace sippar::cluster
