// A Client over one directory whose store is a cluster of one: lock service, master, tablet server
// and client of LocalCluster. What Client::Open is to open one day; until then it lets suites that
// were written for a store run over a cluster as well. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "cluster/client/client.h"
#include "cluster/lock/embedded_lock_service.h"
#include "cluster/node/local_cluster.h"

namespace sippar::cluster {

class ClusterOfOne final : public Client {
 public:
  // Of `options`: file system, clock, memory limit, syncs.
  [[nodiscard]] static StatusOr<std::unique_ptr<Client>> Open(const std::string& directory,
                                                              const ClientOptions& options) {
    auto client = std::unique_ptr<ClusterOfOne>(new ClusterOfOne(directory, options));
    RETURN_IF_ERROR(options.fs->CreateDir(directory));
    ASSIGN_OR_RETURN(client->locks_,
                     EmbeddedLockService::Open(options.fs, directory + "/lock", client->clock_));
    LocalClusterOptions cluster;
    cluster.directory = directory;
    cluster.locks = client->locks_.get();
    cluster.store.fs = options.fs;
    cluster.store.clock = client->clock_;
    cluster.store.sync_writes = options.sync_writes;
    if (options.memory_limit != 0) cluster.store.DivideMemory(options.memory_limit);
    cluster.is_remote = false;  // one process, one life: every call is answered
    ASSIGN_OR_RETURN(client->cluster_, LocalCluster::Open(cluster));
    RETURN_IF_ERROR(client->cluster_->StartServer("server"));
    RETURN_IF_ERROR(client->cluster_->StartMaster("master"));
    RETURN_IF_ERROR(client->cluster_->WaitForMaster(10'000'000));
    client->admin_ = client->cluster_->admin();
    return std::unique_ptr<Client>(std::move(client));
  }
  ~ClusterOfOne() override { (void)Close(); }

  DataApi* data() override { return cluster_->data(); }
  AdminApi* admin() override { return admin_.get(); }
  engine::Clock* clock() override { return clock_; }
  const std::string& target() const override { return directory_; }
  Status Close() override {
    Status status = cluster_ == nullptr ? OkStatus() : cluster_->CloseAll();
    admin_.reset();
    cluster_.reset();
    locks_.reset();
    return status;
  }

 private:
  ClusterOfOne(std::string directory, const ClientOptions& options)
      : directory_(std::move(directory)),
        clock_(options.clock == nullptr ? engine::Clock::System() : options.clock) {}

  const std::string directory_;
  engine::Clock* const clock_;
  std::unique_ptr<EmbeddedLockService> locks_;
  std::unique_ptr<LocalCluster> cluster_;
  std::shared_ptr<AdminApi> admin_;
};

}  // namespace sippar::cluster
