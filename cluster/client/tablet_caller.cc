// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/tablet_caller.h"

namespace sippar::cluster {

StatusOr<LocationPtr> TabletCaller::Find(const std::string& table, std::string_view row,
                                         bool before) {
  StatusOr<LocationPtr> found = FindNow(table, row, before);
  if (found.status().code() != StatusCode::kFailedPrecondition) [[likely]]
    return found;
  // The session of the lock service is over, which is no concern of the caller. To the caller
  // kFailedPrecondition would mean that its write was refused, although an earlier try of the same
  // write may have been carried out. kUnavailable says that the outcome is unknown.
  return Unavailable(std::string(MessageOf(found.status())));
}

StatusOr<LocationPtr> TabletCaller::FindNow(const std::string& table, std::string_view row,
                                            bool before) {
  ASSIGN_OR_RETURN(uint64_t id, directory_.Find(table));
  auto find = [&] { return before ? locator_.FindBefore(id, row) : locator_.Find(id, row); };
  StatusOr<LocationPtr> found = find();
  if (found.ok()) [[likely]]
    return found;
  bool dropped = found.status().code() == StatusCode::kNotFound ||
                 found.status().code() == StatusCode::kUnavailable;  // kept, or being dropped
  if (!dropped) return found;
  // A table of this name may have been created again, with a new id.
  directory_.Forget(table, id);
  ASSIGN_OR_RETURN(uint64_t now, directory_.Find(table));
  if (now == id) return found;
  id = now;
  return find();
}

LocationPtr TabletCaller::FindKnown(const std::string& table, std::string_view row) {
  auto id = directory_.Find(table);
  return id.ok() ? locator_.FindKnown(*id, row) : nullptr;
}

}  // namespace sippar::cluster
