// SPDX-License-Identifier: Apache-2.0
#include "cluster/net/socket.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

namespace sippar::net {
namespace {

constexpr size_t kPiecesMax = 64;  // most pieces of one write
constexpr int kBacklog = 1024;

Status SocketError(std::string_view what, int error) {
  return Unavailable(fmt::format("{} ({})", what, std::strerror(error)));
}

Address Asked(int fd, int (*ask)(int, sockaddr*, socklen_t*)) {
  Address address;
  address.size = sizeof(address.bytes);
  if (ask(fd, reinterpret_cast<sockaddr*>(&address.bytes), &address.size) != 0) address.size = 0;
  return address;
}

// The highest descriptor that an accepted connection may have. The system gives each new file the
// lowest free number, so a higher number shows that three quarters of all descriptors are in use.
// The rest is for this process's own files and for the connections that it makes.
int AcceptedMax() {
  static const int max = [] {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return INT_MAX;
    return static_cast<int>(std::min<rlim_t>(limit.rlim_cur / 4 * 3, INT_MAX));
  }();
  return max;
}

StatusOr<std::unique_ptr<Socket>> NewSocket(const Address& address) {
  int fd = ::socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0) return std::make_unique<Socket>(fd);
  const int error = errno;
  return Unavailable(
      fmt::format("address {}: no socket was made ({}){}", address.Text(), std::strerror(error),
                  error == EMFILE ? "; raise the limit of open files (ulimit -n)" : ""));
}

// What to do when `address` cannot be listened on.
std::string_view RemedyFor(const Address& address, int error) {
  if (address.bytes.ss_family == AF_UNIX) return "give a path in a directory of this user";
  if (error == EACCES && address.port() < 1024) {
    return "give a port of 1024 or above, or run this program with the right to use lower ones";
  }
  return "give an address of this machine with a free port (port 0 takes any free one)";
}

}  // namespace

Address Address::Of(const void* data, uint32_t size) {
  Address address;
  address.size = std::min<socklen_t>(size, sizeof(address.bytes));
  std::memcpy(&address.bytes, data, address.size);
  return address;
}

std::string Address::Text() const {
  char text[INET6_ADDRSTRLEN] = "";
  if (size == 0) return "unknown";
  if (bytes.ss_family == AF_INET) {
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&bytes)->sin_addr, text,
                sizeof(text));
    return fmt::format("{}:{}", text, port());
  }
  if (bytes.ss_family == AF_INET6) {
    ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(&bytes)->sin6_addr, text,
                sizeof(text));
    return fmt::format("[{}]:{}", text, port());
  }
  if (bytes.ss_family != AF_UNIX) return "unknown";
  return fmt::format("{}{}", kUnixPrefix, reinterpret_cast<const sockaddr_un*>(&bytes)->sun_path);
}

uint16_t Address::port() const {
  if (size == 0) return 0;
  if (bytes.ss_family == AF_INET) {
    return ntohs(reinterpret_cast<const sockaddr_in*>(&bytes)->sin_port);
  }
  if (bytes.ss_family != AF_INET6) return 0;
  return ntohs(reinterpret_cast<const sockaddr_in6*>(&bytes)->sin6_port);
}

std::optional<Address> NumericAddress(const std::string& host, uint16_t port) {
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(port);
  if (::inet_pton(AF_INET, host.c_str(), &four.sin_addr) == 1) {
    return Address::Of(&four, sizeof(four));
  }
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(port);
  if (::inet_pton(AF_INET6, host.c_str(), &six.sin6_addr) == 1) {
    return Address::Of(&six, sizeof(six));
  }
  sockaddr_un local{};
  if (!host.starts_with(kUnixPrefix) ||
      host.size() - kUnixPrefix.size() >= sizeof(local.sun_path)) {
    return std::nullopt;
  }
  local.sun_family = AF_UNIX;
  host.copy(local.sun_path, sizeof(local.sun_path) - 1, kUnixPrefix.size());
  return Address::Of(&local, sizeof(local));
}

Socket::~Socket() {
  if (fd_ >= 0) ::close(fd_);
}

StatusOr<std::unique_ptr<Socket>> Socket::Connect(const Address& address) {
  ASSIGN_OR_RETURN(std::unique_ptr<Socket> made, NewSocket(address));
  auto* generic = reinterpret_cast<const sockaddr*>(&address.bytes);
  if (::connect(made->fd_, generic, address.size) != 0 && errno != EINPROGRESS) {
    return SocketError(fmt::format("{}: no connection", address.Text()), errno);
  }
  return made;
}

StatusOr<std::unique_ptr<Socket>> Socket::Listen(const Address& address) {
  ASSIGN_OR_RETURN(std::unique_ptr<Socket> made, NewSocket(address));
  int on = 1;
  ::setsockopt(made->fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  auto* generic = reinterpret_cast<const sockaddr*>(&address.bytes);
  if (::bind(made->fd_, generic, address.size) != 0 || ::listen(made->fd_, kBacklog) != 0) {
    const int error = errno;
    return Unavailable(fmt::format("address {}: it cannot be listened on ({}); {}", address.Text(),
                                   std::strerror(error), RemedyFor(address, error)));
  }
  return made;
}

Status Socket::Outcome() const {
  int error = 0;
  socklen_t size = sizeof(error);
  if (::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  return error == 0 ? OkStatus() : SocketError("no connection", error);
}

StatusOr<std::unique_ptr<Socket>> Socket::Accept() const {
  for (;;) {
    int fd = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd > AcceptedMax()) {
      ::close(fd);
      continue;
    }
    if (fd >= 0) return std::make_unique<Socket>(fd);
    if (errno == EAGAIN || errno == EWOULDBLOCK) return std::unique_ptr<Socket>();
    // The call was interrupted, or the peer has left before it was accepted: another connection may
    // wait.
    if (errno == EINTR || errno == ECONNABORTED) continue;
    return SocketError("no connection was accepted", errno);
  }
}

StatusOr<size_t> Socket::Receive(char* out, size_t size, int flags) const {
  ssize_t read;
  do {
    read = ::recv(fd_, out, size, flags);
  } while (read < 0 && errno == EINTR);
  if (read > 0) return static_cast<size_t>(read);
  if (read == 0) return Unavailable("the other end closed the connection");
  if (errno == EAGAIN || errno == EWOULDBLOCK) return size_t{0};
  return SocketError("the connection broke", errno);
}

StatusOr<size_t> Socket::Write(const std::vector<std::string_view>& pieces) const {
  iovec vector[kPiecesMax];
  size_t count = std::min(pieces.size(), kPiecesMax);
  for (size_t i = 0; i < count; ++i) {
    vector[i] = {const_cast<char*>(pieces[i].data()), pieces[i].size()};
  }
  msghdr message{};
  message.msg_iov = vector;
  message.msg_iovlen = count;
  ssize_t written;
  do {
    written = ::sendmsg(fd_, &message, MSG_NOSIGNAL);
  } while (written < 0 && errno == EINTR);
  if (written >= 0) return static_cast<size_t>(written);
  if (errno == EAGAIN || errno == EWOULDBLOCK) return size_t{0};
  return SocketError("the connection broke", errno);
}

void Socket::Shut() const { ::shutdown(fd_, SHUT_RDWR); }
void Socket::ShutWrites() const { ::shutdown(fd_, SHUT_WR); }

void Socket::Prepare(int64_t silence_us) const {
  int on = 1;
  auto silence_ms = static_cast<unsigned>(silence_us / 1000);
  // Both calls fail on a unix socket, which does not need them.
  ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  ::setsockopt(fd_, IPPROTO_TCP, TCP_USER_TIMEOUT, &silence_ms, sizeof(silence_ms));
}

Address Socket::Local() const { return Asked(fd_, ::getsockname); }
Address Socket::Remote() const { return Asked(fd_, ::getpeername); }

}  // namespace sippar::net
