// The address on which a server listens, and whether other machines could reach it. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/status.h"

namespace sippar::cluster {

struct ListenAddress {
  std::string host;  // host as the text has it: a name, an address, or "[::1]" with brackets
  uint16_t port = 0;

  // kInvalidArgument: the text is not HOST:PORT.
  [[nodiscard]] static StatusOr<ListenAddress> Parse(const std::string& listen);
  // False for names other than localhost, because they may resolve to any address.
  bool IsLoopback() const;
  // The name or address without brackets, as a client resolves it.
  std::string Host() const;
  // The host as a listening socket needs it: "localhost" is 127.0.0.1; all else is Host().
  std::string Numeric() const;
};

}  // namespace sippar::cluster
