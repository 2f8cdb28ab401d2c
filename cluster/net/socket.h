// Stream sockets whose calls never wait: TCP, and "unix:PATH" on one machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/status.h"

namespace sippar::net {

// Prefix of a host that is the path of a unix socket.
inline constexpr std::string_view kUnixPrefix = "unix:";
inline bool IsUnixHost(std::string_view host) { return host.starts_with(kUnixPrefix); }

struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;

  static Address Of(const void* data, uint32_t size);
  std::string Text() const;  // "10.0.0.1:8086", "[::1]:8086", "unix:PATH"
  uint16_t port() const;     // 0: a unix socket, which has none
};

// Returns the address of a numeric `host` or of "unix:PATH". nullopt: `host` is a name, which has
// to be resolved, or PATH is too long.
std::optional<Address> NumericAddress(const std::string& host, uint16_t port);

// Thread safe: one thread may read while another writes.
class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  // Begins to connect. The descriptor becomes writable when the attempt has ended; Outcome then
  // returns whether it succeeded.
  static StatusOr<std::unique_ptr<Socket>> Connect(const Address& address);
  static StatusOr<std::unique_ptr<Socket>> Listen(const Address& address);

  [[nodiscard]] Status Outcome() const;  // result of Connect
  // Accepts the next connection of a listening socket; nullptr: none is waiting. While three
  // quarters of this process's descriptors are in use, new connections are closed instead.
  StatusOr<std::unique_ptr<Socket>> Accept() const;
  // Returns the number of bytes read; 0: none have arrived. kUnavailable: the connection ended or
  // failed.
  StatusOr<size_t> Read(char* out, size_t size) const { return Receive(out, size, 0); }
  // The same as Read, but leaves the bytes to be read again.
  StatusOr<size_t> Peek(char* out, size_t size) const { return Receive(out, size, MSG_PEEK); }
  // Returns the number of bytes that the system took; 0: its buffer is full.
  StatusOr<size_t> Write(const std::vector<std::string_view>& pieces) const;
  // Ends the connection in both directions. The descriptor stays open until the object is
  // destroyed: otherwise the system could give its number to a new file while another thread still
  // uses it.
  void Shut() const;
  void ShutWrites() const;  // the other end still reads what was sent before
  // Sets the options of a connection. The system ends it if sent bytes stay unacknowledged for
  // `silence_us`.
  void Prepare(int64_t silence_us) const;
  int fd() const { return fd_; }
  // Passes the descriptor to the caller. The object can then only be destroyed.
  int Release() { return std::exchange(fd_, -1); }
  Address Local() const;
  Address Remote() const;

 private:
  StatusOr<size_t> Receive(char* out, size_t size, int flags) const;

  int fd_;
};

}  // namespace sippar::net
