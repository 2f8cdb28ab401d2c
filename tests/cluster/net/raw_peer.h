// Ends of a connection without the protocol, so that a test can act as a peer that misbehaves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/net/socket.h"
#include "engine/base/check.h"
#include "tests/cluster/net/encoded_frames.h"
#include "tests/cluster/net/wire_world.h"

namespace sippar::net {

// A plain blocking socket.
class RawPeer {
 public:
  explicit RawPeer(int fd) : fd_(fd) {
    timeval limit{10, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  }
  ~RawPeer() { ::close(fd_); }
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;
  static std::unique_ptr<RawPeer> To(uint16_t port) {
    int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    Address address = *NumericAddress("127.0.0.1", port);
    CHECK(::connect(fd, reinterpret_cast<sockaddr*>(&address.bytes), address.size) == 0);
    return std::make_unique<RawPeer>(fd);
  }
  void Send(std::string_view bytes) {
    while (!bytes.empty()) {
      ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;  // the other end has closed the connection
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
  }
  void Finish() { ::shutdown(fd_, SHUT_WR); }
  // Reads frames until the connection ends or `count` frames have arrived.
  std::vector<Frame> Frames(size_t count = SIZE_MAX) {
    char buffer[4096];
    while (frames_.size() < count) {
      ssize_t got = ::recv(fd_, buffer, sizeof(buffer), 0);
      if (got <= 0) break;
      CHECK(reader_.Feed({buffer, static_cast<size_t>(got)}, &frames_).ok());
    }
    return frames_;
  }

 private:
  const int fd_;
  FrameReader reader_;
  std::vector<Frame> frames_;
};

inline Frame HelloFrame(const Hello& hello) {
  return {.kind = FrameKind::kHello, .body = EncodeHello(hello)};
}

struct RawListener {
  RawListener() {
    auto made = Socket::Listen(*NumericAddress("127.0.0.1", 0));
    CHECK(made.ok());
    socket = *std::move(made);
  }
  std::unique_ptr<RawPeer> Accept() {
    std::unique_ptr<Socket> accepted;
    CHECK(Eventually([&] {
      auto now = socket->Accept();
      CHECK(now.ok());
      accepted = *std::move(now);
      return accepted != nullptr;
    }));
    // Makes the descriptor blocking, like that of a RawPeer.
    CHECK(::fcntl(accepted->fd(), F_SETFL, 0) == 0);
    return std::make_unique<RawPeer>(::dup(accepted->fd()));
  }
  std::unique_ptr<Socket> socket;
};

}  // namespace sippar::net
