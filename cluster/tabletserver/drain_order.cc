// SPDX-License-Identifier: Apache-2.0
#include "cluster/tabletserver/drain_order.h"

#include <algorithm>

#include "cluster/lock/lock_paths.h"
#include "cluster/lock/member_record.h"

namespace sippar::cluster {

std::string_view NameOf(Leaving leaving) {
  switch (leaving) {
    case Leaving::kStays:
      return "";
    case Leaving::kBegun:
      return "begun";
    case Leaving::kUserTablets:
      return "user-tablets";
    case Leaving::kMetadata:
      return "metadata";
  }
  return "";
}

Leaving LeavingOf(std::string_view name) {
  for (Leaving leaving : {Leaving::kBegun, Leaving::kUserTablets, Leaving::kMetadata}) {
    if (NameOf(leaving) == name) return leaving;
  }
  return Leaving::kStays;
}

bool MayGoOn(Ending ending, Leaving done, const std::vector<Leaving>& others) {
  const bool any_stays = std::any_of(others.begin(), others.end(),
                                     [](Leaving other) { return other == Leaving::kStays; });
  return (any_stays && ending == Ending::kOneServer) ||
         std::all_of(others.begin(), others.end(), [done](Leaving other) { return other >= done; });
}

StatusOr<std::vector<Leaving>> OtherServers(LockSession* session, const ServerId& own) {
  std::vector<Leaving> others;
  ASSIGN_OR_RETURN(std::vector<NamedLockFile> files, session->ReadDirectory(lock_paths::Servers()));
  for (const auto& [name, file] : files) {
    auto id = ServerId::Parse(name);
    if (!id.ok() || *id == own) continue;
    // A server whose lock has no holder is dead; the master or a later start recovers it.
    if (file.holder == 0) continue;
    auto record = MemberRecord::Decode(file.content);
    others.push_back(record.ok() ? LeavingOf(record->leaving) : Leaving::kStays);
  }
  return others;
}

}  // namespace sippar::cluster
