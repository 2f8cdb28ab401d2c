// The serving end of streams over cluster/net. Each function serves one call: it sends parts while
// its reader takes them, and then the outcome with the counters of what was read. A member that
// leaves cuts streams where their readers can go on.
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
void ServeRun(DataApi* data, const std::shared_ptr<net::ServerCall>& call, Departure* departure);
void ServeRun(TabletService* tablets, const std::shared_ptr<net::ServerCall>& call,
              Departure* departure);
void ServeChanges(DataApi* data, const std::shared_ptr<net::ServerCall>& call,
                  Departure* departure);
void ServeChanges(TabletService* tablets, const std::shared_ptr<net::ServerCall>& call,
                  Departure* departure);

}  // namespace sippar::cluster
