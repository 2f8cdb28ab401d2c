// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/action_lane.h"

#include "cluster/location/meta_row.h"

namespace sippar::cluster::master {
namespace {

// There is one overload for each kind of action and no general one, so a new kind of action does
// not compile until it has a lane: in a wrong lane it could stop a recovery.
struct LaneChoice {
  static Lane OfRecord(uint64_t table_id, const RowRange& range) {
    if (IsRoot(table_id, range)) return kLocks;
    return table_id == kMetadataTableId ? kMetadata : kUser;
  }
  static Lane OfRecord(const RecordRef& record) { return OfRecord(record.table_id, record.range); }

  Lane operator()(const action::ChangeRecord& asked) const { return OfRecord(asked.record); }
  Lane operator()(const action::LevelBirths& asked) const { return OfRecord(asked.right); }
  Lane operator()(const action::CommitMerge& asked) const { return OfRecord(asked.right); }
  Lane operator()(const action::EraseRecord& asked) const { return OfRecord(asked.record); }
  Lane operator()(const action::LoadTablet& asked) const { return OfRecord(asked.record); }
  Lane operator()(const action::UnloadTablet& asked) const { return OfRecord(asked.record); }
  Lane operator()(const action::SplitByLoad& asked) const { return OfRecord(asked.record); }
  Lane operator()(const action::CreateRecord& asked) const {
    return OfRecord(asked.facts.table_id, asked.facts.range);
  }
  Lane operator()(const action::ReadRecords& asked) const {
    return asked.last.table_id == kMetadataTableId ? kMetadata : kUser;
  }
  // This action reads all of METADATA.
  Lane operator()(const action::FindReferences&) const { return kUser; }

  Lane operator()(const action::AskServer&) const { return kCalls; }
  Lane operator()(const action::SetSchema&) const { return kCalls; }
  Lane operator()(const action::SortLogPart&) const { return kCalls; }
  Lane operator()(const action::ListFiles&) const { return kCalls; }
  Lane operator()(const action::TrashFiles&) const { return kCalls; }
  Lane operator()(const action::PurgeTrash&) const { return kCalls; }

  Lane operator()(const action::ListServers&) const { return kLocks; }
  Lane operator()(const action::ReadTables&) const { return kLocks; }
  Lane operator()(const action::ReadRoot&) const { return kLocks; }
  Lane operator()(const action::FenceServer&) const { return kLocks; }
  Lane operator()(const action::StopWriter&) const { return kLocks; }
  Lane operator()(const action::RenameLog&) const { return kLocks; }
  Lane operator()(const action::SealLog&) const { return kLocks; }
  Lane operator()(const action::WriteTable&) const { return kLocks; }
  Lane operator()(const action::RemoveTable&) const { return kLocks; }
  // Never called: the driver sends replies at once and does not queue them.
  Lane operator()(const action::Reply&) const { return kLocks; }
};

struct GroupChoice {
  template <class Body>
  std::string operator()(const Body& asked) const {
    // The group is the server that the action calls or, in a recovery, the dead server.
    if constexpr (requires { asked.server.ToString(); }) return asked.server.ToString();
    return "";
  }
  std::string operator()(const action::LevelBirths&) const { return "merges"; }
  std::string operator()(const action::ListFiles&) const { return "sweep"; }
  std::string operator()(const action::FindReferences&) const { return "sweep"; }
  std::string operator()(const action::TrashFiles&) const { return "sweep"; }
  std::string operator()(const action::PurgeTrash&) const { return "sweep"; }
};

}  // namespace

std::string GroupOf(const ActionBody& body) { return std::visit(GroupChoice(), body); }

Lane LaneOf(const ActionBody& body) { return std::visit(LaneChoice(), body); }

}  // namespace sippar::cluster::master
