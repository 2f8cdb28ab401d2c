// One process of a cluster of many machines: a tablet server, a candidate for master, or both. It
// first listens and refuses calls, then registers with the lock service, and then serves. Every
// member also answers clients that know only its address (wire/gateway_calls.h); a member that is
// also a gateway answers the Cloud Bigtable API on the same port.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "cluster/lock/lease_check.h"
#include "cluster/node/cluster_client.h"
#include "cluster/node/cluster_site.h"
#include "cluster/node/roles.h"
#include "cluster/serve/member_port.h"
#include "cluster/wire/gateway_calls.h"
#include "cluster/wire/member_service.h"
#include "engine/fs/watched_file_system.h"

namespace sippar::cluster {

inline constexpr int64_t kDefaultStoreTimeoutMicros = 30'000'000;

struct MemberOptions {
  // [a-z0-9-]+. No two live tablet servers, and no two masters, have the same name.
  std::string name;
  bool is_server = false;
  bool is_master = false;
  std::string listen = "127.0.0.1:0";  // HOST:PORT; port 0 means any free port
  std::string advertise;               // host that others connect to; "" means the host in `listen`
  std::shared_ptr<net::TlsKeys> tls;   // null: connections without TLS
  bool is_open_to_all = false;         // plain connections from other machines are accepted
  int64_t lease_us = kDefaultLeaseMicros;
  uint64_t memory_limit = 0;  // bytes of memtables and caches; 0: default
  std::string version;        // version of the program, for people
  // Set in a gateway: starts the Cloud Bigtable API over a client of the cluster, which outlives
  // the returned object.
  std::function<StatusOr<std::unique_ptr<ApiConnections>>(Client*)> start_api = nullptr;
  int64_t drain_us = 10'000'000;  // time for running calls of the API when the member leaves
  // Ends the process at once when the tablet server's life is over (LeaseOptions::end_process).
  std::function<void(const char* why)> end_process;
  // A tablet server ends, with end_process, when a call of its file system has not returned for so
  // long: other servers may reach the directory.
  int64_t store_timeout_us = kDefaultStoreTimeoutMicros;
  // See TabletServerOptions::note_crashes_in.
  std::function<void(const std::string& path)> note_crashes_in = nullptr;
};

class Member {
 public:
  // `site` outlives the member. kAlreadyExists: a process of this name is alive; kInvalidArgument:
  // the name or the host is not valid, or other machines could reach the address, but there are no
  // certificates; kFailedPrecondition: see ClusterSite::OpenFiles; kUnavailable: the address is in
  // use, or the lock service does not answer.
  [[nodiscard]] static StatusOr<std::unique_ptr<Member>> Start(ClusterSite* site,
                                                               const MemberOptions& options);
  // If Leave was not called before, acts like the death of the process.
  ~Member();

  const std::string& address() const { return address_; }  // HOST:PORT by which others reach it
  // Hands all tablets over to other servers and releases the master's lock. If all servers end, a
  // process that is only a master waits until they have left. After an error, the tablets that were
  // not handed over are recovered from the log.
  [[nodiscard]] Status Leave(Ending ending);

 private:
  Member(ClusterSite* site, const MemberOptions& options)
      : site_(site), options_(options), service_(options.name), gateway_(options.name, &service_) {}

  Status Listen();
  Status TakeRoles();
  Status BeginGateway();
  void EndGateway();
  Status StartServer(const ClusterPlace& place);
  StatusOr<std::string> HolderOfName();
  int64_t NameDeadlineNanos() const;
  Status AwaitName();
  void AwaitServersGone();
  ClusterPlace Place() const;
  MemberRecord Record() const;

  ClusterSite* const site_;
  const MemberOptions options_;
  const CancelFlag ends_ = std::make_shared<std::atomic<bool>>(false);
  std::unique_ptr<engine::WatchedFileSystem> fs_;
  std::unique_ptr<ClusterLines> lines_;
  std::unique_ptr<ServerRole> server_;
  std::unique_ptr<MasterRole> master_;
  MemberService service_;  // answers calls to the roles, to which it has references
  GatewayCalls gateway_;   // answers clients; passes other calls on to service_
  std::string host_;       // host by which others reach this process
  std::string address_;
  std::unique_ptr<MemberPort> port_;
};

}  // namespace sippar::cluster
