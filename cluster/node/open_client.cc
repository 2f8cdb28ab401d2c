// Client::Open: what a target means, and how its store is reached. SPDX-License-Identifier:
// Apache-2.0
#include <fmt/format.h>

#include "cluster/client/client.h"
#include "cluster/node/embedded_node.h"
#include "cluster/node/joined_client.h"
#include "cluster/rpc/directory_socket.h"

namespace sippar::cluster {
namespace {

// Who has the directory may be about to serve it, or to leave it.
constexpr int64_t kJoinUs = 3'000'000;
constexpr int64_t kTryAgainUs = 20'000;

// A store opened by this process, and served to others of this user.
class SharedStore final : public Client {
 public:
  explicit SharedStore(std::unique_ptr<Client> store) : store_(std::move(store)) {
    auto socket = DirectorySocket::Listen(store_->target(), store_.get());
    if (socket.ok()) socket_ = *std::move(socket);  // where there are no sockets: ours alone
  }
  ~SharedStore() override { (void)Close(); }

  DataApi* data() override { return store_->data(); }
  AdminApi* admin() override { return store_->admin(); }
  engine::Clock* clock() override { return store_->clock(); }
  const std::string& target() const override { return store_->target(); }
  Status Close() override {
    socket_.reset();
    return store_->Close();
  }

 private:
  std::unique_ptr<Client> store_;
  std::unique_ptr<DirectorySocket> socket_;
};

engine::Clock* ClockOf(const ClientOptions& options) {
  return options.clock == nullptr ? engine::Clock::System() : options.clock;
}

StatusOr<std::unique_ptr<RemoteClient>> Connect(const std::string& address,
                                                const std::string& target,
                                                const ClientOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<RemoteClient> remote,
                   RemoteClient::Connect(address, target, ClockOf(options)));
  if (!options.sync_writes) {
    return FailedPrecondition(
        fmt::format("{}: another process serves it and syncs its writes; to do without syncs, end "
                    "that one and open the directory alone",
                    target));
  }
  return remote;
}

// For good, or for reading alone where the disk takes nothing (reliability.md D6, D19): then a
// change of tables, which may make room, may use the reserve.
StatusOr<ReachedStore> OpenHere(const std::string& directory, const ClientOptions& options,
                                ReachFor reach_for) {
  auto serve = [](std::unique_ptr<Client> store) {
    return std::make_unique<SharedStore>(std::move(store));
  };
  StatusOr<std::unique_ptr<Client>> store = OpenEmbedded(directory, options);
  bool is_full = store.status().code() == StatusCode::kResourceExhausted;
  if (is_full && reach_for == ReachFor::kChangeOfTables && GiveUpReserve(directory)) {
    store = OpenEmbedded(directory, options);
  }
  if (store.ok()) return ReachedStore{serve(*std::move(store)), nullptr, nullptr};
  if (!is_full && store.status().code() != StatusCode::kPermissionDenied) return store.status();
  auto overlaid = OpenForReading(directory, options, store.status());
  if (overlaid.status().code() == StatusCode::kUnavailable) return overlaid.status();
  if (!overlaid.ok()) return store.status();
  auto has_refused = [client = overlaid->get()] { return client->has_refused(); };
  return ReachedStore{serve(*std::move(overlaid)), nullptr, std::move(has_refused)};
}

// Opens the store, or joins the process that has it open.
StatusOr<ReachedStore> OpenDirectory(const std::string& directory, const ClientOptions& options,
                                     ReachFor reach_for) {
  engine::Clock* clock = ClockOf(options);
  int64_t until_nanos = clock->MonotonicNanos() + kJoinUs * 1000;
  while (true) {
    auto store = OpenHere(directory, options, reach_for);
    if (store.status().code() != StatusCode::kUnavailable) return store;
    std::string socket = SocketPath(directory);
    if (socket.empty()) return store.status();
    auto joined = Connect("unix:" + socket, directory, options);
    if (joined.ok()) return ReachedStore{nullptr, *std::move(joined), nullptr};
    if (joined.status().code() == StatusCode::kFailedPrecondition) return joined.status();
    bool is_foreign = joined.status().code() == StatusCode::kPermissionDenied;
    if (is_foreign || clock->MonotonicNanos() > until_nanos) {
      return Annotate(store.status(),
                      fmt::format("it cannot be joined ({}); end it, or wait until it ends",
                                  MessageOf(joined.status())));
    }
    clock->SleepMicros(kTryAgainUs);
  }
}

// What to connect to, when the target is a server; "" when it is a directory.
std::string AddressOf(const std::string& target) {
  constexpr std::string_view kScheme = "sippar://";
  if (target.starts_with(kScheme)) return target.substr(kScheme.size());
  if (target.starts_with("unix:")) return target;
  size_t colon = target.rfind(':');
  if (colon == std::string::npos || colon == 0 || target.find('/') != std::string::npos) return "";
  std::string port = target.substr(colon + 1);
  bool is_port = !port.empty() && port.find_first_not_of("0123456789") == std::string::npos;
  return is_port ? target : "";
}

}  // namespace

StatusOr<std::unique_ptr<Client>> Client::Open(const std::string& target,
                                               const ClientOptions& options) {
  if (target.empty()) return InvalidArgument("target is empty; name a directory or host:port");
  if (target.starts_with("zk://")) {
    return Unimplemented(fmt::format(
        "target {}: clusters are not there yet; name a directory or host:port", target));
  }
  if (std::string address = AddressOf(target); !address.empty()) {
    ASSIGN_OR_RETURN(std::unique_ptr<RemoteClient> server, Connect(address, target, options));
    ReachedStore store{nullptr, std::move(server), nullptr};
    return NewJoinedClient(std::move(store), [=](ReachFor) -> StatusOr<ReachedStore> {
      ASSIGN_OR_RETURN(std::unique_ptr<RemoteClient> again, Connect(address, target, options));
      return ReachedStore{nullptr, std::move(again), nullptr};
    });
  }
  std::string directory = target;
  while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
  // Files that are not the system's have no sockets beside them.
  if (options.fs != nullptr) return OpenEmbedded(directory, options);
  ClientOptions again = options;
  again.create_if_missing = false;
  ASSIGN_OR_RETURN(ReachedStore store, OpenDirectory(directory, options, ReachFor::kCalls));
  if (store.remote == nullptr && store.has_refused == nullptr) return std::move(store.opened);
  return NewJoinedClient(std::move(store), [=](ReachFor reach_for) {
    return OpenDirectory(directory, again, reach_for);
  });
}

}  // namespace sippar::cluster
