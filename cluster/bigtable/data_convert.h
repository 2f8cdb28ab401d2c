// Rows, ranges and mutations of the API <-> engine types. SPDX-License-Identifier: Apache-2.0
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

// What of a table the conversions need to know.
struct TableRules {
  std::shared_ptr<const engine::TableSchema> schema;
  bool is_millis = false;                           // times of cells are whole milliseconds
  std::shared_ptr<const TableView> view = nullptr;  // the call's; null: the whole table
};

// kInvalidArgument, in the words of the API when it is empty.
[[nodiscard]] Status CheckRowKey(const std::string& row);

// No ranges and keys: the whole table. kInvalidArgument: a range that starts behind its end.
[[nodiscard]] StatusOr<engine::RowSet> RowSetFromProto(const google::bigtable::v2::RowSet& proto);
[[nodiscard]] StatusOr<engine::RowRange> RangeFromProto(
    const google::bigtable::v2::RowRange& proto);
[[nodiscard]] StatusOr<engine::TimeRange> TimesFromProto(
    const google::bigtable::v2::TimestampRange& proto);

using Mutations = google::protobuf::RepeatedPtrField<google::bigtable::v2::Mutation>;

// A cell whose time is the server's has kServerTime: its tablet gives the time, under the row's
// lock. Moves the values of cells, each of which may have 100 MiB. kInvalidArgument names the
// mutation by its number; kNotFound: a family of the table; kPermissionDenied: one of the view.
[[nodiscard]] StatusOr<engine::RowMutation> MutationFromProto(const std::string& row,
                                                              Mutations* mutations,
                                                              const TableRules& rules);
// A mutation that adds to cells is done once for each token, however often it is sent.
// kInvalidArgument: a token of less than 8 bytes; none is legal.
[[nodiscard]] Status SetRequest(const google::bigtable::v2::Idempotency& idempotency,
                                engine::RowMutation* mutation);

using Rules = google::protobuf::RepeatedPtrField<google::bigtable::v2::ReadModifyWriteRule>;
[[nodiscard]] StatusOr<std::vector<engine::ModifyRule>> RulesFromProto(const Rules& protos,
                                                                       const TableRules& rules);
// `cells` of one row, in order of columns.
void RowToProto(const std::string& row, const std::vector<engine::Cell>& cells,
                google::bigtable::v2::Row* out);

}  // namespace sippar::cluster
