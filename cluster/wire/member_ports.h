// The interfaces that one member serves. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "cluster/api/admin_api.h"
#include "cluster/api/control_api.h"
#include "cluster/api/tablet_service.h"

namespace sippar::cluster {

// Null: the member has not this role, and tells callers so.
struct MemberPorts {
  std::shared_ptr<DataApi> data = nullptr;    // of a gateway, or of a process that has a store open
  std::shared_ptr<AdminApi> admin = nullptr;  // of a master, or of the same
  // Of a master that may stand by: whether it takes the call of this name now. Otherwise the call
  // is not begun.
  std::function<bool(std::string_view call)> takes = nullptr;
  std::shared_ptr<TabletService> tablets = nullptr;  // these two of a tablet server
  std::shared_ptr<TabletControl> control = nullptr;
  std::shared_ptr<MasterNotices> notices = nullptr;  // of a master
};

}  // namespace sippar::cluster
