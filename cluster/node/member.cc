// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/member.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "cluster/lock/lease_check.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/serve/listen_address.h"
#include "engine/base/machine_name.h"
#include "engine/base/printable.h"

namespace sippar::cluster {
namespace {

// Time between two looks at the lock service, and between two attempts to start the server.
constexpr int64_t kLookUs = 100'000;

// Checks the name, because it becomes part of paths in the lock service and of log directories.
Status CheckName(const std::string& name) {
  constexpr size_t kNameSizeMax = 60;
  bool is_valid = !name.empty() && name.size() <= kNameSizeMax;
  for (char c : name) {
    is_valid = is_valid && ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-');
  }
  if (is_valid) return OkStatus();
  return InvalidArgument(fmt::format("member name '{}': not valid; use 1 to {} of a-z, 0-9 and '-'",
                                     engine::PrintableBytes(name), kNameSizeMax));
}

// Checks the host, because it becomes a line of the member's record.
Status CheckHost(const std::string& host) {
  constexpr size_t kHostSizeMax = 253;
  bool is_valid = host.size() <= kHostSizeMax;
  for (char c : host) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool is_digit = c >= '0' && c <= '9';
    is_valid = is_valid && (is_letter || is_digit || c == '.' || c == '-' || c == '_' || c == ':');
  }
  if (is_valid) return OkStatus();
  return InvalidArgument(
      fmt::format("host '{}': not valid; give --advertise a host name or an address, without port",
                  engine::PrintableBytes(host)));
}

bool IsEveryAddress(const std::string& host) { return host == "0.0.0.0" || host == "::"; }

}  // namespace

StatusOr<std::unique_ptr<Member>> Member::Start(ClusterSite* site, const MemberOptions& options) {
  RETURN_IF_ERROR(CheckName(options.name));
  std::unique_ptr<Member> member(new Member(site, options));
  ASSIGN_OR_RETURN(std::unique_ptr<engine::FileSystem> files, site->OpenFiles());
  member->fs_ = std::make_unique<engine::WatchedFileSystem>(std::move(files));
  RETURN_IF_ERROR(member->Listen());
  RETURN_IF_ERROR(Annotate(member->TakeRoles(), "member " + options.name));
  return member;
}

Member::~Member() {
  ends_->store(true);
  if (port_ != nullptr) port_->Stop(0);
}

Status Member::Listen() {
  RETURN_IF_ERROR(CheckHost(options_.advertise));
  ASSIGN_OR_RETURN(ListenAddress address, ListenAddress::Parse(options_.listen));
  if (!address.IsLoopback() && options_.tls == nullptr && !options_.is_open_to_all) {
    return InvalidArgument(
        fmt::format("address '{}': other machines can reach it, and connections are not encrypted; "
                    "give --tls-cert, --tls-key and --tls-ca, or --insecure-network where only "
                    "trusted machines reach it",
                    options_.listen));
  }
  const net::Keepalive keepalive = net::Keepalive::OfLease(options_.lease_us);
  ClusterLinesOptions lines;
  lines.role = options_.is_server ? "tabletserver" : "master";
  lines.name = options_.name;
  lines.tls = options_.tls;
  lines.keepalive = keepalive;
  lines_ = std::make_unique<ClusterLines>(site_, lines);
  MemberPortOptions port;
  port.net.hello.role = lines.role;
  port.net.hello.name = options_.name;
  port.net.hello.cluster = site_->id();
  port.net.hello.lease_us = options_.lease_us;
  port.net.keepalive = keepalive;
  port.net.tls = options_.tls;
  port.has_api = options_.start_api != nullptr;
  port.is_open_to_all = options_.is_open_to_all;
  ASSIGN_OR_RETURN(port_, MemberPort::Start(address, std::move(port), &gateway_, lines_->loops()));
  host_ = !options_.advertise.empty()      ? options_.advertise
          : IsEveryAddress(address.Host()) ? engine::MachineName()
                                           : address.Host();
  const bool is_numeric_v6 = host_.find(':') != std::string::npos;
  address_ = is_numeric_v6 ? fmt::format("[{}]:{}", host_, port_->port())
                           : fmt::format("{}:{}", host_, port_->port());
  return OkStatus();
}

MemberRecord Member::Record() const {
  MemberRecord record;
  record.host = host_;
  record.port = port_->port();
  record.machine = engine::MachineName();
  record.pid = static_cast<uint32_t>(::getpid());
  record.version = options_.version;
  record.cluster = site_->id();
  record.identity = fs_->Identity();
  return record;
}

ClusterPlace Member::Place() const {
  ClusterPlace place;
  place.directory = site_->directory();
  place.store_mark = site_->store();
  place.locks = site_->locks();
  place.session = site_->session();
  place.transport = lines_->transport();
  place.clock = site_->options().clock;
  place.lease_us = options_.lease_us;
  place.session_us = site_->options().session_us;
  place.member = Record();
  place.cancel = ends_;
  return place;
}

// Returns the record of a live process that has the name; "" if there is none.
StatusOr<std::string> Member::HolderOfName() {
  LockSession* session = site_->session();
  std::vector<std::string> paths;
  if (options_.is_master) paths.push_back(lock_paths::Master(options_.name));
  if (options_.is_server) {
    ASSIGN_OR_RETURN(std::vector<std::string> lives, session->List(lock_paths::Servers()));
    for (const std::string& life : lives) {
      auto id = ServerId::Parse(life);
      if (id.ok() && id->name == options_.name) paths.push_back(lock_paths::Server(*id));
    }
  }
  for (const std::string& path : paths) {
    auto file = session->Read(path, Freshness::kConsistent);
    if (file.status().code() == StatusCode::kNotFound || (file.ok() && file->holder == 0)) continue;
    RETURN_IF_ERROR(file.status());
    auto record = MemberRecord::Decode(file->content);
    return record.ok() ? record->Print() : engine::PrintableBytes(file->content);
  }
  return std::string();
}

// Waits until no live process has the name. A killed process keeps its name until its session is
// over, and a supervisor that starts it again at once must not get an error.
Status Member::AwaitName() {
  engine::Clock* clock = site_->options().clock;
  const int64_t until_nanos = NameDeadlineNanos();
  for (;;) {
    auto holder = HolderOfName();
    if (holder.ok() && holder->empty()) return OkStatus();
    const bool may_pass = holder.ok() || holder.status().code() == StatusCode::kUnavailable;
    if (!may_pass) return holder.status();
    if (clock->MonotonicNanos() > until_nanos) {
      RETURN_IF_ERROR(holder.status());
      return AlreadyExists(
          fmt::format("its name is in use by {}; give this process another --name", *holder));
    }
    clock->SleepMicros(kLookUs);
  }
}

int64_t Member::NameDeadlineNanos() const {
  return site_->options().clock->MonotonicNanos() + options_.lease_us * 2000;
}

// Tries again while the name is taken: when the master declares the last life of this server dead,
// it holds that life's lock for a moment.
Status Member::StartServer(const ClusterPlace& place) {
  engine::StoreOptions store;
  store.fs = fs_.get();
  store.clock = place.clock;
  store.counts_own_cpu = true;
  if (options_.memory_limit != 0) store.DivideMemory(options_.memory_limit);
  const int64_t until_nanos = NameDeadlineNanos();
  for (;;) {
    auto started = ServerRole::Start(
        place, options_.name, store, options_.end_process, options_.note_crashes_in,
        [watch = fs_->watch(), limit_us = options_.store_timeout_us](int64_t passed_us) {
          return watch->Look(passed_us, limit_us);
        });
    if (started.ok()) {
      server_ = *std::move(started);
      return OkStatus();
    }
    const bool is_taken = started.status().code() == StatusCode::kAlreadyExists;
    if (!is_taken || place.clock->MonotonicNanos() > until_nanos) return started.status();
    place.clock->SleepMicros(kLookUs);
  }
}

Status Member::TakeRoles() {
  RETURN_IF_ERROR(CheckLease(site_->locks(), options_.lease_us, site_->options().clock));
  RETURN_IF_ERROR(AwaitName());
  MemberPorts ports;
  const ClusterPlace place = Place();
  if (options_.is_master) {
    ASSIGN_OR_RETURN(master_,
                     MasterRole::Start(place, options_.name, fs_.get(), master::MasterOptions()));
    ports.admin = master_->admin();
    ports.notices = master_->driver();
    // A master answers other calls only after its start is complete. It answers ClusterStatus
    // already during the start, so that an administrator can see what the master waits for.
    ports.takes = [driver = master_->driver()](std::string_view call) {
      return call == calls::ClusterStatus::kRule.name ? driver->Reigns() : driver->IsRunning();
    };
  }
  // Starts the server last, because other processes rely on a server as soon as it is registered.
  if (options_.is_server) {
    RETURN_IF_ERROR(StartServer(place));
    port_->SetName(server_->server()->id().ToString());
    ports.tablets = server_->server()->Tablets();
    ports.control = server_->server()->Control();
  }
  service_.Begin(std::move(ports));
  return BeginGateway();
}

// The client is opened by the first call that needs it, because most members never serve a client.
Status Member::BeginGateway() {
  gateway_.Begin([this] { return OpenClientOfMember(site_, lines_.get(), ends_); });
  if (options_.start_api == nullptr) return OkStatus();
  ASSIGN_OR_RETURN(Client * client, gateway_.Reach());
  ASSIGN_OR_RETURN(std::unique_ptr<ApiConnections> api, options_.start_api(client));
  port_->BeginApi(std::move(api));
  return OkStatus();
}

// For a process with a master and no tablet server, when the whole cluster ends: waits at most
// kWaitUs until no server is left. While servers leave, the master must still move METADATA from
// one server to the next.
void Member::AwaitServersGone() {
  constexpr int64_t kWaitUs = 60'000'000;
  engine::Clock* clock = site_->options().clock;
  const int64_t until_nanos = clock->MonotonicNanos() + kWaitUs * 1000;
  while (clock->MonotonicNanos() < until_nanos) {
    auto servers = HeldFiles(site_->session(), lock_paths::Servers());
    if (servers.ok() && servers->empty()) return;
    clock->SleepMicros(kLookUs);
  }
}

// Ends the calls of clients; the clients continue at other members.
void Member::EndGateway() {
  port_->EndApi(options_.drain_us);
  gateway_.Leave();
}

// The port serves until other servers have the tablets, so clients can read all the time. If all
// servers end, clients' calls are ended first: they would only wait for tablets that no server will
// serve.
Status Member::Leave(Ending ending) {
  if (ending == Ending::kAllServers) EndGateway();
  if (server_ == nullptr && ending == Ending::kAllServers) AwaitServersGone();
  Status drained = server_ == nullptr ? OkStatus() : server_->server()->Drain(ending);
  EndGateway();
  // Cancels the master's calls, which would otherwise wait for servers that have ended.
  ends_->store(true);
  if (master_ != nullptr) master_->driver()->Stop();
  constexpr int64_t kLastCallsUs = 1'000'000;
  port_->Stop(kLastCallsUs);
  return Annotate(drained, "member " + options_.name);
}

}  // namespace sippar::cluster
