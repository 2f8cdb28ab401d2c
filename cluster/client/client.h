// The client: the only door that query, fuse and cli use. Hands out the data and admin interfaces,
// which reach an engine in this process or a server. node/open_client.h opens one. Thread safe.
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
  // A clean end: what is in memory is flushed, so that the next opening reads no log. Call once,
  // when all calls have ended; the destructor does it too and drops the status.
  [[nodiscard]] virtual Status Close() = 0;
};

}  // namespace sippar::cluster
