// Finding a call's table. SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/request_target.h"

#include <fmt/format.h>

#include "cluster/bigtable/authorized_views.h"
#include "cluster/bigtable/find_table.h"
#include "cluster/bigtable/schema_convert.h"

namespace sippar::cluster {

StatusOr<RequestTarget> FindTarget(Client* client, const std::string& named_table,
                                   const std::string& view_name) {
  std::string table_name = named_table;
  std::string view_id;
  if (!view_name.empty()) {
    ASSIGN_OR_RETURN(TablePartName view, TablePartName::Parse(view_name, "authorizedViews"));
    table_name = view.table.ToString();
    view_id = view.id;
  }
  ASSIGN_OR_RETURN(TableName name, TableName::Parse(table_name));
  RequestTarget target{name.instance, name.stored(), {}, nullptr};
  auto schema = client->admin()->GetSchema(target.table);
  if (schema.status().code() == StatusCode::kNotFound) {
    return NotFound(fmt::format("Table not found: {}", table_name));
  }
  RETURN_IF_ERROR(schema.status());
  target.rules = RulesOf(std::move(*schema));
  if (!view_id.empty()) {
    ASSIGN_OR_RETURN(FoundTable table, FindTable(client, table_name));
    ASSIGN_OR_RETURN(TableView view, FindView(client->admin(), table.info.table_id, view_id));
    target.view = std::make_shared<const TableView>(std::move(view));
    target.rules.view = target.view;
  }
  return target;
}

}  // namespace sippar::cluster
