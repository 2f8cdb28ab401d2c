// Unix sockets between processes of one user: the path of a store directory's socket, and
// connecting to it. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/un.h>

#include <string>
#include <utility>

#include "engine/base/status.h"

namespace sippar::cluster {

// Owns a file descriptor, and closes it at its end; below 0: none.
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

// Returns the path of the directory's socket; "" if it is too long for a socket address.
std::string SocketPath(const std::string& directory);

// Says why the directory has no SocketPath. For use in messages.
std::string LongSocketPath(const std::string& directory);

// Connects to the socket at `path` and returns the descriptor, which the caller owns. kUnavailable:
// no process listens there; kPermissionDenied: the listening process belongs to another user.
[[nodiscard]] StatusOr<int> ConnectSocket(const std::string& path);

// Requires: `path` is short enough, as the results of SocketPath are.
sockaddr_un SocketAddress(const std::string& path);

// True if the process at the other end of the connected socket `fd` belongs to this user, according
// to the kernel.
bool IsOfThisUser(int fd);

// Makes a kUnavailable with the text of errno.
[[nodiscard]] Status SocketError(const std::string& what, const std::string& path);

}  // namespace sippar::cluster
