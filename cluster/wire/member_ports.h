// The interfaces that one member serves. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "cluster/api/admin_api.h"
#include "cluster/api/control_api.h"
#include "cluster/api/tablet_service.h"

namespace sippar::cluster {

// The interfaces that a member serves. Null: the member does not have this role, and refuses its
// calls.
struct MemberPorts {
  std::shared_ptr<DataApi> data = nullptr;    // of a gateway or of a process with an open store
  std::shared_ptr<AdminApi> admin = nullptr;  // of a master or of a process with an open store
  // Of a master: whether it accepts the call of this name now. A call that it does not accept, as
  // while it is on standby, is not begun. Null: it accepts all.
  std::function<bool(std::string_view call)> takes = nullptr;
  std::shared_ptr<TabletService> tablets = nullptr;  // these two of a tablet server
  std::shared_ptr<TabletControl> control = nullptr;
  std::shared_ptr<MasterNotices> notices = nullptr;  // of a master
};

}  // namespace sippar::cluster
