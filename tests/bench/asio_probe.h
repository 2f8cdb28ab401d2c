// The baseline for the wire: length-prefixed frames over bare Asio, without what makes the wire
// safe to use: checksums, deadlines, bounds, credit, lanes and keepalive. One connection; each side
// has one thread for the socket; callers block.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace sippar::net {

struct ProbeFiles {  // PEM files; all empty: no TLS
  std::string certificate, key, authority;
};

class ProbeServer {
 public:
  static std::unique_ptr<ProbeServer> Start(const ProbeFiles& files);
  virtual ~ProbeServer() = default;
  virtual uint16_t port() const = 0;
};

class ProbeClient {
 public:
  static std::unique_ptr<ProbeClient> Connect(uint16_t port, const ProbeFiles& files);
  virtual ~ProbeClient() = default;
  // Returns the size of the echo.
  virtual size_t Call(const std::string& body) = 0;
};

}  // namespace sippar::net
