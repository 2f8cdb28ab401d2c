// Tablets that come and go: loading one with what the logs of dead servers hold of it (paper
// section 6), and giving one up so that its next server need not read any log (paper section 5.2).
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

  // As TabletControl's.
  [[nodiscard]] Status Load(const TabletRecord& record, const TableRecord& table);
  [[nodiscard]] Status Unload(const TabletAddress& address);
  // False: it is busy.
  [[nodiscard]] StatusOr<bool> TryUnload(const TabletAddress& address);
  [[nodiscard]] Status SortLogPart(const ServerId& dead, uint64_t segment);

  // No tablet is loaded from here on.
  void Leave() { leaves_ = true; }
  bool leaves() const { return leaves_; }
  // Stops serving what METADATA has given away; true if there was any.
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
  // Of the last few deaths: the tablets of one server come one after the other.
  std::map<ServerId, std::shared_ptr<engine::SealedLog>> logs_ GUARDED_BY(mutex_);
};

}  // namespace sippar::cluster
