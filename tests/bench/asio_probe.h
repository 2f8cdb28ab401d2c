// What the wire is measured against: length-prefixed frames over bare Asio, with nothing that makes
// a wire safe to use: no checksums, deadlines, bounds, credit, lanes or keepalive. One connection,
// one thread a side for the socket; callers block. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace sippar::net {

struct ProbeFiles {  // PEM; all empty: plain
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
  // The size of the echo.
  virtual size_t Call(const std::string& body) = 0;
};

}  // namespace sippar::net
