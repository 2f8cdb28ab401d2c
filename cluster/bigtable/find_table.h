// The table that a request names. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/bigtable/resource_names.h"
#include "cluster/client/client.h"

namespace sippar::cluster {

struct FoundTable {
  TableName name;
  TableInfo info;
};

// `name`: "projects/P/instances/I/tables/T". kNotFound in the words of the API.
[[nodiscard]] StatusOr<FoundTable> FindTable(Client* client, const std::string& name);

}  // namespace sippar::cluster
