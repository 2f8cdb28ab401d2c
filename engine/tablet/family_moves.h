// Families on their way between locality groups: which groups still hold their older cells, and
// what one settling compaction has to merge. Pure.
//
// ALTER moves a family at once for writes; its older cells stay where they are, and the tablet
// remembers those groups. Reads open them too. Garbage collection of one such group alone would be
// wrong (a delete in the new group may hide a cell of the old one), so no group with a family on
// the move is compacted by itself: settling merges all runs of the groups that are tied together
// and writes each family to its group. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "engine/model/schema.h"

namespace sippar::engine {

// Family -> group that may still hold older cells of it -> highest sequence when it left the group.
using OldGroups = std::map<std::string, std::map<std::string, uint64_t>>;

struct SettlingPlan {
  std::set<std::string> groups;                           // whose runs are merged, all of them
  std::map<std::string, std::set<std::string>> families;  // by the group they are written to
};

// Notes the moves from one schema to the next at `sequence`. Nothing is forgotten: a crash may
// leave the old schema in force.
void NoteMoves(const TableSchema& from, const TableSchema& to, uint64_t sequence, OldGroups* old);

// Forgets families that the schema in force does not have.
void ForgetDropped(const TableSchema& schema, OldGroups* old);

// The groups tied to `group` ("" = to any) by unsettled families; nullopt: there are none.
std::optional<SettlingPlan> PlanSettling(const OldGroups& old, const TableSchema& schema,
                                         const std::string& group);

// What is left of `now` when the plan, made when it was `then`, has been carried out. A family that
// left a group once more meanwhile keeps that group.
OldGroups AfterSettling(OldGroups now, const OldGroups& then, const SettlingPlan& plan);

}  // namespace sippar::engine
