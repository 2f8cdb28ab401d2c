// Connects clients, master and tablet servers: by direct calls in one process, over the wire
// between processes, with delays and loss in the simulator. A returned object stays usable as long
// as the caller holds it; calls to a server that is gone return kUnavailable. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cluster/api/admin_api.h"
#include "cluster/api/control_api.h"
#include "cluster/api/server_id.h"
#include "cluster/api/tablet_service.h"
#include "cluster/net/lane.h"

namespace sippar::cluster {

class Transport {
 public:
  virtual ~Transport() = default;
  // Whether a call may be carried out although its caller gets no answer. False where server and
  // caller are one process and end together: every call is answered and costs almost nothing, so
  // writes need no request ids and are not batched.
  virtual bool LosesAnswers() const { return true; }
  // Whether the connection for the master's calls to this server has ended or was refused: its
  // process may have died. Waits for nothing. False if no call was made yet, or if there are no
  // connections.
  virtual bool IsCut(const ServerId&) { return false; }
  // Never null. Calls of one `lane` (cluster/net/lane.h) never wait for calls of another lane. A
  // transport without queues ignores the lane.
  virtual std::shared_ptr<TabletService> Tablets(const ServerId& server, net::Lane lane) = 0;
  virtual std::shared_ptr<TabletControl> Control(const ServerId& server) = 0;
  // Admin and Notices call the process that holds the master lock, as far as this process knows.
  virtual std::shared_ptr<AdminApi> Admin() = 0;
  virtual std::shared_ptr<MasterNotices> Notices() = 0;
};

}  // namespace sippar::cluster
