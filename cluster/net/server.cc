// New connections are accepted, and do their TLS handshake, on a loop of their own. Each hello
// names a lane and moves its connection to that lane's loop. Therefore no lane is delayed when many
// clients connect at once.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/net/server.h"

#include <fmt/format.h>

#include <utility>

#include "cluster/net/session.h"
#include "engine/base/clock.h"

namespace sippar::net {
namespace {

constexpr int kAcceptsInARow = 64;
constexpr int64_t kAcceptAgainMicros = 100'000;  // wait after the system had no free descriptor
constexpr int64_t kLookMicros = 2'000;

void Begin(const std::shared_ptr<ServerParts>& parts, const std::shared_ptr<Loop>& loop,
           std::unique_ptr<Socket> socket) {
  const ServerOptions& options = parts->options;
  std::unique_ptr<TlsSession> tls;
  if (options.tls != nullptr) {
    auto session = options.tls->NewServer();
    if (!session.ok()) return;  // the peer sees the connection end, and tries again
    tls = *std::move(session);
  }
  ConnectionOptions own{.hello = parts->hello(), .keepalive = options.keepalive};
  auto session = std::make_shared<Session>(
      parts, std::make_shared<Connection>(loop, std::move(socket), std::move(tls), own));
  {
    engine::MutexLock lock(&parts->mutex);
    if (parts->is_leaving || parts->sessions.size() >= options.connections_max) return;
    parts->sessions.insert(session);
  }
  session->Start();
}

class Acceptor final : public Watch::User, public std::enable_shared_from_this<Acceptor> {
 public:
  Acceptor(std::shared_ptr<ServerParts> parts, std::shared_ptr<Loop> loop,
           std::unique_ptr<Socket> socket)
      : parts_(std::move(parts)),
        loop_(std::move(loop)),
        socket_(std::move(socket)),
        watch_(loop_->NewWatch(socket_->fd())) {}

  void Await() { watch_->AwaitReadable(shared_from_this()); }

  void OnReadable() override {
    if (parts_->is_leaving) return;
    for (int round = 0; round < kAcceptsInARow; ++round) {
      auto accepted = socket_->Accept();
      if (!accepted.ok()) {
        return loop_->After(kAcceptAgainMicros, [self = shared_from_this()] { self->Await(); });
      }
      if (*accepted == nullptr) break;
      Begin(parts_, loop_, *std::move(accepted));
    }
    Await();
  }
  void OnWritable() override {}

 private:
  const std::shared_ptr<ServerParts> parts_;
  const std::shared_ptr<Loop> loop_;
  const std::unique_ptr<Socket> socket_;
  const std::unique_ptr<Watch> watch_;
};

class ListeningServer final : public Server {
 public:
  ListeningServer(std::shared_ptr<ServerParts> parts, std::shared_ptr<Loop> loop, uint16_t port)
      : parts_(std::move(parts)), loop_(std::move(loop)), port_(port) {}
  ~ListeningServer() override { Stop(0); }

  uint16_t port() const override { return port_; }
  size_t connections() const override {
    engine::MutexLock lock(&parts_->mutex);
    return parts_->sessions.size();
  }

  void SetName(const std::string& name) override {
    engine::MutexLock lock(&parts_->mutex);
    parts_->own_hello.name = name;
  }

  void Serve(std::unique_ptr<Socket> accepted) override {
    // The socket is in a shared_ptr, because std::function must be copyable and a socket is not.
    auto socket = std::make_shared<std::unique_ptr<Socket>>(std::move(accepted));
    loop_->Post([parts = parts_, loop = loop_, socket] { Begin(parts, loop, std::move(*socket)); });
  }

  void Stop(int64_t drain_us) override {
    if (std::exchange(is_stopped_, true)) return;
    parts_->is_leaving = true;
    // A loop that read is_leaving before it was set may still be about to begin a call. Settle
    // waits until this call has begun. After Settle no call begins, so when the running calls have
    // ended, the service may be destroyed.
    parts_->loops->Settle();
    WaitUntil(drain_us, [this] { return calls() == 0 && !HasUnsent(); });
    Status why = Unavailable(fmt::format("{}: the server is stopping", parts_->hello().name));
    for (const auto& session : sessions()) session->SayGoodbye(why);
    WaitUntil(parts_->options.goodbye_us, [this] { return connections() == 0; });
    for (const auto& session : sessions()) session->Close(why);
    for (const auto& lane : parts_->lanes) {
      lane->threads.Stop();
      lane->streams.Stop();
    }
    loop_->Stop();
  }

 private:
  // Waits until the condition is met, at most `limit_us`. Polling every kLookMicros is good enough
  // for a server, which stops only once.
  template <typename Condition>
  static void WaitUntil(int64_t limit_us, Condition is_met) {
    engine::Clock* clock = engine::Clock::System();
    int64_t end = clock->MonotonicNanos() + limit_us * 1000;
    while (!is_met() && clock->MonotonicNanos() < end) clock->SleepMicros(kLookMicros);
  }

  std::vector<std::shared_ptr<Session>> sessions() const {
    engine::MutexLock lock(&parts_->mutex);
    return {parts_->sessions.begin(), parts_->sessions.end()};
  }

  // True: a connection has answers that are not written yet. Their calls already count as ended.
  bool HasUnsent() const {
    for (const auto& session : sessions()) {
      if (session->has_unsent()) return true;
    }
    return false;
  }

  size_t calls() const {
    size_t calls = 0;
    for (const auto& lane : parts_->lanes) {
      engine::MutexLock lock(&lane->mutex);
      calls += lane->admission.calls() - lane->endless;
    }
    return calls;
  }

  const std::shared_ptr<ServerParts> parts_;
  const std::shared_ptr<Loop> loop_;
  const uint16_t port_;
  bool is_stopped_ = false;
};

// nullptr: `options` name no address, and the server does not listen.
StatusOr<std::unique_ptr<Socket>> ListenOn(const ServerOptions& options) {
  if (options.host.empty()) return std::unique_ptr<Socket>();
  auto address = NumericAddress(options.host, options.port);
  if (address.has_value()) return Socket::Listen(*address);
  return InvalidArgument(fmt::format(
      "listening on {}: it is not a valid address; give one of this machine, or unix:PATH",
      options.host));
}

}  // namespace

StatusOr<std::unique_ptr<Server>> Server::Start(ServerOptions options, Service* service,
                                                LaneLoops* loops) {
  ASSIGN_OR_RETURN(std::unique_ptr<Socket> socket, ListenOn(options));
  const uint16_t port = socket == nullptr ? 0 : socket->Local().port();
  ASSIGN_OR_RETURN(std::shared_ptr<Loop> loop, Loop::Start("net-accept"));
  auto parts = std::make_shared<ServerParts>();
  for (Lane lane : kAllLanes) {
    size_t at = static_cast<size_t>(lane);
    parts->lanes[at] =
        std::make_unique<ServerLane>(fmt::format("net-{}", NameOf(lane)), options.bounds[at]);
  }
  {
    engine::MutexLock lock(&parts->mutex);
    parts->own_hello = options.hello;
  }
  parts->options = std::move(options);
  parts->service = service;
  parts->loops = loops;
  if (socket != nullptr) {
    auto acceptor = std::make_shared<Acceptor>(parts, loop, std::move(socket));
    loop->Post([acceptor] { acceptor->Await(); });
  }
  return std::unique_ptr<Server>(
      std::make_unique<ListeningServer>(std::move(parts), std::move(loop), port));
}

}  // namespace sippar::net
