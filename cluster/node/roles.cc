// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/roles.h"

#include <algorithm>

namespace sippar::cluster {

StatusOr<std::unique_ptr<ServerRole>> ServerRole::Start(
    const ClusterPlace& place, const std::string& name, const engine::StoreOptions& store,
    std::function<void(const char* why)> end_process,
    std::function<void(const std::string& path)> note_crashes_in,
    std::function<const char*(int64_t passed_us)> overdue_call) {
  ASSIGN_OR_RETURN(std::unique_ptr<ClusterView> view,
                   ClusterView::Open(place, "METADATA for " + name));
  std::unique_ptr<ServerRole> role(new ServerRole(std::move(view)));
  TabletServerOptions options;
  options.name = name;
  options.reached_at = place.member.has_value() ? place.member->Encode() : name;
  options.directory = place.directory;
  options.store_mark = place.store_mark;
  options.store = store;
  options.locks = place.locks;
  options.lease_us = place.lease_us;
  options.metadata = role->view_->metadata();
  options.transport = place.transport;
  options.end_process = std::move(end_process);
  options.note_crashes_in = std::move(note_crashes_in);
  options.overdue_call = std::move(overdue_call);
  auto server = TabletServer::Start(std::move(options));
  RETURN_IF_ERROR(server.status());
  role->server_ = *std::move(server);
  return role;
}

StatusOr<std::unique_ptr<MasterRole>> MasterRole::Start(const ClusterPlace& place,
                                                        const std::string& name,
                                                        engine::FileSystem* fs,
                                                        const master::MasterOptions& policy) {
  ASSIGN_OR_RETURN(std::unique_ptr<ClusterView> view,
                   ClusterView::Open(place, "METADATA for master " + name));
  std::unique_ptr<MasterRole> role(new MasterRole(std::move(view)));
  master::MasterDriverOptions options;
  options.name = name;
  options.locks = place.locks;
  options.session_us = place.lease_us;
  options.store_mark = place.store_mark;
  options.member = place.member;
  options.places.transport = place.transport;
  options.places.metadata = role->view_->metadata();
  options.places.fs = fs;
  options.places.clock = place.clock;
  options.places.directory = place.directory;
  options.places.lease_us = place.lease_us;
  if (place.member) options.places.cluster = place.member->cluster;
  options.policy = policy;
  // A longer lease says that members may be out of reach for so long.
  options.policy.silent_fence_us = std::max(policy.silent_fence_us, place.lease_us);
  const master::ActionPlaces places = options.places;
  role->driver_ = std::make_shared<master::MasterDriver>(std::move(options));
  role->admin_ = std::make_shared<master::ClusterAdmin>(role->driver_.get(), places);
  return role;
}

}  // namespace sippar::cluster
