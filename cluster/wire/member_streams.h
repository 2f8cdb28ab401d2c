// Serves the streams over cluster/net. Each function serves one call: it sends parts while the
// reader takes them, and then the outcome with the counters of what was read. When the process
// leaves the store, streams are cut where their readers can continue at another process
// (wire/departure.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cluster/api/tablet_service.h"
#include "cluster/net/server_call.h"
#include "cluster/wire/departure.h"

namespace sippar::cluster {

void ServeRead(DataApi* data, const std::shared_ptr<net::ServerCall>& call, Departure* departure);
void ServeRead(TabletService* tablets, const std::shared_ptr<net::ServerCall>& call,
               Departure* departure);
// Answers a read of one row whose blocks are in memory and whose cells fit into one part. False:
// nothing was sent; ServeRead is to serve it, on a thread that may wait.
[[nodiscard]] bool ServeReadAtOnce(DataApi* data, const std::shared_ptr<net::ServerCall>& call,
                                   Departure* departure);
[[nodiscard]] bool ServeReadAtOnce(TabletService* tablets,
                                   const std::shared_ptr<net::ServerCall>& call,
                                   Departure* departure);
void ServeRun(DataApi* data, const std::shared_ptr<net::ServerCall>& call, Departure* departure);
void ServeRun(TabletService* tablets, const std::shared_ptr<net::ServerCall>& call,
              Departure* departure);
void ServeChanges(DataApi* data, const std::shared_ptr<net::ServerCall>& call,
                  Departure* departure);
void ServeChanges(TabletService* tablets, const std::shared_ptr<net::ServerCall>& call,
                  Departure* departure);

}  // namespace sippar::cluster
