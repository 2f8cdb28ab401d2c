// Loads tablets and replays what the logs of dead servers hold of them (paper section 6), and
// unloads tablets so that the next server need not read any log (paper section 5.2).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>

#include "cluster/api/control_api.h"
#include "cluster/tabletserver/server_parts.h"
#include "engine/log/sealed_log.h"

namespace sippar::cluster {

// Thread safe.
class TabletMoves {
 public:
  explicit TabletMoves(const ServerParts* parts) : parts_(parts) {}

  // Load, Unload and SortLogPart carry out the calls LoadTablet, UnloadTablet and SortLogPart of
  // TabletControl.
  [[nodiscard]] Status Load(const TabletRecord& record, const TableRecord& table);
  [[nodiscard]] Status Unload(const TabletAddress& address);
  // False: another call is changing the tablet.
  [[nodiscard]] StatusOr<bool> TryUnload(const TabletAddress& address);
  [[nodiscard]] Status SortLogPart(const ServerId& dead, uint64_t segment);

  // From now on refuses all loads, and makes each tablet that is unloaded unassigned in METADATA.
  void Leave() { leaves_ = true; }
  bool leaves() const { return leaves_; }
  // Stops serving tablets that METADATA has assigned to other servers; true if there were any.
  bool DropLost();

 private:
  StatusOr<std::shared_ptr<Served>> Open(const TabletRecord& record, const TableRecord& table);
  Status ReplayLogs(const TabletRecord& record, engine::Tablet* tablet);
  StatusOr<std::shared_ptr<engine::SealedLog>> FindLog(const ServerId& dead);
  Status FinishUnload(const TabletAddress& address, Served* served);
  Status GiveUp(Served* served);

  const ServerParts* const parts_;
  std::atomic<bool> leaves_{false};
  engine::Mutex mutex_;
  // Some logs of dead servers, kept because the tablets of a dead server are loaded one after
  // another.
  std::map<ServerId, std::shared_ptr<engine::SealedLog>> logs_ GUARDED_BY(mutex_);
};

}  // namespace sippar::cluster
