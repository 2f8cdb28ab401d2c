// SPDX-License-Identifier: Apache-2.0
#include "engine/model/schema_change.h"

#include <fmt/format.h>

#include <algorithm>

namespace sippar::engine {
namespace {

Status Protected(const TableSchema& schema, const std::string& what) {
  return FailedPrecondition(fmt::format(
      "{} cannot be deleted: table {} is protected from deletion; first ALTER TABLE `{}` SET ({} = "
      "FALSE), or deletion_protection = false in the API",
      what, schema.name, schema.name, kProtectedOption));
}

}  // namespace

bool IsProtected(const TableSchema& schema) { return schema.options.contains(kProtectedOption); }

Status CheckDrop(const TableSchema& schema) {
  return IsProtected(schema) ? Protected(schema, "the table") : OkStatus();
}

Status CheckAlter(const TableSchema& before, const TableSchema& after) {
  for (const FamilySchema& old : before.families) {
    const FamilySchema* family = after.FindFamily(old.name);
    bool lost = family == nullptr || family->incarnation != old.incarnation;
    // A change that also removes the protection may delete, since it states that intent.
    if (lost && IsProtected(before) && IsProtected(after)) {
      return Protected(before, "family " + old.name);
    }
    if (lost || family->type == old.type) continue;
    return FailedPrecondition(
        fmt::format("family {}: its type cannot change from {} to {}, because stored cells keep "
                    "their form; add a family of the new type",
                    old.name, FamilyTypeName(old.type), FamilyTypeName(family->type)));
  }
  if (!before.options.contains(kGranularityOption) && after.options.contains(kGranularityOption)) {
    return FailedPrecondition(
        fmt::format("{} of table {} cannot become coarser: the times of stored cells may be finer; "
                    "create a new table with it",
                    kGranularityOption, before.name));
  }
  return OkStatus();
}

bool NeedsWritesHeld(const TableSchema& before, const TableSchema& after) {
  return std::any_of(after.families.begin(), after.families.end(), [&](const FamilySchema& family) {
    const FamilySchema* old = before.FindFamily(family.name);
    return old != nullptr &&
           (old->incarnation != family.incarnation || old->earlier != family.earlier);
  });
}

void NoteEarlierGc(const TableSchema& before, uint64_t version, TableSchema* after) {
  for (FamilySchema& family : after->families) {
    family.earlier.clear();
    const FamilySchema* old = before.FindFamily(family.name);
    if (old == nullptr || old->incarnation != family.incarnation) continue;
    family.earlier = old->earlier;
    if (family.gc == old->gc) continue;
    family.earlier.push_back({old->gc, version});
    if (family.earlier.size() <= kEarlierGcMax) continue;
    family.earlier.erase(family.earlier.begin());
    // The first rule now stands for the removed one, too. As KeepAll it drops nothing: a delete
    // that was made under it acts on all versions that were stored then.
    family.earlier.front().gc = GcPolicy::KeepAll();
  }
}

}  // namespace sippar::engine
