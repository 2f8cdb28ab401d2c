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

namespace {

std::string NameIn(const std::string& directory) { return directory + "/sippar.sock"; }

std::string TooLong(const std::string& path) {
  return fmt::format(
      "the path {} is longer than the {} bytes of a socket's path; name the directory by a shorter "
      "path",
      path, sizeof(sockaddr_un::sun_path) - 1);
}

}  // namespace

std::string SocketPath(const std::string& directory) {
  std::string path = NameIn(directory);
  return path.size() < sizeof(sockaddr_un::sun_path) ? path : "";
}

std::string LongSocketPath(const std::string& directory) { return TooLong(NameIn(directory)); }

StatusOr<int> ConnectSocket(const std::string& path) {
  if (path.size() >= sizeof(sockaddr_un::sun_path)) {
    return InvalidArgument(TooLong(path));
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
