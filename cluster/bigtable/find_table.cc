// Finding tables. SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/find_table.h"

#include <fmt/format.h>

namespace sippar::cluster {

StatusOr<FoundTable> FindTable(Client* client, const std::string& name) {
  ASSIGN_OR_RETURN(TableName parsed, TableName::Parse(name));
  auto info = client->admin()->GetTable(parsed.stored());
  if (info.status().code() == StatusCode::kNotFound) {
    return NotFound(fmt::format("Table not found: {}", name));
  }
  RETURN_IF_ERROR(info.status());
  return FoundTable{std::move(parsed), std::move(*info)};
}

}  // namespace sippar::cluster
