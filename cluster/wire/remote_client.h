// A client of a server of this program: one connection, calls made once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/client/client.h"

namespace sippar::cluster {

class RemoteClient : public Client {
 public:
  // `address`: host:port, or unix:PATH of a socket. Answers when OK: the server does, and speaks
  // our service; kUnavailable: nobody is there, or does not answer. `target`: for messages.
  [[nodiscard]] static StatusOr<std::unique_ptr<RemoteClient>> Connect(const std::string& address,
                                                                       const std::string& target,
                                                                       engine::Clock* clock);
  // A call found nobody at the other end: nothing comes from here any more.
  virtual bool is_lost() const = 0;
  // Finds that out: kUnavailable.
  [[nodiscard]] virtual Status Probe() = 0;
};

}  // namespace sippar::cluster
