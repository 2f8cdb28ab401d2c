// A data call asks only for the schema, which is shared and not copied (calls::GetSchema). Only a
// call through an authorized view also needs the id of the table.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/find_table.h"

#include <fmt/format.h>

#include <utility>

#include "cluster/bigtable/authorized_views.h"
#include "cluster/bigtable/schema_convert.h"

namespace sippar::cluster {
namespace {

// Replaces the text of a kNotFound error by the text of the API, which contains the table name as
// the request spells it. Returns any other status unchanged.
Status InItsWords(const Status& status, const std::string& name) {
  if (status.code() != StatusCode::kNotFound) return status;
  return NotFound(fmt::format("Table not found: {}", name));
}

}  // namespace

StatusOr<FoundTable> FindTable(Client* client, const std::string& name) {
  ASSIGN_OR_RETURN(TableName parsed, TableName::Parse(name));
  auto info = client->admin()->Do(calls::GetTable{parsed.stored()});
  RETURN_IF_ERROR(InItsWords(info.status(), name));
  return FoundTable{std::move(parsed), std::move(*info)};
}

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
  calls::GetSchema asked{name.stored()};
  auto schema = client->admin()->Do(asked);
  RequestTarget target{name.instance, std::move(asked.table), {}, nullptr};
  RETURN_IF_ERROR(InItsWords(schema.status(), table_name));
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
