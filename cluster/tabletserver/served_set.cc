// SPDX-License-Identifier: Apache-2.0
#include "cluster/tabletserver/served_set.h"

#include <fmt/format.h>

#include <algorithm>

namespace sippar::cluster {

using engine::MutexLock;

StatusOr<std::shared_ptr<Served>> ServedSet::Find(const TabletAddress& address) const {
  MutexLock lock(&mutex_);
  auto found = served_.find(address.tablet_id);
  if (found == served_.end() || found->second->tablet_epoch != address.tablet_epoch) {
    return NotServed(fmt::format("the server that was asked does not serve tablet {} at epoch {}",
                                 address.tablet_id, address.tablet_epoch));
  }
  return found->second;
}

std::shared_ptr<Served> ServedSet::FindId(uint64_t tablet_id) const {
  MutexLock lock(&mutex_);
  auto found = served_.find(tablet_id);
  return found == served_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<Served>> ServedSet::All() const {
  MutexLock lock(&mutex_);
  std::vector<std::shared_ptr<Served>> all;
  for (const auto& [id, served] : served_) all.push_back(served);
  return all;
}

bool ServedSet::AnyBusy() const {
  MutexLock lock(&mutex_);
  return !busy_.empty();
}

StatusOr<std::vector<std::shared_ptr<Served>>> ServedSet::OfTable(uint64_t table_id,
                                                                  uint64_t schema_version) {
  MutexLock lock(&mutex_);
  // Records the version before the check below, so that a load that begins later cannot bring back
  // the old schema.
  uint64_t& newest = schemas_[table_id];
  newest = std::max(newest, schema_version);
  for (const auto& [tablet_id, table] : busy_) {
    if (table == table_id) RETURN_IF_ERROR(CheckIdle(tablet_id));
  }
  std::vector<std::shared_ptr<Served>> all;
  for (const auto& [id, served] : served_) {
    if (served->table_id == table_id) all.push_back(served);
  }
  return all;
}

Status ServedSet::CheckIdle(uint64_t tablet_id) const {
  if (!busy_.contains(tablet_id)) return OkStatus();
  return Unavailable(
      fmt::format("tablet {} is being loaded, unloaded, altered or split; try again", tablet_id));
}

void ServedSet::Close(const TabletAddress& address) {
  uint64_t& closed = closed_[address.tablet_id];
  closed = std::max(closed, address.tablet_epoch);
}

Status ServedSet::BeginLoad(const TabletAddress& address, uint64_t table_id,
                            uint64_t schema_version) {
  MutexLock lock(&mutex_);
  RETURN_IF_ERROR(CheckIdle(address.tablet_id));
  auto served = served_.find(address.tablet_id);
  if (served != served_.end()) {
    uint64_t epoch = served->second->tablet_epoch;
    if (epoch == address.tablet_epoch) return AlreadyExists("served");
    return FailedPrecondition(fmt::format("the server serves tablet {} at epoch {}, not {}",
                                          address.tablet_id, epoch, address.tablet_epoch));
  }
  // An epoch that has ended here is never served again, however late a load arrives.
  auto closed = closed_.find(address.tablet_id);
  if (closed != closed_.end() && closed->second >= address.tablet_epoch) {
    return FailedPrecondition(
        fmt::format("the server closed tablet {} at epoch {} and never serves that epoch or an "
                    "earlier one again",
                    address.tablet_id, closed->second));
  }
  // kUnavailable is not final: the master sends the load again with the newer schema.
  auto newest = schemas_.find(table_id);
  if (newest != schemas_.end() && newest->second > schema_version) {
    return Unavailable(fmt::format("the schema of table {} already has version {}, newer than {}",
                                   table_id, newest->second, schema_version));
  }
  busy_[address.tablet_id] = table_id;
  return OkStatus();
}

void ServedSet::EndLoad(const TabletAddress& address, std::shared_ptr<Served> served, bool over) {
  MutexLock lock(&mutex_);
  busy_.erase(address.tablet_id);
  if (served != nullptr) served_[address.tablet_id] = std::move(served);
  if (over) Close(address);
}

StatusOr<std::shared_ptr<Served>> ServedSet::BeginUnload(const TabletAddress& address) {
  MutexLock lock(&mutex_);
  RETURN_IF_ERROR(CheckIdle(address.tablet_id));
  auto found = served_.find(address.tablet_id);
  if (found == served_.end()) {
    // An unload ends the epoch even if this server does not serve the tablet, because a delayed
    // load of the tablet may still arrive.
    Close(address);
    return NotFound("not served");
  }
  if (found->second->tablet_epoch > address.tablet_epoch) {
    return FailedPrecondition(
        fmt::format("the server serves tablet {} at epoch {}, which is newer than {}",
                    address.tablet_id, found->second->tablet_epoch, address.tablet_epoch));
  }
  busy_[address.tablet_id] = found->second->table_id;
  return found->second;
}

void ServedSet::EndUnload(const TabletAddress& address, bool gone) {
  MutexLock lock(&mutex_);
  busy_.erase(address.tablet_id);
  if (!gone) return;
  served_.erase(address.tablet_id);
  Close(address);
}

Status ServedSet::Take(const Served& tablet) {
  uint64_t id = tablet.tablet->id();
  RETURN_IF_ERROR(CheckIdle(id));
  auto found = served_.find(id);
  // Compares objects and not ids: the tablet may have been unloaded and loaded again at another
  // epoch.
  if (found == served_.end() || found->second.get() != &tablet) {
    return NotFound(fmt::format("the server that was asked no longer serves tablet {}", id));
  }
  busy_[id] = tablet.table_id;
  return OkStatus();
}

Status ServedSet::BeginSchemaChange(const Served& tablet) {
  MutexLock lock(&mutex_);
  return Take(tablet);
}

void ServedSet::EndSchemaChange(const Served& tablet) {
  MutexLock lock(&mutex_);
  busy_.erase(tablet.tablet->id());
}

Status ServedSet::BeginSplit(const Served& parent, const ChildIds& ids) {
  MutexLock lock(&mutex_);
  RETURN_IF_ERROR(Take(parent));
  for (uint64_t id : ids) busy_[id] = parent.table_id;
  return OkStatus();
}

void ServedSet::EndSplit(const Served& parent, const ChildIds& ids,
                         const std::vector<std::shared_ptr<Served>>& children) {
  MutexLock lock(&mutex_);
  uint64_t id = parent.tablet->id();
  busy_.erase(id);
  for (uint64_t child_id : ids) busy_.erase(child_id);
  // No children: the split failed, and the parent is served as before.
  if (children.empty()) return;
  // The parent's id is never used again, so closing it only refuses late calls.
  Close({id, children[0]->tablet_epoch});
  for (const std::shared_ptr<Served>& child : children) served_[child->tablet->id()] = child;
  served_.erase(id);
}

}  // namespace sippar::cluster
