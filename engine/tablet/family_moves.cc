// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/family_moves.h"

#include <algorithm>

namespace sippar::engine {
namespace {

// Every group that may hold cells of the family: exactly one, unless the family is still moving
// between groups.
std::set<std::string> GroupsHolding(const std::string& family, const OldGroups& old,
                                    const TableSchema& schema) {
  std::set<std::string> groups = {schema.GroupOf(family).name};
  if (auto found = old.find(family); found != old.end()) {
    for (const auto& [group, sequence] : found->second) groups.insert(group);
  }
  return groups;
}

bool Meets(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(),
                     [&b](const std::string& name) { return b.contains(name); });
}

}  // namespace

void NoteMoves(const TableSchema& from, const TableSchema& to, uint64_t sequence, OldGroups* old) {
  for (const FamilySchema& family : to.families) {
    // A new family has no older cells.
    if (from.FindFamily(family.name) == nullptr) continue;
    const std::string& left = from.GroupOf(family.name).name;
    if (left != to.GroupOf(family.name).name) (*old)[family.name][left] = sequence;
  }
}

void ForgetDropped(const TableSchema& schema, OldGroups* old) {
  std::erase_if(*old, [&](const auto& entry) { return !schema.FindFamily(entry.first); });
}

std::optional<SettlingPlan> PlanSettling(const OldGroups& old, const TableSchema& schema,
                                         const std::string& group) {
  SettlingPlan plan;
  if (!group.empty()) plan.groups.insert(group);
  bool unsettled = false;
  // Repeats until the plan stops growing: each family can connect further groups, whose other
  // families must then be merged too.
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [family, left] : old) {
      if (schema.FindFamily(family) == nullptr) continue;
      std::set<std::string> holding = GroupsHolding(family, old, schema);
      if (holding.size() < 2 || (!plan.groups.empty() && !Meets(holding, plan.groups))) continue;
      unsettled = true;
      size_t before = plan.groups.size();
      plan.groups.merge(holding);
      grown |= plan.groups.size() > before;
    }
  }
  if (!unsettled) return std::nullopt;
  // The families of these groups that never moved are part of the plan, too: their cells are in the
  // inputs, so they must be in an output.
  for (const FamilySchema& family : schema.families) {
    const std::string& name = schema.GroupOf(family.name).name;
    if (plan.groups.contains(name)) plan.families[name].insert(family.name);
  }
  return plan;
}

OldGroups AfterSettling(OldGroups now, const OldGroups& then, const SettlingPlan& plan) {
  for (const auto& settled : plan.families) {
    const std::string& target = settled.first;
    for (const std::string& family : settled.second) {
      auto before = then.find(family);
      auto present = now.find(family);
      if (before == then.end() || present == now.end()) continue;
      std::erase_if(present->second, [&](const auto& entry) {
        auto same = before->second.find(entry.first);
        // A different sequence number shows that the family left the group again after the plan was
        // made.
        return entry.first != target && same != before->second.end() &&
               same->second == entry.second;
      });
      if (present->second.empty()) now.erase(present);
    }
  }
  return now;
}

}  // namespace sippar::engine
