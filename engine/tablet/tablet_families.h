// The families of one tablet as its table's schema changes: the birth of each family, the ends of
// its earlier GC rules, the groups from which families have moved away, and the moment at which a
// new schema comes into force. Births and ends are sequence numbers: cells with a lower number than
// a family's birth belong to a dropped family of the same name, and deletes with a lower number
// than a rule's end were made under that rule or an earlier one. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "engine/tablet/kept_changes.h"
#include "engine/tablet/tablet_body.h"
#include "engine/tablet/tablet_compactor.h"

namespace sippar::engine {

class TabletFamilies {
 public:
  // All three outlive this object.
  TabletFamilies(TabletBody* body, KeptChanges* changes, TabletCompactor* compactor)
      : body_(body), changes_(changes), compactor_(compactor) {}
  TabletFamilies(const TabletFamilies&) = delete;
  TabletFamilies& operator=(const TabletFamilies&) = delete;

  // Saves the births of new families, the ends of replaced rules, and the groups that moved
  // families leave. Called before the schema is in force.
  [[nodiscard]] Status Prepare(const TableSchema& schema);
  // The schema is in force when this returns: for reads, writes, and the change stream.
  void SetSchema(std::shared_ptr<const TableSchema> schema);
  // For tables that can be altered while no server has the tablet. A family with an incarnation
  // number gets a birth now if the state has none for it: any cells that the tablet has under its
  // name belong to an earlier family. Replaced rules get their ends in the same way. If a group
  // holds cells of a family that belongs to another group, records a move of that family. Called
  // after the replay, before any other call.
  [[nodiscard]] Status HearOfSchema();

  std::map<std::string, uint64_t> Births() const;
  // Rewrites all runs, so that no cell of a dropped family and no delete under an earlier rule is
  // left, and forgets the births and the ends of rules, which are sequence numbers without meaning
  // in another tablet. Families with an incarnation number get birth 0, which hides nothing, and
  // rules get end 0.
  [[nodiscard]] Status ForgetBirths();

 private:
  TabletBody* const body_;
  KeptChanges* const changes_;
  TabletCompactor* const compactor_;
};

}  // namespace sippar::engine
