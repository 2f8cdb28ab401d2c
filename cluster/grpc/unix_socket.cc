// Both ends ask the kernel for the other's user (SO_PEERCRED). The file's owner and mode prove
// nothing, because another user may have placed the file in the directory.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/grpc/unix_socket.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sippar::cluster {

Fd::~Fd() {
  if (fd_ >= 0) ::close(fd_);
}

std::string SocketPath(const std::string& directory) {
  std::string path = directory + "/sippar.sock";
  return path.size() < sizeof(sockaddr_un::sun_path) ? path : "";
}

StatusOr<int> ConnectSocket(const std::string& path) {
  if (path.size() >= sizeof(sockaddr_un::sun_path)) {
    return InvalidArgument(fmt::format("{} is too long for the path of a socket", path));
  }
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (fd.get() < 0) return SocketError("create socket", path);
  sockaddr_un address = SocketAddress(path);
  auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(fd.get(), generic, sizeof(address)) != 0) return SocketError("connect to", path);
  if (!IsOfThisUser(fd.get())) {
    return PermissionDenied(fmt::format("{} is served by a process of another user", path));
  }
  return fd.Release();
}

sockaddr_un SocketAddress(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  return address;
}

bool IsOfThisUser(int fd) {
  ucred other{};
  socklen_t size = sizeof(other);
  return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &other, &size) == 0 && other.uid == ::geteuid();
}

Status SocketError(const std::string& what, const std::string& path) {
  return Unavailable(fmt::format("{} {}: {}", what, path, std::strerror(errno)));
}

}  // namespace sippar::cluster
