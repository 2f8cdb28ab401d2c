// Decides which changes of a table's schema are allowed, for all APIs: the master calls these
// functions, `sippar restore` calls CheckDrop before it begins. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/base/status.h"
#include "engine/model/schema.h"

namespace sippar::engine {

bool IsProtected(const TableSchema& schema);  // true: DELETION_PROTECTION is set
// kFailedPrecondition: the table is protected.
[[nodiscard]] Status CheckDrop(const TableSchema& schema);
// kFailedPrecondition: a family of a protected table would lose its cells, or stored cells would
// not fit a family's new type or the table's new granularity.
[[nodiscard]] Status CheckAlter(const TableSchema& before, const TableSchema& after);
// True if a tablet records from which write on `after` is in force, so that no write may come while
// it does: a family is dropped and created again, or has another list of earlier GC rules.
bool NeedsWritesHeld(const TableSchema& before, const TableSchema& after);
// Sets FamilySchema::earlier in each family of `after`, which becomes schema version `version`: the
// list of `before`, and the rule of `before` if `after` has another one. A family that is new in
// `after` has none.
void NoteEarlierGc(const TableSchema& before, uint64_t version, TableSchema* after);

}  // namespace sippar::engine
