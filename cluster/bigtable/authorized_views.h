// Authorized views of the Cloud Bigtable API. They are stored as named records view/TABLE_ID/ID.
// Table ids are never reused, so no call finds the views of a dropped table, unless the table is
// undeleted, with its views.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/client/client.h"
#include "cluster/client/table_view.h"
#include "cluster/proto/table.pb.h"

namespace sippar::cluster {

// The prefix of the record names of a table's views; the id of the view follows it.
std::string ViewRecords(uint64_t table_id);
// Returns the error for a missing view; its code is kNotFound.
[[nodiscard]] Status NoView(const std::string& name);
TableView ViewFromProto(const google::bigtable::admin::v2::AuthorizedView& proto);
// Reads a view in the form that data calls use. kNotFound: the table has no view with this id.
[[nodiscard]] StatusOr<TableView> FindView(AdminApi* admin, uint64_t table_id,
                                           const std::string& id);
// kFailedPrecondition: a view of the table is protected from deletion, which protects the table.
[[nodiscard]] Status CheckNoProtectedView(AdminApi* admin, uint64_t table_id);

}  // namespace sippar::cluster
