// A whole cluster in one process: tablet servers, master candidates and a client over one lock
// service and one shared directory, connected by direct calls (local_network.h). Servers and
// masters can be started and stopped.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "cluster/node/local_network.h"
#include "cluster/node/roles.h"

namespace sippar::cluster {

struct LocalClusterOptions {
  std::string directory;  // directory of the cluster; Open prepares an empty one
  LockService* locks = nullptr;
  engine::StoreOptions store;  // options of each server; masters use its fs and clock
  int64_t lease_us = 0;
  bool loses_answers = true;  // see LocalTransport
  master::MasterOptions policy;
};

// Thread safe only for data() and admin(); one thread starts and stops roles. What the options
// point to outlives the cluster. The destructor acts like the death of the process; for a clean
// end, call CloseAll first.
class LocalCluster {
 public:
  // Opens the cluster without any role. Start the servers before the master, so that the master
  // finds them when it starts.
  [[nodiscard]] static StatusOr<std::unique_ptr<LocalCluster>> Open(
      const LocalClusterOptions& options);
  ~LocalCluster();

  [[nodiscard]] Status StartMaster(const std::string& name);
  void StopMaster(const std::string& name);
  // When OK, a master knows every tablet. kDeadlineExceeded: no master has read METADATA in time.
  [[nodiscard]] Status WaitForMaster(int64_t timeout_us);

  // Waits until every tablet of every live table is served or has failed to load. After that, reads
  // cause no write.
  [[nodiscard]] Status WaitForTablets();
  // Returns the lives that the master knows, alive or being recovered. kUnavailable: no master
  // reigns.
  [[nodiscard]] StatusOr<std::set<ServerId>> Lives();

  // Returns the result of MasterDriver::StartFailure at the reigning master.
  [[nodiscard]] Status StartFailure() { return network_.Master().driver->StartFailure(); }

  // `fs`: the shared directory as this server sees it; null: the file system of the options.
  [[nodiscard]] Status StartServer(const std::string& name, engine::FileSystem* fs = nullptr);
  // The server hands its tablets over and leaves. On error it ends all the same, and its log is
  // recovered.
  [[nodiscard]] Status StopServer(const std::string& name);
  // Ends the server at once, as a crash would; its lease runs out.
  void CrashServer(const std::string& name);
  // Stops the live servers one after another, each after METADATA can be read again, then the
  // masters.
  [[nodiscard]] Status CloseAll();

  ClusterData* data() { return client_->data(); }
  MetadataTable* metadata() { return client_->metadata(); }
  // The AdminApi of the reigning master.
  std::shared_ptr<AdminApi> admin() { return client_line_.Admin(); }
  TabletServer* server(const std::string& name) { return servers_.at(name).role->server().get(); }

 private:
  template <typename Role>
  struct Process {
    std::unique_ptr<LocalTransport> line;
    std::unique_ptr<Role> role;  // destroyed before `line`, which it uses
  };
  explicit LocalCluster(const LocalClusterOptions& options)
      : options_(options), client_line_(&network_, options.loses_answers) {}
  ClusterPlace PlaceOn(LocalTransport* line) const;
  void Leave(Process<ServerRole>* process);

  const LocalClusterOptions options_;
  LocalNetwork network_;
  LocalTransport client_line_;
  std::unique_ptr<ClusterView> client_;
  std::map<std::string, Process<MasterRole>> masters_;
  std::map<std::string, Process<ServerRole>> servers_;
};

}  // namespace sippar::cluster
