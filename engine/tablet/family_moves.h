// Families that move between locality groups: which groups still hold their older cells, and what
// one settling compaction must merge. Pure.
//
// After ALTER moves a family, writes go to its new group at once. Its older cells stay where they
// are; the tablet records those groups, and reads open them too. To collect garbage in one such
// group alone would be wrong, because a delete in the new group may hide a cell in the old one. So
// no group with a moving family is compacted alone: settling merges all runs of the groups that
// such families connect, and writes each family to its present group.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "engine/model/schema.h"

namespace sippar::engine {

// Family -> group that may still hold older cells of it -> a sequence number from the time when the
// family left the group, which tells this move from a later one.
using OldGroups = std::map<std::string, std::map<std::string, uint64_t>>;

struct SettlingPlan {
  std::set<std::string> groups;  // the groups whose runs are all merged
  // Families, by the group to which they are written.
  std::map<std::string, std::set<std::string>> families;
};

// Adds the moves from one schema to the next, made at `sequence`. Removes none: after a crash the
// old schema may still be in force.
void NoteMoves(const TableSchema& from, const TableSchema& to, uint64_t sequence, OldGroups* old);

// Removes families that the schema in force does not have.
void ForgetDropped(const TableSchema& schema, OldGroups* old);

// The plan for the groups that unsettled families connect to `group` ("": for one set of connected
// groups); nullopt if there are none.
std::optional<SettlingPlan> PlanSettling(const OldGroups& old, const TableSchema& schema,
                                         const std::string& group);

// What remains of `now` once `plan`, which was made from `then`, has been carried out. A family
// that left a group again in the meantime keeps that group: its later cells there were not merged.
OldGroups AfterSettling(OldGroups now, const OldGroups& then, const SettlingPlan& plan);

}  // namespace sippar::engine
