// Unix sockets between processes of one user: where a directory's is, and how it is connected to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/un.h>

#include <string>
#include <utility>

#include "engine/base/status.h"

namespace sippar::cluster {

// Owns a file descriptor; below 0: none.
class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd();
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// "" when the directory's name is too long for a socket's address.
std::string SocketPath(const std::string& directory);

// The other end of the socket at `path`, connected. kUnavailable: nobody listens;
// kPermissionDenied: not a process of this user.
[[nodiscard]] StatusOr<int> ConnectSocket(const std::string& path);

// Requires: `path` fits, as those of SocketPath do.
sockaddr_un SocketAddress(const std::string& path);

// The process at the other end of the connected socket `fd`, as the kernel knows it.
bool IsOfThisUser(int fd);

// kUnavailable with the errno of the call that failed.
[[nodiscard]] Status SocketError(const std::string& what, const std::string& path);

}  // namespace sippar::cluster
