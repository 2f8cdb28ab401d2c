// The table that a data call names. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cluster/client/client.h"
#include "cluster/client/table_view.h"
#include "cluster/rpc/data_convert.h"
#include "cluster/rpc/resource_names.h"
#include "engine/base/clock.h"

namespace sippar::cluster {

// A table as it is now, and what of it the call may reach.
struct RequestTarget {
  InstanceName instance;
  std::string table;  // stored name
  TableRules rules;
  std::optional<TableView> view;  // none: the whole table

  [[nodiscard]] Status CheckWrite(const RowMutation& mutation) const {
    return view ? view->CheckWrite(mutation, rules.schema->FamilyNames()) : OkStatus();
  }
  // The time of cells whose time is the server's. On a table of microseconds the tablet gives it:
  // never twice, never backwards.
  int64_t ServerTime(engine::Clock* clock) const {
    return rules.is_millis ? CellTime(rules, clock->NowMicros()) : engine::kServerTime;
  }
};

// A request has one of the names.
[[nodiscard]] StatusOr<RequestTarget> FindTarget(Client* client, const std::string& table_name,
                                                 const std::string& view_name);

template <typename Request>
[[nodiscard]] StatusOr<RequestTarget> TargetOf(Client* client, const Request& request) {
  return FindTarget(client, request.table_name(), request.authorized_view_name());
}

}  // namespace sippar::cluster
