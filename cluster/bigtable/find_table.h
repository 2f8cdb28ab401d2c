// Finds the table that a request names, for administration or for a data call. kNotFound has the
// error text of the Cloud Bigtable API.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/bigtable/data_convert.h"
#include "cluster/bigtable/resource_names.h"
#include "cluster/client/client.h"
#include "cluster/client/table_view.h"

namespace sippar::cluster {

struct FoundTable {
  TableName name;
  TableInfo info;
};

// `name`: "projects/P/instances/I/tables/T".
[[nodiscard]] StatusOr<FoundTable> FindTable(Client* client, const std::string& name);

// The table of a data call with its present schema, and the part of it that the call may access.
struct RequestTarget {
  InstanceName instance;
  std::string table;  // name in the store
  TableRules rules;
  std::shared_ptr<const TableView> view;  // null: the whole table

  [[nodiscard]] Status CheckWrite(const RowMutation& mutation) const {
    return view ? view->CheckWrite(mutation, rules.schema->FamilyNames()) : OkStatus();
  }
};

// Finds the table of a data call. A request sets only one of the two names; the name of a view
// contains that of its table.
[[nodiscard]] StatusOr<RequestTarget> FindTarget(Client* client, const std::string& table_name,
                                                 const std::string& view_name);

template <typename Request>
[[nodiscard]] StatusOr<RequestTarget> TargetOf(Client* client, const Request& request) {
  return FindTarget(client, request.table_name(), request.authorized_view_name());
}

}  // namespace sippar::cluster
