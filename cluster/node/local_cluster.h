// A whole cluster in one process: tablet servers, master candidates and a client over one lock
// service and one shared directory, reaching each other by direct calls (local_network.h). Servers
// and masters come and go. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "cluster/node/local_network.h"
#include "cluster/node/roles.h"

namespace sippar::cluster {

struct LocalClusterOptions {
  std::string directory;  // shared; made into a cluster's when it is empty, or a store's
  LockService* locks = nullptr;
  engine::StoreOptions store;  // of each server; masters use its file system and clock, too
  int64_t lease_us = 0;
  bool is_remote = true;  // LocalTransport's
  master::MasterOptions policy;
};

// Not thread safe but for data() and admin(): one starts and stops. Options outlive it. Its own
// destructor is as the death of the process; CloseAll first for a clean end.
class LocalCluster {
 public:
  // Nothing runs yet. A master that starts last finds its servers ready to be asked.
  [[nodiscard]] static StatusOr<std::unique_ptr<LocalCluster>> Open(
      const LocalClusterOptions& options);
  ~LocalCluster();

  [[nodiscard]] Status StartMaster(const std::string& name);
  void StopMaster(const std::string& name);
  // kDeadlineExceeded. When OK every tablet is known to a master, those of a store that the
  // directory was as well: for these there has to be a server.
  [[nodiscard]] Status WaitForMaster(int64_t timeout_us);

  // Until every tablet is served, or failed to be: nothing has to be written for a read.
  [[nodiscard]] Status WaitForTablets();
  // Those that the master knows, alive or being recovered. kUnavailable: no master reigns.
  [[nodiscard]] StatusOr<std::set<ServerId>> Lives();

  // MasterDriver::StartFailure of the master that reigns.
  [[nodiscard]] Status StartFailure() { return network_.Master().driver->StartFailure(); }

  // `fs`: the shared directory as this server sees it; null: as in the options.
  [[nodiscard]] Status StartServer(const std::string& name, engine::FileSystem* fs = nullptr);
  // Hands its tablets over and leaves. On error it is gone all the same, and is recovered.
  [[nodiscard]] Status StopServer(const std::string& name);
  // It is gone from one moment to the next; its lease runs out.
  void CrashServer(const std::string& name);
  // The live servers one after the other, each when METADATA answers, then the masters.
  [[nodiscard]] Status CloseAll();

  ClusterData* data() { return client_->data(); }
  MetadataTable* metadata() { return client_->metadata(); }
  // Of the master that reigns now.
  std::shared_ptr<AdminApi> admin() { return client_line_.Admin(); }
  TabletServer* server(const std::string& name) { return servers_.at(name).role->server().get(); }

 private:
  template <typename Role>
  struct Process {
    std::unique_ptr<LocalTransport> line;
    std::unique_ptr<Role> role;  // before its line
  };
  explicit LocalCluster(const LocalClusterOptions& options)
      : options_(options), client_line_(&network_, options.is_remote) {}
  ClusterPlace PlaceOn(LocalTransport* line) const;
  void Leave(Process<ServerRole>* process);
  Status AdoptTables();

  const LocalClusterOptions options_;
  LocalNetwork network_;
  LocalTransport client_line_;
  std::unique_ptr<ClusterView> client_;
  std::map<std::string, Process<MasterRole>> masters_;
  std::map<std::string, Process<ServerRole>> servers_;
};

}  // namespace sippar::cluster
