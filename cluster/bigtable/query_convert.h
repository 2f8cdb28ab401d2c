// Converts types and values of queries to those of the Cloud Bigtable API and back. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cluster/api/query_api.h"
#include "cluster/proto/data.pb.h"
#include "engine/base/status.h"

namespace sippar::cluster {

// Convert the type and the value of a parameter. kInvalidArgument: no parameter may have this type,
// or the type cannot hold this value.
[[nodiscard]] StatusOr<engine::DataType> TypeFromProto(const google::bigtable::v2::Type& proto);
[[nodiscard]] StatusOr<engine::Value> ValueFromProto(const google::bigtable::v2::Value& proto);

void ColumnsToProto(const std::vector<QueryColumn>& columns,
                    google::bigtable::v2::ResultSetMetadata* out);
// Converts a value to the type of its column: for example, a counter in a BYTES column becomes its
// 8 bytes. kInvalidArgument: the value cannot be shown as this type.
[[nodiscard]] Status ValueToProto(const engine::Value& value, const engine::DataType& type,
                                  google::bigtable::v2::Value* out);

}  // namespace sippar::cluster
