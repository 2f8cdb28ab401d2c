// Both ends ask the kernel for the other's user (SO_PEERCRED). The file's owner and mode prove
// nothing, because another user may have placed the file in the directory.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/net/unix_socket.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sippar::net {
namespace {

constexpr int kWaitingMax = 1024;  // most connections that are not accepted yet

std::string NameIn(const std::string& directory) { return directory + "/sippar.sock"; }

std::string TooLong(const std::string& path) {
  return fmt::format(
      "the path {} is longer than the {} bytes of a socket's path; name the directory by a shorter "
      "path",
      path, sizeof(sockaddr_un::sun_path) - 1);
}

bool IsShort(const std::string& path) { return path.size() < sizeof(sockaddr_un::sun_path); }

Status Failed(const char* what, const std::string& path) {
  return Unavailable(fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

}  // namespace

std::string SocketPath(const std::string& directory) {
  std::string path = NameIn(directory);
  return IsShort(path) ? path : "";
}

std::string LongSocketPath(const std::string& directory) { return TooLong(NameIn(directory)); }

Status CheckSocketPath(const std::string& path) {
  return IsShort(path) ? OkStatus() : InvalidArgument(TooLong(path));
}

StatusOr<std::unique_ptr<Socket>> ListenAlone(const std::string& path) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return Failed("create the socket", path);
  auto socket = std::make_unique<Socket>(fd);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  auto* generic = reinterpret_cast<const sockaddr*>(&address);
  ::unlink(path.c_str());
  // Sets the mode before bind makes the name, so the socket is never open to other users.
  if (::fchmod(fd, 0600) != 0) return Failed("set the mode of", path);
  if (::bind(fd, generic, sizeof(address)) != 0) return Failed("bind", path);
  if (::listen(fd, kWaitingMax) == 0) return socket;
  Status failed = Failed("listen on", path);
  ::unlink(path.c_str());
  return failed;
}

bool IsOfThisUser(int fd) {
  ucred other{};
  socklen_t size = sizeof(other);
  return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &other, &size) == 0 && other.uid == ::geteuid();
}

}  // namespace sippar::net
