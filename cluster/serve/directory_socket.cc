// SPDX-License-Identifier: Apache-2.0
#include "cluster/serve/directory_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <list>
#include <utility>

#include "cluster/net/fd.h"
#include "cluster/net/unix_socket.h"
#include "cluster/serve/gateway.h"
#include "cluster/serve/shared_port.h"
#include "engine/base/clock.h"
#include "engine/base/thread.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kDrainUs = 500'000;  // time for running calls when the store is closed
// When the store is closed, processes that make short calls are served longer, for at most
// kMomentsMax periods of kMomentUs, because it would cost them much more to open the directory
// themselves. After one period without a call, they are assumed to be done.
constexpr int64_t kMomentUs = 20'000;
constexpr int64_t kMomentsMax = 15;
constexpr int64_t kBreakUs = 100'000;  // time after kDrainUs until Stop breaks the connections

// No keepalive: both ends are on this machine, and the kernel reports when one of them ends.
WireServerOptions WireOptions() {
  WireServerOptions options;
  options.keepalive = net::Keepalive::Never();
  options.goodbye_us = kBreakUs;
  return options;
}

class ListeningSocket final : public DirectorySocket {
 public:
  ListeningSocket(std::string path, std::unique_ptr<net::Socket> socket)
      : path_(std::move(path)), socket_(std::move(socket)) {}

  ~ListeningSocket() override {
    if (port_ != nullptr) FinishShortCalls();
    // The name is removed first: a process that finds no socket then waits for the directory's lock
    // instead of connecting to a server that is about to end.
    ::unlink(path_.c_str());
    if (port_ == nullptr) return;
    port_->Stop();
    Stop();
  }

  void Serve(Client* client) override {
    client_ = client;
    gateway_ = std::make_unique<Gateway>(client, ApiServerOptions(), WireOptions());
    SharedPortOptions options;
    options.sockets.push_back(std::move(socket_));
    options.for_this_user = true;
    auto port = SharedPort::Start(std::move(options),
                                  [this](Protocol protocol, std::unique_ptr<net::Socket> caller) {
                                    if (protocol == Protocol::kGrpc) Remember(*caller);
                                    gateway_->Serve(protocol, std::move(caller));
                                  });
    // If the port does not start, the store is used without the socket, just as after a failed
    // Listen.
    if (port.ok()) port_ = *std::move(port);
  }

 private:
  // Keeps a copy of a gRPC connection's descriptor for Stop. Runs on the port's thread.
  void Remember(const net::Socket& caller) {
    // Drops the connections that have ended, which poll reports as hung up.
    open_.remove_if([](const net::Fd& fd) {
      pollfd ended{fd.get(), 0, 0};
      return ::poll(&ended, 1, 0) > 0;
    });
    // gRPC owns the descriptor and may close it at any time; a copy stays valid for Stop.
    open_.emplace_back(::fcntl(caller.fd(), F_DUPFD_CLOEXEC, 0));
  }

  // Stops the gateway. gRPC does not close a connection while its reader takes nothing of what is
  // being sent, for example because the user looks at a pager, and the gRPC server does not stop
  // before its connections have closed. So a second thread breaks the connections when the time is
  // over.
  void Stop() {
    engine::Mutex mutex;
    engine::CondVar changed;
    bool is_stopped = false;
    engine::Thread breaks;
    if (!open_.empty()) {
      breaks = engine::Thread("store-break", [&] {
        engine::Clock* clock = engine::Clock::System();
        const int64_t until_nanos = clock->MonotonicNanos() + (kDrainUs + kBreakUs) * 1000;
        engine::MutexLock lock(&mutex);
        while (!is_stopped && clock->MonotonicNanos() < until_nanos) {
          changed.WaitFor(&mutex, (until_nanos - clock->MonotonicNanos()) / 1000 + 1);
        }
        if (is_stopped) return;
        for (const net::Fd& fd : open_) ::shutdown(fd.get(), SHUT_RDWR);
      });
    }
    gateway_->Stop(kDrainUs);
    {
      engine::MutexLock lock(&mutex);
      is_stopped = true;
    }
    changed.NotifyAll();
  }

  // Waits until kMomentUs pass without a new call or connection, at most kMomentsMax times.
  void FinishShortCalls() {
    uint64_t seen = 0;
    for (int64_t moment = 0; port_->HasCallers() && moment < kMomentsMax; ++moment) {
      client_->clock()->SleepMicros(kMomentUs);
      const uint64_t now = port_->accepted() + gateway_->wire_calls();
      if (now == seen) return;
      seen = now;
    }
  }

  const std::string path_;
  std::unique_ptr<net::Socket> socket_;  // moved to the port by Serve
  Client* client_ = nullptr;             // null: Serve was not called yet
  std::unique_ptr<Gateway> gateway_;
  std::list<net::Fd> open_;  // copies of gRPC's descriptors; until the port's thread has ended,
                             // only that thread uses them
  std::unique_ptr<SharedPort> port_;  // last, because its thread uses the fields above
};

}  // namespace

StatusOr<std::unique_ptr<DirectorySocket>> DirectorySocket::Listen(const std::string& directory) {
  std::string path = net::SocketPath(directory);
  if (path.empty()) return Unavailable(net::LongSocketPath(directory));
  // This process holds the lock, so a file of this name was left by a process that has ended.
  ASSIGN_OR_RETURN(std::unique_ptr<net::Socket> socket, net::ListenAlone(path));
  return std::unique_ptr<DirectorySocket>(
      std::make_unique<ListeningSocket>(std::move(path), std::move(socket)));
}

}  // namespace sippar::cluster
