// SPDX-License-Identifier: Apache-2.0
#include "cluster/serve/directory_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <list>

#include "cluster/grpc/unix_socket.h"
#include "cluster/serve/grpc_server.h"
#include "engine/base/thread.h"

namespace sippar::cluster {
namespace {

constexpr int kWaitingMax = 1024;      // most connections that are not accepted yet
constexpr int64_t kDrainUs = 500'000;  // time for running calls when the store is closed
// Processes that make short calls are served for up to kMomentsMax moments longer, because opening
// the directory would cost each of them much more. They count as done after one moment without a
// call.
constexpr int64_t kMomentUs = 20'000;
constexpr int64_t kMomentsMax = 15;
constexpr int64_t kBreakUs = 100'000;    // time after kDrainUs until connections are broken
constexpr int64_t kNoFilesUs = 100'000;  // wait before the next accept if descriptors ran out

class ListeningSocket final : public DirectorySocket {
 public:
  explicit ListeningSocket(std::string path)
      : path_(std::move(path)),
        fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
        stop_(::eventfd(0, EFD_CLOEXEC)) {}

  ~ListeningSocket() override {
    if (!is_bound_) return;
    if (client_ != nullptr) FinishShortCalls();
    // The name is removed first: a process that finds no socket from now on waits for the
    // directory's lock instead of connecting to a server that is about to end.
    ::unlink(path_.c_str());
    uint64_t one = 1;
    (void)!::write(stop_.get(), &one, sizeof(one));
    thread_.Join();
    if (server_ != nullptr) Stop();
  }

  Status Begin() {
    if (fd_.get() < 0 || stop_.get() < 0) return SocketError("create socket", path_);
    // A file of this name was left by a process that has ended, because this one holds the lock.
    // The mode is set before bind makes the name, so the socket is never open to other users.
    ::unlink(path_.c_str());
    if (::fchmod(fd_.get(), 0600) != 0) return SocketError("set mode of", path_);
    sockaddr_un address = SocketAddress(path_);
    auto* generic = reinterpret_cast<const sockaddr*>(&address);
    if (::bind(fd_.get(), generic, sizeof(address)) != 0) return SocketError("bind", path_);
    is_bound_ = true;
    if (::listen(fd_.get(), kWaitingMax) != 0) return SocketError("listen on", path_);
    return OkStatus();
  }

  void Serve(Client* client) override {
    client_ = client;
    thread_ = engine::Thread("store-socket", [this] { Run(); });
  }

 private:
  void Run() {
    // gRPC's threads start from this one and inherit its mask, so that none of them receives the
    // signals that the program handles.
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, nullptr);  // on Linux it changes the mask of this thread alone
    pollfd waits[] = {{fd_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}};
    while (true) {
      if (::poll(waits, 2, -1) < 0) continue;
      if (waits[1].revents != 0) return;
      Fd other(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (other.get() >= 0) {
        ServeConnection(&other);
      } else if (errno == EMFILE || errno == ENFILE) {
        client_->clock()->SleepMicros(kNoFilesUs);
      }
    }
  }

  void ServeConnection(Fd* other) {
    if (!IsOfThisUser(other->get())) return;
    if (server_ == nullptr) {
      auto server = std::make_unique<GrpcServer>(client_, ApiServerOptions());
      if (!server->Start("").ok()) return;
      server_ = std::move(server);
      serving_ = server_.get();
    }
    // Forgets the connections that have ended, which poll reports as hung up.
    open_.remove_if([](const Fd& fd) {
      pollfd ended{fd.get(), 0, 0};
      return ::poll(&ended, 1, 0) > 0;
    });
    // gRPC owns the descriptor and may close it at any time; a copy stays valid for Stop.
    open_.emplace_back(::fcntl(other->get(), F_DUPFD_CLOEXEC, 0));
    server_->AddConnection(other->Release());
    ++connections_;
  }

  // gRPC does not close a connection while the reader takes nothing of what is being sent, for
  // example because its user looks at a pager, and its server does not stop until then. So a second
  // thread breaks the connections when the time is over.
  void Stop() {
    server_->Leave();
    engine::Mutex mutex;
    engine::CondVar changed;
    bool is_stopped = false;
    engine::Thread breaks("store-break", [&] {
      engine::MutexLock lock(&mutex);
      if (!is_stopped) changed.WaitFor(&mutex, kDrainUs + kBreakUs);
      if (is_stopped) return;
      for (const Fd& fd : open_) ::shutdown(fd.get(), SHUT_RDWR);
    });
    server_->Stop(kDrainUs);
    {
      engine::MutexLock lock(&mutex);
      is_stopped = true;
    }
    changed.NotifyAll();
  }

  // Waits until no call or connection has come for a moment, at most kMomentsMax moments.
  void FinishShortCalls() {
    pollfd waits{fd_.get(), POLLIN, 0};
    bool is_alone = serving_ == nullptr && ::poll(&waits, 1, 0) == 0;
    uint64_t seen = 0;
    for (int64_t moment = 0; !is_alone && moment < kMomentsMax; ++moment) {
      client_->clock()->SleepMicros(kMomentUs);
      const GrpcServer* server = serving_;
      uint64_t now = connections_ + (server == nullptr ? 0 : server->store_calls());
      if (now == seen) return;
      seen = now;
    }
  }

  const std::string path_;
  Client* client_ = nullptr;  // null: Serve was not called yet
  Fd fd_;
  Fd stop_;
  bool is_bound_ = false;
  // The next two belong to thread_ until it has ended.
  std::unique_ptr<GrpcServer> server_;
  std::list<Fd> open_;                               // copies of the connections' descriptors
  std::atomic<const GrpcServer*> serving_{nullptr};  // server_ for other threads; null: none yet
  std::atomic<uint64_t> connections_{0};
  engine::Thread thread_;
};

}  // namespace

StatusOr<std::unique_ptr<DirectorySocket>> DirectorySocket::Listen(const std::string& directory) {
  std::string path = SocketPath(directory);
  if (path.empty()) return Unavailable(LongSocketPath(directory));
  auto socket = std::make_unique<ListeningSocket>(path);
  RETURN_IF_ERROR(socket->Begin());
  return std::unique_ptr<DirectorySocket>(std::move(socket));
}

}  // namespace sippar::cluster
