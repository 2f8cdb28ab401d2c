// Authorized views of the API: kept as records view/TABLE_ID/ID, which end with the table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/client/client.h"
#include "cluster/client/table_view.h"
#include "cluster/proto/table.pb.h"

namespace sippar::cluster {

// The records of a table's views begin with this; the id of one follows.
std::string ViewRecords(uint64_t table_id);
// kNotFound with a view's name.
[[nodiscard]] Status NoView(const std::string& name);
TableView ViewFromProto(const google::bigtable::admin::v2::AuthorizedView& proto);
// The view of a table that calls of the data service go through. kNotFound.
[[nodiscard]] StatusOr<TableView> FindView(AdminApi* admin, uint64_t table_id,
                                           const std::string& id);
// kFailedPrecondition: one of its views is protected from deletion, and so is the table.
[[nodiscard]] Status CheckNoProtectedView(AdminApi* admin, uint64_t table_id);

}  // namespace sippar::cluster
