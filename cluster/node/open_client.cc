// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/open_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "cluster/net/unix_socket.h"
#include "cluster/node/cluster_client.h"
#include "cluster/node/embedded_node.h"
#include "cluster/node/joined_client.h"
#include "cluster/node/server_client.h"
#include "cluster/node/target.h"
#include "cluster/serve/directory_socket.h"

namespace sippar::cluster {
namespace {

// Shortest and longest time between two attempts. An attempt succeeds if the process that held the
// directory has begun to serve it or has left it, or if a server listens again.
constexpr int64_t kLookUs = 4'000;
constexpr int64_t kLookMaxUs = 40'000;

// If no server listens on a machine that is up, the connection is refused within this time.
constexpr int64_t kRefusalMaxUs = 1'000'000;

// A store that this process has opened and serves to the user's other processes.
class SharedStore final : public Client {
 public:
  SharedStore(std::unique_ptr<Client> store, std::unique_ptr<DirectorySocket> socket)
      : store_(std::move(store)), socket_(std::move(socket)) {
    if (socket_ != nullptr) socket_->Serve(store_.get());
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

// `address`: host:port, or unix:PATH.
StatusOr<std::unique_ptr<RemoteClient>> Connect(const std::string& address,
                                                const std::string& target,
                                                const ClientOptions& options,
                                                bool has_others = false) {
  auto remote = ConnectServer(address, target, ClockOf(options), options.tls, has_others);
  if (remote.ok() && !options.sync_writes) {
    return FailedPrecondition(
        fmt::format("{}: another process has it open and syncs its writes; to write without syncs, "
                    "end that process first",
                    target));
  }
  return remote;
}

// Opens the store in this process; for reading only, if the disk accepts no writes (tests/FAULTS.md
// D6, D19). A change of tables may free space, so the reserve is released before such a change.
StatusOr<ReachedStore> OpenHere(const std::string& directory, const ClientOptions& options,
                                ReachFor reach_for) {
  std::unique_ptr<DirectorySocket> socket;
  auto serve = [&](std::unique_ptr<Client> store) {
    return std::make_unique<SharedStore>(std::move(store), std::move(socket));
  };
  StatusOr<std::unique_ptr<Client>> store = OpenEmbedded(directory, options, &socket);
  bool is_full = HasCause(store.status(), Cause::kDiskFull);
  if (is_full && reach_for == ReachFor::kChangeOfTables && GiveUpReserve(directory)) {
    store = OpenEmbedded(directory, options, &socket);
  }
  if (store.ok()) return ReachedStore{serve(*std::move(store)), nullptr, nullptr};
  if (!is_full && store.status().code() != StatusCode::kPermissionDenied) return store.status();
  auto overlaid = OpenForReading(directory, options, store.status(), &socket);
  // Another process has taken the lock meanwhile: the caller can join that process.
  if (overlaid.status().code() == StatusCode::kUnavailable) return overlaid.status();
  if (!overlaid.ok()) return store.status();
  auto has_refused = [client = overlaid->get()] { return client->has_refused(); };
  return ReachedStore{serve(*std::move(overlaid)), nullptr, std::move(has_refused)};
}

// Joins the process that has the directory open.
StatusOr<ReachedStore> JoinDirectory(const std::string& directory, const ClientOptions& options) {
  std::string socket = net::SocketPath(directory);
  if (socket.empty()) return Unavailable(net::LongSocketPath(directory));
  ASSIGN_OR_RETURN(std::unique_ptr<RemoteClient> joined,
                   Connect("unix:" + socket, directory, options));
  return ReachedStore{nullptr, std::move(joined), nullptr};
}

// False for errors of joining that waiting cannot cure. Other errors may disappear: the process
// that has the directory may be about to serve it or to leave it.
bool MayPass(const Status& joining) {
  return joining.code() != StatusCode::kFailedPrecondition &&
         joining.code() != StatusCode::kPermissionDenied &&
         joining.code() != StatusCode::kUnimplemented;
}

// Limits `patience` by a call's own deadline and cancel flag.
Patience Within(Patience patience, const CallOptions& call) {
  if (call.timeout_us > 0) patience.wait_us = std::min(patience.wait_us, call.timeout_us);
  if (call.cancel == nullptr) return patience;
  patience.may_wait = [call, may_wait = std::move(patience.may_wait)](const std::string& what) {
    return !call.is_cancelled() && (may_wait == nullptr || may_wait(what));
  };
  return patience;
}

// Opens the store, or joins the process that has it open; waits while neither is possible.
StatusOr<ReachedStore> OpenDirectory(const std::string& directory, const ClientOptions& options,
                                     const Patience& patience, ReachFor reach_for) {
  engine::Clock* clock = ClockOf(options);
  const int64_t until_nanos = clock->MonotonicNanos() + patience.wait_us * 1000;
  for (int64_t look_us = kLookUs;; look_us = std::min(look_us * 2, kLookMaxUs)) {
    auto store = OpenHere(directory, options, reach_for);
    if (store.status().code() != StatusCode::kUnavailable) return store;
    auto joined = JoinDirectory(directory, options);
    if (joined.ok() || joined.status().code() == StatusCode::kFailedPrecondition) return joined;
    Status held =
        Annotate(store.status(), fmt::format("the process that has the store open cannot be joined "
                                             "({}); end it or wait until it ends",
                                             MessageOf(joined.status())));
    if (!MayPass(joined.status()) || clock->MonotonicNanos() > until_nanos) return held;
    if (patience.may_wait != nullptr &&
        !patience.may_wait(std::string(MessageOf(store.status())))) {
      return Cancelled(std::string(MessageOf(held)));
    }
    clock->SleepMicros(look_us);
  }
}

std::vector<std::string> AddressesIn(const std::string& list) {
  std::vector<std::string> addresses(1);
  for (char c : list) {
    if (c == ',') addresses.emplace_back();
    if (c != ',') addresses.back().push_back(c);
  }
  return addresses;
}

// The servers that a target names. All of them serve the same store.
struct Servers {
  explicit Servers(const std::string& list) : addresses(AddressesIn(list)) {}
  const std::vector<std::string> addresses;
  // The server that is tried first: the one after that which was reached last and is lost now, for
  // that one may be frozen.
  std::atomic<size_t> first{0};
};

// Connects to the first server that answers.
StatusOr<ReachedStore> ReachAny(Servers* servers, const std::string& target,
                                const ClientOptions& options) {
  const size_t count = servers->addresses.size();
  const size_t first = servers->first;
  Status failed;
  for (size_t i = 0; i < count; ++i) {
    const size_t at = (first + i) % count;
    auto server = Connect(servers->addresses[at], target, options, /*has_others=*/count > 1);
    if (server.ok()) {
      servers->first = (at + 1) % count;
      return ReachedStore{nullptr, *std::move(server), nullptr};
    }
    // An error that waiting cannot cure, such as a wrong certificate, takes precedence over
    // kUnavailable; the first such error is reported.
    if (failed.ok() || failed.code() == StatusCode::kUnavailable) failed = server.status();
  }
  return failed;
}

// Connects again after the server was lost. If the connection is refused at once, the machine is up
// and the server may be about to start again, as in an upgrade, so this function waits for it. It
// does not wait for a machine that did not answer at all: the attempt itself was the wait.
StatusOr<ReachedStore> ReachAgain(Servers* servers, const std::string& target,
                                  const ClientOptions& options, const Patience& patience) {
  engine::Clock* clock = ClockOf(options);
  const int64_t until_nanos = clock->MonotonicNanos() + patience.wait_us * 1000;
  for (int64_t look_us = kLookUs;; look_us = std::min(look_us * 2, kLookMaxUs)) {
    const int64_t begun_nanos = clock->MonotonicNanos();
    auto store = ReachAny(servers, target, options);
    const int64_t now_nanos = clock->MonotonicNanos();
    const bool is_silent = now_nanos - begun_nanos > kRefusalMaxUs * 1000;
    if (store.status().code() != StatusCode::kUnavailable || is_silent || now_nanos > until_nanos) {
      return store;
    }
    const std::string why(MessageOf(store.status()));
    if (patience.may_wait != nullptr &&
        !patience.may_wait(fmt::format("reach {} again ({})", target, why))) {
      return Cancelled(why);
    }
    clock->SleepMicros(look_us);
  }
}

StatusOr<std::unique_ptr<Client>> OpenServer(const std::string& address, const std::string& target,
                                             ClientOptions options, const Patience& patience) {
  if (options.tls == nullptr) {
    ASSIGN_OR_RETURN(options.tls, TlsKeysOfEnvironment());
  }
  auto servers = std::make_shared<Servers>(address);
  ASSIGN_OR_RETURN(ReachedStore store, ReachAny(servers.get(), target, options));
  return NewJoinedClient(
      std::move(store), patience.wait_us, [=](ReachFor, const CallOptions& call) {
        return ReachAgain(servers.get(), target, options, Within(patience, call));
      });
}

StatusOr<std::unique_ptr<Client>> OpenCluster(const std::string& target, ClientOptions options,
                                              const Patience& patience) {
  if (!options.sync_writes) {
    return FailedPrecondition(
        fmt::format("cluster {}: writes without syncs (--sync no) are not supported, for its "
                    "servers sync all writes; leave the option out",
                    target));
  }
  if (options.tls == nullptr) {
    ASSIGN_OR_RETURN(options.tls, TlsKeysOfEnvironment());
  }
  SiteOptions site_options;
  site_options.secret_file = SecretFileOfEnvironment();
  site_options.clock = ClockOf(options);
  site_options.connect_us = std::max<int64_t>(patience.wait_us, 1);
  site_options.may_wait = patience.may_wait;
  ASSIGN_OR_RETURN(std::shared_ptr<ClusterSite> site, ClusterSite::Open(target, site_options));
  return OpenClusterClient(std::move(site), options.tls);
}

}  // namespace

StatusOr<std::unique_ptr<Client>> OpenClient(const std::string& target,
                                             const ClientOptions& options,
                                             const Patience& patience) {
  ASSIGN_OR_RETURN(Target place, ParseTarget(target));
  if (!place.address.empty()) return OpenServer(place.address, target, options, patience);
  if (!place.cluster.empty()) return OpenCluster(target, options, patience);
  std::string directory = std::move(place.directory);
  // If the file system is not the operating system's, there is no socket next to its files.
  if (options.fs != nullptr) return OpenEmbedded(directory, options, nullptr);
  ClientOptions again = options;
  again.create_if_missing = false;
  ASSIGN_OR_RETURN(ReachedStore store,
                   OpenDirectory(directory, options, patience, ReachFor::kCalls));
  if (store.remote == nullptr && store.has_refused == nullptr) return std::move(store.opened);
  return NewJoinedClient(
      std::move(store), patience.wait_us, [=](ReachFor reach_for, const CallOptions& call) {
        return OpenDirectory(directory, again, Within(patience, call), reach_for);
      });
}

}  // namespace sippar::cluster
