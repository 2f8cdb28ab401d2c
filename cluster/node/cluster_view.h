// What every role needs to access the cluster: a session with the lock service, the ordinary
// client, and METADATA through that client.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cluster/client/cluster_data.h"
#include "cluster/location/metadata_table.h"
#include "cluster/lock/member_record.h"
#include "cluster/lock/steady_session.h"

namespace sippar::cluster {

// What a role (a server, a master or a client) needs from its process. Everything that this points
// to outlives the role.
struct ClusterPlace {
  std::string directory;  // shared by all servers (store_paths.h)
  // Content of the lock service's file `store` (lock/store_mark.h); "": this process is the whole
  // cluster.
  std::string store_mark = {};
  LockService* locks = nullptr;
  // A session that holds no lock and that all roles of the process use. Null: each view opens its
  // own.
  LockSession* session = nullptr;
  Transport* transport = nullptr;
  engine::Clock* clock = nullptr;
  int64_t lease_us = 0;    // SessionOptions::timeout_us of servers and masters
  int64_t session_us = 0;  // timeout of the sessions that hold no lock
  // How other processes reach this one; nullopt: no other process calls it.
  std::optional<MemberRecord> member = std::nullopt;
  RetryPolicy retry;
  int64_t timeout_us = 30'000'000;  // timeout of calls that set none
  CancelFlag cancel = nullptr;      // set when the role ends: its calls then stop waiting
};

class ClusterView {
 public:
  // `name` is the name of the session in error messages, if the view opens its own.
  [[nodiscard]] static StatusOr<std::unique_ptr<ClusterView>> Open(const ClusterPlace& place,
                                                                   const std::string& name) {
    std::unique_ptr<ClusterView> view(new ClusterView);
    view->session_ = place.session;
    if (view->session_ == nullptr) {
      ASSIGN_OR_RETURN(view->own_session_,
                       SteadySession::Open(place.locks, {name, place.session_us, place.clock}));
      view->session_ = view->own_session_.get();
    }
    ClusterDataOptions options;
    options.transport = place.transport;
    options.session = view->session_;
    options.clock = place.clock;
    options.retry = place.retry;
    options.timeout_us = place.timeout_us;
    options.cancel = place.cancel;
    ASSIGN_OR_RETURN(view->data_, ClusterData::Open(options));
    view->metadata_ = NewMetadataTable(view->data_.get(), view->session_);
    return view;
  }

  LockSession* session() { return session_; }
  ClusterData* data() { return data_.get(); }
  MetadataTable* metadata() { return metadata_.get(); }

 private:
  ClusterView() = default;
  std::unique_ptr<LockSession> own_session_;  // null: session_ belongs to the process
  LockSession* session_ = nullptr;
  std::unique_ptr<ClusterData> data_;
  std::unique_ptr<MetadataTable> metadata_;
};

}  // namespace sippar::cluster
