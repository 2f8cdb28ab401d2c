// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/zookeeper/member_probe.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "cluster/net/fd.h"
#include "engine/base/clock.h"
#include "engine/base/printable.h"

namespace sippar::cluster::zookeeper {
namespace {

constexpr size_t kAnswerMax = 4'096;

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

MemberLook Away(int error) { return {MemberState::kAway, std::strerror(error)}; }

// Waits until the descriptor is ready. False: the time is over.
bool Await(int fd, int16_t events, int64_t until_nanos) {
  for (;;) {
    const int64_t left_nanos = until_nanos - engine::Clock::System()->MonotonicNanos();
    if (left_nanos <= 0) return false;
    pollfd asked{fd, events, 0};
    const int ready = ::poll(&asked, 1, static_cast<int>(left_nanos / 1'000'000 + 1));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

// Connects. Returns 0, or the error with which the connection failed.
int Connect(int fd, const addrinfo& address, int64_t until_nanos) {
  if (::connect(fd, address.ai_addr, address.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  if (!Await(fd, POLLOUT, until_nanos)) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof(error);
  return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

// The member closes the connection after its answer.
std::string Ask(int fd, int64_t until_nanos) {
  constexpr std::string_view kQuestion = "srvr";
  std::string answer;
  if (::send(fd, kQuestion.data(), kQuestion.size(), MSG_NOSIGNAL) < 0) return answer;
  std::array<char, 1'024> part{};
  while (answer.size() < kAnswerMax && Await(fd, POLLIN, until_nanos)) {
    const ssize_t size = ::recv(fd, part.data(), part.size(), 0);
    if (size <= 0) break;
    answer.append(part.data(), static_cast<size_t>(size));
  }
  return answer;
}

}  // namespace

MemberLook ReadAnswer(std::string_view answer) {
  if (answer.empty()) return {MemberState::kSilent, "it does not answer"};
  constexpr std::string_view kMode = "\nMode: ";
  if (const size_t mode = answer.find(kMode); mode != std::string_view::npos) {
    const std::string_view rest = answer.substr(mode + kMode.size());
    return {MemberState::kServes, engine::PrintableBytes(rest.substr(0, rest.find('\n')))};
  }
  if (answer.find("not currently serving requests") != std::string_view::npos) {
    return {MemberState::kNoLeader, "it sees no majority of the members"};
  }
  const std::string_view line = answer.substr(0, std::min<size_t>(answer.find('\n'), 100));
  return {MemberState::kUnknown, "it answers '" + engine::PrintableBytes(line) + "'"};
}

MemberLook AskMember(const std::string& address, int64_t timeout_us) {
  const int64_t until_nanos = engine::Clock::System()->MonotonicNanos() + timeout_us * 1'000;
  const size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = colon == std::string::npos ? "2181" : address.substr(colon + 1);
  const int resolved = ::getaddrinfo(host.c_str(), port.c_str(), &wanted, &found);
  if (resolved != 0) return {MemberState::kAway, ::gai_strerror(resolved)};
  const Addresses list(found);
  MemberLook look = Away(EADDRNOTAVAIL);
  for (const addrinfo* each = list.get(); each != nullptr; each = each->ai_next) {
    const net::Fd end(::socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int error = end.get() < 0 ? errno : Connect(end.get(), *each, until_nanos);
    if (error == 0) return ReadAnswer(Ask(end.get(), until_nanos));
    look = Away(error);
  }
  return look;
}

}  // namespace sippar::cluster::zookeeper
