// Finding the tablet of a row by the table's name. SPDX-License-Identifier: Apache-2.0
#include "cluster/client/tablet_caller.h"

namespace sippar::cluster {

StatusOr<LocationPtr> TabletCaller::Find(const std::string& table, std::string_view row,
                                         bool before) {
  StatusOr<LocationPtr> found = FindNow(table, row, before);
  if (found.status().code() != StatusCode::kFailedPrecondition) [[likely]]
    return found;
  // The lock service's session ended, of which the caller knows nothing: to it that code says that
  // its write was refused, but an earlier try may have been carried out.
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
                 found.status().code() == StatusCode::kUnavailable;  // or kept, or on its way
  if (!dropped) return found;
  // Perhaps made anew.
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
