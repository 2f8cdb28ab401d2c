// The roles of a process, each with its own view of the cluster. They are assembled here, both for
// processes that share only lock service, directory and network, and for LocalCluster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cluster/master/act/cluster_admin.h"
#include "cluster/master/act/master_driver.h"
#include "cluster/node/cluster_view.h"
#include "cluster/tabletserver/tablet_server.h"

namespace sippar::cluster {

class ServerRole {
 public:
  // Calls TabletServer::Start. `store` has the file system, clock and sizes of this server. The
  // last three are those of TabletServerOptions.
  [[nodiscard]] static StatusOr<std::unique_ptr<ServerRole>> Start(
      const ClusterPlace& place, const std::string& name, const engine::StoreOptions& store,
      std::function<void(const char* why)> end_process,
      std::function<void(const std::string& path)> note_crashes_in = nullptr,
      std::function<const char*(int64_t passed_us)> overdue_call = nullptr);
  // No call may be running. If the server was not drained, this acts like the death of the process.
  ~ServerRole() {
    if (server_ != nullptr) server_->Abandon();
  }

  const std::shared_ptr<TabletServer>& server() const { return server_; }
  MetadataTable* metadata() { return view_->metadata(); }

 private:
  explicit ServerRole(std::unique_ptr<ClusterView> view) : view_(std::move(view)) {}
  const std::unique_ptr<ClusterView> view_;
  std::shared_ptr<TabletServer> server_;
};

class MasterRole {
 public:
  // Starts a candidate, which reigns as soon as it gets the master lock.
  [[nodiscard]] static StatusOr<std::unique_ptr<MasterRole>> Start(
      const ClusterPlace& place, const std::string& name, engine::FileSystem* fs,
      const master::MasterOptions& policy);
  ~MasterRole() { driver_->Stop(); }

  const std::shared_ptr<master::MasterDriver>& driver() const { return driver_; }
  const std::shared_ptr<master::ClusterAdmin>& admin() const { return admin_; }

 private:
  explicit MasterRole(std::unique_ptr<ClusterView> view) : view_(std::move(view)) {}
  const std::unique_ptr<ClusterView> view_;
  std::shared_ptr<master::MasterDriver> driver_;
  std::shared_ptr<master::ClusterAdmin> admin_;
};

}  // namespace sippar::cluster
