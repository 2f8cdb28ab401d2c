// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/tablet_families.h"

#include <fmt/format.h>

#include <set>

#include "engine/base/crash_point.h"
#include "engine/tablet/reshape.h"

namespace sippar::engine {
namespace {

// A family that was dropped and created again in one change has a new incarnation.
bool IsSame(const FamilySchema* before, const FamilySchema& family) {
  return before != nullptr && before->incarnation == family.incarnation;
}

// Notes the ends of rules of which the state has none: the next entry is written under another
// rule.
void NoteRuleEnds(const TableSchema& schema, uint64_t next, std::map<std::string, uint64_t>* ends) {
  for (const FamilySchema& family : schema.families) {
    // emplace does not replace an end that the state already has.
    for (const EarlierGc& rule : family.earlier) ends->emplace(RuleEndKey(family, rule), next);
  }
}

// Forgets the births and rules of families that neither schema has. Those of the old schema are
// kept, because after a crash that schema may still be in force.
void ForgetBirthsOfDropped(const TableSchema& old, const TableSchema& schema,
                           std::map<std::string, uint64_t>* births) {
  std::set<std::string> known = SequenceKeys(old);
  known.merge(SequenceKeys(schema));
  std::erase_if(*births, [&known](const auto& birth) { return !known.contains(birth.first); });
}

// Notes families that left a group while no server had the tablet. The change itself was not seen,
// but a file of another group that holds cells of the family shows it.
void NoteUnheardMoves(const TabletState& state, const TableSchema& schema, uint64_t sequence,
                      OldGroups* old) {
  for (const GroupState& group : state.groups) {
    for (const RunState& run : group.runs) {
      for (const FileRef& file : run.files) {
        for (const auto& [family, bytes] : file.summary.families) {
          if (schema.FindFamily(family) == nullptr) continue;
          if (schema.GroupOf(family).name == group.name) continue;
          (*old)[family].emplace(group.name, sequence);
        }
      }
    }
  }
}

bool SameFamilies(const TabletState& a, const TabletState& b) {
  return a.family_births == b.family_births && a.old_groups == b.old_groups;
}

std::shared_ptr<const FamilyRules> MakeRules(const TableSchema& schema, const TabletState& state) {
  auto rules = std::make_shared<FamilyRules>();
  for (const FamilySchema& family : schema.families) {
    auto sequence_of = [&state](const std::string& key) {
      auto found = state.family_births.find(key);
      return found == state.family_births.end() ? 0 : found->second;
    };
    FamilyRule& rule = (*rules)[family.name];
    rule.gc = family.gc;
    rule.birth = sequence_of(BirthKey(family));
    for (const EarlierGc& earlier : family.earlier) {
      rule.before.push_back({sequence_of(RuleEndKey(family, earlier)), earlier.gc});
    }
  }
  return rules;
}

}  // namespace

Status TabletFamilies::Prepare(const TableSchema& schema) {
  std::shared_ptr<const TableSchema> old = body_->TakeSnapshot().schema;
  MutexLock state_lock(&body_->state_mutex);
  TabletState changed = body_->state;
  uint64_t next_visible = body_->TakeSnapshot().sequence + 1;
  const std::set<std::string> in_force = SequenceKeys(*old);
  for (const FamilySchema& family : schema.families) {
    for (const EarlierGc& rule : family.earlier) {
      // An attempt that failed may have left an end for a rule that is still in force.
      const std::string key = RuleEndKey(family, rule);
      if (!in_force.contains(key)) changed.family_births[key] = next_visible;
    }
    if (IsSame(old->FindFamily(family.name), family)) continue;
    // Cells with a lower sequence number belong to an earlier family of this name. If there was
    // one, the caller holds back all writes until the new schema is in force (writes_held.h).
    changed.family_births[BirthKey(family)] = next_visible;
  }
  ForgetBirthsOfDropped(*old, schema, &changed.family_births);
  NoteMoves(*old, schema, next_visible, &changed.old_groups);
  if (SameFamilies(changed, body_->state)) return OkStatus();
  // If the process crashes after this save and before the new schema is saved, the state has births
  // and ends of rules that the old schema does not use, and moves that make reads open a group too
  // many. All are harmless: the next Prepare replaces the births and ends.
  CRASH_POINT("alter_table.before_state");
  RETURN_IF_ERROR(body_->SaveState(std::move(changed)));
  CRASH_POINT("alter_table.after_state");
  return OkStatus();
}

Status TabletFamilies::HearOfSchema() {
  TabletSnapshot snapshot = body_->TakeSnapshot();
  {
    MutexLock state_lock(&body_->state_mutex);
    TabletState changed = body_->state;
    for (const FamilySchema& family : snapshot.schema->families) {
      if (family.incarnation == 0) continue;
      // emplace does not replace a birth that the state already has.
      changed.family_births.emplace(BirthKey(family), snapshot.sequence + 1);
    }
    NoteRuleEnds(*snapshot.schema, snapshot.sequence + 1, &changed.family_births);
    NoteUnheardMoves(body_->state, *snapshot.schema, snapshot.sequence, &changed.old_groups);
    if (SameFamilies(changed, body_->state)) return OkStatus();
    RETURN_IF_ERROR(body_->SaveState(std::move(changed)));
  }
  SetSchema(std::move(snapshot.schema));
  return OkStatus();
}

void TabletFamilies::SetSchema(std::shared_ptr<const TableSchema> schema) {
  MutexLock state_lock(&body_->state_mutex);
  // No write may be applied during the change: it would use the groups of the old version with the
  // new schema.
  MutexLock apply_lock(&body_->apply_mutex);
  MutexLock lock(&body_->mutex);
  auto version = std::make_shared<TabletVersion>(*body_->version);
  for (const LocalityGroupSchema& group : schema->groups) {
    // Groups that the schema no longer has stay: their runs may hold cells of families that moved.
    if (version->Group(group.name) != nullptr) continue;
    GroupVersion& fresh = version->groups.emplace_back();
    fresh.name = group.name;
    fresh.active = std::make_shared<Memtable>();
  }
  ForgetDropped(*schema, &body_->state.old_groups);
  version->old_groups = body_->state.old_groups;
  body_->version = std::move(version);
  body_->rules = MakeRules(*schema, body_->state);
  body_->schema = std::move(schema);
  changes_->Follow(*body_->schema, body_->visible_sequence + 1);
}

std::map<std::string, uint64_t> TabletFamilies::Births() const {
  MutexLock state_lock(&body_->state_mutex);
  return body_->state.family_births;
}

Status TabletFamilies::ForgetBirths() {
  // Copies the births before the compaction: a birth that is added while the compaction runs must
  // stay, because the compaction may have written the cells that this birth hides.
  std::map<std::string, uint64_t> before = Births();
  RETURN_IF_ERROR(compactor_->CompactMajor(""));
  std::shared_ptr<const TableSchema> schema = body_->TakeSnapshot().schema;
  MutexLock state_lock(&body_->state_mutex);
  if (PlanSettling(body_->state.old_groups, *schema, "").has_value()) {
    return Aborted(fmt::format(
        "families of tablet {} were moved during its split or merge; try again", body_->id));
  }
  TabletState changed = body_->state;
  std::erase_if(changed.family_births, [&](const auto& birth) {
    auto old = before.find(birth.first);
    return old != before.end() && old->second == birth.second;
  });
  for (const FamilySchema& family : schema->families) {
    // Birth 0 hides nothing. Without it HearOfSchema would give the family a birth that hides all
    // its cells.
    if (family.incarnation > 0) changed.family_births.emplace(BirthKey(family), 0);
  }
  NoteRuleEnds(*schema, 0, &changed.family_births);  // no delete of that time is left
  CRASH_POINT("births.before_state");
  RETURN_IF_ERROR(body_->SaveState(std::move(changed)));
  CRASH_POINT("births.after_state");
  MutexLock lock(&body_->mutex);
  body_->rules = MakeRules(*body_->schema, body_->state);
  return OkStatus();
}

}  // namespace sippar::engine
