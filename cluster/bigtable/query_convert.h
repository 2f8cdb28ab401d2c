// Types and values of queries <-> the API's. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cluster/api/query_api.h"
#include "cluster/proto/data.pb.h"
#include "engine/base/status.h"

namespace sippar::cluster {

// Of a parameter; kInvalidArgument: one that no parameter has.
[[nodiscard]] StatusOr<engine::DataType> TypeFromProto(const google::bigtable::v2::Type& proto);
[[nodiscard]] StatusOr<engine::Value> ValueFromProto(const google::bigtable::v2::Value& proto);

void ColumnsToProto(const std::vector<QueryColumn>& columns,
                    google::bigtable::v2::ResultSetMetadata* out);
// As the type says: a counter in a column of BYTES becomes its 8 bytes. kInvalidArgument: the value
// cannot be of that type.
[[nodiscard]] Status ValueToProto(const engine::Value& value, const engine::DataType& type,
                                  google::bigtable::v2::Value* out);

}  // namespace sippar::cluster
