// The API calls that create, list, change and delete views are in authorized_view_calls.cc.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/authorized_views.h"

#include <fmt/format.h>

#include <vector>

#include "cluster/bigtable/message_records.h"

namespace sippar::cluster {

namespace admin = google::bigtable::admin::v2;

std::string ViewRecords(uint64_t table_id) { return TablePartRecord("view", table_id, ""); }

Status NoView(const std::string& name) {
  return NotFound(fmt::format("Authorized view not found: {}", name));
}

TableView ViewFromProto(const admin::AuthorizedView& proto) {
  TableView view;
  const auto& subset = proto.subset_view();
  view.row_prefixes.assign(subset.row_prefixes().begin(), subset.row_prefixes().end());
  for (const auto& [family, columns] : subset.family_subsets()) {
    TableView::Columns& added = view.families[family];
    added.qualifiers.assign(columns.qualifiers().begin(), columns.qualifiers().end());
    added.prefixes.assign(columns.qualifier_prefixes().begin(), columns.qualifier_prefixes().end());
  }
  return view;
}

StatusOr<TableView> FindView(AdminApi* admin, uint64_t table_id, const std::string& id) {
  auto record = admin->Do(calls::GetRecord{ViewRecords(table_id) + id});
  if (record.status().code() == StatusCode::kNotFound) return NoView(id);
  RETURN_IF_ERROR(record.status());
  admin::AuthorizedView proto;
  RETURN_IF_ERROR(ParseRecord(*record, &proto));
  return ViewFromProto(proto);
}

Status CheckNoProtectedView(AdminApi* admin, uint64_t table_id) {
  ASSIGN_OR_RETURN(std::vector<NamedRecord> records,
                   admin->Do(calls::ListRecords{ViewRecords(table_id)}));
  for (const NamedRecord& record : records) {
    admin::AuthorizedView view;
    RETURN_IF_ERROR(ParseRecord(record, &view));
    if (!view.deletion_protection()) continue;
    return FailedPrecondition(fmt::format(
        "authorized view {} is protected from deletion, and so is its table; first set the "
        "view's deletion_protection to false",
        record.name.substr(ViewRecords(table_id).size())));
  }
  return OkStatus();
}

}  // namespace sippar::cluster
