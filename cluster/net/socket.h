// Stream sockets that never wait: TCP, and "unix:PATH" on one machine.
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

// A host that is the path of a unix socket: "unix:PATH".
inline constexpr std::string_view kUnixPrefix = "unix:";
inline bool IsUnixHost(std::string_view host) { return host.starts_with(kUnixPrefix); }

struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;

  static Address Of(const void* data, uint32_t size);
  std::string Text() const;  // "10.0.0.1:8086", "[::1]:8086", "unix:PATH"
  uint16_t port() const;     // 0: it has none
};

// nullopt: `host` is a name, which has to be resolved.
std::optional<Address> NumericAddress(const std::string& host, uint16_t port);

// Thread safe: one thread may read while another writes.
class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  // Begins to connect; the descriptor becomes writable at the end, and Outcome says how it ended.
  static StatusOr<std::unique_ptr<Socket>> Connect(const Address& address);
  static StatusOr<std::unique_ptr<Socket>> Listen(const Address& address);

  [[nodiscard]] Status Outcome() const;  // of Connect
  // The next connection of a listening socket; nullptr: none now.
  StatusOr<std::unique_ptr<Socket>> Accept() const;
  // Bytes that were read; 0: nothing has come. kUnavailable: the line ended or failed.
  StatusOr<size_t> Read(char* out, size_t size) const { return Receive(out, size, 0); }
  // The same, and the bytes stay to be read.
  StatusOr<size_t> Peek(char* out, size_t size) const { return Receive(out, size, MSG_PEEK); }
  // Bytes that were taken; 0: the line takes nothing now.
  StatusOr<size_t> Write(const std::vector<std::string_view>& pieces) const;
  // Ends the line in both directions; the descriptor stays open, so that no other thread can meet
  // a new file under its number.
  void Shut() const;
  void ShutWrites() const;  // the other end reads what was sent, and then the end
  // `silence_us`: sent bytes that stay unconfirmed for so long end the line.
  void Prepare(int64_t silence_us) const;
  int fd() const { return fd_; }
  // The descriptor is the caller's from now on, and this object can only be destroyed.
  int Release() { return std::exchange(fd_, -1); }
  Address Local() const;
  Address Remote() const;

 private:
  StatusOr<size_t> Receive(char* out, size_t size, int flags) const;

  int fd_;
};

}  // namespace sippar::net
