// The first bytes of a connection are peeked, not read, so that the server of its protocol can read
// all of them. They stay in the socket's buffer, so a level-triggered wait for input would end at
// once. Therefore connections are watched edge-triggered, which reports only new bytes.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/serve/shared_port.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "cluster/net/unix_socket.h"
#include "engine/base/clock.h"

namespace sippar::cluster {
namespace {

// Numbers identify descriptors in epoll events: 0 is stop_, then come the listening sockets, then
// the connections.
constexpr uint64_t kStopNumber = 0;
constexpr int kAcceptsInARow = 64;
constexpr int kEventsInARow = 64;
constexpr int64_t kNoFilesUs = 100'000;  // wait before the next accept when descriptors ran out

int64_t Now() { return engine::Clock::System()->MonotonicNanos(); }

}  // namespace

StatusOr<std::vector<std::unique_ptr<net::Socket>>> ListenOn(const ListenAddress& address) {
  std::vector<std::unique_ptr<net::Socket>> sockets;
  const auto numeric = net::NumericAddress(address.Numeric(), address.port);
  if (!numeric.has_value()) {
    return Unavailable(fmt::format(
        "address {}:{}: its host is neither localhost nor a numeric IP address; give an "
        "address of this machine",
        address.host, address.port));
  }
  ASSIGN_OR_RETURN(std::unique_ptr<net::Socket> first, net::Socket::Listen(*numeric));
  sockets.push_back(std::move(first));
  if (address.host != "localhost") return sockets;
  // A client may resolve localhost to 127.0.0.1 or to ::1, and try either first. A machine without
  // IPv6 has only 127.0.0.1.
  auto second = net::Socket::Listen(*net::NumericAddress("::1", sockets[0]->Local().port()));
  if (second.ok()) sockets.push_back(*std::move(second));
  return sockets;
}

SharedPort::SharedPort(SharedPortOptions options, Take take)
    : options_(std::move(options)),
      take_(std::move(take)),
      events_(::epoll_create1(EPOLL_CLOEXEC)),
      stop_(::eventfd(0, EFD_CLOEXEC)) {}

StatusOr<std::unique_ptr<SharedPort>> SharedPort::Start(SharedPortOptions options, Take take) {
  std::unique_ptr<SharedPort> port(new SharedPort(std::move(options), std::move(take)));
  RETURN_IF_ERROR(port->Begin());
  return port;
}

Status SharedPort::Begin() {
  bool is_watched = Watch(stop_.get(), kStopNumber, EPOLLIN);
  for (const auto& socket : options_.sockets) {
    is_watched = is_watched && Watch(socket->fd(), ++last_number_, EPOLLIN);
  }
  if (!is_watched) {
    return Unavailable(
        fmt::format("cannot watch the listening sockets with epoll ({}); the "
                    "limit of open files may be too low (ulimit -n)",
                    std::strerror(errno)));
  }
  thread_ = engine::Thread("shared-port", [this] { Run(); });
  return OkStatus();
}

bool SharedPort::Watch(int fd, uint64_t number, uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = number;
  return ::epoll_ctl(events_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

void SharedPort::Stop() {
  const uint64_t one = 1;
  (void)!::write(stop_.get(), &one, sizeof(one));
  thread_.Join();
  silent_.clear();
  options_.sockets.clear();
}

bool SharedPort::HasCallers() const {
  return accepted_ > 0 ||
         std::any_of(options_.sockets.begin(), options_.sockets.end(), [](const auto& socket) {
           pollfd waits{socket->fd(), POLLIN, 0};
           return ::poll(&waits, 1, 0) > 0;
         });
}

void SharedPort::Run() {
  // The threads that take_ starts, such as those of a protocol's server (gateway.h), inherit the
  // signal mask of this thread, so that none of them receives the signals that the program handles.
  sigset_t all;
  sigfillset(&all);
  // On Linux, sigprocmask changes the mask of this thread alone.
  sigprocmask(SIG_BLOCK, &all, nullptr);
  while (true) {
    epoll_event events[kEventsInARow];
    const int count = ::epoll_wait(events_.get(), events, kEventsInARow, MillisToWait());
    for (int at = 0; at < count; ++at) {
      const uint64_t number = events[at].data.u64;
      if (number == kStopNumber) return;
      if (number <= options_.sockets.size()) {
        Accept(*options_.sockets[number - 1]);
      } else {
        Look(number);
      }
    }
    CloseLate();
  }
}

// How long to wait for events, in milliseconds; -1: without limit.
int SharedPort::MillisToWait() const {
  if (silent_.empty()) return -1;
  const int64_t left_nanos = silent_.begin()->second.until_nanos - Now();
  return static_cast<int>(std::max<int64_t>(left_nanos / 1'000'000 + 1, 0));
}

void SharedPort::Accept(const net::Socket& listening) {
  for (int round = 0; round < kAcceptsInARow; ++round) {
    auto accepted = listening.Accept();
    if (!accepted.ok()) return engine::Clock::System()->SleepMicros(kNoFilesUs);
    if (*accepted == nullptr) return;
    const int fd = (*accepted)->fd();
    if (options_.for_this_user && !net::IsOfThisUser(fd)) continue;
    int on = 1;
    // This call fails for a unix socket, which needs no such option.
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    ++accepted_;
    const uint64_t number = ++last_number_;
    silent_[number] = {*std::move(accepted), Now() + options_.silence_us * 1000};
    // Looks at once, because the first bytes of most connections have already arrived.
    Look(number);
    if (!silent_.contains(number)) continue;
    if (silent_.size() > options_.silent_max) silent_.erase(silent_.begin());
    if (!Watch(fd, number, EPOLLIN | EPOLLET)) silent_.erase(number);
  }
}

// Passes the connection on, or closes it, when its first bytes have shown its protocol.
void SharedPort::Look(uint64_t number) {
  auto found = silent_.find(number);
  if (found == silent_.end()) return;
  const net::Socket& connection = *found->second.connection;
  char bytes[kFirstBytesMax];
  auto size = connection.Peek(bytes, sizeof(bytes));
  const Protocol protocol = size.ok() ? SpokenProtocol({bytes, *size}) : Protocol::kOther;
  if (protocol == Protocol::kNotKnownYet) return;
  std::unique_ptr<net::Socket> known = std::move(found->second.connection);
  silent_.erase(found);
  if (protocol == Protocol::kOther || (protocol == Protocol::kTls && !options_.takes_tls)) return;
  // This fails for a connection that was never watched, which does no harm.
  static_cast<void>(::epoll_ctl(events_.get(), EPOLL_CTL_DEL, known->fd(), nullptr));
  take_(protocol, std::move(known));
}

void SharedPort::CloseLate() {
  while (!silent_.empty() && silent_.begin()->second.until_nanos <= Now()) {
    silent_.erase(silent_.begin());
  }
}

}  // namespace sippar::cluster
