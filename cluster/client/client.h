// The client, the only interface through which query, fuse and cli reach a store. Its data and
// admin calls reach an engine in this process or a server. cluster/node/open_client.h opens a
// client. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/api/admin_api.h"
#include "cluster/api/data_api.h"
#include "engine/base/clock.h"
#include "engine/base/status.h"

namespace sippar::cluster {

class Client {
 public:
  virtual ~Client() = default;
  virtual DataApi* data() = 0;
  virtual AdminApi* admin() = 0;
  virtual engine::Clock* clock() = 0;
  virtual const std::string& target() const = 0;
  // Ends the client cleanly. If this process has the store open, flushes the memtables, so that the
  // next opening replays no log; otherwise does nothing at the servers. To be called once, after
  // all other calls have returned. The destructor does the same if Close was not called, but drops
  // the status.
  [[nodiscard]] virtual Status Close() = 0;
};

}  // namespace sippar::cluster
