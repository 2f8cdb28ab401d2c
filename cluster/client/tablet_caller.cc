// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/tablet_caller.h"

#include <algorithm>

#include "cluster/location/set_aside.h"
#include "cluster/net/failure.h"
#include "engine/base/call_notes.h"

namespace sippar::cluster {
namespace {

// Notes the table and the row in the trace of the call that this thread serves.
void Note(const std::string& table, std::string_view row) {
  if (auto* notes = engine::CurrentCallNotes()) notes->About(table, row);
}

}  // namespace

StatusOr<LocationPtr> TabletCaller::Find(const std::string& table, std::string_view row,
                                         bool before) {
  Note(table, row);
  StatusOr<LocationPtr> found = FindNow(table, row, before);
  if (IsSetAside(found.status())) {
    const Status& why = found.status();
    return net::Retold(why, why.code(), "table " + table + ": " + std::string(MessageOf(why)));
  }
  if (!HasCause(found.status(), Cause::kSessionOver)) [[likely]]
    return found;
  // A lost session of the lock service yields kFailedPrecondition, which would tell the caller that
  // its write was refused. But an earlier try of the same write may have been carried out, so the
  // caller gets kUnavailable, which means that the outcome is unknown.
  return Unavailable(std::string(MessageOf(found.status())));
}

StatusOr<LocationPtr> TabletCaller::FindNow(const std::string& table, std::string_view row,
                                            bool before) {
  ASSIGN_OR_RETURN(uint64_t id, directory_.Find(table));
  auto find = [&] { return before ? locator_.FindBefore(id, row) : locator_.Find(id, row); };
  StatusOr<LocationPtr> found = find();
  if (found.ok()) [[likely]]
    return found;
  // kUnavailable may mean that the table is being dropped, or was dropped and is kept for a while.
  bool dropped = found.status().code() == StatusCode::kNotFound ||
                 found.status().code() == StatusCode::kUnavailable;
  if (!dropped) return found;
  // A table of this name may have been created again, with a new id.
  directory_.Forget(table, id);
  ASSIGN_OR_RETURN(uint64_t now, directory_.Find(table));
  if (now == id) return found;
  id = now;
  return find();
}

StatusOr<std::vector<TabletRecord>> TabletCaller::ReadAllNow(const std::string& table) {
  ASSIGN_OR_RETURN(uint64_t id, directory_.Find(table));
  StatusOr<std::vector<TabletRecord>> records = locator_.ReadAll(id);
  bool is_served = records.ok() && std::all_of(records->begin(), records->end(), [](const auto& r) {
                     return r.phase == TabletPhase::kAssigned;
                   });
  if (is_served) return records;
  // The table with this id may have been dropped while METADATA keeps its records for a time, and a
  // new table with this name may have been created.
  directory_.Forget(table, id);
  ASSIGN_OR_RETURN(uint64_t now, directory_.Find(table));
  return now == id ? std::move(records) : locator_.ReadAll(now);
}

StatusOr<std::vector<TabletRecord>> TabletCaller::ReadAll(const std::string& table,
                                                          const CallTime& time) {
  Note(table, "");
  CallCourse course(settings_, time);
  while (true) {
    RETURN_IF_ERROR(time.Check());
    StatusOr<std::vector<TabletRecord>> records = ReadAllNow(table);
    bool waits = records.status().code() == StatusCode::kUnavailable ||
                 HasCause(records.status(), Cause::kNotServed);
    if (!waits) return records;
    RETURN_IF_ERROR(course.AfterFailure(records.status(), Repeat::kSafe));
  }
}

LocationPtr TabletCaller::FindKnown(const std::string& table, std::string_view row) {
  Note(table, row);
  auto id = directory_.Find(table);
  return id.ok() ? locator_.FindKnown(*id, row) : nullptr;
}

}  // namespace sippar::cluster
