// Converts rows, ranges and mutations of the Cloud Bigtable API to engine types and back. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cluster/client/table_view.h"
#include "cluster/proto/data.pb.h"
#include "engine/base/status.h"
#include "engine/model/mutation.h"
#include "engine/model/row_set.h"
#include "engine/model/schema.h"
#include "engine/program/row_operation.h"

namespace sippar::cluster {

// What the conversions need to know about a table.
struct TableRules {
  std::shared_ptr<const engine::TableSchema> schema;
  bool is_millis = false;                           // cell times must be whole milliseconds
  std::shared_ptr<const TableView> view = nullptr;  // the view of the call; null: the whole table
};

// kInvalidArgument: the key is empty or too long. An empty key gets the error text of the API.
[[nodiscard]] Status CheckRowKey(const std::string& row);

// A set without ranges and keys means the whole table. kInvalidArgument: a key is empty or too
// long, or a range starts after its end.
[[nodiscard]] StatusOr<engine::RowSet> RowSetFromProto(const google::bigtable::v2::RowSet& proto);
[[nodiscard]] StatusOr<engine::RowRange> RangeFromProto(
    const google::bigtable::v2::RowRange& proto);
[[nodiscard]] StatusOr<engine::TimeRange> TimesFromProto(
    const google::bigtable::v2::TimestampRange& proto);

using Mutations = google::protobuf::RepeatedPtrField<google::bigtable::v2::Mutation>;

// Cells that are to get the server's time get kServerTime: the tablet sets the time under the row's
// lock. Moves the values of SetCell out of `mutations`, as each may have 100 MiB. Errors of a
// mutation name it by its number. kNotFound: the table lacks a family; kPermissionDenied: the view
// does.
[[nodiscard]] StatusOr<engine::RowMutation> MutationFromProto(const std::string& row,
                                                              Mutations* mutations,
                                                              const TableRules& rules);
// Makes a request id from the idempotency token, so that a mutation that adds to cells is applied
// once per token, however often the client sends it while the tablet remembers the id. Does nothing
// without a token, or if the mutation does not read its row. kInvalidArgument: the token has less
// than 8 bytes.
[[nodiscard]] Status SetRequest(const google::bigtable::v2::Idempotency& idempotency,
                                engine::RowMutation* mutation);

using Rules = google::protobuf::RepeatedPtrField<google::bigtable::v2::ReadModifyWriteRule>;
[[nodiscard]] StatusOr<std::vector<engine::ModifyRule>> RulesFromProto(const Rules& protos,
                                                                       const TableRules& rules);
// `cells` belong to one row and are sorted by column.
void RowToProto(const std::string& row, const std::vector<engine::Cell>& cells,
                google::bigtable::v2::Row* out);

}  // namespace sippar::cluster
