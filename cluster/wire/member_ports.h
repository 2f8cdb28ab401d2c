// The interfaces that a member passes to its MemberService.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "cluster/api/admin_api.h"
#include "cluster/api/control_api.h"
#include "cluster/api/tablet_service.h"

namespace sippar::cluster {

// The interfaces that a member serves. Null: the member does not have the role of this interface,
// and refuses its calls.
struct MemberPorts {
  std::shared_ptr<DataApi> data = nullptr;  // set in a gateway or a process with an open store
  // Set in a master, a gateway or a process with an open store.
  std::shared_ptr<AdminApi> admin = nullptr;
  // Set in a master: returns whether the master accepts the call of this name now. A call that the
  // master does not accept, for example on standby, is not begun. Null: the member accepts all
  // calls.
  std::function<bool(std::string_view call)> takes = nullptr;
  std::shared_ptr<TabletService> tablets = nullptr;  // this and `control`: set in a tablet server
  std::shared_ptr<TabletControl> control = nullptr;
  std::shared_ptr<MasterNotices> notices = nullptr;  // set in a master
};

}  // namespace sippar::cluster
