// How roles reach each other: direct calls in one process, delays and loss in the simulator, RPC
// later. What it hands out stays valid until the caller drops it; calls to a server that is gone
// answer kUnavailable. Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cluster/api/control_api.h"
#include "cluster/api/server_id.h"
#include "cluster/api/tablet_service.h"

namespace sippar::cluster {

class Transport {
 public:
  virtual ~Transport() = default;
  // False: every call is answered and costs next to nothing (one process, one life), so writes need
  // no request ids and are not gathered.
  virtual bool IsRemote() const { return true; }
  // Never null.
  virtual std::shared_ptr<TabletService> Tablets(const ServerId& server) = 0;
  virtual std::shared_ptr<TabletControl> Control(const ServerId& server) = 0;
  // Of whoever holds the master lock as far as is known.
  virtual std::shared_ptr<AdminApi> Admin() = 0;
  virtual std::shared_ptr<MasterNotices> Notices() = 0;
};

}  // namespace sippar::cluster
